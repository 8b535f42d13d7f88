"""Node: read only, for how many GPUs each node pool has."""

from typing import Annotated

from vastplan.schema.compile import kind
from vastplan.schema.endpoint import Endpoint, Update
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


KIND = kind(
    Node,
    name="node",
    system="runai",
    # Control planes of 2.20 know no pages of nodes. Those after them show 50 where nobody asks for more.
    endpoint=Endpoint("/api/v1/clusters/{cluster}/nodes", update=Update.NONE, rows="nodes", once_unpaged=True),
)
