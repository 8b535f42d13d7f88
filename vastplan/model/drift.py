"""What moved behind our back, what nobody manages and what could not be told: one value that every report of drift is made of.

It is what `drift --format json` prints and what `--since FILE` reads again. A minor version adds fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation
from vastplan.model.plan import Author, Cause, UnknownCollection

FORMAT_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class DriftedField:
    """A field that is not as it was applied; `cause` is `system` or `both`, numbers are in `unit`, those inside in `units`."""

    path: str
    live: Any
    applied: Any
    cause: Cause
    unit: str
    units: Mapping[str, str] = field(default_factory=dict)
    sensitive: bool = False
    author: Author | None = None
    new: bool = True


@dataclass(frozen=True, slots=True)
class DriftedObject:
    """An object that moved behind our back. `since` is when it was last applied; `author` is of one that is gone."""

    address: str
    what: Literal["gone", "changed"]
    fields: tuple[DriftedField, ...]
    since: str = ""
    author: Author | None = None
    new: bool = True


@dataclass(frozen=True, slots=True)
class UnmanagedObject:
    """A live object that nobody manages here."""

    site: str
    kind: str
    name: str
    new: bool = True


@dataclass(frozen=True, slots=True)
class ControllerObjects:
    """Live objects that a system or a driver made for itself (`by`): nobody has to manage them."""

    site: str
    kind: str
    by: str
    count: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a kind is managed here. `percent` is rounded down; what a system made for itself does not count."""

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
    isolation: tuple[Isolation, ...] = ()
    ignored: tuple[IgnoredDrift, ...] = ()
    findings: tuple[Finding, ...] = ()
    compared_with: str = ""
    gone: tuple[Gone, ...] = ()
    format_version: str = FORMAT_VERSION

    def news(self) -> tuple[DriftedObject, ...]:
        """The objects that moved, with those of their fields that are new; all of them where nothing was compared."""
        return tuple(
            replace(one, fields=tuple(each for each in one.fields if each.new)) for one in self.drift if one.new
        )

    def strangers(self) -> tuple[UnmanagedObject, ...]:
        """The unmanaged objects that are new."""
        return tuple(one for one in self.unmanaged if one.new)


def compared(now: Drift, earlier: Drift) -> Drift:
    """`now` with what is new since `earlier`, and what of that is not there any more.

    A field that was changed again is new; so is an object that was changed and is now gone.
    """
    then = {_key(one, each) for one in earlier.drift for each in _parts(one)}
    objects = []
    for one in now.drift:
        fields = tuple(replace(each, new=_key(one, each) not in then) for each in one.fields)
        new = any(each.new for each in fields) if fields else _key(one, None) not in then
        objects.append(replace(one, fields=fields, new=new))
    known = {(one.site, one.kind, one.name) for one in earlier.unmanaged}
    strangers = tuple(replace(one, new=(one.site, one.kind, one.name) not in known) for one in now.unmanaged)
    there = {(one.address, each.path if each else "") for one in now.drift for each in _parts(one)}
    there |= {(one.address, one.path) for one in now.ignored}
    states: tuple[Literal["settled"], Literal["cannot be told"]] = ("settled", "cannot be told")
    blind = {(one.site, one.kind) for one in now.unknown}
    gone = tuple(
        Gone(one.address, path, states[_untold(one.address, now, blind)])
        for one in earlier.drift
        for each in _parts(one)
        if (one.address, path := each.path if each else "") not in there
    )
    return replace(
        now, drift=tuple(objects), unmanaged=strangers, gone=gone, compared_with=earlier.checked,
    )  # fmt: skip


def _parts(one: DriftedObject) -> tuple[DriftedField | None, ...]:
    return one.fields or (None,)


def _key(one: DriftedObject, each: DriftedField | None) -> tuple[str, str, str, str]:
    return (one.address, one.what, each.path, repr(each.live)) if each else (one.address, one.what, "", "")


def _untold(address: str, now: Drift, blind: set[tuple[str, str]]) -> bool:
    site, kind, _ = address.split("/", 2)
    return (site, kind) in blind or site not in now.sites
