"""NFS data source: a directory of an NFS server that workloads mount, without a claim or a driver.

Nothing is created in the cluster: each pod mounts the directory by itself, with the mount options of its node, so neither a quota nor
an admission policy of a class limits it.
"""

from typing import Annotated

from vastplan.kinds.runai._assets import Description, Mount, Scoped, assets, data_source_kind
from vastplan.schema.dependents import Mounting
from vastplan.schema.markers import SCHEMA, Opens, ServerDefault, Wire
from vastplan.schema.types import MISSING, AbsolutePath, Host


class NfsDataSource(Scoped):
    """A data source of NFS: a directory of a server that workloads mount without a claim or a driver."""

    server: Annotated[Host, Wire("spec", "server"), Opens(at_create=False)]
    """Host name or IP address of the NFS server, such as that of a VIP pool of VAST."""
    path: Annotated[AbsolutePath, Wire("spec", "path"), Opens(at_create=False)]
    """Absolute path that the server exports; on VAST the path or the alias of a view."""
    mount: Annotated[Mount, Wire("spec", "mountPath")]
    """Absolute path in containers at which workloads find the directory."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""
    read_only: Annotated[bool | MISSING, Wire("spec", "readOnly"), Opens(False), ServerDefault(True, SCHEMA)] = MISSING
    """Whether workloads may only read the directory."""


KIND = data_source_kind(
    NfsDataSource,
    name="nfs_data_source",
    section="nfs_data_sources",
    endpoint=assets("datasource/nfs", status=False),
    mounts=Mounting("view", "path", ("path", "alias")),
    states=None,
)
