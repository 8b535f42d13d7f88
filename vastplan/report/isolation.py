"""The isolation proof as text: the verdict, who reaches whom, what each project has, every meeting point and the ways around."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from vastplan.model.escaping import inert
from vastplan.model.isolation import Isolation, Meeting, WayState
from vastplan.report.style import Style
from vastplan.report.values import counted
from vastplan.report.ways import matrix, way_lines

_SHOWN = 6
_CELL = 100  # characters


def isolation_text(isolations: Iterable[Isolation], style: Style, *, of: str) -> str:
    """One part per site. `of` says what was followed: the document, or the live state."""
    lines: list[str] = []
    for isolation in isolations:
        lines += ["", *_site(isolation, style, of)]
    return "\n".join(lines).lstrip("\n") + "\n" if lines else ""


def _site(isolation: Isolation, style: Style, of: str) -> Iterable[str]:
    yield style.paint(f"Isolation on {isolation.site}, from {of}", "bold")
    if isolation.unknown:
        yield style.paint(f"  ? nothing is proven: {inert(isolation.unknown, 400)}", "yellow")
        return
    verdict = f"  {isolation_verdict(isolation)}"
    yield style.paint(verdict, "green") if isolation.apart else verdict
    yield from (style.cut(line) for line in _matrix(isolation))
    for way_state, line in way_lines(isolation):
        text = f"  {inert(line, 2000)}"
        yield style.paint(text, "yellow") if way_state is WayState.OPEN else text
    classes = classes_by_namespace(isolation)
    for project, namespace in isolation.namespaces.items():
        text = f"  project {inert(project)}  namespace {inert(namespace)}  classes {inert(classes(namespace), 300)}"
        yield style.cut(text)
    for name, state in unenforced_classes(isolation):
        yield style.paint(f"  class {inert(name)} is open to everybody: {inert(state, 300)}", "yellow")
    for meeting in isolation.meetings:
        yield style.paint(
            f"  meet in {inert(meeting.layer)} {inert(meeting.element)}: {inert(meeting_projects(meeting), 300)}",
            "yellow",
        )
        for chain in meeting.chains:
            yield f"      {inert(' > '.join(chain), 500)}"
    for end in isolation.open_ends:
        projects = "all projects" if end.everybody else ", ".join(end.projects[:_SHOWN])
        yield style.paint(f"  not followed: {inert(end.reason, 300)}: {inert(projects, 300)}", "yellow")


def _matrix(isolation: Isolation) -> Iterator[str]:
    rows = [[inert(cell, _CELL) for cell in row] for row in matrix(isolation)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def unenforced_classes(isolation: Isolation) -> Iterable[tuple[str, str]]:
    """The classes whose rule is not enforced: it sees whom it would refuse, but refuses nobody; each with those that it is meant for."""
    for name, namespaces in isolation.seen.items():
        more = "…" if len(namespaces) > _SHOWN else ""
        yield name, "seen, not enforced; meant for " + (", ".join(namespaces[:_SHOWN]) + more or "nobody")


def classes_by_namespace(isolation: Isolation) -> Callable[[str], str]:
    """Returns a function that lists the storage classes that a namespace may use, as one text."""
    opened: dict[str, list[str]] = {}
    for name, namespaces in isolation.classes.items():
        for namespace in namespaces:
            opened.setdefault(namespace, []).append(name)
    return lambda namespace: ", ".join([*opened.get(namespace, ()), *isolation.shared]) or "none"


def isolation_verdict(isolation: Isolation) -> str:
    """What is proven of a site, in half a sentence."""
    if isolation.unknown:
        return "nothing is proven"
    count = len(isolation.namespaces)
    if isolation.apart:
        shared = len({way.by for way in isolation.ways if way.state is WayState.SHARED})
        declared = f"; {counted(shared, 'declared share')}" if shared else ""
        assumed = "; some ways only the network closes" if any(way.ranges for way in isolation.ways) else ""
        return "no two projects" if count < 2 else f"no two of {counted(count, 'project')} meet{declared}{assumed}"
    ends = f", {counted(len(isolation.open_ends), 'open end')}" if isolation.open_ends else ""
    ways = f", {counted(len({way.way for way in isolation.open_ways}), 'open way')}" if isolation.open_ways else ""
    return f"{counted(count, 'project')}, {counted(len(isolation.meetings), 'meeting point')}{ends}{ways}"


def meeting_projects(meeting: Meeting) -> str:
    """The projects that meet, and those that reach a directory beneath."""
    if meeting.everybody:
        return "all projects"
    dependents = ("all projects",) if meeting.everybody_inside else meeting.inside
    names_of_both = [
        ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "") for names in (meeting.projects, dependents)
    ]
    return names_of_both[0] + (f", and below it {names_of_both[1]}" if dependents else "")
