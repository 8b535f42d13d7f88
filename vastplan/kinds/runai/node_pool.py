"""Node pool: read only; projects and departments divide its resources."""

from typing import Annotated

from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY
from vastplan.schema.types import Spec


class NodePool(Spec):
    """A node pool, referred to by name."""

    name: Annotated[str, IDENTITY]
    """Name of the node pool in Run:AI."""


KIND = Kind(
    NodePool,
    name="node_pool",
    system="runai",
    endpoint=Endpoint(
        "/api/v1/node-pools", update=Update.NONE, rows="nodepools", query={"filterBy": "clusterId=={cluster}"}
    ),
)
