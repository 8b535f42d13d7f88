"""Dependents of live objects to delete or replace: objects of other kinds, found by equal fields and by paths below theirs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import field

from vastplan.engine.live.observe import Live, Observed
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import GOING, Action
from vastplan.model.value import Reason, Unknown
from vastplan.schema.dependents import Dependents
from vastplan.schema.kind import Kind

Group = tuple[list[str], list[Live]]  # sorted paths, each ending in "/", and the objects with these paths


@dataclass(frozen=True, slots=True)
class DependentsIndex:
    """The dependents of all live objects of some kinds. Created by `index_dependents`."""

    _observed: Observed
    _groups: Mapping[tuple[str, Dependents], Mapping[tuple[str, ...], Group]] = field(default_factory=dict)

    def of(self, live: Live, rule: Dependents) -> list[Live]:
        """The dependents of an object by a rule; empty also where their collection could not be read, see `count`."""
        if not concerns(rule, live):
            return []
        group = self._groups.get((live.site, rule), {}).get(
            tuple(_value(live, name) for name, _ in rule.same), ([], [])
        )
        return group[1] if rule.under is None else inside(group, _value(live, rule.under[0]))

    def count(self, live: Live, rule: Dependents) -> int | Unknown:
        """The number of dependents of an object by a rule; `Unknown` where their collection could not be read."""
        problem = self._observed.error(live.site, rule.kind) if concerns(rule, live) else ""
        return Unknown(problem, Reason.UNREAD) if problem else len(self.of(live, rule))


def inside(group: Group, path: str) -> list[Live]:
    """The objects of a group at a path or below it, in the order of their paths."""
    paths, objects = group
    above = _folder(path)
    first = bisect_left(paths, above)
    last = first
    while last < len(paths) and paths[last].startswith(above):
        last += 1
    return objects[first:last]


def concerns(rule: Dependents, live: Live) -> bool:
    """Whether a rule applies to an object."""
    return rule.when is None or live.values.get(rule.when[0]) == rule.when[1]


def going(kinds: Mapping[str, Kind], actions: Iterable[Action]) -> list[tuple[str, Kind]]:
    """The kinds of which an object is deleted or replaced, with the site."""
    places = {(action.address.site, action.address.kind) for action in actions if action.verb in GOING}
    return [(site, kinds[name]) for site, name in places]


def index_dependents(observed: Observed, kinds: Iterable[tuple[str, Kind]]) -> DependentsIndex:
    """The dependents of the objects of these kinds, by site."""
    groups: dict[tuple[str, Dependents], dict[tuple[str, ...], Group]] = {}
    for site, kind in kinds:
        for rule in (*kind.dependents, *kind.protects):
            groups[site, rule] = grouped(observed.objects(site, rule.kind), rule, observed)
    return DependentsIndex(observed, groups)


def grouped(
    objects: Iterable[Live], rule: Dependents, observed: Observed | None = None
) -> dict[tuple[str, ...], Group]:
    """The objects that a rule may count as dependents, by the values that it compares."""
    members: dict[tuple[str, ...], list[tuple[str, Live]]] = {}
    for live in objects:
        if not rule.counted or live.metrics[rule.counted] != 0:
            path = _folder(_value(live, rule.under[1])) if rule.under is not None else ""
            members.setdefault(tuple(_compared_value(live, name, observed) for _, name in rule.same), []).append(
                (path, live)
            )
    groups = {}
    for key, pairs in members.items():
        pairs.sort(key=lambda pair: pair[0])
        groups[key] = ([path for path, _ in pairs], [live for _, live in pairs])
    return groups


def _value(live: Live, name: str) -> str:
    """The value of a field, or of an attribute that is not a field."""
    return live.id if name == "id" else str(live.values.get(name, live.attributes.get(name)))


def _compared_value(live: Live, name: str, observed: Observed | None) -> str:
    """The value of a field, or of a field of the object that it refers to (`tenant.local_provider`); "" if that does not exist."""
    field, _, inner = name.partition(".")
    if not inner or observed is None:
        return _value(live, name)
    refers, raw = live.kind.field(field).refers, live.values.get(field)
    targets = (observed.find(live.site, kind, by, raw) for kind, by in (refers.targets if refers is not None else ()))
    return next((_value(target, inner) for target in targets if target is not None), "")


def _folder(path: str) -> str:
    return path.rstrip("/") + "/"
