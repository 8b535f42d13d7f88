"""Findings for a terminal, each cause once."""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.report.folding import folded
from vastplan.report.style import Style


def findings_lines(findings: Iterable[Finding], style: Style, *, wrap: bool = False) -> list[str]:
    """Findings, each cause on a line, or, with `wrap`, on as many lines as the window needs."""
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
    return [
        style.paint(line, colours[finding.severity])
        for finding in folded(findings)
        for line in (style.wrapped(inert(finding, 600), "") if wrap else [inert(finding, 600)])
    ]
