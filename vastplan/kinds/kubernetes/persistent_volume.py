"""PersistentVolume that vastplan creates for one claim, with existing data on VAST. Volumes that the driver creates are not managed."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from vastplan.kinds.kubernetes._common import (
    BLOCK_DRIVER,
    FILE_DRIVER,
    FILESYSTEM,
    NAMESPACE,
    QUANTITY,
    Labelled,
    ObjectName,
    in_full,
    manifest,
)
from vastplan.kinds.kubernetes._secrets import VolumeSecrets, one_form
from vastplan.schema.codec import at
from vastplan.schema.dependents import HeldData, Linked, Mounting
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Attribute, ControllerOwned, Metric, States
from vastplan.schema.markers import (
    IMMUTABLE,
    PROSE,
    SET,
    Codec,
    InsteadOf,
    Opens,
    Refers,
    ServerDefault,
    Shown,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, NORMAL_PATH, KubernetesName, ReferenceName, Size, Text


def _of_one_pod_alone(modes: list[str]) -> list[str]:
    """The modes. Raises `ValueError` for others beside ReadWriteOncePod."""
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        raise ValueError("ReadWriteOncePod excludes all other modes")
    return modes


AccessModes = Annotated[
    Annotated[
        list[Literal["ReadWriteMany", "ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod"]],
        AfterValidator(_of_one_pod_alone),
    ],
    Field(min_length=1),
]
VolumeMode = Literal["Filesystem", "Block"]
_PROVISIONED_BY = ("metadata", "annotations", "pv.kubernetes.io/provisioned-by")
_SECRETS = ("controllerPublishSecretRef", "nodePublishSecretRef")

# The phases of the core API; a server fills in Pending.
_BOUND, _NOT_BOUND = frozenset({"Bound"}), frozenset({"Pending", "Available", "Released", "Failed"})

# The attributes that the VAST drivers write or read; attributes of another driver may hold a credential.
_PUBLIC = Shown(
    "root_export", "mount_options", "protocol", "vip_pool_name", "vip_pool_fqdn", "view_policy", "volume_name",
    "view_id", "volume_id", "quota_id", "tenant_id", "tenant_name", "static_pv_create_views",
    "static_pv_create_quotas", "size", "qos_policy", "qos_policy_id", "subsystem", "transport_type",
    "storage.kubernetes.io/csiProvisionerIdentity",
)  # fmt: skip


def _write_secret(path: str) -> dict[str, dict[str, str]]:
    namespace, _, name = path.partition("/")
    return {field: {"name": name, "namespace": namespace} for field in _SECRETS}


def _read_secret(source: dict[str, Any]) -> str | None:
    """The NAMESPACE/NAME in both references; if they differ, a text with each of them."""
    paths = [f"{ref.get('namespace')}/{ref.get('name')}" if (ref := source.get(field)) else "" for field in _SECRETS]
    if len(set(paths)) == 1:
        return paths[0] or None
    return "; ".join(f"{path or 'none'} for {field}" for field, path in zip(_SECRETS, paths, strict=True))


class PersistentVolume(Labelled):
    """A static volume: a PersistentVolume of existing data on VAST."""

    name: ObjectName = MISSING
    """Name of the PersistentVolume in Kubernetes."""
    size: Annotated[Size, Wire("spec", "capacity", "storage"), QUANTITY]
    """Capacity in bytes that the volume declares to Kubernetes; a claim that binds it requests at most this."""
    access_modes: Annotated[AccessModes, Wire("spec", "accessModes"), SET, Opens(at_create=False)]
    """Access modes that the volume offers; a claim that binds it requests no others."""
    reclaim_policy: Annotated[
        Literal["Delete", "Retain"] | MISSING,
        Wire("spec", "persistentVolumeReclaimPolicy"),
        ServerDefault("Retain", PROSE),
    ] = MISSING
    """Whether the data stays (`Retain`) or is deleted by the driver (`Delete`) once the claim is deleted."""
    storage_class_name: Annotated[Text | None | MISSING, Wire("spec", "storageClassName"), Opens(at_create=False)] = (
        MISSING
    )
    """Class name that a claim must also have to bind the volume; null for claims without a class."""
    claim_namespace: Annotated[ReferenceName | MISSING, NAMESPACE, Wire("spec", "claimRef", "namespace"), Opens()] = (
        MISSING
    )
    """Namespace of the only claim that may bind the volume. Needs `claim_name`."""
    claim_name: Annotated[KubernetesName | MISSING, Wire("spec", "claimRef", "name"), Opens(at_create=False)] = MISSING
    """Name of the only claim that may bind the volume. Needs `claim_namespace`."""
    driver: Annotated[str, Wire("spec", "csi", "driver"), IMMUTABLE]
    """CSI driver of the volume, by its name in Kubernetes, such as `csi.vastdata.com`."""
    volume_handle: Annotated[Text, Wire("spec", "csi", "volumeHandle"), IMMUTABLE, Opens()]
    """Id of the volume for its driver. For the file driver it is the absolute path on VAST, which makes it static."""
    volume_attributes: Annotated[
        dict[str, Text] | MISSING, Wire("spec", "csi", "volumeAttributes"), IMMUTABLE, _PUBLIC
    ] = MISSING
    """Parameters by name that the driver gets from Kubernetes when it attaches or mounts the volume."""
    vip_pool: Annotated[
        ReferenceName | MISSING,
        Refers("vip_pool.name", blocks_delete=False),
        Wire("spec", "csi", "volumeAttributes", "vip_pool_name"),
        IMMUTABLE,
        Opens(at_create=False),
    ] = MISSING
    """VIP pool whose addresses nodes mount the volume from."""
    view_policy: Annotated[
        ReferenceName | MISSING,
        Refers("view_policy.name", blocks_delete=False, uses=("NFS", "NFS4")),
        Wire("spec", "csi", "volumeAttributes", "view_policy"),
        IMMUTABLE,
        Opens(at_create=False),
    ] = MISSING
    """View policy for the view of the path; the driver needs it only where it has to create that view."""
    fs_type: Annotated[Text | MISSING, Wire("spec", "csi", "fsType"), IMMUTABLE] = MISSING
    """File system of the volume, with which nodes mount it."""
    read_only: Annotated[
        bool | MISSING,
        Wire("spec", "csi", "readOnly"),
        IMMUTABLE,
        Opens(False, at_create=False),
        ServerDefault(False, PROSE),
    ] = MISSING
    """Whether the driver attaches the volume read-only."""
    secret: Annotated[
        ReferenceName | MISSING,
        Refers("secret.path"),
        Wire("spec", "csi"),
        Codec(_write_secret, _read_secret),
        IMMUTABLE,
        Opens(at_create=False),
    ] = MISSING
    """Secret with which the driver logs in to VAST for every purpose. Excludes `secrets`."""
    secrets: Annotated[VolumeSecrets | MISSING, Wire("spec", "csi"), IMMUTABLE, InsteadOf("secret")] = MISSING
    """Secrets by purpose, for a volume whose purposes do not share one. Excludes `secret`."""
    mount_options: Annotated[list[Text] | None | MISSING, Wire("spec", "mountOptions")] = MISSING
    """Options with which nodes mount the volume; null for none."""
    volume_mode: Annotated[VolumeMode | MISSING, Wire("spec", "volumeMode"), IMMUTABLE, FILESYSTEM] = MISSING
    """Whether pods get the volume as a file system or as a raw block device. The file driver refuses `Block`."""

    @model_validator(mode="after")
    def _consistent(self) -> "PersistentVolume":
        if (self.claim_namespace is MISSING) != (self.claim_name is MISSING):
            raise ValueError("claim_namespace and claim_name go together")
        if self.driver == FILE_DRIVER and not re.search(NORMAL_PATH, self.volume_handle):
            raise ValueError("volume_handle must be an absolute path on VAST, without //, . or ..")
        in_full(self.secret)
        one_form(self.secret, self.secrets)
        return self


def _finished(body: Row, values: Values) -> Row:
    """With one `secret` for all purposes, the block driver also stages volumes with it. A volume that gets another claim no longer
    refers to the former one."""
    spec = body.get("spec", {})
    source = spec.get("csi", {})
    if source.get("driver") == BLOCK_DRIVER and "secret" in values:
        source["nodeStageSecretRef"] = source["nodePublishSecretRef"]
    if "claimRef" in spec and "name" not in body.get("metadata", {}):
        spec["claimRef"] |= {"uid": None, "resourceVersion": None}
    return body


def _read(values: Values, row: Row) -> Values:
    """The claim of a released volume, marked as gone: while the volume refers to its uid, it binds no new claim of that name."""
    if at(row, ("status", "phase")) == "Released" and at(row, ("spec", "claimRef", "uid")):
        return {**values, "claim_name": f"{values.get('claim_name')}, which is gone"}
    return values


KIND = Kind(
    PersistentVolume,
    name="persistent_volume",
    system="kubernetes",
    endpoint=manifest("v1", "PersistentVolume", "persistentvolumes", vanishes_later=True),
    data_bearing=True,
    versions=(Since("csi", "2.5.0", subject="a volume that shows existing data"),),
    ignored_on_delete=("claim_name",),  # Kubernetes notices some time later that a claim is gone
    metrics=(Metric("bound", ("status", "phase"), ones=_BOUND, zeros=_NOT_BOUND),),
    in_use=("bound",),
    attributes=(
        *(Attribute(name, ("spec", "csi", "volumeAttributes", name)) for name in ("view_id", "quota_id", "server")),
        Attribute("nfs_server", ("spec", "nfs", "server")),
        Attribute("host_path", ("spec", "hostPath", "path")),
        Attribute("local_path", ("spec", "local", "path")),
    ),
    held=HeldData(
        links=(
            Linked("view", (("volume_handle", "path"),), agree=(("vip_pool.tenant", "tenant"),)),
            Linked("view", (("view_id", "id"),)),
            Linked("quota", (("quota_id", "id"),)),
        ),
        tied=("bound",),
    ),
    users=(Linked("persistent_volume_claim", (("name", "volume"),)),),
    # Released shows in `claim_name`
    states=States(
        ("status", "phase"),
        frozenset({"Bound", "Available", "Released"}),
        failed=frozenset({"Failed"}),
        message=("status", "message"),
        awaited=False,
    ),
    mounts=Mounting("view", "volume_handle", ("path",), room="vip_pool.tenant"),
    controller_owned=tuple(
        ControllerOwned("the CSI driver", _PROVISIONED_BY, driver)
        for driver in (r"csi\.vastdata\.com", r"block\.csi\.vastdata\.com")
    ),
    system_owned=tuple((_PROVISIONED_BY, driver) for driver in (FILE_DRIVER, BLOCK_DRIVER)),
    finish_encode=_finished,
    finish_decode=_read,
)
