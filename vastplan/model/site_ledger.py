"""The ledger's parts as values: the owned objects, pending writes, and keyed digests of the values last applied."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from dataclasses import field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Operation, last_of_each
from vastplan.model.value import canonical_text

LEDGER_VERSION = 4
KEPT_GONE = 1000
KEPT_RUNS = 100
"""How many runs a part keeps, the newest."""
NAMED_CHANGES = 40
"""How many changes of a run are kept by address; more are only counted."""
TEXT_LIMIT = 200
"""Characters of a text that somebody else chose."""
REDACTED_DIGEST = "withheld"
"""Stands for a digest that a snapshot does not hold; no digest equals this text."""
UNKNOWN_DIGEST = "unknown"
"""Stands for the digest of a value that another ledger applied: the field is known to be set, but not to which value."""
NO_DIGESTS = frozenset({REDACTED_DIGEST, UNKNOWN_DIGEST})


@dataclass(frozen=True, slots=True)
class Owned:
    """One owned object. `fields` maps each leaf that vastplan set to a keyed digest of the value last applied; a reference counts
    there as an address.

    `wire` (since version 2) has, for leaves that hold references, digests of the values that the system returned then: the objects
    that they refer to may be renamed or deleted while these leaves stay the same. `sources` (since version 2) say where the values
    of secret leaves came from (`{env: NAME}`). `delivered` (since version 3) has a keyed digest of each value that only the create
    returned, by its destination; `delivered_at` is when all of them were found there, "" before that; `generation` is the number
    that they were created for, 0 where there are none or it is not known. `origin` (since version 3) is the composite entry that
    the object is a part of, "" for none. `group` (since version 3) is the key that it shares with the members of its group on other
    sites, "" for none. `made_of` (since version 4) says from what an object that is created once was created: names, ids and times,
    as the system returned them then. `answered` (since version 4) is when the system answered its creation, "" once a read has shown it.
    """

    id: str
    locator: str
    fields: Mapping[str, str] = field(default_factory=dict)
    refers: tuple[str, ...] = ()
    applied: str = ""
    wire: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    delivered: Mapping[str, str] = field(default_factory=dict)
    delivered_at: str = ""
    generation: int = 0
    origin: str = ""
    group: str = ""
    made_of: Mapping[str, str] = field(default_factory=dict)
    answered: str = ""

    @property
    def imported(self) -> bool:
        """Whether it comes from another ledger, and this one has not applied it yet."""
        return UNKNOWN_DIGEST in self.fields.values()

    def without(self, names: Set[str]) -> Owned:
        """The same object without records of some top-level fields as applied."""
        fields, wire = (
            {path: digest for path, digest in digests.items() if path.partition(".")[0] not in names}
            for digests in (self.fields, self.wire)
        )
        return replace(self, fields=fields, wire=wire)


@dataclass(frozen=True, slots=True)
class Intent:
    """A write that was about to be sent; it stays in the ledger until its outcome is known.

    `before` (since version 3) are the ids of the equal objects that existed before, for kinds whose objects are distinguished by
    their ids alone: another equal object afterwards may be the one that the write created. It is `None` for other kinds.
    """

    verb: str
    fields: Mapping[str, str] = field(default_factory=dict)
    id: str = ""
    at: str = ""
    before: tuple[str, ...] | None = None

    @property
    def takes_away(self) -> bool:
        """Whether this write may have deleted the object: then it was not deleted outside vastplan."""
        return self.verb in ("delete", "replace")


def intent_of(data: Mapping[str, Any]) -> Intent:
    """Parses an intent from its data; raises `TypeError` for data that is not an intent."""
    before = data.get("before")
    return Intent(**{**data, "before": None if before is None else tuple(before)})


@dataclass(frozen=True, slots=True)
class RefusedChange:
    """That a system refused to change a field in place: at which version of it, when, and its words."""

    version: str
    at: str
    why: str


Counts = Mapping[str, Mapping[str, int]]


class LoggedChange(NamedTuple):
    """What became of one address: `verb` is the plan's, or the operation's kind; `state` is "" until it is known."""

    verb: str
    state: str = ""

    @classmethod
    def of_text(cls, text: str) -> LoggedChange:
        """The change from its text in the ledger, `VERB STATE`."""
        verb, _, state = text.partition(" ")
        return cls(verb, state)

    @property
    def comes_first(self) -> bool:
        """Whether it takes something away: named before all else."""
        return self.verb in ("delete", "replace", "release", "forget")

    def __str__(self) -> str:
        return f"{self.verb} {self.state}" if self.state else self.verb


@dataclass(frozen=True, slots=True)
class LoggedApproval:
    """An approval of a file that a run used; `by` is who gave it, if the file says so."""

    address: str
    reason: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """One run: its command, when it began, who ran it (as its surroundings say; nobody has checked that), from which commit.

    `plan` is the id of the plan, the export or the operation; `serial` is that of the part since it began. `ended` is "" until the run
    has ended: a run that was cut off stays so. `counts` has all changes by verb and state, `changes` at most `NAMED_CHANGES` of them,
    by address, as the text of a `LoggedChange`.
    """

    command: str
    at: str
    who: str
    commit: str = ""
    plan: str = ""
    serial: int = 0
    ended: str = ""
    changes: Mapping[str, str] = field(default_factory=dict)
    counts: Counts = field(default_factory=dict)
    approvals: tuple[LoggedApproval, ...] = ()

    def ending(self, at: str, changes: Mapping[str, LoggedChange]) -> LoggedRun:
        """The run, ended with all of these changes."""
        return replace(self, ended=at, changes=named(changes), counts=counted_changes(changes))


def named(changes: Mapping[str, LoggedChange]) -> dict[str, str]:
    """The changes that a run keeps by address: what deletes first."""
    first = sorted(changes, key=lambda address: not changes[address].comes_first)
    return {address: str(changes[address]) for address in first[:NAMED_CHANGES]}


def counted_changes(changes: Mapping[str, LoggedChange]) -> Counts:
    """How many changes have each verb and state."""
    counts: dict[str, dict[str, int]] = {}
    for change in changes.values():
        states = counts.setdefault(change.verb, {})
        states[change.state] = states.get(change.state, 0) + 1
    return counts


@dataclass(frozen=True, slots=True)
class SiteLedger:
    """One site's part of the ledger. It holds the document's settings, but no values of objects and no secrets."""

    document: str
    site: str
    lineage: str
    key: str
    serial: int = 0
    entries: Mapping[str, Owned] = field(default_factory=dict)
    intents: Mapping[str, Intent] = field(default_factory=dict)
    plans: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    applied: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)
    """The addresses of the site's systems at the last apply, by system, as a plan shows them."""
    head: Mapping[str, Any] = field(default_factory=dict)
    """The document's settings at the last apply there, by path (since version 2); secrets by their source."""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """The last operation of each replicated object, by its guid, open or closed (since version 4)."""
    gone: tuple[str, ...] = ()
    """Addresses that it no longer has, the newest last, at most `KEPT_GONE`: to name one of them is no mistake (since version
    4)."""
    refused: Mapping[str, RefusedChange] = field(default_factory=dict)
    """The fields, as `kind.field`, that the site's systems refused to change in place (since version 4)."""
    runs: tuple[LoggedRun, ...] = ()
    """The runs that changed it, the newest last, at most `KEPT_RUNS` (since version 4)."""
    version: int = LEDGER_VERSION


def keyed_digest(key: str, value: Any) -> str:
    """A keyed digest (64 bits, hex) of a value: equal values have equal digests, which are useless without the key."""
    return hashlib.blake2b(canonical_text(value).encode(), key=bytes.fromhex(key), digest_size=8).hexdigest()


@lru_cache(4096)
def path_text(path: tuple[str, ...]) -> str:
    """A leaf's path as text; a key with dots or quotes is quoted."""
    return ".".join(f'"{step}"' if "." in step or '"' in step else step for step in path)


def last_on(parts: Mapping[str, SiteLedger], subject: str) -> Operation | None:
    """The last operation of a subject, `None` where it has none."""
    return next((operation for operation in latest_operations(parts) if operation.subject == subject), None)


def latest_operations(parts: Mapping[str, SiteLedger]) -> tuple[Operation, ...]:
    """The latest record of each subject's operation in all parts, in the order in which the operations began."""
    return last_of_each(part.operations.values() for part in parts.values())
