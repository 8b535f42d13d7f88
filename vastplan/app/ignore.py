"""The rules of what a plan leaves alone: those of the document, and those of this run."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from vastplan.app.workspace import Workspace
from vastplan.document.specs import DriftSpec
from vastplan.engine.ignore import IgnoreRule
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity


def rules(
    workspace: Workspace, keep: Iterable[str], known: Iterable[Address], today: date, *, everywhere: bool
) -> tuple[tuple[IgnoreRule, ...], tuple[Finding, ...]]:
    """The rules in force, and a warning for each of the document that has expired, or (`everywhere`) that fits no object.

    What this run keeps comes first: it holds also where the document changed the field.
    """
    of_run = [IgnoreRule(one, "left alone this time (--keep-drift)") for one in keep]
    spec = workspace.document.head.drift
    given = spec.ignore if isinstance(spec, DriftSpec) and isinstance(spec.ignore, list) else []
    found, findings, known = [], [], list(known)
    for one in given:
        until = one.until if isinstance(one.until, str) else ""
        fields = tuple(one.fields) if isinstance(one.fields, list) else ()
        rule = IgnoreRule(one.address, one.reason, fields, document=True, until=until)
        if until and date.fromisoformat(until) < today:
            text = f"the rule to ignore drift of {one.address} ended on {until}: it is drift again"
            findings.append(Finding("VP306", Severity.WARNING, text, "renew it, or remove it from drift.ignore"))
            continue
        if everywhere and not any(rule.matches(address) for address in known):
            text = f"the rule to ignore drift of {one.address} fits no object"
            findings.append(Finding("VP307", Severity.WARNING, text, "an address is site/kind/name"))
        found.append(rule)
    return (*of_run, *found), tuple(findings)
