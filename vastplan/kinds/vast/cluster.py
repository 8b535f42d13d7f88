"""The VAST cluster and its VMS, which vastplan only reads, for their figures and settings."""

from typing import Annotated

from vastplan.model import units
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind
from vastplan.schema.live import Metric
from vastplan.schema.markers import IDENTITY
from vastplan.schema.types import Spec

USABLE, READS, WRITES, FLOORS = "usable capacity", "read bandwidth", "write bandwidth", "QoS minimums"


class Cluster(Spec):
    """A cluster; its figures are those of the VMS 5.5 document (Cluster)."""

    name: Annotated[str, IDENTITY]
    """Name of the cluster, as VMS has it."""


class Vms(Spec):
    """The management service; `min_qos_supported` of the VMS 5.5 document (Vms) says whether `min_*` limits are."""

    name: Annotated[str, IDENTITY]
    """Name of the management service, as VMS has it."""


KIND = Kind(
    Cluster,
    name="cluster",
    system="vast",
    endpoint=Endpoint("/clusters/", update=Update.NONE),
    metrics=(
        Metric(USABLE, ("usable_capacity_bytes",), units.BYTES),
        Metric(READS, ("max_cluster_read_bw_mb",), units.BANDWIDTH),
        Metric(WRITES, ("max_cluster_write_bw_mb",), units.BANDWIDTH),
    ),
)
VMS = Kind(
    Vms,
    name="vms",
    system="vast",
    endpoint=Endpoint("/vms/", update=Update.NONE),
    metrics=(Metric(FLOORS, ("min_qos_supported",), ones=frozenset({True}), zeros=frozenset({False})),),
)
