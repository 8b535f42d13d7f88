"""What the document promises in total on each site, as a table: before, after, what the site has, and the share that is promised."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from vastplan.model.commitment import Commitment
from vastplan.model.escaping import inert
from vastplan.model.formatting import number
from vastplan.model.units import BANDWIDTH, BYTES, show_amount
from vastplan.report.style import Style

HEAD = ("", "before", "after", "has", "promised")


def commitments_text(rows: Iterable[Commitment], style: Style) -> str:
    """One part per site."""
    by_site: dict[str, list[Commitment]] = {}
    for row in rows:
        by_site.setdefault(row.site, []).append(row)
    lines: list[str] = []
    for site, promised in by_site.items():
        table = [HEAD, *(commitment_cells(row) for row in promised)]
        widths = [max(len(texts[column]) for texts in table) for column in range(len(HEAD))]
        lines += ["", style.paint(f"Promised on {site}", "bold")]
        for texts, over in zip(table, [False, *(row.over for row in promised)], strict=True):
            text = "  " + "  ".join(cell.ljust(width) for cell, width in zip(texts, widths, strict=True)).rstrip()
            lines.append(style.paint(text, "yellow") if over else text)
    return "\n".join(lines).lstrip("\n") + "\n" if lines else "Nothing is promised.\n"


def commitment_cells(row: Commitment) -> tuple[str, ...]:
    """A row as text, in the order of `HEAD`."""
    share = (
        f"{round(Fraction(row.after) * 100 / Fraction(row.limit))} %"
        if row.limit
        else "not known"
        if row.limit is None
        else "over"
    )
    return (
        inert(row.what),
        _shown(row.before, row.unit),
        _shown(row.after, row.unit),
        _shown(row.limit, row.unit),
        share,
    )


def _shown(value: float | None, unit: str) -> str:
    if value is None:
        return "not known"
    return show_amount(int(value), unit) if unit in (BYTES, BANDWIDTH) else f"{number(value)} {unit}"
