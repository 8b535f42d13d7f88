"""The picture of a site: the position of each box and line of its graph. The same plan always gives the same picture."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.plan import Stage, Verb
from vastplan.model.wording import some
from vastplan.report.graph import STAGES, Band, Graph
from vastplan.report.values import counted, kind_words, plain_value

WIDTH, HEIGHT, ACROSS, DOWN, BETWEEN, MARGIN, TOP = 184, 44, 58, 10, 26, 12, 44  # pixels
MOST_BANDS, MOST_BOXES = 24, 8
_LETTERS = 22  # of a label; a wide letter counts twice
TITLES = {
    Stage.OWNER: "Tenant", Stage.NETWORK: "VIP pool", Stage.POLICY: "Policy", Stage.DATA: "View / StorageClass",
    Stage.VOLUME: "Volume", Stage.TEAM: "Project",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Box:
    """One object, or several that did not fit (`more` of them). `verb` is empty for an object that does not change."""

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
    """Boxes and lines in pixels, the headings of the columns, and a text on what is not drawn."""

    site: str
    columns: tuple[tuple[str, int], ...]
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]
    width: int
    height: int
    left_out: str = ""


def picture(graph: Graph) -> Picture:
    """The layout. Bands with changes come before those without when there are more than `MOST_BANDS`."""
    stages = [stage for stage in STAGES if any(stage in band.columns for band in graph.bands)]
    across = {stage: MARGIN + number * (WIDTH + ACROSS) for number, stage in enumerate(stages)}
    bands = _chosen(graph)
    places: dict[str, tuple[int, int]] = {}
    boxes: list[Box] = []
    y = TOP
    for band in bands:
        tallest = max(min(len(members), MOST_BOXES + 1) for members in band.columns.values())
        for stage, members in band.columns.items():
            column = _column(graph, members, across[stage], y)
            boxes += [box for box, _ in column]
            places |= {address: (box.x, box.y) for box, addresses in column for address in addresses}
        y += tallest * (HEIGHT + DOWN) - DOWN + BETWEEN
    curves: dict[Curve, None] = {}
    for line in graph.lines:
        if line.left in places and line.right in places:
            (x1, y1), (x2, y2) = places[line.left], places[line.right]
            curves[Curve(x1 + WIDTH, y1 + HEIGHT // 2, x2, y2 + HEIGHT // 2, line.state)] = None
    width = 2 * MARGIN + len(stages) * (WIDTH + ACROSS) - ACROSS
    headings = tuple((TITLES[stage], across[stage]) for stage in stages)
    return Picture(
        graph.site, headings, tuple(boxes), tuple(curves), width, y - BETWEEN + MARGIN, _left_out(graph, bands)
    )


def _chosen(graph: Graph) -> list[Band]:
    """The bands to draw: `MOST_BANDS` owners, those with changes first, and the band of no single owner."""
    owners = [band for band in graph.bands if band.owner]
    first = sorted(owners, key=lambda band: not _changes(graph, band))[:MOST_BANDS]  # stable: in the order of names
    kept = {band.owner for band in first} | {""}
    return [band for band in graph.bands if band.owner in kept]


def _changes(graph: Graph, band: Band) -> bool:
    return any(map(graph.changes, band.members()))


def _left_out(graph: Graph, bands: list[Band]) -> str:
    drawn = {band.owner for band in bands}
    missing = [band for band in graph.bands if band.owner not in drawn]
    if not missing:
        return ""
    changed = sum(1 for band in missing if _changes(graph, band))
    with_changes = f"{changed} of them with changes" if changed else "none of them with changes"
    return f"{counted(len(missing), 'tenant')} not drawn, {with_changes}; the table has all."


def _column(graph: Graph, members: tuple[str, ...], x: int, y: int) -> list[tuple[Box, tuple[str, ...]]]:
    """The boxes of a column with the addresses that each stands for; what changes is shown before what does not."""
    drawn = {*members}
    if len(members) > MOST_BOXES:
        drawn = {*sorted(members, key=lambda address: not graph.changes(address))[:MOST_BOXES]}
    rows: list[tuple[Box, tuple[str, ...]]] = []
    for address in members:
        if address in drawn:
            rows.append((_box(graph, address, x, y + len(rows) * (HEIGHT + DOWN)), (address,)))
    rest = tuple(address for address in members if address not in drawn)
    if rest:
        changed = sum(1 for address in rest if graph.changes(address))
        label = f"{len(rest)} more"
        under = f"{counted(changed, 'change')}" if changed else "no changes"
        rows.append((Box(label, under, label, x, y + len(rows) * (HEIGHT + DOWN), more=len(rest)), rest))
    return rows


def _box(graph: Graph, address: str, x: int, y: int) -> Box:
    node, action = graph.nodes[address], graph.actions.get(address)
    parsed = Address.parse(address)
    kind = graph.word(address)
    figures = ", ".join(f"{plain_value(figure.value, figure.unit)} {figure.name}" for figure in node.figures)
    change = f", {action.verb.value}{', blocked' if action.blocked else ''}" if action else ""
    grown = graph.parts.get(address, ())
    title = f"{kind} {parsed.name}{change}{f', {figures}' if figures else ''}"
    if grown:
        title += (
            f"; {some([f'{kind_words(part.address.kind)} {part.address.name} {part.verb.value}' for part in grown])}"
        )
    verb = action.verb if action else Verb.UPDATE if grown else None
    beside = len(verb.sign) + 1 if verb and verb.sign else 0
    return Box(
        label=fitting(parsed.name, _LETTERS - beside), under=fitting(figures or kind, _LETTERS + 5), title=inert(title),
        x=x, y=y, verb=verb.value if verb else "", sign=verb.sign if verb else "",
        blocked=bool(action.blocked if action else grown and all(part.blocked for part in grown)), managed=node.managed,
    )  # fmt: skip


def fitting(name: str, room: int = _LETTERS) -> str:
    """A name cut to what a box holds; combining characters are left out."""
    letters: list[str] = []
    used = 0
    for char in inert(name):
        if unicodedata.combining(char):
            continue
        used += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used > room:
            return "".join(letters[:-1]) + "…"
        letters.append(char)
    return "".join(letters)


def steps(graph: Graph) -> Iterable[tuple[str, Mapping[Stage, tuple[str, ...]]]]:
    """The same in words, for those who cannot see it: each owner, and the objects in each column."""
    for band in _chosen(graph):
        yield band.owner, band.columns
