"""ConfigMap data source: a ConfigMap that workloads mount. Only name and description can change.

The ConfigMap is in the namespace of the project; for a department or a cluster in the namespace `runai`, with
Run:AI's label.
"""

from typing import Annotated

from pydantic import StringConstraints

from vastplan.kinds.runai._assets import Description, FileMode, Mount, Scoped, assets, data_source_kind
from vastplan.schema.markers import IMMUTABLE, Opens, Since, Wire
from vastplan.schema.types import MISSING, Says

_ConfigMapName = Annotated[
    str,
    StringConstraints(max_length=253, pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"),
    Says("the name of a ConfigMap, without dots: lowercase letters and digits, with - between them, at most 253"),
]
_Below = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=r"^[^/\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"),
    Says("a path in the volume of the ConfigMap, which does not start with /"),
]


class ConfigMapDataSource(Scoped):
    """A data source of a ConfigMap: its keys as files in the containers of workloads."""

    config_map: Annotated[_ConfigMapName, Wire("spec", "configMap"), IMMUTABLE, Opens(at_create=False)]
    """ConfigMap by its name without dots, in the project's namespace; for a department or a cluster in `runai`."""
    mount: Annotated[Mount, Wire("spec", "mountPath"), IMMUTABLE]
    """Absolute path in containers at which workloads find the files of the ConfigMap."""
    sub_path: Annotated[_Below | MISSING, Wire("spec", "subPath"), IMMUTABLE, Since("runai", "2.22")] = MISSING
    """Path within the ConfigMap's volume that is mounted instead of the whole volume."""
    default_mode: FileMode = MISSING
    """Mode of the files as octal text, such as `"0644"`."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""


KIND = data_source_kind(
    ConfigMapDataSource,
    name="config_map_data_source",
    section="config_map_data_sources",
    endpoint=assets("datasource/config-map"),
)
