"""A picture as SVG inside the page, and the same as a nested list for those who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence

from vastplan.model.address import Address
from vastplan.report.graph import Graph
from vastplan.report.html_escape import HOLE, Html, HtmlTemplate, joined, tag
from vastplan.report.picture import HEIGHT, TITLES, TOP, WIDTH, Box, Curve, Picture, picture, steps
from vastplan.report.values import counted


def site_picture(graph: Graph, number: int) -> Html:
    """The picture of a site with its caption; `number` makes its ids unique on the page."""
    drawn = picture(graph)
    changed = counted(sum(1 for box in drawn.boxes if box.verb), "change")
    title = tag("title", f"Topology of site {graph.site}", id=f"title-{number}")
    description = f"{' to '.join(name for name, _ in drawn.columns)}: {counted(len(drawn.boxes), 'box')}, {changed}. The same as a list below."
    described = tag("desc", description, id=f"desc-{number}")
    inner = joined(title, described, _headings(drawn), *map(_curve, drawn.curves), *map(_box, drawn.boxes))
    # Sized in pixels: a small site is not enlarged, a wide one shrinks to the window or scrolls inside its frame.
    art = Html(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title-{number} desc-{number}"'
        f' viewBox="0 0 {drawn.width} {drawn.height}" width="{drawn.width}" height="{drawn.height}">{inner}</svg>'
    )
    caption = tag(
        "figcaption",
        "+ new, ~ changes (it, or its quota, protection or grants), - deleted. Dashed grey: not managed here. ",
        drawn.left_out,
    )
    return joined(tag("figure", art, caption, tabindex=0, aria_label=f"Topology of site {graph.site}"), _list(graph))


def _headings(drawn: Picture) -> Html:
    return joined(*(tag("text", name, class_="head", x=x + 2, y=TOP - 20) for name, x in drawn.columns))


def _curve(curve: Curve) -> Html:
    bend = max(24, (curve.x2 - curve.x1) // 2)
    start, end = f"{curve.x1} {curve.y1}", f"{curve.x2} {curve.y2}"
    path = f"M{start}C{curve.x1 + bend} {curve.y1} {curve.x2 - bend} {curve.y2} {end}"
    return tag("path", d=path, class_=curve.state)


def _box(box: Box) -> Html:
    classes = " ".join(name for name in (f"v-{box.verb}" if box.verb else "", "" if box.managed else "loose") if name)
    return tag(
        "g",
        tag("title", box.title),
        tag("rect", class_="box", x=box.x, y=box.y, width=WIDTH, height=HEIGHT, rx=7),
        tag("text", box.label, x=box.x + 10, y=box.y + 19),
        tag("text", box.under, class_="under", x=box.x + 10, y=box.y + 35),
        tag("text", box.sign, class_="sign", x=box.x + WIDTH - 9, y=box.y + 19) if box.sign else "",
        tag("text", "blocked", class_="sign stop", x=box.x + WIDTH - 9, y=box.y + 35) if box.blocked else "",
        class_=classes or False,
    )


def _list(graph: Graph) -> Html:
    stands_on: dict[str, list[str]] = {}
    for line in graph.lines:
        stands_on.setdefault(line.right, []).append(Address.parse(line.left).name)
    items = []
    for owner, columns in steps(graph):
        name = Address.parse(owner).name if owner else "Of no single tenant"
        parts = [
            tag(
                "li",
                f"{TITLES[stage]}: ",
                tag("ul", *(_object(graph, address, stands_on.get(address, ())) for address in members)),
            )
            for stage, members in columns.items()
        ]
        items.append(tag("li", name, tag("ul", *parts)))
    if not items:
        return Html("")
    return tag("details", tag("summary", f"Topology of {graph.site} as a list"), tag("ul", *items), class_="list")


_OBJECT = HtmlTemplate(tag("li", HOLE, HOLE, HOLE))


def _object(graph: Graph, address: str, stands_on: Sequence[str]) -> Html:
    """One object in words: what it is, what happens to it, what it depends on."""
    parsed = Address.parse(address)
    action = graph.actions.get(address)
    return _OBJECT.fill(
        f"{graph.word(address)} {parsed.name}",
        f" ({action.verb.value}{', blocked' if action.blocked else ''})"
        if action
        else " (changes)"
        if graph.changes(address)
        else "",
        f", on {', '.join(stands_on)}" if stands_on else "",
    )
