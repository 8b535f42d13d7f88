"""Host path data source: a directory of the node that a workload runs on."""

from typing import Annotated, Literal

from vastplan.kinds.runai._assets import Description, Mount, Scoped, assets, data_source_kind
from vastplan.schema.markers import Opens, Wire
from vastplan.schema.types import MISSING, AbsolutePath


class HostPathDataSource(Scoped):
    """A data source of a host path: a directory of the node that a workload runs on."""

    path: Annotated[AbsolutePath, Wire("spec", "path"), Opens()]
    """Absolute path of the directory on the node."""
    mount: Annotated[Mount, Wire("spec", "mountPath")]
    """Absolute path in containers at which workloads find the directory."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""
    read_only: Annotated[bool | MISSING, Wire("spec", "readOnly"), Opens(False)] = MISSING
    """Whether workloads may only read the directory."""
    mount_propagation: Annotated[
        Literal["None", "HostToContainer"] | None | MISSING, Wire("spec", "mountPropagation"), Opens("HostToContainer")
    ] = MISSING
    """Whether containers see later mounts of the node below the directory: with `HostToContainer` they do."""


KIND = data_source_kind(
    HostPathDataSource,
    name="host_path_data_source",
    section="host_path_data_sources",
    endpoint=assets("datasource/host-path", status=False),
    states=None,
)
