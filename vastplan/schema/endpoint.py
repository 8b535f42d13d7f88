"""The endpoint of a kind: where its objects are, and how to use their API. It is data; the clients of the systems use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from vastplan.model.dataclass import dataclass
from vastplan.schema.live import Leaving

WirePath = tuple[str, ...]


class Update(Enum):
    """How a change is sent."""

    PATCH = "patch"  # the changed top-level fields, structs whole
    MERGE_PATCH = "merge-patch"  # the changed leaves, with the resourceVersion that was read
    PUT = "put"  # the whole object: what was read, with the document's values over it
    NONE = "none"  # the API has no update: every change replaces the object


@dataclass(frozen=True, slots=True)
class Collection:
    """Objects listed and created at the endpoint's path; each is read, changed and deleted at a path of its own below it."""


@dataclass(frozen=True, slots=True)
class FarClones:
    """How a clone of a snapshot on another cluster is created: by a POST at the endpoint's own path, whose body names
    the peer at `peer`.

    `peers` lists the peers. The snapshot is looked up at the peer: its rooms (tenants) at `rooms`, the directories of
    one of them (whose GUID a body has at `room`) at `directories`, and the snapshots of one of those at `snapshots`.
    The snapshot is sent under `snapshot`, and the room at `room` with its name.
    """

    peer: str
    peers: str
    room: WirePath
    rooms: str
    directories: str
    snapshots: str
    snapshot: str


@dataclass(frozen=True, slots=True)
class Clones(Collection):
    """Objects that are each created from a snapshot, by a POST at `path`, where `{snapshot}` is its id.

    The client chooses it from the list at `snapshots`, by the fields of a body: its directory (at `of`), the room
    (tenant) whose GUID is at `room` (one of those that `rooms` lists), and which one of these at `which`: `latest`,
    `before TIME`, or its name. The room's id is sent under `sent_room`. A clone whose `state` is not `done` is stopped
    before it is deleted (PATCH of `stop` below it); the body of a delete has false at `with_directory`. The row that
    the client returns for a create has at `taken` when the snapshot was created.
    """

    path: str
    snapshots: str
    of: str
    which: str
    room: WirePath
    rooms: str
    sent_room: str
    stop: str
    state: WirePath
    done: str
    with_directory: str
    taken: str
    far: FarClones


@dataclass(frozen=True, slots=True)
class OfSnapshots(Collection):
    """Objects of a collection, some of which are created from a snapshot. The client looks the snapshot up, and waits until it
    is ready.

    A body has the namespace at `within`, and says which snapshot: by its name at `named`, or as the `newest_of` a
    claim, created at or before the time at `until` where there is one. `snapshots` lists those of a namespace. With
    `contents` the body gets the handle that the content of the snapshot has there, and the snapshot's name at
    `made_of`; otherwise the snapshot's own name at `named`. A snapshot by name must be one of the claim at `whose`, where
    that is written, and the size of the new object, at `size`, must not be smaller than the snapshot.
    """

    snapshots: str
    within: WirePath
    named: WirePath
    newest_of: WirePath
    until: WirePath
    whose: WirePath
    size: WirePath = ()
    contents: str = ""
    made_of: WirePath = ()


@dataclass(frozen=True, slots=True)
class Members:
    """Objects that belong to an owner and have no path of their own, such as the access keys of a user.

    They are listed at the endpoint's path, and created (POST), changed (PATCH) and deleted (DELETE) at `path`, where
    `{owner}` is the owner's id. PATCH and DELETE name the member in their body: its id, under `key`. `removed_with`
    lists what else the body of a DELETE has: names, each with the place of its value in the row. A row of a member
    holds its owner's id at `owner`, in lists and in bodies of creates. Where the endpoint's path lists the owners
    instead, `within` is the place of the members in each of them; the client then puts the owner's `id` at `owner`
    itself. Otherwise `filter` is the query that limits the list to one owner, if there is one.
    """

    path: str
    owner: WirePath
    key: str
    within: WirePath = ()
    filter: str = ""
    removed_with: tuple[tuple[str, WirePath], ...] = ()


@dataclass(frozen=True, slots=True)
class Singleton:
    """One object at the endpoint's path. It always exists: it is read and changed, never created or deleted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Rights of a user or group in a place, such as the S3 rights of a directory's user in a tenant; no list shows
    them.

    They exist where any of them is set. They are read (GET) and set (PATCH) at the endpoint's path. `name` is the
    query, and the field of a body, for the user or group; `place` the one for the place: the id of an object at
    `places`, which rows and bodies of the kind have by its name, at `within`. A delete sets `nothing`.
    """

    name: str
    place: str
    places: str
    within: str
    nothing: Mapping[str, Any]

    @staticmethod
    def locator(place: str, name: str) -> str:
        """`PLACE/NAME`; slashes in the place are percent-encoded."""
        return f"{place.replace('%', '%25').replace('/', '%2F')}/{name}"

    @staticmethod
    def parts(locator: str) -> tuple[str, str]:
        """Place and name of a locator."""
        place, _, name = locator.partition("/")
        return place.replace("%2F", "/").replace("%25", "%"), name


@dataclass(frozen=True, slots=True)
class AskedMembers:
    """Objects of a user in a place, such as the access keys of a directory's user in a tenant; no list shows them.

    The user is queried as for `Asked` (GET at the endpoint's path); the objects are in the answer, at `rows`. A row of
    one has the place's name at `within`, and the user's name at `of`. They are created (POST), changed (PATCH) and
    deleted (DELETE) at `path`, by a body with the place, the user by the first of the fields in `known_by` that the
    answer has, and the object by its id under `key`. Where the answer has the value of `origin` at its path, the user's
    objects are of another kind.
    """

    name: str
    place: str
    places: str
    within: str
    of: str
    rows: str
    path: str
    known_by: tuple[str, ...]
    key: str
    origin: tuple[WirePath, str]

    @staticmethod
    def locator(place: str, name: str, id: str = "") -> str:
        """`PLACE/NAME/ID`; without an id it stands for all objects of a user."""
        return f"{Asked.locator(place, name)}/{id}"

    @staticmethod
    def parts(locator: str) -> tuple[str, str, str]:
        """Place, name and id of a locator; an id holds no slash."""
        owner, _, its = locator.rpartition("/")
        return (*Asked.parts(owner), its)

    @classmethod
    def owner(cls, locator: str) -> str:
        """The locator of all objects of the same user."""
        return cls.locator(*cls.parts(locator)[:2])


@dataclass(frozen=True, slots=True)
class PerUnit:
    """At most one object for each type and each unit of an organisation, such as a workload policy of a project.

    It is read, created and changed (PUT, whole) and deleted at a path for its type, with a query for its unit; none has
    a path of its own. The endpoint's path lists which exist, without their contents. `paths` has for each type, as rows
    name it, the step below the endpoint's path. A row has its type at `type`, and its unit in `meta`.
    """

    paths: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Delta:
    """A top-level list of an object that an update changes by separate calls (PATCH): one for additions, one for removals.

    Additions are sent to `add`, removals to `remove`: each a path below the object's, and the name under which the body
    has them. One call takes a list of at most `most` items; with `most` 0 it takes one item by itself. Of an item that is an
    object only the keys in `says` are sent and compared: a system shows more of it.
    """

    field: str
    add: tuple[str, str]
    remove: tuple[str, str]
    most: int = 0
    says: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revoked:
    """Objects of a collection that are not deleted: a PATCH of `action` below one, without a body, revokes it for good.

    It stays in the list, with true at `mark`, and counts as gone.
    """

    action: str
    mark: WirePath


@dataclass(frozen=True, slots=True)
class Room:
    """The object that contains an object, and is deleted with all that is in it: one of `kind`, by its name at `path`."""

    kind: str
    path: WirePath


COLLECTION = Collection()
SINGLETON_ID = "singleton"
"""The locator and id of a singleton, which needs none."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of a kind: where its objects are, and how to use their API."""

    path: str
    update: Update = Update.PATCH
    rows: str = ""  # the key of the list in the answer; "" for the provider's own envelope
    paged: bool = True
    once_unpaged: bool = False  # older versions refuse a request for a page (400), and list all objects at once
    query: Mapping[str, str] = field(default_factory=dict)
    id: WirePath = ("id",)
    constants: Mapping[str, Any] = field(default_factory=dict)  # sent in every create
    keep: tuple[str, ...] = ()  # top-level fields that a PUT sends back as they were read
    omit: tuple[str, ...] = ()  # top-level fields that a PUT must not send
    detailed: bool = False  # a list does not show all of an object, so each is read by itself
    deltas: tuple[Delta, ...] = ()
    # Places that a PUT also sends back as they were read, each with the version from which on this is not needed.
    keep_before: tuple[tuple[WirePath, str], ...] = ()
    manifest: tuple[str, str] = ("", "")  # apiVersion and kind of a Kubernetes object
    namespaced: bool = False
    room: Room | None = None
    leaving: Leaving | None = None
    # For a list that also has objects of other sites: places, each with the values that a row of this site has there, if any.
    owned: tuple[tuple[WirePath, tuple[str, ...]], ...] = ()
    vanishes_later: bool = False  # a delete is done only when the object can no longer be read
    shape: Collection | Members | Singleton | Asked | AskedMembers | PerUnit = COLLECTION
    revoked: Revoked | None = None
    # For a collection with objects of several kinds: those that have a value at this place are of this kind.
    having: WirePath = ()
    # The parts of an object that a list asks for, where the reader may have no right to the others; empty: all of it.
    listed: tuple[str, ...] = ()
    # Values that only the answer to the create has, such as the secret of a key. They are secrets, and never shown.
    answered_once: tuple[WirePath, ...] = ()
    # Texts in the answer to a create which show that nothing was created, whatever the status; each with what to do.
    refuses: Mapping[str, str] = field(default_factory=dict, hash=False)
