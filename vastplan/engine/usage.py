"""The figures that guards weigh: what an object holds, what hangs on it, and what is in use behind it."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.engine.dependents import DependentsIndex
from vastplan.engine.match import Matches
from vastplan.engine.observe import Live
from vastplan.engine.referrers import Referrers
from vastplan.model.plan import Evidence
from vastplan.model.units import show
from vastplan.model.value import Reason, Unknown
from vastplan.schema.kind import Kind
from vastplan.schema.references import reaching

Figure = int | float | Unknown


def shown(value: int | float, unit: str) -> str:
    """A figure for people."""
    return show(int(value), unit) if unit else str(value)


def held(live: Live, dependents: DependentsIndex) -> list[tuple[str, Figure, str]]:
    """What is in use of an object: name, figure and unit; its own facts, and what is at work on it."""
    own = [
        (fact.name, live.metrics[fact.name], fact.unit) for fact in live.kind.metrics if fact.name in live.kind.in_use
    ]
    return own + [(rule.name, dependents.count(live, rule), "") for rule in live.kind.dependents if not rule.remain]


def remaining(live: Live, dependents: DependentsIndex) -> list[tuple[str, Figure]]:
    """What would stay behind without the object: name and how many."""
    return [(rule.name, dependents.count(live, rule)) for rule in live.kind.dependents if rule.remain]


def locked(live: Live, dependents: DependentsIndex) -> list[tuple[str, list[Live]]]:
    """What hangs on the object and must not go: name and the objects."""
    held_back = [
        (
            rule.name,
            [other for other in dependents.of(live, rule) if any(other.metrics[name] != 0 for name in rule.locks)],
        )
        for rule in live.kind.dependents
    ]
    return [(name, objects) for name, objects in held_back if objects]


def behind(live: Live, matches: Matches, referrers: Referrers) -> list[tuple[Kind, Figure]]:
    """What is in use, the object itself or what reaches it by references on its site: kinds with how many objects.

    A kind that could reach it and was not read does not tell.
    """
    visited, queue = {(live.kind.name, live.id)}, [live]
    counts = {live.kind.name: _used(live)}
    while queue:
        for referrer in referrers.of(queue.pop()):
            user = referrer.live
            if (user.kind.name, user.id) not in visited:
                visited.add((user.kind.name, user.id))
                queue.append(user)
                counts[user.kind.name] = counts.get(user.kind.name, 0) + _used(user)
    known: list[tuple[Kind, Figure]] = [(matches.kinds[name], number) for name, number in counts.items() if number]
    observed = matches.observed
    unread: list[tuple[Kind, Figure]] = [
        (matches.kinds[name], Unknown(observed.error(live.site, name), Reason.UNREAD))
        for name in reaching(matches.kinds, live.kind)
        if (live.site, name) in observed.collections
        and observed.error(live.site, name)
        and not observed.absent(live.site, name)
    ]
    return sorted([*known, *unread], key=lambda pair: pair[0].name)


def _used(live: Live) -> int:
    """1 when something of the object is in use, or may be: what is unknown counts."""
    return int(any(live.metrics[name] != 0 for name in live.kind.in_use))


def weighed(live: Live, dependents: DependentsIndex) -> Iterator[Evidence]:
    """What hangs on an object that is to go, as evidence; nothing is left out but zeros."""
    for rule in live.kind.dependents:
        number = dependents.count(live, rule)
        if number != 0:
            yield Evidence(rule.name, str(number) if isinstance(number, Unknown) else number)


def reached(live: Live, matches: Matches, referrers: Referrers) -> Iterator[Evidence]:
    """What is in use behind an object that is to let fewer clients in, as evidence."""
    for kind, number in behind(live, matches, referrers):
        yield Evidence(f"{kind.name}s in use behind it", str(number) if isinstance(number, Unknown) else number)
