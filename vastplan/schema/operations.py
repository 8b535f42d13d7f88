"""Which operations of its API a kind needs to read and to change its objects, derived from its endpoint. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from vastplan.model.dataclass import dataclass
from vastplan.schema.endpoint import (
    Asked,
    AskedMembers,
    Clones,
    Collection,
    Members,
    OfSnapshots,
    PerUnit,
    Singleton,
    Update,
)
from vastplan.schema.kind import Kind


class Purpose(Enum):
    """What an operation is needed for."""

    READ = "read"  # plan, drift, show, import and record
    WRITE = "write"  # apply, in addition to READ
    LEDGER_READ = "ledger read"  # a plan and drift, where the ledger is in this system
    LEDGER_WRITE = "ledger write"  # an apply, where the ledger is in this system
    CENSUS = "census"  # import --census
    MOVE = "move"  # move run, in addition to READ
    RESTORE = "restore"  # restore run, in addition to READ
    TRY = "try"  # drift --isolation --try, in addition to READ


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One operation: its method, and its path with `{}` for every name and id. vastplan works without an `optional` one where it
    is refused."""

    task: Purpose
    method: str
    path: str
    optional: bool = False


def collection_path(kind: Kind) -> str:
    """The path of the POST that creates an object."""
    endpoint = kind.endpoint
    if isinstance(endpoint.shape, Members | AskedMembers):
        return unnamed_path(endpoint.shape.path)
    root, _, plural = endpoint.path.rpartition("/")
    return f"{root}/namespaces/{{}}/{plural}" if endpoint.namespaced else unnamed_path(endpoint.path)


def item_path(kind: Kind) -> str:
    """The path of one object."""
    if not isinstance(kind.endpoint.shape, Collection):
        return collection_path(kind)
    path = collection_path(kind)
    return path.rstrip("/") + "/{}" + ("/" if path.endswith("/") else "")


def type_paths(kind: Kind) -> tuple[str, ...]:
    """The paths of a kind that has one for each of its types; empty for others."""
    shape = kind.endpoint.shape
    return tuple(f"{kind.endpoint.path}/{step}" for step in shape.paths.values()) if isinstance(shape, PerUnit) else ()


def read_operations(kind: Kind, *, alone: bool = True) -> Iterator[ApiOperation]:
    """The operations that read a kind's objects: all of them, and with `alone` also each by itself."""
    shape = kind.endpoint.shape
    is_asked = isinstance(shape, Asked | AskedMembers)
    yield ApiOperation(
        Purpose.READ, "GET", unnamed_path(kind.endpoint.path), optional=kind.read_by_name and not is_asked
    )
    if isinstance(shape, Asked | AskedMembers):
        yield ApiOperation(Purpose.READ, "GET", unnamed_path(shape.places))
    yield from (ApiOperation(Purpose.READ, "GET", path) for path in type_paths(kind))
    if alone and isinstance(kind.endpoint.shape, Collection):
        yield ApiOperation(Purpose.READ, "GET", item_path(kind))


def write_operations(kind: Kind) -> Iterator[ApiOperation]:
    """The operations that create, change and delete a kind's objects."""
    if isinstance(kind.endpoint.shape, PerUnit):
        yield from (
            ApiOperation(Purpose.WRITE, method, path) for path in type_paths(kind) for method in ("PUT", "DELETE")
        )
        return
    if not isinstance(kind.endpoint.shape, Singleton | Asked):  # these always exist
        yield from _making(kind)
        yield ApiOperation(Purpose.WRITE, *removal(kind))
    if kind.endpoint.update is not Update.NONE:
        yield ApiOperation(Purpose.WRITE, "PUT" if kind.endpoint.update is Update.PUT else "PATCH", item_path(kind))
    object_path = item_path(kind)
    end = "/" if object_path.endswith("/") else ""
    for sub_path in dict.fromkeys(path for delta in kind.endpoint.deltas for path, _ in (delta.add, delta.remove)):
        yield ApiOperation(Purpose.WRITE, "PATCH", f"{object_path.removesuffix('/')}/{sub_path}{end}")


def _making(kind: Kind) -> Iterator[ApiOperation]:
    shape = kind.endpoint.shape
    if isinstance(shape, OfSnapshots):
        yield ApiOperation(Purpose.WRITE, "GET", unnamed_path(shape.snapshots))
        yield from (ApiOperation(Purpose.WRITE, "GET", f"{path}/{{}}") for path in (shape.contents,) if path)
    if not isinstance(shape, Clones):
        yield ApiOperation(Purpose.WRITE, "POST", collection_path(kind))
        return
    yield from (ApiOperation(Purpose.WRITE, "GET", path) for path in (shape.rooms, shape.snapshots))
    yield ApiOperation(Purpose.WRITE, "POST", unnamed_path(shape.path))
    far = shape.far
    paths = (f"{far.peers}{{}}/", far.rooms, far.directories, far.snapshots)
    yield from (ApiOperation(Purpose.WRITE, "GET", path) for path in paths)
    yield ApiOperation(Purpose.WRITE, "POST", collection_path(kind))
    yield ApiOperation(Purpose.WRITE, "PATCH", item_path(kind) + shape.stop)


def removal(kind: Kind) -> tuple[str, str]:
    """The method and path of the call that deletes an object, or revokes it."""
    revoked = kind.endpoint.revoked
    return ("DELETE", item_path(kind)) if revoked is None else ("PATCH", item_path(kind) + revoked.action)


def unnamed_path(path: str) -> str:
    """A path with `{}` for each of its named parameters."""
    return "/".join("{}" if step.startswith("{") and step.endswith("}") else step for step in path.split("/"))
