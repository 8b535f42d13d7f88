"""StorageClass of the VAST CSI drivers. Its parameters are immutable: a change replaces the class, and affects no
existing volume."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, StringConstraints, model_validator

from vastplan.kinds.kubernetes._common import (
    BOOL_TEXT,
    DRIVER,
    PARAMETER_PREFIX,
    Labelled,
    in_full,
    manifest,
    secret_of_parameters,
    secret_parameters,
)
from vastplan.kinds.kubernetes._secrets import SECRET_SINCE, ClassSecrets, one_form, unused
from vastplan.kinds.kubernetes.namespace import NamespaceName
from vastplan.model.plan import Stage
from vastplan.schema.access import LetsIn
from vastplan.schema.dependents import HeldData, Linked, UsedBy
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Attribute
from vastplan.schema.markers import (
    DOCUMENT,
    IDENTITY,
    IMMUTABLE,
    PROSE,
    SET,
    WITNESS,
    InsteadOf,
    Opens,
    Refers,
    ServerDefault,
    Shown,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, Host, NormalPath, ReferenceName, Says, Text

DEFAULT = "storageclass.kubernetes.io/is-default-class"
_PURPOSES = ("provisioner", "controller-publish", "node-publish", "controller-expand")
_STAGES = "node-stage"  # the block driver formats and stages; the file driver has nothing to stage
_SUCH = {"storage_path": "/PATH", "subsystem": "NAME"}
_ONLY = {
    "file": ("storage_path", "view_policy"),
    "block": ("subsystem", "transport_type", "fs_type", "volume_group", "tenant_name"),
}
_NODE_EXPAND = f"{PARAMETER_PREFIX}node-expand-secret-"
_BY_PURPOSE = InsteadOf("secret", tuple(("parameters", f"{_NODE_EXPAND}{part}") for part in ("name", "namespace")))
_COMMON = ("vip_pool_fqdn_random_prefix", "qos_policy_id", "blocking_clones", PARAMETER_PREFIX + "fstype")
_PARAMETERS = {
    "file": (
        *_COMMON, "eph_volume_name_fmt", "lb_strategy",
        *(f"{_NODE_EXPAND}{part}" for part in ("name", "namespace")),
    ),
    "block": (
        *_COMMON, "host_encryption", "host_encryption.cipher", "host_encryption.hash", "host_encryption.key_size",
        "host_encryption.pbkdf_memory", "host_nqn_obfuscation",
    ),
}  # fmt: skip
_WRITTEN = {  # parameters that have a field of their own
    "root_export": "storage_path", "vip_pool_name": "vip_pool", "tenant_name": "tenant", "fsType": "fs_type",
    "volume_name_fmt": "volume_name_format",
    **{same: same for same in ("view_policy", "vip_pool_fqdn", "qos_policy", "subsystem", "transport_type")},
    "volume_group": "volume_group", "cluster_name": "cluster_name",
}  # fmt: skip
# The parameters that the drivers read, and the names of the Secrets that sidecars look up. `host_encryption` is not shown: it is an
# object of any form. Other parameters of a class belong to another driver, and may be a credential (`restuserkey`).
_PUBLIC = Shown(
    *_WRITTEN,
    *(key for keys in _PARAMETERS.values() for key in keys if key != "host_encryption"),
    *secret_parameters(None, (*_PURPOSES, _STAGES)),
)

_ELSEWHERE = Opens(at_create=False)  # users of the class reach other data than before

# The first version of the drivers with each feature, by their change log up to 2.7.1; features before 2.4 are assumed to exist.
# A driver silently ignores a parameter that it does not know, and classes are immutable.
_BLOCK = ("driver", "block")
_DRIVER_SINCE = (
    Since("csi", "2.6.0", values=("block",), subject="the block driver"),
    # VAST knowledge base: block from 5.3
    Since("vms", "5.3", values=("block",), subject="the block driver", fix="use the file driver here"),
)
_PARAMETERS_SINCE = (
    Since("csi", "2.5.1", values=("qos_policy_id",)),
    Since("csi", "2.6.3", values=("qos_policy_id",), when=_BLOCK),
    Since("csi", "2.6.3", values=("blocking_clones", "vip_pool_fqdn_random_prefix", "host_encryption")),
    Since("csi", "2.6.5", values=tuple(f"{_NODE_EXPAND}{part}" for part in ("name", "namespace"))),
)


def _as_text(value: object) -> object:
    """A parameter as text, as the API has it: `true` and `10` may be written without quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else value


# Run:AI (2.23 and later) refuses dots; a quota's key, with its suffix, has at most 253 characters.
ClassName = Annotated[
    str,
    StringConstraints(max_length=225, pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"),
    Says("the name of a storage class: lowercase letters and digits, with - between them, at most 225"),
]
_Parameter = Annotated[Text, BeforeValidator(_as_text, json_schema_input_type=str | int | bool)]


class StorageClass(Labelled):
    """A StorageClass of a VAST CSI driver, which creates the volumes of claims that name it.

    Unless it is `shared`, only the namespaces of its tenant's projects, of projects that list it and in `open_to`
    may use it.
    """

    name: Annotated[ClassName | MISSING, Wire("metadata", "name"), IDENTITY, IMMUTABLE] = MISSING
    """Name of the StorageClass in Kubernetes, where it is not the entry's key."""
    tenant: Annotated[ReferenceName | None | MISSING, Refers("tenant", blocks_delete=False), DOCUMENT] = MISSING
    """Tenant whose projects may use the class. Its only VIP pool, view policy and CSI user are used where these are
    left out."""
    driver: Annotated[Literal["file", "block"], Wire("provisioner"), DRIVER, IMMUTABLE, *_DRIVER_SINCE]
    """VAST CSI driver that creates the volumes: `file` over NFS, `block` over NVMe."""
    storage_path: Annotated[NormalPath | MISSING, Wire("parameters", "root_export"), IMMUTABLE, _ELSEWHERE] = MISSING
    """Directory on VAST below which the file driver creates a directory and a view for each volume."""
    view_policy: Annotated[
        ReferenceName | MISSING,
        Refers("view_policy.name", blocks_delete=False, uses=("NFS", "NFS4")),
        Wire("parameters", "view_policy"),
        IMMUTABLE,
        _ELSEWHERE,
    ] = MISSING
    """View policy of the views that the file driver creates; the volumes are in the tenant of this policy."""
    subsystem: Annotated[
        ReferenceName | MISSING,
        Refers("view.name", blocks_delete=False, needs=True),
        Wire("parameters", "subsystem"),
        IMMUTABLE,
        _ELSEWHERE,
    ] = MISSING
    """View with protocol BLOCK in which the block driver creates the volumes."""
    tenant_name: Annotated[
        ReferenceName | MISSING,
        Refers("tenant.name", blocks_delete=False, needs=True),
        Wire("parameters", "tenant_name"),
        IMMUTABLE,
        _ELSEWHERE,
    ] = MISSING
    """Tenant whose subsystem the block driver uses, where several have one of that name; `tenant` when left out."""
    vip_pool: Annotated[
        ReferenceName | MISSING,
        Refers("vip_pool.name", blocks_delete=False),
        Wire("parameters", "vip_pool_name"),
        IMMUTABLE,
        _ELSEWHERE,
    ] = MISSING
    """VIP pool whose addresses nodes reach the volumes at. Excludes `vip_pool_fqdn`."""
    vip_pool_fqdn: Annotated[
        Host | MISSING, Wire("parameters", "vip_pool_fqdn"), IMMUTABLE, _ELSEWHERE, Since("csi", "2.4.1")
    ] = MISSING
    """DNS name of the VIP pool for the volumes. Excludes `vip_pool`; guards of VIP pools do not see these volumes."""
    qos_policy: Annotated[
        ReferenceName | MISSING,
        Refers("qos_policy.name", blocks_delete=False, needs=True),
        Wire("parameters", "qos_policy"),
        IMMUTABLE,
        Since("csi", "2.6.3", when=_BLOCK),
    ] = MISSING
    """QoS policy that the driver gives each new volume. Existing volumes keep theirs."""
    transport_type: Annotated[
        Literal["TCP", "RDMA"] | MISSING, Wire("parameters", "transport_type"), IMMUTABLE, ServerDefault("TCP", WITNESS)
    ] = MISSING
    """Transport of NVMe between nodes and VAST, for the block driver."""
    fs_type: Annotated[Literal["ext3", "ext4", "xfs"] | MISSING, Wire("parameters", "fsType"), IMMUTABLE] = MISSING
    """File system that the block driver creates on a volume, unless the claim requests a raw device."""
    volume_group: Annotated[Text | MISSING, Wire("parameters", "volume_group"), IMMUTABLE] = MISSING
    """Template of the folder for volumes of the block driver, with {namespace}, {name} and {id}; folders may nest."""
    volume_name_format: Annotated[Text | MISSING, Wire("parameters", "volume_name_fmt"), IMMUTABLE] = MISSING
    """Template of a volume's name on VAST, with {namespace}, {name} and {id}; the file driver uses it for the quota."""
    cluster_name: Annotated[Text | MISSING, Wire("parameters", "cluster_name"), IMMUTABLE, Since("csi", "2.4.3")] = (
        MISSING
    )
    """Cluster by its name in the driver's global Secret for several clusters, which becomes part of volume handles."""
    parameters: Annotated[dict[str, _Parameter] | MISSING, IMMUTABLE, _PUBLIC, *_PARAMETERS_SINCE] = MISSING
    """Further parameters of the driver by name. A name with a field here, or unknown to the driver, is refused."""
    secret: Annotated[
        ReferenceName | MISSING,
        Refers("secret.path", blocks_delete=False, needs=True),
        Wire("parameters", "secret"),
        IMMUTABLE,
        _ELSEWHERE,
        *SECRET_SINCE,
    ] = MISSING
    """Secret with which the driver logs in to VAST, or `{existing: NAMESPACE/NAME}`. Excludes `secrets`."""
    secrets: Annotated[ClassSecrets | MISSING, Wire("parameters"), IMMUTABLE, _BY_PURPOSE] = MISSING
    """Secrets by purpose, for a class whose purposes do not share one. Excludes `secret`."""
    mount_options: Annotated[list[Text] | None | MISSING, Wire("mountOptions")] = MISSING
    """Options with which nodes mount new volumes; null for none. With `vers=4` the file driver creates NFSv4 views."""
    reclaim_policy: Annotated[
        Literal["Delete", "Retain"] | MISSING, Wire("reclaimPolicy"), IMMUTABLE, ServerDefault("Delete", PROSE)
    ] = MISSING
    """Whether a volume and its data are deleted (`Delete`) or stay (`Retain`) once its claim is deleted."""
    volume_binding_mode: Annotated[
        Literal["Immediate", "WaitForFirstConsumer"] | MISSING,
        Wire("volumeBindingMode"),
        IMMUTABLE,
        ServerDefault("Immediate", PROSE),
    ] = MISSING
    """Whether a claim gets its volume at once (`Immediate`) or when the first pod uses it (`WaitForFirstConsumer`)."""
    allow_volume_expansion: Annotated[bool | MISSING, Wire("allowVolumeExpansion"), ServerDefault(False, WITNESS)] = (
        MISSING
    )
    """Whether claims of the class may grow. They never shrink."""
    default: Annotated[
        bool | MISSING, Wire("metadata", "annotations", DEFAULT), BOOL_TEXT, Opens(True), ServerDefault(False, PROSE)
    ] = MISSING
    """Whether claims that name no class get this one."""
    shared: Annotated[bool, DOCUMENT] = False
    """Whether every namespace of the cluster may use the class. Excludes `open_to`."""
    open_to: Annotated[list[NamespaceName] | MISSING, SET, DOCUMENT] = MISSING
    """Namespaces, besides those of projects, that may use the class. They must exist, managed or not."""

    @model_validator(mode="after")
    def _as_the_driver_wants_it(self) -> "StorageClass":
        if self.vip_pool is not MISSING and self.vip_pool_fqdn is not MISSING:
            raise ValueError("give either vip_pool or vip_pool_fqdn")
        if self.shared and self.open_to is not MISSING:
            raise ValueError("give either shared or open_to: a shared class is open to every namespace")
        other = "block" if self.driver == "file" else "file"
        for name in _ONLY[other]:
            if getattr(self, name) is not MISSING:
                raise ValueError(f"{name} is for the {other} driver")
        needed = "storage_path" if self.driver == "file" else "subsystem"
        if getattr(self, needed) is MISSING:
            raise ValueError(f"the {self.driver} driver needs {needed}; write {needed}: {_SUCH[needed]}")
        in_full(self.secret)
        one_form(self.secret, self.secrets)
        unused(self.secrets, ("node_stage",) if self.driver == "file" else ("node_expand",), other)
        if isinstance(self.annotations, dict) and DEFAULT in self.annotations:
            raise ValueError(f"annotations.{DEFAULT}: write default: true or false")
        return self

    @model_validator(mode="after")
    def _known_parameters(self) -> "StorageClass":
        for key in self.parameters if isinstance(self.parameters, dict) else ():
            if key.startswith(_NODE_EXPAND) and self.secrets is not MISSING:
                raise ValueError(f"parameters.{key}: write secrets.node_expand instead")
            if key in _WRITTEN:
                raise ValueError(f"parameters.{key}: write {_WRITTEN[key]} instead")
            if key.startswith("host_encryption.perf-") and self.driver == "block":
                continue
            if key not in _PARAMETERS[self.driver]:
                from difflib import get_close_matches  # loaded for the first mistake

                near = get_close_matches(key, (*_PARAMETERS[self.driver], *_WRITTEN), 1, 0.5)
                meant = f"did you mean {near[0]}?" if near else f"it knows {', '.join(_PARAMETERS[self.driver])}"
                raise ValueError(f"parameters.{key} is unknown to the {self.driver} driver; {meant}")
        return self


def _purposes(provisioner: object) -> tuple[str, ...]:
    return (*_PURPOSES, _STAGES) if provisioner == DRIVER.write("block") else _PURPOSES


def _with_secret_pairs(body: Row, values: Values) -> Row:
    path = body.get("parameters", {}).pop("secret", None)
    if path is not None:
        body["parameters"] |= secret_parameters(path, _purposes(body["provisioner"]))
    return body


def _with_secret(values: Values, row: Row) -> Values:
    """The values with `secret` for all purposes of the driver, and without the parameters that name it."""
    written, purposes = row.get("parameters") or {}, _purposes(row.get("provisioner"))
    pairs = secret_parameters(None, purposes)
    rest = {key: value for key, value in written.items() if key not in pairs}
    return {**values, "secret": secret_of_parameters(written, purposes), "parameters": rest}


def purposes_of(driver: str) -> tuple[str, ...]:
    """The purposes for which a driver (`file`, `block`) logs in, by the fields of `secrets`."""
    return tuple(purpose.replace("-", "_") for purpose in _purposes(DRIVER.write(driver)))


KIND = Kind(
    StorageClass,
    name="storage_class",
    system="kubernetes",
    section="storage_classes",
    stage=Stage.DATA,
    endpoint=manifest("storage.k8s.io/v1", "StorageClass", "storageclasses"),
    # Kubernetes looks up the class of a claim by name when the claim grows; all else was copied into the volume at its creation
    used_by=(UsedBy("persistent_volume_claim", "claims", "name", "storage_class", "namespace"),),
    held=HeldData(
        links=(Linked("persistent_volume", (("name", "storage_class_name"),)),), alone=True, says="used by its volumes"
    ),
    users=(Linked("persistent_volume_claim", (("name", "storage_class"),)),),
    attributes=(Attribute("server", ("parameters", "server")),),
    lets_in=LetsIn("claims of the class cannot grow without it", replaceable=True, who=("tenant_name", "storage_path")),
    finish_encode=_with_secret_pairs,
    finish_decode=_with_secret,
)
