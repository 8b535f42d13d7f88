"""The picture of a site: where each box and line of its graph stands. The same plan always gives the same picture."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.plan import Stage, Verb
from vastplan.report.graph import STAGES, Band, Graph
from vastplan.report.values import counted, plain

WIDTH, HEIGHT, ACROSS, DOWN, BETWEEN, MARGIN, TOP = 184, 44, 58, 10, 26, 12, 44  # pixels
MOST_BANDS, MOST_BOXES = 24, 8
_LETTERS = 22  # of a label; a wide letter counts twice
TITLES = {
    Stage.OWNER: "Tenant", Stage.NETWORK: "VIP pool", Stage.POLICY: "Policy", Stage.DATA: "View / StorageClass",
    Stage.VOLUME: "Volume", Stage.TEAM: "Project",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Box:
    """One object, or several that found no room (`more` of them). `verb` is empty for what does not change."""

    label: str
    under: str
    title: str
    x: int
    y: int
    verb: str = ""
    sign: str = ""
    blocked: bool = False
    managed: bool = True
    more: int = 0


@dataclass(frozen=True, slots=True)
class Curve:
    """A line between the right edge of one box and the left edge of another; `state` is `same`, `new` or `gone`."""

    x1: int
    y1: int
    x2: int
    y2: int
    state: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and lines in pixels, the headings of the columns, and in words what is not drawn."""

    site: str
    columns: tuple[tuple[str, int], ...]
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]
    width: int
    height: int
    left_out: str = ""


def picture(found: Graph) -> Picture:
    """The layout. Bands with changes come before those without when there are more than `MOST_BANDS`."""
    stages = [stage for stage in STAGES if any(stage in band.columns for band in found.bands)]
    across = {stage: MARGIN + number * (WIDTH + ACROSS) for number, stage in enumerate(stages)}
    bands = _chosen(found)
    places: dict[str, tuple[int, int]] = {}
    boxes: list[Box] = []
    y = TOP
    for band in bands:
        tallest = max(min(len(members), MOST_BOXES + 1) for members in band.columns.values())
        for stage, members in band.columns.items():
            column = _column(found, members, across[stage], y)
            boxes += [box for box, _ in column]
            places |= {one: (box.x, box.y) for box, names in column for one in names}
        y += tallest * (HEIGHT + DOWN) - DOWN + BETWEEN
    curves: dict[Curve, None] = {}
    for line in found.lines:
        if line.left in places and line.right in places:
            (x1, y1), (x2, y2) = places[line.left], places[line.right]
            curves[Curve(x1 + WIDTH, y1 + HEIGHT // 2, x2, y2 + HEIGHT // 2, line.state)] = None
    width = 2 * MARGIN + len(stages) * (WIDTH + ACROSS) - ACROSS
    headings = tuple((TITLES[stage], across[stage]) for stage in stages)
    return Picture(
        found.site, headings, tuple(boxes), tuple(curves), width, y - BETWEEN + MARGIN, _left_out(found, bands)
    )


def _chosen(found: Graph) -> list[Band]:
    """The bands to draw: `MOST_BANDS` owners, those with changes first, and what no owner has alone."""
    owners = [band for band in found.bands if band.owner]
    first = sorted(owners, key=lambda band: not _changes(found, band))[:MOST_BANDS]  # stable: in the order of names
    kept = {band.owner for band in first} | {""}
    return [band for band in found.bands if band.owner in kept]


def _changes(found: Graph, band: Band) -> bool:
    return any(one in found.actions for one in band.all())


def _left_out(found: Graph, bands: list[Band]) -> str:
    drawn = {band.owner for band in bands}
    missing = [band for band in found.bands if band.owner not in drawn]
    if not missing:
        return ""
    changed = sum(1 for band in missing if _changes(found, band))
    said = f"{changed} of them with changes" if changed else "none of them with changes"
    return f"{counted(len(missing), 'tenant')} not drawn, {said}; the table has all."


def _column(found: Graph, members: tuple[str, ...], x: int, y: int) -> list[tuple[Box, tuple[str, ...]]]:
    shown = members
    if len(members) > MOST_BOXES:
        first = sorted(members, key=lambda one: one not in found.actions)[:MOST_BOXES]
        shown = tuple(one for one in members if one in first)
    rows: list[tuple[Box, tuple[str, ...]]] = [
        (_box(found, one, x, y + number * (HEIGHT + DOWN)), (one,)) for number, one in enumerate(shown)
    ]
    rest = tuple(one for one in members if one not in set(shown))
    if rest:
        changed = sum(1 for one in rest if one in found.actions)
        text = f"{len(rest)} more"
        under = f"{counted(changed, 'change')}" if changed else "no changes"
        box = Box(text, under, text, x, y + len(shown) * (HEIGHT + DOWN), more=len(rest))
        rows.append((box, rest))
    return rows


def _box(found: Graph, address: str, x: int, y: int) -> Box:
    node, action = found.nodes[address], found.actions.get(address)
    one = Address.parse(address)
    figures = ", ".join(f"{plain(figure.value, figure.unit)} {figure.name}" for figure in node.figures)
    said = f", {action.verb.value}{', blocked' if action.blocked else ''}" if action else ""
    title = f"{one.kind.replace('_', ' ')} {one.name}{said}{f', {figures}' if figures else ''}"
    verb = action.verb if action else None
    return Box(
        label=fitting(one.name), under=fitting(figures or one.kind.replace("_", " "), _LETTERS + 5), title=inert(title),
        x=x, y=y, verb=verb.value if verb else "", sign=verb.sign if isinstance(verb, Verb) else "",
        blocked=bool(action and action.blocked), managed=node.managed,
    )  # fmt: skip


def fitting(name: str, room: int = _LETTERS) -> str:
    """A name cut to what a box holds; marks that are drawn over other letters are left out."""
    found: list[str] = []
    used = 0
    for char in inert(name):
        if unicodedata.combining(char):
            continue
        used += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used > room:
            return "".join(found[:-1]) + "…"
        found.append(char)
    return "".join(found)


def steps(found: Graph) -> Iterable[tuple[str, Mapping[Stage, tuple[str, ...]]]]:
    """The same in words, for those who do not see it: each owner, and what is in each column."""
    for band in found.bands[:MOST_BANDS]:
        yield band.owner, band.columns
