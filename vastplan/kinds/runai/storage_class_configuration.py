"""Storage class configuration: the uses of a StorageClass that Run:AI permits to researchers.

It applies to the whole cluster: Run:AI has no configuration for a project or a department (API document of 2.24: `scopeType` has the
single value `cluster`). Workload policies say who may use which class, and the admission policy of the class enforces it.
"""

from typing import Annotated

from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, IMMUTABLE, Opens, Refers, Since, Wire
from vastplan.schema.types import MISSING, ReferenceName, Spec


def _permission(name: str) -> tuple[object, ...]:
    """The markers of a permitted use of the class; null leaves it to Run:AI."""
    return Wire("permissions", name), Opens(True, None)


class StorageClassConfiguration(Spec):
    """Permitted uses of a storage class in Run:AI, in the whole cluster; uses that are left out stay as they are.

    Whether Run:AI also hides a class from its forms is not documented.
    """

    storage_class: Annotated[
        ReferenceName, Refers("storage_class.name", blocks_delete=False), Wire("name"), IDENTITY, IMMUTABLE
    ]
    """Storage class that the permissions are for."""
    allowed_for_assets: Annotated[bool | None | MISSING, *_permission("allowedForAssets")] = MISSING
    """Whether Run:AI may create claims of the class for data sources; null leaves it to Run:AI."""
    allowed_for_workloads: Annotated[bool | None | MISSING, *_permission("allowedForWorkloads")] = MISSING
    """Whether workloads may bring new claims of the class; null leaves it to Run:AI."""
    allowed_for_ephemeral_volumes: Annotated[bool | None | MISSING, *_permission("allowedForEphemeralVolumes")] = (
        MISSING
    )
    """Whether workloads may create ephemeral volumes of the class; null leaves it to Run:AI."""
    allowed_for_persistent_volumes: Annotated[bool | None | MISSING, *_permission("allowedForPersistentVolumes")] = (
        MISSING
    )
    """Whether workloads may create persistent volumes of the class; null leaves it to Run:AI."""
    allow_data_sharing: Annotated[bool | None | MISSING, *_permission("allowDataSharing")] = MISSING
    """Whether data sources may share one volume of the class among projects; null leaves it to Run:AI."""


KIND = Kind(
    StorageClassConfiguration,
    name="storage_class_configuration",
    system="runai",
    section="storage_class_configurations",
    endpoint=Endpoint(
        "/api/v1/storage-class-configuration",
        update=Update.PATCH,
        rows="storageClassConfigurations",
        query={"filterBy": "scopeId=={cluster}"},
        constants={"scopeType": "cluster", "scopeId": "{cluster}"},
    ),
    keyed=Keyed(),
    versions=(Since("runai", "2.24", subject="the configuration of a storage class"),),
)
