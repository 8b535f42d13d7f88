"""The catalogue of checks for people: a list, and one check in full."""

from __future__ import annotations

from vastplan.report.json_report import KnownCheck
from vastplan.report.text import Style


def check_list(checks: tuple[KnownCheck, ...], style: Style) -> str:
    """One line a check."""
    return "\n".join(f"{one.code}  {one.severity.value:7}  {one.title}" for one in checks) + "\n"


def check_text(one: KnownCheck, style: Style) -> str:
    """One check in full."""
    lines = [
        style.paint(f"{one.code}  {one.title}", "bold"),
        f"  severity: {one.severity.value}{f', or {one.milder.value}' if one.milder else ''}",
    ]
    lines += [f"  why: {one.why}", f"  to do: {one.fix}", f"  source: {one.source}"]
    if one.live:
        lines.append("  a plan also checks it against what the site says")
    return "\n".join(lines) + "\n"
