"""Objects that the system keeps on several sites."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Lag:
    """The attributes of a member that show how far behind the others are: the time at which the newest restore point that
    arrived was taken (`as_of`) and the time it arrived, the time at which the newest of all was taken (`taken`), the bytes in
    transfer (`coming`) and how much of them is done (`progress`, of 1000), the health of the member, and its link (`peer`),
    which is up while its value is one of `connected`. While the field `enabled` is false nothing is sent."""

    as_of: str
    arrived: str
    taken: str
    coming: str
    progress: str
    health: str
    peer: str
    connected: frozenset[str]
    enabled: str


@dataclass(frozen=True, slots=True)
class Grouped:
    """The system keeps one object as a member on each of several sites; all members have the attribute `key` in common.

    With `role` (an attribute) one of them is the source (a value in `sources`) and the others are destinations (`destinations`), until
    the roles change; a member with a value in `detached` was detached. A role counts while the attribute `state` is one of
    `settled`; these are words in upper case, with _ for a blank. Only an object with other members has the field
    `across`. A document says which site is the source in the key `chosen_by` of a composite entry. `ends` are pairs of
    fields whose two values a member may have either way round. Further values of `state`: in `starting` nothing has arrived
    yet, in `failing` nothing more arrives, and in `lost` the other member is gone for good. `lag` names the attributes that
    show how far behind the others are. Where the field `kept_by` has one of the values `at_once`, replication is synchronous:
    a write is answered when all members have it, and they are never behind; in the states `disconnected` these members are
    disconnected: the source continues alone, the destination gives no access.
    """

    key: str
    role: str = ""
    sources: frozenset[str] = frozenset()
    destinations: frozenset[str] = frozenset()
    detached: frozenset[str] = frozenset()
    state: str = ""
    settled: frozenset[str] = frozenset()
    across: str = ""
    chosen_by: str = ""
    ends: tuple[tuple[str, str], ...] = ()
    starting: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    kept_by: str = ""
    at_once: frozenset[str] = frozenset()
    disconnected: frozenset[str] = frozenset()
    lag: Lag | None = None


@dataclass(frozen=True, slots=True)
class RemoteDirectory:
    """For each object the system creates a directory on another site. It refuses where that directory exists, and keeps it
    when the object is deleted.

    The field `room` refers to the tenant of the directory there (the field `room_outside` has it where the document does not have that
    site), the field `path` is the directory. `shown_by` describes objects of that site in the directory or below it, which
    prove that it exists: their kind, and their fields for the room and the path. `composed` says what to do where the object
    is part of an entry that is on both sites and does not name the directory.
    """

    room: str
    room_outside: str
    path: str
    shown_by: tuple[tuple[str, str, str], ...]
    composed: str = ""
