"""What changed outside vastplan, what nobody manages and what is unknown: one value that every report of drift is made of.

It is what `drift --format json` prints and what `--since FILE` reads again. A minor version adds to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation
from vastplan.model.plan import Author, Cause, UnknownCollection
from vastplan.model.replication import ASTRAY, Replication

FORMAT_VERSION = "1.1"


@dataclass(frozen=True, slots=True)
class DriftedField:
    """A field that is not as it was applied; `cause` is `system` or `both`, numbers are in `unit`, those inside in `units`.

    Where the document changed too, what was applied is not known any more: `applied` is null, and `wanted` what it says now.
    `unordered` lists are sets: what moved is which items are there. By one that `opens` (since 1.1) somebody may come in, or get
    at more, who could not before.
    """

    path: str
    live: Any
    applied: Any
    cause: Cause
    unit: str
    units: Mapping[str, str] = field(default_factory=dict)
    sensitive: bool = False
    author: Author | None = None
    new: bool = True
    wanted: Any = None
    unordered: bool = False
    opens: bool = False


@dataclass(frozen=True, slots=True)
class DriftedObject:
    """An object that changed outside vastplan. `since` is when it was last applied; `author` is of one that moved as a whole.

    One that was `replaced` (since 1.1) is gone, and another stands in its place that is not ours. One that is `undelivered` (since
    1.1) is there, and the value that only its making told is not where it was delivered. By one that `opens` (since
    1.1) somebody may come in who could not before.
    """

    address: str
    what: Literal["gone", "replaced", "undelivered", "changed"]
    fields: tuple[DriftedField, ...]
    since: str = ""
    author: Author | None = None
    new: bool = True
    opens: bool = False


@dataclass(frozen=True, slots=True)
class UnmanagedObject:
    """A live object that nobody manages here. It `opens` where it is of a kind that lets somebody in (since 1.1)."""

    site: str
    kind: str
    name: str
    new: bool = True
    opens: bool = False


@dataclass(frozen=True, slots=True)
class ControllerObjects:
    """Live objects that a system or a driver made for itself (`by`): nobody has to manage them."""

    site: str
    kind: str
    by: str
    count: int


@dataclass(frozen=True, slots=True)
class OtherDocumentObjects:
    """Live objects that another `document` manages, as its ledger or they themselves say."""

    site: str
    kind: str
    document: str
    count: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a kind is managed here. `percent` is rounded down.

    What a system made for itself, and what another document manages, does not count.
    """

    site: str
    kind: str
    managed: int
    unmanaged: int

    @property
    def percent(self) -> int:
        """100 only when nothing is unmanaged."""
        whole = self.managed + self.unmanaged
        return 100 * self.managed // whole if whole else 100


@dataclass(frozen=True, slots=True)
class IgnoredDrift:
    """Drift that a rule of the document ignores: a field, or with an empty `path` an object that is gone."""

    address: str
    path: str
    live: Any
    applied: Any
    unit: str
    reason: str
    until: str = ""
    sensitive: bool = False
    unordered: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """Drift of the earlier file that is not there any more (`settled`), or that nobody can tell of today."""

    address: str
    path: str
    state: Literal["settled", "cannot be told"]


@dataclass(frozen=True, slots=True)
class Drift:
    """A check for drift. `pending` counts changes of the document that are not applied yet.

    With `compared_with` (when the earlier check was made) only what is `new` was not there then; `gone` is what was.
    """

    document: str
    checked: str
    drift: tuple[DriftedObject, ...]
    unmanaged: tuple[UnmanagedObject, ...]
    unknown: tuple[UnknownCollection, ...]
    pending: int
    in_sync: int
    sites: tuple[str, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    made: tuple[ControllerObjects, ...] = ()
    elsewhere: tuple[OtherDocumentObjects, ...] = ()
    isolation: tuple[Isolation, ...] = ()
    ignored: tuple[IgnoredDrift, ...] = ()
    findings: tuple[Finding, ...] = ()
    replications: tuple[Replication, ...] = ()
    """What is one on two sites: who leads, and how far the copy is (since 1.1)."""
    compared_with: str = ""
    gone: tuple[Gone, ...] = ()
    not_ours: Mapping[str, int] = field(default_factory=dict)
    """How many objects of the document exist on each site whose ledger is empty (since 1.1): a ledger that was lost, or a first run."""
    format_version: str = FORMAT_VERSION

    def news(self) -> tuple[DriftedObject, ...]:
        """The objects that moved, with those of their fields that are new; all of them where nothing was compared.

        What lets somebody in comes first, objects and fields.
        """
        return tuple(
            replace(drifted, fields=tuple(sorted((field for field in drifted.fields if field.new), key=_shut)))
            for drifted in sorted(self.drift, key=_shut)
            if drifted.new
        )

    def astray(self) -> tuple[Replication, ...]:
        """What two sites share that is not as the document has it. It counts for as long as it is so, whatever was known before."""
        return tuple(row for row in self.replications if row.state in ASTRAY)

    def strangers(self) -> tuple[UnmanagedObject, ...]:
        """The unmanaged objects that are new, those that let somebody in before the others."""
        return tuple(unmanaged for unmanaged in sorted(self.unmanaged, key=_shut) if unmanaged.new)


def _shut(moved: DriftedObject | DriftedField | UnmanagedObject) -> bool:
    return not moved.opens


def compared(now: Drift, earlier: Drift) -> Drift:
    """`now` with what is new since `earlier`, and what of that is not there any more.

    A field that was changed again is new; so is an object that was changed and is now gone.
    """
    return replace(
        now,
        drift=tuple(_marked(now.drift, earlier.drift)),
        unmanaged=tuple(_marked_unmanaged(now.unmanaged, earlier.unmanaged)),
        gone=tuple(_gone(now, earlier)),
        compared_with=earlier.checked,
    )


def _marked(drift: tuple[DriftedObject, ...], earlier: tuple[DriftedObject, ...]) -> Iterator[DriftedObject]:
    """The objects of today, each and each of its fields with whether it is new."""
    known = {_key(drifted, field) for drifted in earlier for field in _fields_or_none(drifted)}
    for drifted in drift:
        fields = tuple(replace(field, new=_key(drifted, field) not in known) for field in drifted.fields)
        new = any(field.new for field in fields) if fields else _key(drifted, None) not in known
        yield replace(drifted, fields=fields, new=new)


def _marked_unmanaged(
    unmanaged: tuple[UnmanagedObject, ...], earlier: tuple[UnmanagedObject, ...]
) -> Iterator[UnmanagedObject]:
    known = {(stranger.site, stranger.kind, stranger.name) for stranger in earlier}
    for stranger in unmanaged:
        yield replace(stranger, new=(stranger.site, stranger.kind, stranger.name) not in known)


def _gone(now: Drift, earlier: Drift) -> Iterator[Gone]:
    """The drift of the earlier check that is not found today: it is settled, or where it was cannot be read."""
    there = {(drifted.address, _path(field)) for drifted in now.drift for field in _fields_or_none(drifted)}
    there |= {(ignored.address, ignored.path) for ignored in now.ignored}
    unread = {(collection.site, collection.kind) for collection in now.unknown}
    for drifted in earlier.drift:
        site, kind, _ = drifted.address.split("/", 2)
        readable = site in now.sites and (site, kind) not in unread
        for moved in _fields_or_none(drifted):
            if (drifted.address, _path(moved)) not in there:
                yield Gone(drifted.address, _path(moved), "settled" if readable else "cannot be told")


def _fields_or_none(drifted: DriftedObject) -> tuple[DriftedField | None, ...]:
    """The fields that moved; `None` for an object that moved as a whole."""
    return drifted.fields or (None,)


def _path(field: DriftedField | None) -> str:
    return field.path if field else ""


def _key(drifted: DriftedObject, field: DriftedField | None) -> tuple[str, str, str, str]:
    """What is the same drift in two checks: the same object, field and live value."""
    return drifted.address, drifted.what, _path(field), repr(field.live) if field else ""
