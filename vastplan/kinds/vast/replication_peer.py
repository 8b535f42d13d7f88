"""Replication peer: the link between two clusters, created on one of them. VMS mirrors it on the other under the same
name."""

from typing import Annotated, Literal

from pydantic import Field

from vastplan.kinds.vast._common import NOTHING, collection
from vastplan.schema.kind import Kind
from vastplan.schema.live import Metric, States
from vastplan.schema.markers import IDENTITY, WITNESS, Opens, Refers, ServerDefault, Wire
from vastplan.schema.types import MISSING, ReferenceName, Spec, VendorName

CONNECTED = "connected"


class ReplicationPeer(Spec):
    """A replication peer, one end of a connection: a REPLICATION pool here and an address of the other cluster.

    Nothing in VMS marks the mirror on the other cluster as one: vastplan recognises it by its name, and because the
    ledger does not have it. So the name cannot change: whether a mirror follows a new name is not documented.
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    """Name of the peer, which its mirror on the other cluster has too; the entry's key when left out."""
    pool: Annotated[ReferenceName, Refers("vip_pool"), Wire("pool_id"), Opens(at_create=False)]
    """VIP pool of this cluster, of role REPLICATION, that carries the connection."""
    leading_vip: Annotated[ReferenceName, Refers("vip_pool.leading_vip", blocks_delete=False), Opens()]
    """VIP pool of the other cluster, of role REPLICATION, whose first address opens the connection."""
    secure_mode: Annotated[Literal["NONE", "SECURE"] | MISSING, Opens("NONE"), ServerDefault("NONE", WITNESS)] = MISSING
    """Whether the connection is encrypted: not at all (NONE), or with mTLS (SECURE), which needs certificates on
    both clusters."""
    transport_mode: Annotated[Literal["TCP", "QUIC"] | MISSING, ServerDefault("TCP", WITNESS)] = MISSING
    """Transport of the connection; QUIC is for links of high latency and is not FIPS compliant."""
    mss: Annotated[Annotated[int, Field(ge=1, le=65535)] | MISSING, NOTHING] = MISSING
    """Largest TCP segment that the peer can receive, in bytes (MSS)."""


KIND = Kind(
    ReplicationPeer,
    name="replication_peer",
    system="vast",
    endpoint=collection("nativereplicationremotetargets", vanishes_later=True),
    mirrored=True,
    states=States(
        path=("state",),
        well=frozenset({"CONNECTED"}),
        failed=frozenset({"ERROR"}),
        leaving=frozenset({"DELETE_PENDING", "DELETING"}),
        message=("state_description",),
    ),
    metrics=(
        Metric(
            CONNECTED,
            ("state",),
            ones=frozenset({"CONNECTED"}),
            zeros=frozenset({"CONNECTING", "ERROR", "UNKNOWN", "DELETE_PENDING", "DELETING"}),
        ),
    ),
)
