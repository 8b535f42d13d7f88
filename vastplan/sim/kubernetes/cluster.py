"""The objects of one simulated cluster, and the functions that its controllers share."""

from __future__ import annotations

import hashlib
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from vastplan.sim.agenda import Agenda, Key
from vastplan.sim.kubernetes.fields import Leaves
from vastplan.sim.kubernetes.managed_fields import Writer, after_update
from vastplan.sim.kubernetes.resources import EVENTS, NAMESPACES, RESOURCES, Resource
from vastplan.sim.kubernetes.storage import Storage
from vastplan.sim.store import Store
from vastplan.sim.tables import Table

Object = dict[str, Any]
CONTROLLER = "kube-controller-manager"
KEPT_DELETES = 1000  # removed objects that a watch can still report


def key(namespace: str, name: str) -> str:
    """The row key of an object; the server lists in the order of these keys."""
    return f"{namespace}/{name}"


@dataclass(slots=True)
class KubernetesCluster:
    """One cluster. Returned objects are the stored ones: never change them, put a new one."""

    name: str
    store: Store
    clock: Callable[[], float]
    settle_reads: int
    storage: Storage | None
    table: Table
    controllers: bool = True  # whether controllers act beyond what the API server itself does
    agenda: Agenda = field(init=False)
    deleted: deque[tuple[str, Object]] = field(default_factory=lambda: deque(maxlen=KEPT_DELETES))

    def __post_init__(self) -> None:
        self.agenda = Agenda(self.store, self.clock, self.settle_reads, self._waiting_rows)

    def _waiting_rows(self) -> Iterator[Key]:
        for collection, rows in self.store.collections().items():
            if collection.startswith(f"{self.name}/pending/"):
                yield from ((collection, row) for row in rows)

    def waiting(self, resource: Resource) -> str:
        """The collection of what waits for a controller of a resource."""
        return f"{self.name}/pending/{resource.qualified}"

    def now(self) -> str:
        """The time as the server writes it: RFC 3339, whole seconds."""
        return datetime.fromtimestamp(self.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def version(self) -> int:
        """The newest resourceVersion."""
        row = self.store.get(f"{self.name}/meta", "resourceVersion")
        return row["value"] if row else 0

    def bump(self) -> str:
        """The next resourceVersion."""
        value = self.version() + 1
        self.store.put(f"{self.name}/meta", "resourceVersion", {"value": value})
        return str(value)

    def rows(self, resource: Resource) -> str:
        """The collection of a resource's objects."""
        return f"{self.name}/{resource.qualified}"

    def get(self, resource: Resource, namespace: str, name: str) -> Object | None:
        """One object, or `None`."""
        return self.store.get(self.rows(resource), key(namespace, name))

    def objects(self, resource: Resource, namespace: str = "") -> list[Object]:
        """All objects, or those of one namespace, in the order of creation."""
        bodies = self.store.rows(self.rows(resource))
        return [body for body in bodies if body["metadata"]["namespace"] == namespace] if namespace else list(bodies)

    def put(self, resource: Resource, body: Object) -> Object:
        """Store an object with a new resourceVersion."""
        body = {**body, "metadata": {**body["metadata"], "resourceVersion": self.bump()}}
        metadata = body["metadata"]
        return self.store.put(self.rows(resource), key(metadata.get("namespace", ""), metadata["name"]), body)

    def drop(self, resource: Resource, body: Object) -> None:
        """Remove an object."""
        metadata = body["metadata"]
        last = {**body, "metadata": {**metadata, "resourceVersion": self.bump()}}
        self.deleted.append((resource.qualified, last))
        self.store.remove(self.rows(resource), key(metadata.get("namespace", ""), metadata["name"]))

    def deleted_since(self, resource: Resource, version: int, namespace: str = "") -> list[Object]:
        """The newest removed objects of a resource, each with the resourceVersion of its removal."""
        return [
            body
            for name, body in self.deleted
            if name == resource.qualified
            and int(body["metadata"]["resourceVersion"]) > version
            and namespace in ("", body["metadata"].get("namespace", ""))
        ]

    def contents(self, namespace: str) -> list[tuple[Resource, Object]]:
        """Everything in a namespace."""
        kinds = [resource for resource in RESOURCES if resource.namespaced]
        return [(resource, item) for resource in kinds for item in self.objects(resource, namespace)]

    def controller_write(self, resource: Resource, old: Object, new: Object, subresource: str = "status") -> Object:
        """Store a controller's change, if it changes anything, with the controller as the fields' manager."""
        if new == old:
            return old
        writer = Writer(CONTROLLER, "Update", resource.api_version, self.now(), subresource)
        entries = after_update(Leaves(self.table, resource), writer, old, new)
        return self.put(resource, {**new, "metadata": {**new["metadata"], "managedFields": entries}})

    def new_object(self, resource: Resource, body: Object, writer: Writer, as_sent: Object | None = None) -> Object:
        """A new object with its metadata, not stored; `as_sent` is the part of it that the writer manages."""
        metadata = {"uid": str(uuid.uuid4()), "creationTimestamp": self.now(), **body["metadata"]}
        if resource.first_generation:
            metadata["generation"] = resource.first_generation
        body = {"kind": resource.kind, "apiVersion": resource.api_version, **body, "metadata": metadata}
        entries = after_update(Leaves(self.table, resource), writer, None, as_sent or body)
        return {**body, "metadata": metadata | ({"managedFields": entries} if entries else {})}

    def make(self, resource: Resource, body: Object) -> Object:
        """Store a new object that a controller creates."""
        return self.put(
            resource, self.new_object(resource, body, Writer(CONTROLLER, "Update", resource.api_version, self.now()))
        )

    def warn(self, resource: Resource, about: Object, reason: str, message: str, component: str = CONTROLLER) -> None:
        """Record a Warning Event about an object, once per reason and message. Events of cluster-scoped objects go to `default`."""
        metadata = about["metadata"]
        namespace = metadata.get("namespace", "default")
        digest = hashlib.sha256("\0".join((metadata["uid"], reason, message)).encode()).hexdigest()[:16]
        name = f"{metadata['name']}.{digest}"
        if self.get(EVENTS, namespace, name) is not None or self.get(NAMESPACES, "", namespace) is None:
            return
        involved = {"kind": resource.kind, "apiVersion": resource.api_version, "uid": metadata["uid"]}
        involved |= {field: metadata[field] for field in ("namespace", "name") if field in metadata}
        self.make(EVENTS, {
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": involved, "reason": reason, "message": message, "type": "Warning", "count": 1,
            "source": {"component": component}, "firstTimestamp": self.now(), "lastTimestamp": self.now(),
        })  # fmt: skip

    def install_defaults(self) -> None:
        """Create the namespaces of a new cluster, once."""
        if self.objects(NAMESPACES):
            return
        for name in ("default", "kube-node-lease", "kube-public", "kube-system"):
            as_sent = {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}}
            body = {**as_sent, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
            writer = Writer("kube-apiserver", "Update", NAMESPACES.api_version, self.now())
            self.put(NAMESPACES, self.new_object(NAMESPACES, body, writer, as_sent))
