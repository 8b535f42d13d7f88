"""Node: read only, for the number of GPUs in each node pool."""

from typing import Annotated

from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, Wire
from vastplan.schema.types import Spec


class Node(Spec):
    """A node of the cluster; a node without GPUs has no `gpuInfo`."""

    name: Annotated[str, IDENTITY]
    """Name of the node in the cluster."""
    pool: Annotated[str, Wire("nodePool")]
    """Name of the node pool that the node is in."""
    gpus: Annotated[int | None, Wire("gpuInfo", "gpuCount")] = None
    """GPUs of the node; null for a node without any."""


KIND = Kind(
    Node,
    name="node",
    system="runai",
    # Control planes of 2.20 have no pages of nodes. Later ones return 50 nodes unless more are requested.
    endpoint=Endpoint("/api/v1/clusters/{cluster}/nodes", update=Update.NONE, rows="nodes", once_unpaged=True),
)
