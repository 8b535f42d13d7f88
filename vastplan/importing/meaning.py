"""The stage that protects the meaning of the existing document: finds new entries that would change what an old entry means. Pure.

An old entry that leaves a field out means the only object there is, so a second object makes it ambiguous; a class is open to the
projects of its tenant, so one more project opens it further. The causes are found by trying: each old entry is composed with and without
the new ones, and where the results differ, the fewest new entries that restore the result are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from vastplan.engine.live.observe import Live
from vastplan.importing.model import Degraded, EntryForm, LeftReason
from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.value import Ref
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.composition import Scope, composed
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, Site
from vastplan.schema.markers import Refers
from vastplan.schema.walk import map_references


class _Made(NamedTuple):
    """What an entry composes to, and the findings. `objects` are addresses, values, the meaning of the values, and the addresses that
    come first."""

    objects: Sequence[tuple[Address, Mapping[str, Any], Mapping[str, Any], tuple[Address, ...]]]
    findings: list[Finding]

    def same(self, other: _Made) -> bool:
        """Whether both mean the same."""
        mine, other_objects = ([(each[0], each[2], each[3]) for each in made.objects] for made in (self, other))
        return mine == other_objects and self.findings == other.findings


@dataclass(frozen=True, slots=True)
class Changed:
    """A new entry, the first old entry whose meaning it changes, and the fields and values that the old entry would have to set."""

    cause: Written
    old: Entry
    unsaid: tuple[tuple[str, str], ...]


def changed_meanings(
    written: Sequence[Written],
    existing: Sequence[Entry],
    sites: Mapping[str, Site],
    registry: Registry,
    live_of: Callable[[Ref], Live | None],
) -> list[Changed]:
    """The new entries that would change the meaning of the `existing` ones, those of the document; each once.

    The work is linear in all entries if there are none; each one found costs about log2(n) compositions of one entry, for n of its kind.
    """
    if not existing:
        return []
    scope = _Watched(sites, existing)
    before = {old.address: _made(old, scope, registry, live_of) for old in existing}
    for new in written:
        scope.add(new.entry)
    by_kind: dict[tuple[str, str], list[Written]] = {}
    for new in sorted(written, key=lambda new: new.entry.address):
        by_kind.setdefault((new.entry.address.site, new.entry.address.kind), []).append(new)
    changed: list[Changed] = []
    for old in existing:
        scope.looked.clear()
        if _made(old, scope, registry, live_of).same(before[old.address]):
            continue
        candidates = [new for looked in sorted(scope.looked) for new in by_kind.get(looked, ())]
        for cause in _causes(old, candidates, before[old.address], scope, registry, live_of):
            by_kind[cause.entry.address.site, cause.entry.address.kind].remove(cause)
            changed.append(Changed(cause, old, tuple(_unsaid(old, before[old.address], cause.entry, registry))))
    return changed


def degrade(changed: Iterable[Changed], degraded: Degraded) -> Degraded:
    """What to write without them: each is left out, with the old line that would have to set more first."""
    steps, why, fixes = dict(degraded.steps), dict(degraded.why), dict(degraded.fixes)
    for each in changed:
        old, where = each.old, each.old.where
        kind, of_kind = (
            each.cause.entry.address.kind,
            [key for key in each.cause.stands_for if key[1] == each.cause.entry.address.kind],
        )
        place = f"{where.file}:{where.line}" if where is not None else str(old.address)
        lines = ", ".join(f"{field}: {yaml_scalar(name)}" for field, name in each.unsaid)
        for key in of_kind or each.cause.stands_for:
            steps[key] = EntryForm.LEFT
            why[key] = LeftReason.MEANING, f"one more {kind} would change the meaning of {old.address}"
            fixes[key] = (
                f"{place}: write {lines}" if lines else f"write the entry yourself if that is intended; see {place}"
            )
    return Degraded(MappingProxyType(steps), MappingProxyType(why), degraded.fields, MappingProxyType(fixes))


def _causes(
    old: Entry,
    candidates: Sequence[Written],
    wanted: _Made,
    scope: Scope,
    registry: Registry,
    live_of: Callable[[Ref], Live | None],
) -> Iterator[Written]:
    """The first new entry that changes the old one, then the first that does so without that, and so on. All of them leave the scope."""
    rest = list(candidates)
    for new in rest:
        scope.drop(new.entry.address)
    while rest:
        if _with(rest, scope, old, registry, live_of).same(wanted):
            return
        good, bad = 0, len(rest)  # the first `good` keep the meaning, the first `bad` change it
        for new in rest:
            scope.drop(new.entry.address)
        while bad - good > 1:
            middle = (good + bad) // 2
            if _with(rest[good:middle], scope, old, registry, live_of).same(wanted):
                good = middle
                continue
            for new in rest[good:middle]:
                scope.drop(new.entry.address)
            bad = middle
        yield rest[good]
        rest = rest[bad:]


def _with(
    more: Iterable[Written], scope: Scope, old: Entry, registry: Registry, live_of: Callable[[Ref], Live | None]
) -> _Made:
    """What an old entry composes to with more entries beside it."""
    for new in more:
        scope.add(new.entry)
    return _made(old, scope, registry, live_of)


def _made(entry: Entry, scope: Scope, registry: Registry, live_of: Callable[[Ref], Live | None]) -> _Made:
    before = len(scope.findings)
    made = [
        (each.address, each.values, meaning(each, registry, live_of), each.after)
        for each in composed(entry, scope, registry.compositions, set())
    ]
    findings = scope.findings[before:]
    del scope.findings[before:]
    return _Made(made, findings)


def meaning(entry: Entry, registry: Registry, live_of: Callable[[Ref], Live | None]) -> Mapping[str, Any]:
    """The values of an object, with references resolved to live attributes: an object's name and the address of its entry mean the same."""
    kind = registry.kinds.get(entry.address.kind)

    def resolved(refers: Refers, value: Any) -> Any:
        live = live_of(value) if isinstance(value, Ref) else None
        return value if live is None else live.attributes.get(refers.attribute(value.target.kind), value)

    if kind is None:
        return entry.values
    mapped = map_references(kind.fields, dict(entry.values), resolved)
    return {name: _once(value) for name, value in mapped.items()}


def _once(value: Any) -> Any:
    """A list of names without duplicates, sorted; any other value as it is."""
    return sorted(set(value)) if isinstance(value, list) and all(isinstance(item, str) for item in value) else value


def _unsaid(old: Entry, made: _Made, cause: Entry, registry: Registry) -> Iterator[tuple[str, str]]:
    """The objects of the cause's kind that were chosen for an old entry, by the fields in which it could set them."""
    settable = {field.name for field in registry.types[old.address.kind].fields} - old.values.keys()
    chosen = {
        (name, value.target.name)
        for _, values, _, _ in made.objects
        for name, value in values.items()
        if name in settable and isinstance(value, Ref) and value.target.kind == cause.address.kind
    }
    yield from sorted(chosen)


class _Watched(Scope):
    """A scope that records which entries compositions ask for, by site and kind."""

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
