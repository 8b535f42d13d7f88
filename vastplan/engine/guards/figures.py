"""The figures that guards weigh: what an object holds, what hangs on it, and what is in use behind it."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.engine.match import Matcher
from vastplan.engine.observe import Live
from vastplan.model.plan import Evidence
from vastplan.model.units import show
from vastplan.schema.kind import Dependents, Kind, Unknown
from vastplan.schema.references import reaching

Figure = int | float | Unknown


def shown(value: int | float, unit: str) -> str:
    """A figure for people."""
    return show(int(value), unit) if unit else str(value)


def held(live: Live, matcher: Matcher) -> list[tuple[str, Figure, str]]:
    """What is in use of an object: name, figure and unit; its own facts, and what is at work on it."""
    own = [(one.name, live.facts[one.name], one.unit) for one in live.kind.facts if one.name in live.kind.in_use]
    return own + [(one.name, count(live, one, matcher), "") for one in live.kind.dependents if not one.remain]


def remaining(live: Live, matcher: Matcher) -> list[tuple[str, Figure]]:
    """What would stay behind without the object: name and how many."""
    return [(one.name, count(live, one, matcher)) for one in live.kind.dependents if one.remain]


def locked(live: Live, matcher: Matcher) -> list[tuple[str, list[Live]]]:
    """What hangs on the object and must not go: name and the objects."""
    found = []
    for dependents in live.kind.dependents:
        objects = [
            one for one in under(live, dependents, matcher) if any(one.facts[name] != 0 for name in dependents.locks)
        ]
        found.append((dependents.name, objects))
    return [(name, objects) for name, objects in found if objects]


def count(live: Live, dependents: Dependents, matcher: Matcher) -> Figure:
    """How many objects hang on one; a collection that could not be read does not tell."""
    reason = matcher.observed.error(live.site, dependents.kind)
    return Unknown(reason) if reason else len(under(live, dependents, matcher))


def under(live: Live, dependents: Dependents, matcher: Matcher) -> list[Live]:
    """The objects that hang on one."""
    return [
        one
        for one in matcher.observed.objects(live.site, dependents.kind)
        if all(_value(live, ours) == _value(one, theirs) for ours, theirs in dependents.same)
        and (dependents.under is None or _below(_value(live, dependents.under[0]), _value(one, dependents.under[1])))
        and (not dependents.counted or one.facts[dependents.counted] != 0)
    ]


def _value(live: Live, name: str) -> str:
    return live.id if name == "id" else str(live.values.get(name))


def _below(path: str, other: str) -> bool:
    return (other.rstrip("/") + "/").startswith(path.rstrip("/") + "/")


def behind(live: Live, matcher: Matcher) -> list[tuple[Kind, Figure]]:
    """What is in use, the object itself or what reaches it by references on its site: kinds with how many objects.

    A kind that could reach it and was not read does not tell.
    """
    seen, queue = {(live.kind.name, live.id)}, [live]
    found = {live.kind.name: _used(live)}
    while queue:
        one = queue.pop()
        for user in matcher.users(one):
            if (user.kind.name, user.id) not in seen:
                seen.add((user.kind.name, user.id))
                queue.append(user)
                found[user.kind.name] = found.get(user.kind.name, 0) + _used(user)
    told: list[tuple[Kind, Figure]] = [(matcher.kinds[name], number) for name, number in found.items() if number]
    unread = [
        (name, matcher.observed.collections.get((live.site, name))) for name in reaching(matcher.kinds, live.kind)
    ]
    untold: list[tuple[Kind, Figure]] = [
        (matcher.kinds[name], Unknown(one.error)) for name, one in unread if one and one.error and not one.absent
    ]
    return sorted([*told, *untold], key=lambda pair: pair[0].name)


def _used(live: Live) -> int:
    """1 when something of the object is in use, or may be: what is not told counts."""
    return int(any(live.facts[name] != 0 for name in live.kind.in_use))


def weighed(live: Live, matcher: Matcher) -> Iterator[Evidence]:
    """What hangs on an object that is to go, as evidence; nothing is left out but zeros."""
    for one in live.kind.dependents:
        number = count(live, one, matcher)
        if number != 0:
            yield Evidence(one.name, str(number) if isinstance(number, Unknown) else number)


def reached(live: Live, matcher: Matcher) -> Iterator[Evidence]:
    """What is in use behind an object that is to let fewer clients in, as evidence."""
    for kind, number in behind(live, matcher):
        yield Evidence(f"{kind.name}s in use behind it", str(number) if isinstance(number, Unknown) else number)
