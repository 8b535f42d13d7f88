"""The cost of an interval between checkpoints, as a curve in SVG, and as a table for those who cannot see it."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10

from vastplan.model import formatting
from vastplan.model.budget import CheckpointBudget
from vastplan.report.html_escape import Html, joined, tag
from vastplan.report.html_page import html_table

WIDTH, HEIGHT = 720, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 92, 48
_TICKS = 4
MARKS = (
    ("interval_seconds", "interval", "chosen"), ("young_seconds", "Young's best", "best"), ("daly_seconds", "Daly's best", "best"),
    ("write_seconds", "write time", "write"),
)  # fmt: skip


class _Axes:
    """Maps seconds and shares to pixels: a logarithmic axis to the right, a linear one up."""

    def __init__(self, budget: CheckpointBudget, markers: list[tuple[str, str, float]]) -> None:
        times = [interval for interval, _ in budget.curve]
        # a marker far off the curve would squeeze it: it is only in the table
        near = [at for _, _, at in markers if times[0] / 10 <= at <= times[-1] * 10]
        self.first, self.last = min([*times, *near]), max([*times, *near])
        self.most = max(cost for _, cost in budget.curve)

    def right(self, seconds: float) -> float:
        share = log10(seconds / self.first) / log10(self.last / self.first)
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)

    def up(self, cost: float) -> float:
        return round(HEIGHT - _BOTTOM - cost / self.most * (HEIGHT - _TOP - _BOTTOM), 1)


def curve_figure(budget: CheckpointBudget, number: int) -> Html:
    """The curve with its marks; `number` makes its ids unique on the page."""
    markers = [
        (words, name, float(at)) for key, words, name in MARKS if isinstance(at := budget.figures.get(key), int | float) and at > 0
    ]  # fmt: skip
    axes = _Axes(budget, markers)
    path = "M" + "L".join(f"{axes.right(interval)} {axes.up(cost)}" for interval, cost in budget.curve)
    inner = joined(
        tag("title", f"Overhead of checkpoints against their interval: {budget.address}", id=f"curve-title-{number}"),
        tag("desc", f"{_description(budget, markers)} The same as a table below.", id=f"curve-desc-{number}"),
        *_grid(axes),
        tag("path", d=path, class_="curve"),
        *(part for row, marker in enumerate(markers) for part in _marker(axes, row, *marker)),
    )
    art = Html(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="curve-title-{number} curve-desc-{number}"'
        f' viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">{inner}</svg>'
    )
    caption = tag("figcaption", "The time lost to checkpoints and failures, by the time between checkpoints.")
    drawn = tag("figure", art, caption, tabindex=0, aria_label=f"Overhead against interval: {budget.address}")
    return joined(drawn, _table(budget, markers))


def _description(budget: CheckpointBudget, markers: list[tuple[str, str, float]]) -> str:
    marked = ", ".join(f"{words} {formatting.span(at)}" for words, _, at in markers)
    least_at, least = min(budget.curve, key=lambda point: (point[1], -point[0]))
    return f"Least overhead {formatting.share(least)} at {formatting.span(least_at)}; {marked}."


def _grid(axes: _Axes) -> Iterator[Html]:
    low = HEIGHT - _BOTTOM
    for step in range(_TICKS + 1):
        cost = axes.most * step / _TICKS
        yield tag("path", d=f"M{_LEFT} {axes.up(cost)}L{WIDTH - _RIGHT} {axes.up(cost)}", class_="grid")
        yield tag("text", formatting.share(cost), class_="under tick", x=_LEFT - 8, y=axes.up(cost) + 4)
        at = axes.first * (axes.last / axes.first) ** (step / _TICKS)
        yield tag("text", formatting.span(at), class_="under middle", x=axes.right(at), y=low + 18)
    yield tag("text", "overhead", class_="head", x=8, y=_TOP - 12)
    yield tag("text", "time between checkpoints", class_="head middle", x=(WIDTH + _LEFT - _RIGHT) // 2, y=low + 38)


def _marker(axes: _Axes, row: int, words: str, name: str, at: float) -> Iterator[Html]:
    """A line from the marker's own row of text down to the axis, so that markers at the same place can be read."""
    if not axes.first <= at <= axes.last:
        return
    x, y = axes.right(at), 16 + 17 * row
    yield tag("path", d=f"M{x} {y + 4}L{x} {HEIGHT - _BOTTOM}", class_=f"mark {name}")
    left = x > WIDTH / 2
    yield tag(
        "text",
        f"{words} {formatting.span(at)}",
        class_=f"under {name}{' tick' if left else ''}",
        x=x - 5 if left else x + 5,
        y=y + 4,
    )


def _table(budget: CheckpointBudget, markers: list[tuple[str, str, float]]) -> Html:
    rows = [
        tag("tr", tag("th", words, scope="row"), tag("td", formatting.span(at)), tag("td", ""))
        for words, _, at in markers
    ]
    rows += [
        tag(
            "tr",
            tag("th", "on the curve", scope="row"),
            tag("td", formatting.span(interval)),
            tag("td", formatting.share(cost)),
        )
        for interval, cost in budget.curve[::4]
    ]
    listed = html_table(("", "time", "overhead"), rows, style="figures")
    return tag("details", tag("summary", "The curve as a table"), listed, class_="list")
