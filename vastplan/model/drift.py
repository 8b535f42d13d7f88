"""What changed outside vastplan, what is unmanaged and what is unknown: the value from which every report of drift is made.

`drift --format json` prints it, and `--since FILE` reads it. A minor format version only adds to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Literal

from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation
from vastplan.model.isolation_trial import WayTried
from vastplan.model.live_state import AILING, ObjectState
from vastplan.model.plan import Author, Cause, UnknownCollection
from vastplan.model.replication import ASTRAY, Replication

FORMAT_VERSION = "1.1"


@dataclass(frozen=True, slots=True)
class DriftedField:
    """A field with another value than was applied. `cause` is `system` or `both`; numbers are in `unit`, those inside in `units`.

    Where the document changed too, the applied value is no longer known: `applied` is null, and `wanted` is what the document
    says now. `names` (since 1.1) is as in a plan. `unordered` lists are sets: only which items they have changed. With `opens` (since 1.1) the change may give
    somebody access who had none before, or more access.
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
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DriftedObject:
    """An object that changed outside vastplan. `since` is when it was last applied; `author` is set where the object changed as a
    whole.

    `what` is `replaced` (since 1.1) where the object is gone and another one, which the ledger does not own, exists in its place.
    It is `undelivered` (since 1.1) where the object exists, but the value that only its create returned is no longer at its
    destination. With `opens` (since 1.1) the change may give somebody access who had none before.
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
    """A live object that no document manages here. `opens` (since 1.1) is true for a kind whose objects give access. `take` (since 1.1)
    is the pattern of `import --take` for an object that import skips unless it is asked for, null for one that it never writes."""

    site: str
    kind: str
    name: str
    new: bool = True
    opens: bool = False
    take: str | None = ""


@dataclass(frozen=True, slots=True)
class ControllerObjects:
    """Live objects that a system or a driver (`by`) created for itself: nobody has to manage them."""

    site: str
    kind: str
    by: str
    count: int


@dataclass(frozen=True, slots=True)
class OtherDocumentObjects:
    """Live objects that another `document` manages, by its ledger or by the marks on the objects."""

    site: str
    kind: str
    document: str
    count: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a kind is managed here. `percent` is rounded down.

    Objects that a system created for itself, and those that another document manages, do not count.
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
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gone:
    """Drift of the earlier file that no longer exists (`settled`), or for which that cannot be determined today."""

    address: str
    path: str
    state: Literal["settled", "cannot be told"]


@dataclass(frozen=True, slots=True)
class Drift:
    """The result of a check for drift. `pending` counts changes of the document that are not applied yet.

    With `compared_with` (the time of the earlier check) what is `new` was not found then, and `gone` is drift that was found then
    and is not found now. With `only_new` (since 1.1) reports and the exit code leave out what was found then.
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
    tried: tuple[WayTried, ...] = ()
    """What the sites answered to requests of each project for what others have (since 1.1); empty if nothing was tried."""
    ignored: tuple[IgnoredDrift, ...] = ()
    findings: tuple[Finding, ...] = ()
    replications: tuple[Replication, ...] = ()
    """The replicated objects of two sites: which side is the source, and how far the copy is (since 1.1)."""
    states: tuple[ObjectState, ...] = ()
    """The objects that are not well by what their systems report: being deleted, failed, or not finished (since 1.1)."""
    compared_with: str = ""
    gone: tuple[Gone, ...] = ()
    only_new: bool = False
    not_ours: Mapping[str, int] = field(default_factory=dict)
    """How many of the document's objects exist on each site whose ledger is empty (since 1.1): the ledger was lost, or nothing was
    applied yet."""
    format_version: str = FORMAT_VERSION

    def news(self) -> tuple[DriftedObject, ...]:
        """The new drift: the objects that changed, each with its new fields; all of them without a comparison.

        Objects and fields that open access come first.
        """
        return tuple(
            replace(drifted, fields=tuple(sorted((field for field in drifted.fields if field.new), key=_shut)))
            for drifted in sorted(self.drift, key=_shut)
            if drifted.new
        )

    def earlier(self) -> tuple[DriftedObject, ...]:
        """The drift that the earlier check had found too, each object with these fields; none where only the new is asked for."""
        found = (
            [] if self.only_new else [(drifted, _found_before(drifted)) for drifted in sorted(self.drift, key=_shut)]
        )
        return tuple(replace(drifted, fields=fields) for drifted, fields in found if fields or not drifted.new)

    def reported(self) -> tuple[DriftedObject, ...]:
        """All drift that reports have: what is new, then what an earlier check had found too."""
        return (*self.news(), *self.earlier())

    def astray(self) -> tuple[Replication, ...]:
        """The replicated objects that are not as the document says. They count as long as that lasts, also if reported before."""
        return tuple(row for row in self.replications if row.state in ASTRAY)

    def ailing(self) -> tuple[ObjectState, ...]:
        """The objects that are going away or not well. They count as long as that lasts, also if reported before."""
        return tuple(row for row in self.states if row.state.condition in AILING)

    def strangers(self) -> tuple[UnmanagedObject, ...]:
        """The unmanaged objects that are new; those that open access come first."""
        return tuple(unmanaged for unmanaged in sorted(self.unmanaged, key=_shut) if unmanaged.new)


def _found_before(drifted: DriftedObject) -> tuple[DriftedField, ...]:
    return tuple(sorted((field for field in drifted.fields if not field.new), key=_shut))


def _shut(moved: DriftedObject | DriftedField | UnmanagedObject) -> bool:
    return not moved.opens


def compared(now: Drift, earlier: Drift, *, only_new: bool = False) -> Drift:
    """Returns `now` with marks on what is new since `earlier`, and with the drift of `earlier` that is no longer found.

    A field that was changed again is new; so is an object that was changed and is now gone.
    """
    return replace(
        now,
        drift=tuple(_marked(now.drift, earlier.drift)),
        unmanaged=tuple(_marked_unmanaged(now.unmanaged, earlier.unmanaged)),
        gone=tuple(_gone(now, earlier)),
        compared_with=earlier.checked,
        only_new=only_new,
    )


def _marked(drift: tuple[DriftedObject, ...], earlier: tuple[DriftedObject, ...]) -> Iterator[DriftedObject]:
    """Today's objects, with a mark on each object and field that says whether it is new."""
    keys = {_key(drifted, field) for drifted in earlier for field in _fields_or_none(drifted)}
    for drifted in drift:
        fields = tuple(replace(field, new=_key(drifted, field) not in keys) for field in drifted.fields)
        new = any(field.new for field in fields) if fields else _key(drifted, None) not in keys
        yield replace(drifted, fields=fields, new=new)


def _marked_unmanaged(
    unmanaged: tuple[UnmanagedObject, ...], earlier: tuple[UnmanagedObject, ...]
) -> Iterator[UnmanagedObject]:
    keys = {(stranger.site, stranger.kind, stranger.name) for stranger in earlier}
    for stranger in unmanaged:
        yield replace(stranger, new=(stranger.site, stranger.kind, stranger.name) not in keys)


def _gone(now: Drift, earlier: Drift) -> Iterator[Gone]:
    """The drift of the earlier check that is not found today: it is settled, or its collection cannot be read."""
    current = {(drifted.address, _path(field)) for drifted in now.drift for field in _fields_or_none(drifted)}
    current |= {(ignored.address, ignored.path) for ignored in now.ignored}
    unread = {(collection.site, collection.kind) for collection in now.unknown}
    for drifted in earlier.drift:
        site, kind, _ = drifted.address.split("/", 2)
        readable = site in now.sites and (site, kind) not in unread
        for moved in _fields_or_none(drifted):
            if (drifted.address, _path(moved)) not in current:
                yield Gone(drifted.address, _path(moved), "settled" if readable else "cannot be told")


def _fields_or_none(drifted: DriftedObject) -> tuple[DriftedField | None, ...]:
    """The fields that changed; one `None` for an object that changed as a whole."""
    return drifted.fields or (None,)


def _path(field: DriftedField | None) -> str:
    return field.path if field else ""


def _key(drifted: DriftedObject, field: DriftedField | None) -> tuple[str, str, str, str]:
    """The key by which drift is the same in two checks: object, field and live value."""
    return drifted.address, drifted.what, _path(field), repr(field.live) if field else ""
