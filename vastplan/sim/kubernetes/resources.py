"""The resources of the simulated server, and the resource that a URL path addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vastplan.sim.kubernetes.status import StatusCause, StatusError, details, invalid_object, no_such_path
from vastplan.sim.tables import Table

WRITABLE = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource type; the flags say where its registry differs from the others."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = False
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = WRITABLE
    has_status: bool = False
    custom: bool = False  # defined by a CustomResourceDefinition
    conditional: bool = False  # PUT needs metadata.resourceVersion
    create_on_put: bool = False
    answers_deleted: bool = False  # DELETE returns the object, not a Status
    first_generation: int | None = None  # metadata.generation of a new object, None if the resource has none
    selectable: tuple[str, ...] = ("metadata.name", "metadata.namespace")  # the fields that a fieldSelector may name

    @property
    def api_version(self) -> str:
        """`group/version`, or `v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """`plural.group`, as messages name the resource."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def collection_path(self) -> str:
        """The path template of one namespace's (or the cluster's) objects."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/{'namespaces/{namespace}/' if self.namespaced else ''}{self.plural}"

    def schema(self, table: Table) -> dict[str, Any]:
        """The schema of an object, as a reference into the table."""
        operation = table.content["paths"][self.collection_path()]
        body: dict[str, Any] = operation["POST"]["body"]
        return body

    def details(self, name: str) -> dict[str, Any]:
        """`details` of a Status about one object."""
        return details(name, self.group, self.plural)

    def not_found(self, name: str) -> StatusError:
        """404."""
        return StatusError(404, "NotFound", f'{self.qualified} "{name}" not found', self.details(name))

    def exists(self, name: str, deleting: bool) -> StatusError:
        """409 AlreadyExists."""
        prefix = "object is being deleted: " if deleting else ""
        return StatusError(
            409, "AlreadyExists", f'{prefix}{self.qualified} "{name}" already exists', self.details(name)
        )

    def conflict(self, name: str, why: str) -> StatusError:
        """409 Conflict without causes: another write came first."""
        text = f'Operation cannot be fulfilled on {self.qualified} "{name}": {why}'
        return StatusError(409, "Conflict", text, self.details(name))

    def forbidden(self, name: str, why: str, causes: tuple[StatusCause, ...] = ()) -> StatusError:
        """403 from admission."""
        body = details(name, self.group, self.plural, causes)
        return StatusError(403, "Forbidden", f'{self.qualified} "{name}" is forbidden: {why}', body)

    def invalid(self, name: str, causes: list[StatusCause]) -> StatusError:
        """422 with causes."""
        return invalid_object(self.kind, self.group, name, causes)


_ADMISSION, _SNAPSHOT = "admissionregistration.k8s.io", "snapshot.storage.k8s.io"

_NAMED = ("metadata.name", "metadata.namespace")

NAMESPACES = Resource(
    "", "v1", "namespaces", "Namespace", short=("ns",), verbs=tuple(verb for verb in WRITABLE if verb != "deletecollection"), has_status=True, answers_deleted=True,
    selectable=("metadata.name", "status.phase"),
)  # fmt: skip
SECRETS = Resource("", "v1", "secrets", "Secret", True, selectable=(*_NAMED, "type"))
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap", True, ("cm",))
EVENTS = Resource(
    "", "v1", "events", "Event", True, ("ev",), verbs=("get", "list", "watch"),
    selectable=(
        *_NAMED, *(f"involvedObject.{part}" for part in ("kind", "namespace", "name", "uid", "apiVersion")), "reason",
        "type",
    ),
)  # fmt: skip
PODS = Resource(
    "", "v1", "pods", "Pod", True, ("po",), ("all",), has_status=True, answers_deleted=True, first_generation=1,
    selectable=(*_NAMED, "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "status.phase"),
)  # fmt: skip
CLAIMS = Resource(
    "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", True, ("pvc",), has_status=True, answers_deleted=True
)  # fmt: skip
VOLUMES = Resource(
    "", "v1", "persistentvolumes", "PersistentVolume", short=("pv",), has_status=True, answers_deleted=True
)  # fmt: skip
QUOTAS = Resource(
    "", "v1", "resourcequotas", "ResourceQuota", True, ("quota",), has_status=True, answers_deleted=True
)  # fmt: skip
CLASSES = Resource("storage.k8s.io", "v1", "storageclasses", "StorageClass", short=("sc",), answers_deleted=True)
DRIVERS = Resource(
    "storage.k8s.io", "v1", "csidrivers", "CSIDriver", conditional=True, answers_deleted=True, first_generation=0
)  # fmt: skip
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease", True, conditional=True, create_on_put=True)
POLICIES = Resource(
    _ADMISSION, "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", categories=("api-extensions",),
    has_status=True, conditional=True, first_generation=1,
)  # fmt: skip
BINDINGS = Resource(
    _ADMISSION, "v1", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding",
    categories=("api-extensions",), conditional=True, first_generation=1,
)  # fmt: skip
SNAPSHOT_CLASSES = Resource(
    _SNAPSHOT, "v1", "volumesnapshotclasses", "VolumeSnapshotClass", short=("vsclass", "vsclasses"), custom=True,
    conditional=True, first_generation=1,
)  # fmt: skip
SNAPSHOTS = Resource(
    _SNAPSHOT, "v1", "volumesnapshots", "VolumeSnapshot", True, ("vs",), has_status=True, custom=True, conditional=True,
    first_generation=1,
)  # fmt: skip
SNAPSHOT_CONTENTS = Resource(
    _SNAPSHOT, "v1", "volumesnapshotcontents", "VolumeSnapshotContent", short=("vsc", "vscs"), has_status=True, custom=True,
    conditional=True, first_generation=1,
)  # fmt: skip
ACCESS_REVIEWS = Resource(
    "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", verbs=("create",)
)  # fmt: skip
RESOURCES = (
    NAMESPACES, SECRETS, CONFIG_MAPS, EVENTS, PODS, CLAIMS, VOLUMES, QUOTAS, CLASSES, DRIVERS, LEASES, POLICIES,
    BINDINGS, SNAPSHOT_CLASSES, SNAPSHOTS, SNAPSHOT_CONTENTS, ACCESS_REVIEWS,
)  # fmt: skip
GROUPS = tuple(dict.fromkeys((resource.group, resource.version) for resource in RESOURCES))


@dataclass(frozen=True, slots=True)
class Target:
    """What a path addresses: a collection (`name` is empty), an object, or an object's subresource."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def path_target(path: str) -> Target | None:
    """The target of a path, `None` outside the known groups; raises `StatusError` for an unknown resource."""
    parts = path.strip("/").split("/")
    if parts[:1] == ["api"] and len(parts) > 2:
        group, version, parts = "", parts[1], parts[2:]
    elif parts[:1] == ["apis"] and len(parts) > 3:
        group, version, parts = parts[1], parts[2], parts[3:]
    else:
        return None
    if (group, version) not in GROUPS:
        return None
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 2 and not (group == "" and parts[2] in ("status", "finalize")):
        namespace, parts = parts[1], parts[2:]
    for resource in RESOURCES:
        if (resource.group, resource.version, resource.plural) == (group, version, parts[0]):
            break
    else:
        raise no_such_path()
    name, subresource = (*parts[1:], "", "")[:2]
    if len(parts) > 3 or (namespace and not resource.namespaced) or (name and resource.namespaced and not namespace):
        raise no_such_path()
    if subresource and not (subresource == "status" and resource.has_status):
        raise no_such_path()
    return Target(resource, namespace, name, subresource)
