"""The stage that keeps what the document says already as it is: new entries that would change what an old one means. Pure.

An old line that leaves something out means the only one there is, so a second one makes it mean nothing; a class is open to the
projects of its tenant, so one more opens it. Which new entry does it is found by trying: each old entry is composed with the new
ones and without, and where that differs, the fewest are left out with which it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from vastplan.importing.model import Degraded, Reason, Step
from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.model.finding import Finding
from vastplan.model.value import Ref
from vastplan.model.yaml_text import scalar
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, Scope, Site, composed

_Made = tuple[list[tuple[Address, Mapping[str, Any], tuple[Address, ...]]], list[Finding]]


@dataclass(frozen=True, slots=True)
class Changed:
    """A new entry, the first old one that means something else with it, and what that one would have to say: field and value."""

    cause: Written
    old: Entry
    unsaid: tuple[tuple[str, str], ...]


def changed_meanings(
    written: Sequence[Written], known: Sequence[Entry], sites: Mapping[str, Site], registry: Registry
) -> list[Changed]:
    """The new entries that cannot stand beside the `known` ones of the document, each once.

    Linear in all of them where there is none; each one that there is costs as many compositions of one entry as its kind has digits in
    base two.
    """
    if not known:
        return []
    scope = _Watched(sites, known)
    before = {old.address: _made(old, scope, registry) for old in known}
    for new in written:
        scope.add(new.entry)
    by_kind: dict[tuple[str, str], list[Written]] = {}
    for new in sorted(written, key=lambda new: new.entry.address):
        by_kind.setdefault((new.entry.address.site, new.entry.address.kind), []).append(new)
    changed: list[Changed] = []
    for old in known:
        scope.looked.clear()
        if _made(old, scope, registry) == before[old.address]:
            continue
        candidates = [new for looked in sorted(scope.looked) for new in by_kind.get(looked, ())]
        for cause in _causes(old, candidates, before[old.address], scope, registry):
            by_kind[cause.entry.address.site, cause.entry.address.kind].remove(cause)
            changed.append(Changed(cause, old, tuple(_unsaid(old, before[old.address], cause.entry, registry))))
    return changed


def without(changed: Iterable[Changed], degraded: Degraded) -> Degraded:
    """What to write without them: each is left, with the old line that would have to say more first."""
    steps, why, fixes = dict(degraded.steps), dict(degraded.why), dict(degraded.fixes)
    for each in changed:
        old, where = each.old, each.old.where
        kind, of_kind = (
            each.cause.entry.address.kind,
            [key for key in each.cause.stands_for if key[1] == each.cause.entry.address.kind],
        )
        place = f"{where.file}:{where.line}" if where is not None else str(old.address)
        said = ", ".join(f"{field}: {scalar(name)}" for field, name in each.unsaid)
        for key in of_kind or each.cause.stands_for:
            steps[key] = Step.LEFT
            why[key] = Reason.MEANING, f"with one more {kind}, {old.address} would mean something else"
            fixes[key] = f"{place}: write {said}" if said else f"write it by hand where that is meant; see {place}"
    return Degraded(MappingProxyType(steps), MappingProxyType(why), degraded.fields, MappingProxyType(fixes))


def _causes(
    old: Entry, candidates: Sequence[Written], wanted: _Made, scope: Scope, registry: Registry
) -> Iterator[Written]:
    """The first that changes an old entry, and the first that does so without it, and so on; they are in the scope no more."""
    rest = list(candidates)
    for new in rest:
        scope.drop(new.entry.address)
    while rest:
        if _with(rest, scope, old, registry) == wanted:
            return
        good, bad = 0, len(rest)  # with so many it is as before, with so many it is not
        for new in rest:
            scope.drop(new.entry.address)
        while bad - good > 1:
            middle = (good + bad) // 2
            if _with(rest[good:middle], scope, old, registry) == wanted:
                good = middle
                continue
            for new in rest[good:middle]:
                scope.drop(new.entry.address)
            bad = middle
        yield rest[good]
        rest = rest[bad:]


def _with(more: Iterable[Written], scope: Scope, old: Entry, registry: Registry) -> _Made:
    """What an old entry stands for with more entries beside it."""
    for new in more:
        scope.add(new.entry)
    return _made(old, scope, registry)


def _made(entry: Entry, scope: Scope, registry: Registry) -> _Made:
    before = len(scope.findings)
    made = [(each.address, each.values, each.after) for each in composed(entry, scope, registry.compositions, set())]
    found = scope.findings[before:]
    del scope.findings[before:]
    return made, found


def _unsaid(old: Entry, made: _Made, cause: Entry, registry: Registry) -> Iterator[tuple[str, str]]:
    """What was chosen for an old entry of the kind that there are more of now, by the fields that it could say it with."""
    said = {field.name for field in registry.types[old.address.kind].fields} - old.values.keys()
    chosen = {
        (name, value.target.name)
        for _, values, _ in made[0]
        for name, value in values.items()
        if name in said and isinstance(value, Ref) and value.target.kind == cause.address.kind
    }
    yield from sorted(chosen)


class _Watched(Scope):
    """A document that notes which entries compositions ask for, by site and kind."""

    def __init__(self, sites: Mapping[str, Site], entries: Iterable[Entry]) -> None:
        self.looked: set[tuple[str, str]] = set()
        super().__init__(sites, entries)

    def get(self, address: Address) -> Entry | None:
        """See `Scope`."""
        self.looked.add((address.site, address.kind))
        return super().get(address)

    def of(self, site: str, kind: str) -> Iterator[Entry]:
        """See `Scope`."""
        self.looked.add((site, kind))
        return super().of(site, kind)

    def owned_by(self, tenant: Ref | None, site: str, kind: str) -> list[Entry]:
        """See `Scope`."""
        self.looked.add((site, kind))
        return super().owned_by(tenant, site, kind)
