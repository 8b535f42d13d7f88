"""A picture as SVG inside the page, and the same as a nested list for those who cannot see it."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model.address import Address
from vastplan.report.graph import Graph
from vastplan.report.html_escape import Html, joined, tag
from vastplan.report.picture import HEIGHT, TITLES, TOP, WIDTH, Box, Curve, Picture, picture, steps
from vastplan.report.values import counted


def figure(found: Graph, number: int) -> Html:
    """The picture of a site with its caption; `number` makes its ids unique on the page."""
    drawn = picture(found)
    changed = counted(sum(1 for box in drawn.boxes if box.verb), "change")
    title = tag("title", f"Topology of site {found.site}", id=f"title-{number}")
    says = f"{' to '.join(name for name, _ in drawn.columns)}: {counted(len(drawn.boxes), 'box')}, {changed}. The same as a list below."
    described = tag("desc", says, id=f"desc-{number}")
    inner = joined(title, described, _headings(drawn), *map(_curve, drawn.curves), *map(_box, drawn.boxes))
    # Its own size in pixels: a small site is drawn no larger, a wide one shrinks to the window or scrolls inside its frame.
    art = Html(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title-{number} desc-{number}"'
        f' viewBox="0 0 {drawn.width} {drawn.height}" width="{drawn.width}" height="{drawn.height}">{inner}</svg>'
    )
    caption = tag(
        "figcaption", "Solid: stays. Green: new. Red and dashed: goes. Dashed grey: not managed here. ", drawn.left_out
    )
    return joined(tag("figure", art, caption, tabindex=0, aria_label=f"Topology of site {found.site}"), _list(found))


def _headings(drawn: Picture) -> Html:
    return joined(*(tag("text", name, class_="head", x=x + 2, y=TOP - 20) for name, x in drawn.columns))


def _curve(one: Curve) -> Html:
    bend = max(24, (one.x2 - one.x1) // 2)
    path = f"M{one.x1} {one.y1}C{one.x1 + bend} {one.y1} {one.x2 - bend} {one.y2} {one.x2} {one.y2}"
    return tag("path", d=path, class_=one.state)


def _box(one: Box) -> Html:
    said = " ".join(word for word in (f"v-{one.verb}" if one.verb else "", "" if one.managed else "loose") if word)
    return tag(
        "g",
        tag("title", one.title),
        tag("rect", class_="box", x=one.x, y=one.y, width=WIDTH, height=HEIGHT, rx=7),
        tag("text", one.label, x=one.x + 10, y=one.y + 19),
        tag("text", one.under, class_="under", x=one.x + 10, y=one.y + 35),
        tag("text", one.sign, class_="sign", x=one.x + WIDTH - 9, y=one.y + 19) if one.sign else "",
        tag("text", "blocked", class_="sign stop", x=one.x + WIDTH - 9, y=one.y + 35) if one.blocked else "",
        class_=said or False,
    )


def _list(found: Graph) -> Html:
    items = []
    for owner, columns in steps(found):
        name = Address.parse(owner).name if owner else "Of no tenant alone"
        parts = [
            tag("li", f"{TITLES[stage]}: ", tag("ul", *(tag("li", *_said(found, one)) for one in members)))
            for stage, members in columns.items()
        ]
        items.append(tag("li", name, tag("ul", *parts)))
    if not items:
        return Html("")
    return tag("details", tag("summary", f"Topology of {found.site} as a list"), tag("ul", *items), class_="list")


def _said(found: Graph, address: str) -> Iterator[object]:
    """One object in words: what it is, what happens to it, what it stands on."""
    one = Address.parse(address)
    yield f"{one.kind.replace('_', ' ')} {one.name}"
    action = found.actions.get(address)
    if action:
        yield f" ({action.verb.value}{', blocked' if action.blocked else ''})"
    on = [line.left for line in found.lines if line.right == address]
    if on:
        yield f", on {', '.join(Address.parse(each).name for each in on)}"
