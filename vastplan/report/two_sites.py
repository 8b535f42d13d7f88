"""The picture of objects on two sites: a box for each side, and an arrow from the source to its copy.

The table below the picture has all of its information, and so has the title of each row, for screen readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vastplan.model import formatting
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.moments import parse_moment
from vastplan.model.replication import ABSENT, Member, Replication, ReplicationState
from vastplan.report.html_escape import Html, joined, tag
from vastplan.report.picture import fitting
from vastplan.report.replication import coming, line
from vastplan.report.values import counted, kind_words

WIDTH, HEIGHT, BETWEEN, MARGIN, ROW, TOP = 210, 46, 290, 12, 92, 40  # pixels
MOST_ROWS, MOST_PICTURES = 20, 20
_FOLLOWS = (ReplicationState.IN_ORDER, ReplicationState.BEHIND, ReplicationState.MOVED, ReplicationState.STOPPED)
"""In these states one side is known to be the copy of the other."""
_Row = tuple[Replication, Member, Member]


def pictures(rows: Iterable[Replication], now: str) -> Iterator[Html]:
    """A picture for each pair of sites; `now` is when they were read. Rows that are not in order come first; an object on one site only is not drawn."""
    pairs: dict[tuple[str, str], list[_Row]] = {}
    for row in sorted(rows, key=lambda replication: replication.state is ReplicationState.IN_ORDER):
        if len(row.members) == 2:
            left, right = sorted(row.members, key=lambda member: member.site)
            pairs.setdefault((left.site, right.site), []).append((row, left, right))
    for number, (pair, drawn) in enumerate(sorted(pairs.items())[:MOST_PICTURES]):
        yield _figure(pair, drawn, now, number)


def _figure(pair: tuple[str, str], rows: Sequence[_Row], now: str, number: int) -> Html:
    name = f"Paths between {pair[0]} and {pair[1]}"
    drawn = rows[:MOST_ROWS]
    inner = joined(
        tag("title", name, id=f"paths-title-{number}"),
        tag("desc", f"{counted(len(drawn), 'path')}. The same as a table below.", id=f"paths-desc-{number}"),
        *(
            tag("text", fitting(site, 40), class_="head", x=x + 2, y=TOP - 18)
            for site, x in zip(pair, (MARGIN, MARGIN + WIDTH + BETWEEN), strict=True)
        ),
        *(_path(row, now, TOP + place * ROW) for place, row in enumerate(drawn)),
    )
    width, height = 2 * (MARGIN + WIDTH) + BETWEEN, TOP + len(drawn) * ROW
    art = Html(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="paths-title-{number} paths-desc-{number}"'
        f' viewBox="0 0 {width} {height}" width="{width}" height="{height}">{inner}</svg>'
    )
    more = (
        f" {counted(len(rows) - MOST_ROWS, 'more path')} not drawn; the table lists all."
        if len(rows) > MOST_ROWS
        else ""
    )
    caption = tag(
        "figcaption",
        "An arrow points from the source to its copy; without one neither side is known to be the copy. Red and dashed: not in order.",
        more,
    )
    return tag("figure", art, caption, tabindex=0, aria_label=name)


def _path(sides: _Row, now: str, y: int) -> Html:
    row, left, right = sides
    amiss = row.state is not ReplicationState.IN_ORDER
    address = Address.parse(row.address)
    middle, across = MARGIN + WIDTH + BETWEEN // 2, y + 20 + HEIGHT // 2
    caption = f"{kind_words(address.kind)} {address.name}: {row.state.value}"
    return tag(
        "g",
        tag("title", f"{row.address}: {line(row)}"),
        tag("text", fitting(caption, 100), class_="stop" if amiss else "under", x=MARGIN + 2, y=y + 12),
        _side(left, row.leads, MARGIN, y + 20),
        _side(right, row.leads, MARGIN + WIDTH + BETWEEN, y + 20),
        *_arrow(row.leads if row.state in _FOLLOWS else "", left, right, across, amiss),
        tag(
            "text",
            fitting("each write at once" if row.at_once else copy_age(row.as_of, now), 40),
            class_="under middle",
            x=middle,
            y=across - 8,
        ),
        tag("text", fitting(_still_to_come(row), 40), class_="under middle", x=middle, y=across + 18),
    )


def _side(member: Member, source: str, x: int, y: int) -> Html:
    return joined(
        tag("rect", class_="box", x=x, y=y, width=WIDTH, height=HEIGHT, rx=7),
        tag("text", fitting(member.site, 16), x=x + 10, y=y + 19),
        tag("text", fitting(_role(member), 29), class_="under", x=x + 10, y=y + 36),
        tag("text", "source", class_="sign stop", x=x + WIDTH - 9, y=y + 19) if member.site == source else "",
    )


def _role(member: Member) -> str:
    """Its role and state; the table has the rest."""
    if member.unread:
        return "does not exist" if member.unread == ABSENT else "cannot be read"
    return ", ".join(word for word in (member.role, member.state) if word) or "no role"


def _arrow(source: str, left: Member, right: Member, y: int, amiss: bool) -> Iterator[Html]:
    """The line, and its tip at the copy; no tip if neither of the two is the source."""
    start, end = MARGIN + WIDTH + 6, MARGIN + WIDTH + BETWEEN - 6
    style = "amiss" if amiss else "same"
    yield tag("path", d=f"M{start} {y}H{end}", class_=style)
    if source == left.site:
        yield tag("path", d=f"M{end} {y}l-10 -5v10z", class_=f"tip {style}")
    elif source == right.site:
        yield tag("path", d=f"M{start} {y}l10 -5v10z", class_=f"tip {style}")


def _still_to_come(row: Replication) -> str:
    text = next((coming(member) for member in row.members if member.site == row.leads), "")
    return f"{text} to come" if text else ""


def copy_age(as_of: str, now: str) -> str:
    """The age of the copy; its time, if that is later than `now`, as clocks differ."""
    if not as_of:
        return "no restore point known"
    taken, read = parse_moment(as_of), parse_moment(now)
    if taken is None or read is None or taken > read:
        return f"as of {inert(as_of, 60)}"
    return f"copy is {formatting.span((read - taken).total_seconds())} old"
