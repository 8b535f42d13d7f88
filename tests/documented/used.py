"""Which operations and fields of the vendors' APIs the kinds use, worked out from the registry."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import vastplan.systems
from tests.lab import full_registry
from vastplan.engine.live.body import NEVER_SENT
from vastplan.schema.endpoint import Asked, AskedMembers, Clones, Members, OfSnapshots, PerUnit, Update
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Marker
from vastplan.schema.system import discover_systems

# What is asked besides the kinds' own endpoints: log-ins, tasks, versions, which cluster a name is, who did what, and for
# the ledger.
BESIDES = {
    "vast": (
        ("POST", "/token/"),
        ("GET", "/vtasks/{id}/"),
        ("GET", "/versions/"),
        ("GET", "/events/"),
        # What a move asks of both sides, and of the one that is to be the source.
        ("GET", "/replicationrestorepoints/"),
        ("PATCH", "/protectedpaths/{id}/replicate_now/"),
        ("PATCH", "/protectedpaths/{id}/force_failover"),
        ("PATCH", "/protectedpaths/{id}/reattach_stream/"),
        ("POST", "/snapshots/"),
        # What a move through global access asks of the satellite.
        ("GET", "/tenants/{id}/"),
        ("GET", "/clusters/list_prefetch_paths_info/"),
        ("GET", "/protectedpaths/{id}/prefetch_path"),
        ("POST", "/protectedpaths/{id}/prefetch_path"),
        ("DELETE", "/protectedpaths/{id}/prefetch_path"),
        # What a restore asks, in place and into a directory of its own.
        ("GET", "/protectedpaths/{id}/validate"),
        ("POST", "/protectedpaths/{id}/restore"),
        ("PATCH", "/protectedpaths/{id}/stop"),
        ("PATCH", "/protectedpaths/{id}/commit"),
        ("POST", "/snapshots/{id}/clone/"),
        ("PATCH", "/globalsnapstreams/{id}/stop"),
        *(("GET", each.path) for each in discover_systems(vastplan.systems)["vast"].uncovered if each.path),
    ),
    "runai": (
        ("POST", "/api/v1/token"),
        ("GET", "/api/v1/clusters"),
        ("GET", "/api/v1/audit/log"),
        # What a move suspends, resumes and submits.
        ("GET", "/api/v1/workloads/{}"),
        *(
            (method, f"/api/v1/workloads/{type_}{path}")
            for type_ in ("trainings", "workspaces", "distributed")
            for method, path in (("POST", ""), ("GET", "/{}"), ("POST", "/{}/suspend"), ("POST", "/{}/resume"))
        ),
        # What a rehearsal deletes again.
        *(("DELETE", f"/api/v1/workloads/{type_}/{{}}") for type_ in ("trainings", "workspaces", "distributed")),
        *(
            (method, f"/api/v1/workloads/{type_}{path}")
            for type_ in ("inferences", "distributed-inferences")
            for method, path in (("POST", ""), ("GET", "/{}"), ("DELETE", "/{}"))
        ),
        *(("GET", each.path) for each in discover_systems(vastplan.systems)["runai"].uncovered if each.path),
    ),
    "kubernetes": (
        ("GET", "/version"),
        # What a census counts.
        ("GET", "/api/v1/limitranges"),
        ("GET", "/apis/storage.k8s.io/v1/csidrivers"),
        ("GET", "/apis/storage.k8s.io/v1/volumeattributesclasses"),
        # What is tried of isolation.
        ("POST", "/api/v1/namespaces/{}/pods"),
        # The shared ledger's own objects.
        ("GET", "/api/v1/namespaces/{}/secrets"),
        ("PUT", "/api/v1/namespaces/{}/secrets/{}"),
        ("GET", "/apis/coordination.k8s.io/v1/namespaces/{}/leases"),
        ("POST", "/apis/coordination.k8s.io/v1/namespaces/{}/leases"),
        ("GET", "/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}"),
        ("PUT", "/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}"),
    ),
}
# The paths of `BESIDES` that came with a version.
LATER = ("/api/v1/workloads/distributed-inferences", "/api/v1/workloads/distributed-inferences/{}")
# What is looked at, and nobody declares.
READ_ONLY = ("cluster", "node", "node_pool", "pod", "role", "runai_cluster", "vms", "workload")


def counted(system: str) -> tuple[str, ...]:
    """The paths that a census asks how many there are."""
    return tuple(each.path for each in discover_systems(vastplan.systems)[system].uncovered if each.path)


@lru_cache
def kinds() -> tuple[Kind, ...]:
    """All kinds of the registry."""
    return tuple(full_registry().kinds.values())


def collection(kind: Kind) -> str:
    """The path that an object is posted to, or where it is set."""
    if isinstance(kind.endpoint.shape, Clones):
        return kind.endpoint.shape.path.replace("{snapshot}", "{}")
    root, _, plural = kind.endpoint.path.rpartition("/")
    return f"{root}/namespaces/{{}}/{plural}" if kind.endpoint.namespaced else kind.endpoint.path


def item(kind: Kind) -> str:
    """The path of one object; `{}` is any name or id."""
    of = kind.endpoint.path if isinstance(kind.endpoint.shape, Clones) else collection(kind)
    return of.rstrip("/") + "/{}" + ("/" if kind.system == "vast" else "")


def operations(kind: Kind) -> Iterator[tuple[str, str]]:
    """Method and path of all that vastplan asks about a kind."""
    yield "GET", kind.endpoint.path.replace("{cluster}", "{}")
    if kind.name in READ_ONLY:
        return
    if isinstance(kind.endpoint.shape, Asked):  # nobody makes or deletes them
        yield "GET", kind.endpoint.shape.places
        yield "PATCH", kind.endpoint.path
        return
    if isinstance(kind.endpoint.shape, AskedMembers):
        yield "GET", kind.endpoint.shape.places
        yield from ((method, kind.endpoint.shape.path) for method in ("POST", "PATCH", "DELETE"))
        return
    if isinstance(kind.endpoint.shape, Members):  # they have no path of their own
        yield from (
            (method, kind.endpoint.shape.path.replace("{owner}", "{}")) for method in ("POST", "PATCH", "DELETE")
        )
        return
    if isinstance(kind.endpoint.shape, PerUnit):
        steps = kind.endpoint.shape.paths.values()
        yield from ((method, f"{kind.endpoint.path}/{step}") for step in steps for method in ("GET", "PUT", "DELETE"))
        return
    yield "GET", item(kind)
    if isinstance(kind.endpoint.shape, OfSnapshots):  # likewise, from one of the kind's own system
        yield "GET", kind.endpoint.shape.snapshots.replace("{namespace}", "{}")
        yield from (("GET", f"{path}/{{}}") for path in (kind.endpoint.shape.contents,) if path)
    if isinstance(kind.endpoint.shape, Clones):  # of what they are made is chosen from a list
        yield "GET", kind.endpoint.shape.snapshots
        yield "GET", kind.endpoint.shape.rooms
        yield "PATCH", f"{item(kind)}{kind.endpoint.shape.stop}"
        far = kind.endpoint.shape.far
        yield from (("GET", path) for path in (f"{far.peers}{{}}/", far.rooms, far.directories, far.snapshots))
        yield "POST", kind.endpoint.path
    yield "POST", collection(kind)
    revoked = kind.endpoint.revoked
    yield ("DELETE", item(kind)) if revoked is None else ("PATCH", f"{item(kind)}{revoked.action}")
    if kind.endpoint.update is not Update.NONE:
        yield "PUT" if kind.endpoint.update is Update.PUT else "PATCH", item(kind)
    for place, _ in _list_calls(kind):
        yield "PATCH", place


def _list_calls(kind: Kind) -> Iterator[tuple[str, str]]:
    """The calls that change a list of the kind: each by its path, with the name under which the body has what comes or goes."""
    end = "/" if kind.system == "vast" else ""
    for delta in kind.endpoint.deltas:
        yield from ((f"{item(kind).rstrip('/')}/{path}{end}", name) for path, name in (delta.add, delta.remove))


def sent(kind: Kind, method: str, path: str) -> set[tuple[str, ...]]:
    """The places on the wire that an operation of the kind may write."""
    lists: set[tuple[str, ...]] = {(name,) for place, name in _list_calls(kind) if place == path}
    if lists:
        return lists
    if kind.endpoint.revoked is not None and path.endswith(kind.endpoint.revoked.action):
        return set()
    if isinstance(kind.endpoint.shape, Clones) and path.endswith(f"/{kind.endpoint.shape.stop}"):
        return set()
    if isinstance(kind.endpoint.shape, Clones) and (method, path) == ("POST", kind.endpoint.path):
        far = kind.endpoint.shape.far
        return fields(kind, method) | {(far.peer,), (far.snapshot,), (far.room[0],)}
    return fields(kind, method) if method in ("POST", "PUT", "PATCH") else set()


def fields(kind: Kind, method: str) -> set[tuple[str, ...]]:
    """The places on the wire that a create (POST) or a change of the kind may write, as paths without indices."""
    skipped = {Marker.DOCUMENT, Marker.AFTER_CREATE} if method == "POST" else {*NEVER_SENT, Marker.IDENTITY}
    apart = {delta.field for delta in kind.endpoint.deltas} if method == "PATCH" else set()
    if method == "PUT":  # the whole object: what identifies it too, where it is not immutable
        skipped.discard(Marker.IDENTITY)
    if isinstance(kind.endpoint.shape, PerUnit):  # what makes one is what changes it
        skipped = {Marker.DOCUMENT}
    paths = {path for path in _paths(kind.fields, frozenset(skipped), ()) if path[0] not in apart}
    if kind.delivers is not None:
        paths.discard((kind.delivers.generation,))
    shape = kind.endpoint.shape
    if isinstance(shape, AskedMembers):  # whose it is says a number, and a secret nobody sends
        paths -= {(shape.within,), (shape.of,)}
        paths |= {(shape.place,), *((name,) for name in shape.known_by[:1])}
        paths |= {(shape.key,)} if method == "PATCH" else set()
    if isinstance(shape, Clones):  # which snapshot it is stands in the path
        paths -= {(shape.of,), (shape.which,), shape.room, shape.far.room, (shape.far.peer,)}
        paths |= {(shape.sent_room,)} if method == "POST" else set()
    if isinstance(kind.endpoint.shape, Asked):
        paths |= {(kind.endpoint.shape.name,), (kind.endpoint.shape.place,)}
    if isinstance(kind.endpoint.shape, Members):
        paths.discard(kind.endpoint.shape.owner)
    if isinstance(kind.endpoint.shape, PerUnit):  # said by the path
        paths.discard(("type",))
    return paths


def _paths(table: tuple[Field, ...], skipped: frozenset[Marker], prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for field in table:
        if field.markers & skipped:
            continue
        here = (*prefix, *field.wire)
        if field.key:
            yield (*here, *(field.key_writes or field.key))
        if field.fields:
            yield from _paths(field.fields, skipped, here)
        else:
            yield here
