"""Node pool: read only; projects and departments divide what is in it."""

from typing import Annotated

from vastplan.words.compile import kind
from vastplan.words.kind import Endpoint, Update
from vastplan.words.marks import IDENTITY
from vastplan.words.types import Spec


class NodePool(Spec):
    """A node pool, referred to by name."""

    name: Annotated[str, IDENTITY]


KIND = kind(
    NodePool,
    name="node_pool",
    system="runai",
    endpoint=Endpoint(
        "/api/v1/node-pools", update=Update.NONE, rows="nodepools", query={"filterBy": "clusterId=={cluster}"}
    ),
)
