"""The rules for changes that a plan ignores: those in the document, and those of this run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import date

from vastplan.app.workspace import Workspace
from vastplan.document.specs import DriftSpec
from vastplan.engine.deciding.ignore import IgnoreRule
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity


def ignore_rules(
    workspace: Workspace,
    keep_drift: Iterable[str],
    addresses_of: Callable[[], Collection[Address]],
    today: date,
    *,
    everywhere: bool,
) -> tuple[tuple[IgnoreRule, ...], tuple[Finding, ...]]:
    """The rules in force, and a warning for each rule of the document that has expired, or (`everywhere`) matches no object.

    The rules of this run come first: they apply even to fields that the document changed.
    """
    of_run = [IgnoreRule(pattern, "left as it is this time (--keep-drift)") for pattern in keep_drift]
    spec = workspace.document.head.drift
    rule_specs = spec.ignore if isinstance(spec, DriftSpec) and isinstance(spec.ignore, list) else []
    addresses = addresses_of() if rule_specs else ()
    of_document, findings = [], []
    for rule_spec in rule_specs:
        until = rule_spec.until if isinstance(rule_spec.until, str) else ""
        fields = tuple(rule_spec.fields) if isinstance(rule_spec.fields, list) else ()
        rule = IgnoreRule(rule_spec.address, rule_spec.reason, fields, document=True, until=until)
        if until and date.fromisoformat(until) < today:
            text = f"the rule to ignore drift of {rule_spec.address} ended on {until}: it is reported as drift again"
            findings.append(Finding("VP306", Severity.WARNING, text, "renew it, or remove it from drift.ignore"))
            continue
        if everywhere and not any(rule.matches(address) for address in addresses):
            text = f"the rule to ignore drift of {rule_spec.address} matches no object"
            findings.append(Finding("VP307", Severity.WARNING, text, "an address is site/kind/name"))
        of_document.append(rule)
    return (*of_run, *of_document), tuple(findings)
