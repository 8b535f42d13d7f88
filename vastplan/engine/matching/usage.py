"""The figures that guards weigh: what an object holds, what depends on it, and what is in use through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.engine.live.floors import Figure
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.dependents import DependentsIndex
from vastplan.engine.matching.referrers import Referrers
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import GOING, Action, Evidence, Verb
from vastplan.model.units import show_amount
from vastplan.model.value import Reason, Unknown
from vastplan.model.wording import plural
from vastplan.schema.dependents import Dependents, RefusesDelete
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import mounting_kinds, reaching


def figure_text(value: int | float, unit: str) -> str:
    """A figure as text."""
    return show_amount(int(value), unit) if unit else str(value)


def usage_figures(live: Live, dependents: DependentsIndex) -> list[tuple[str, Figure, str]]:
    """The figures of use of an object, as name, figure and unit: its own facts, and the numbers of dependents that work on it."""
    at_work = [rule for rule in live.kind.dependents if not (rule.remain or rule.by) and live.kind.lets_in is None]
    return own_figures(live) + [(rule.name, dependents.count(live, rule), "") for rule in at_work]


def own_figures(live: Live) -> list[tuple[str, Figure, str]]:
    """The object's own figures of use, as name, figure and unit."""
    return [
        (fact.name, live.metrics[fact.name], fact.unit) for fact in live.kind.metrics if fact.name in live.kind.in_use
    ]


def mounting_figures(
    live: Live, referrers: Referrers, matches: Matches, actions: Mapping[Address, Action]
) -> list[tuple[str, Figure, str]]:
    """The numbers of objects in use that mount the object, by kind and without those that the plan deletes or replaces."""
    counts: dict[str, int] = {}
    for other in referrers.mounting(live):
        address = matches.address_of(other)
        action = actions.get(address) if address is not None else None
        if _used(other) and (action is None or action.verb not in GOING):
            counts[other.kind.name] = counts.get(other.kind.name, 0) + 1
    determined: list[tuple[str, Figure, str]] = [
        (f"{plural(name)} in use that mount it", number, "") for name, number in sorted(counts.items())
    ]
    unread: list[tuple[str, Figure, str]] = [
        (f"whether a {name} in use mounts it", Unknown(problem, Reason.UNREAD), "")
        for name in mounting_kinds(matches.kinds, live.kind.name)
        if (problem := _unread(live.site, name, matches))
    ]
    return determined + unread


def _unread(site: str, name: str, matches: Matches) -> str:
    """Why the objects of a kind are unknown, "" where they are known, were not to be read, or the site has no such system."""
    observed = matches.observed
    if (site, name) not in observed.collections or observed.absent(site, name):
        return ""
    return observed.error(site, name)


def delete_refusals(
    live: Live,
    contents: Mapping[str, Figure],
    dependents: DependentsIndex,
    matches: Matches,
    actions: Mapping[Address, Action],
) -> Iterator[tuple[RefusesDelete, str]]:
    """The rules by which the system refuses to delete the object as it is now, each with its figure as text, "" without one."""
    refusing = {rule.figure for rule in live.kind.refuses_delete}
    counted = [rule for rule in live.kind.dependents if rule.name in refusing]
    staying = {group.name: group.figure for group in _groups(counted, live, dependents, matches, actions)}
    figures = {**live.metrics, **contents, **staying}
    units = {fact.name: fact.unit for fact in live.kind.metrics} | {
        total.name: total.unit for total in live.kind.contents
    }
    for rule in live.kind.refuses_delete:
        if not rule.figure:
            if live.system_owned:
                yield rule, ""
            continue
        figure = figures[rule.figure]
        if isinstance(figure, int | float) and figure > 0 and (not rule.field or live.values.get(rule.field)):
            yield rule, figure_text(figure, units.get(rule.figure, ""))


@dataclass(frozen=True, slots=True)
class Remaining:
    """What would stay behind without an object: its name, how many, and those that the same plan deletes before it."""

    name: str
    figure: Figure
    leaving: tuple[Address, ...] = ()


def remaining(
    live: Live, dependents: DependentsIndex, matches: Matches, actions: Mapping[Address, Action]
) -> list[Remaining]:
    """What would stay behind without the object."""
    rules = [rule for rule in live.kind.dependents if rule.remain]
    return _groups(rules, live, dependents, matches, actions)


def _groups(
    rules: Iterable[Dependents],
    live: Live,
    dependents: DependentsIndex,
    matches: Matches,
    actions: Mapping[Address, Action],
) -> list[Remaining]:
    groups = []
    for rule in rules:
        count = dependents.count(live, rule)
        leaving = tuple(deleted(dependents.of(live, rule), matches, actions))
        groups.append(Remaining(rule.name, count if isinstance(count, Unknown) else count - len(leaving), leaving))
    return groups


def deleted(objects: Iterable[Live], matches: Matches, actions: Mapping[Address, Action]) -> Iterator[Address]:
    """Those of some objects that a plan deletes."""
    for live in objects:
        address = matches.address_of(live)
        if address is not None and address in actions and actions[address].verb is Verb.DELETE:
            yield address


def locked(live: Live, dependents: DependentsIndex) -> list[tuple[str, list[Live]]]:
    """What depends on the object and must not be deleted: name and the objects."""
    held_back = [
        (
            rule.name,
            [other for other in dependents.of(live, rule) if any(other.metrics[name] != 0 for name in rule.locks)],
        )
        for rule in live.kind.dependents
    ]
    return [(name, objects) for name, objects in held_back if objects]


@dataclass(frozen=True, slots=True)
class Usage:
    """The objects in use, an object itself or those that reach it: their number by kind, and the deletes of those the plan removes."""

    counts: tuple[tuple[Kind, Figure], ...]
    leaving: tuple[Address, ...] = ()


def usage_of(
    live: Live,
    matches: Matches,
    referrers: Referrers,
    actions: Mapping[Address, Action],
    lost: Mapping[str, Any] | None = None,
) -> Usage:
    """The objects in use: the object itself, or those that reach it by references on its site, or mount it.

    With `lost`, the attributes whose values the object loses, only those that reach it by these and that the plan does not write.

    Objects that the plan deletes are not counted, nor those that a driver created for these alone. A kind that may reach the
    object and could not be read counts as `Unknown`.
    """
    visited, queue = {(live.kind.name, live.id)}, [live]
    users = [live] if lost is None and _used(live) else []
    while queue:
        reached = queue.pop()
        by_name = reached is live and lost is not None
        reaching_it = [
            referrer.live
            for referrer in referrers.of(reached)
            if not by_name or (referrer.attribute in (lost or ()) and not _follows(referrer.live, matches, actions))
        ]
        for user in (*reaching_it, *(() if by_name else referrers.mounting(reached))):
            if (user.kind.name, user.id) not in visited:
                visited.add((user.kind.name, user.id))
                queue.append(user)
                users += [user] if _used(user) else []
    counts: dict[str, int] = {}
    leaving: list[Address] = []
    for user in users:
        going = _going(user, matches, referrers, actions)
        if going:
            leaving += going
        else:
            counts[user.kind.name] = counts.get(user.kind.name, 0) + 1
    determined: list[tuple[Kind, Figure]] = [(matches.kinds[name], number) for name, number in counts.items()]
    unread: list[tuple[Kind, Figure]] = [
        (matches.kinds[name], Unknown(problem, Reason.UNREAD))
        for name in reaching(matches.kinds, live.kind)
        if (problem := _unread(live.site, name, matches))
    ]
    counted = tuple(sorted([*determined, *unread], key=lambda pair: pair[0].name))
    return Usage(counted, tuple(dict.fromkeys(leaving)))


def _follows(live: Live, matches: Matches, actions: Mapping[Address, Action]) -> bool:
    """Whether the plan writes a live object, so that it refers to the new value."""
    address = matches.address_of(live)
    action = actions.get(address) if address else None
    return action is not None and action.verb in (Verb.UPDATE, Verb.ADOPT, Verb.REPLACE)


def _going(live: Live, matches: Matches, referrers: Referrers, actions: Mapping[Address, Action]) -> list[Address]:
    """The deletes that remove an object: its own, or those of all objects for which a driver created it; empty if it stays."""
    address = matches.address_of(live)
    action = actions.get(address) if address is not None else None
    if action is not None:
        return [action.address] if action.verb is Verb.DELETE else []
    holders = referrers.of(live) if live.controller else ()
    deletes = [_going(referrer.live, matches, referrers, actions) for referrer in holders]
    return [address for going in deletes for address in going] if all(deletes) else []


def _used(live: Live) -> int:
    """1 if one of the object's figures of use is not 0; an unknown figure counts as in use."""
    return int(any(live.metrics[name] != 0 for name in live.kind.in_use))


def weighed(live: Live, dependents: DependentsIndex) -> Iterator[Evidence]:
    """The numbers of dependents of an object to delete or replace, as evidence, without zeros; none for what gives access."""
    for rule in live.kind.dependents if live.kind.lets_in is None else ():
        number = dependents.count(live, rule)
        if number != 0:
            yield Evidence(rule.name, str(number) if isinstance(number, Unknown) else number)
