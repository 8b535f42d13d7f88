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
        colour = "red" if one.through else "yellow" if one.untried or one.own_refused else ""
        for line in trial_lines(one):
            yield style.paint(f"  {line}", colour) if colour else f"  {line}"


def trial_lines(one: WayTried) -> Iterator[str]:
    """What became of one way: what was not refused first."""
    way = inert(one.way)
    if one.through:
        names = some(
            [f"{project} to {target}" if target else project for project, _, target in one.through], _SHOWN, inert
        )
        yield f"! {way}: not refused: {names}"
    if one.refused:
        yield f"{way}: {counted(one.refused, 'request')} refused by {some(list(one.by), _SHOWN, inert)}{_own(one)}"
    elif one.own or one.own_refused:
        yield f"{way}: no other project to try it{_own(one)}"
    if one.own_refused:
        names = some([f"{project} to {target}" for project, _, target in one.own_refused], _SHOWN, inert)
        yield f"! {way}: refused to those whose it is: {names}"
    if one.untried:
        yield f"? {way}: not all could be tried: {inert(one.untried, 300)}"


def _own(one: WayTried) -> str:
    return f"; {counted(one.own, 'request')} for the project's own accepted" if one.own else ""
