"""What was tried to reach another project's data, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.model.escaping import inert
from vastplan.model.isolation_trial import WayTried
from vastplan.model.wording import some
from vastplan.report.style import Style
from vastplan.report.values import counted

_SHOWN = 6


def trial_text(tried: Iterable[WayTried], style: Style) -> str:
    """One part for each site: what got through first."""
    sites: dict[str, list[WayTried]] = {}
    for one in tried:
        sites.setdefault(one.site, []).append(one)
    return "".join("\n".join(("", *_site(site, ways, style), "")) for site, ways in sites.items())


def _site(site: str, ways: list[WayTried], style: Style) -> Iterator[str]:
    yield style.paint(f"Tried on {site}, as each project; the servers answered and carried nothing out", "bold")
    for one in sorted(ways, key=lambda one: (not one.through, not one.untried)):
        yield from _way(one, style)


def _way(one: WayTried, style: Style) -> Iterator[str]:
    way = inert(one.way)
    if one.through:
        names = some(
            [f"{project} to {target}" if target else project for project, _, target in one.through], _SHOWN, inert
        )
        yield style.paint(f"  ! {way}: not refused: {names}", "red")
    if one.refused:
        by = some(list(one.by), _SHOWN, inert)
        yield f"  {way}: {counted(one.refused, 'request')} refused by {by}{_own(one)}"
    elif one.own or one.own_refused:
        yield f"  {way}: no other project to try it{_own(one)}"
    if one.own_refused:
        names = some([f"{project} to {target}" for project, _, target in one.own_refused], _SHOWN, inert)
        yield style.paint(f"  ! {way}: refused to those whose it is: {names}", "yellow")
    if one.untried:
        yield style.paint(f"  ? {way}: not all could be tried: {inert(one.untried, 300)}", "yellow")


def _own(one: WayTried) -> str:
    return f"; {counted(one.own, 'request')} for the project's own accepted" if one.own else ""
