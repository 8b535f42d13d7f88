"""The ways around a site's chains: who reaches whom as a matrix, and a line for each way that is open or shared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from vastplan.model.isolation import Isolation, Meeting, WayResult, WayState
from vastplan.model.wording import some

_MOST = 8  # projects of a matrix
_SHOWN = 6  # names
_EVERY = "every project"


def matrix(isolation: Isolation) -> list[list[str]]:
    """Rows of cells, the first with the projects that are reached; empty for one project and for many."""
    projects = list(isolation.namespaces)
    if not isolation.ways or not 2 <= len(projects) <= _MOST:
        return []
    return [
        ["reaches", *projects],
        *([row, *(_cell(isolation, row, column) for column in projects)] for row in projects),
    ]


def _cell(isolation: Isolation, reaching: str, reached: str) -> str:
    if reaching == reached:
        return "-"
    pair = [
        result
        for result in isolation.ways
        if (result.to_everybody or reaching in result.to) and (result.everybody or reached in result.projects)
    ]
    found = ["meet"] if any(_meet(meeting, reaching, reached) for meeting in isolation.meetings) else []
    found += ["shared"] if any(result.state is WayState.SHARED for result in pair) else []
    found += dict.fromkeys(result.way for result in pair if result.state is WayState.OPEN)
    return some(found, 3) or "closed"


def _meet(meeting: Meeting, first: str, second: str) -> bool:
    """Whether two projects meet in an element: at least one of them in it, the other in it or below it."""
    here = [meeting.everybody or project in meeting.projects for project in (first, second)]
    inside = [meeting.everybody_inside or project in meeting.inside for project in (first, second)]
    return all(here) or (here[0] and inside[1]) or (here[1] and inside[0])


def way_lines(isolation: Isolation) -> Iterator[tuple[WayState, str]]:
    """What is open, shared and assumed, one line a cause; and what is closed, in one line."""
    if len(isolation.namespaces) > _MOST and isolation.ways and not isolation.open_ways:
        yield WayState.CLOSED, f"between any two of {len(isolation.namespaces)} projects: no way is open"
    for state in (WayState.OPEN, WayState.SHARED):
        for ways, first in _by_cause(isolation, state):
            fix = f" ({'type' if first.fix.startswith('kubectl') else 'write'} {first.fix})" if first.fix else ""
            yield state, f"{state.value}: {ways}: {first.reason}{_by(first)}: {_whom(first)}{fix}"
    for ways, first in _by_cause(isolation, WayState.ASSUMED):
        yield WayState.ASSUMED, f"assumed: {ways}: {first.reason}{_by(first)}"
    ranges = sorted({text for result in isolation.ways for text in result.ranges})
    if ranges:
        yield WayState.ASSUMED, f"assumed: the network closes {some(ranges, _SHOWN)}"
    closed = [f"{ways}: {first.reason}{_by(first)}" for ways, first in _by_cause(isolation, WayState.CLOSED)]
    if closed:
        yield WayState.CLOSED, f"closed: {'; '.join(closed)}"


def _by_cause(isolation: Isolation, state: WayState) -> Iterable[tuple[str, WayResult]]:
    """The names of the ways with the same result otherwise, and one of these results."""
    alike: dict[WayResult, list[WayResult]] = {}
    for result in isolation.ways:
        if result.state is state:
            alike.setdefault(replace(result, way="", ranges=()), []).append(result)
    return [(", ".join(result.way for result in results), results[0]) for results in alike.values()]


def _whom(result: WayResult) -> str:
    """From whom to whom a way leads."""
    to, projects = _names(result.to, result.to_everybody), _names(result.projects, result.everybody)
    if to != projects:
        return f"from {to} to {projects}"
    return (
        to if result.state is WayState.SHARED else f"from {to} to {'every other' if result.everybody else 'each other'}"
    )


def _by(result: WayResult) -> str:
    return f" ({some(result.by, 3)})" if result.by else ""


def _names(projects: tuple[str, ...], everybody: bool) -> str:
    return _EVERY if everybody else some(projects, _SHOWN) or "no project"
