"""The catalogue of checks for people: a list, and one check in full."""

from __future__ import annotations

from vastplan.report.json_report import KnownCheck
from vastplan.report.style import Style


def check_list(checks: tuple[KnownCheck, ...], style: Style) -> str:
    """One line per check."""
    return "\n".join(f"{check.code}  {check.severity.value:7}  {check.title}" for check in checks) + "\n"


def check_text(check: KnownCheck, style: Style) -> str:
    """One check in full."""
    lines = [
        style.paint(f"{check.code}  {check.title}", "bold"),
        f"  severity: {check.severity.value}{f', or {check.milder.value}' if check.milder else ''}",
    ]
    lines += [f"  why: {check.why}", f"  to do: {check.fix}", f"  source: {check.source}"]
    if check.live:
        lines.append("  a plan also checks it against what the site says")
    return "\n".join(lines) + "\n"
