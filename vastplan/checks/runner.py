"""Runs the checks and applies the document's `checks`: raised severities, and findings waived for a while, with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import date
from fnmatch import fnmatchcase

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding, Severity, Where, error, sort_findings

RANK = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Waiver:
    """A finding that is known and accepted, up to and including the day `until`."""

    code: str
    address: str
    reason: str
    until: date
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What a document says about checks."""

    waivers: tuple[Waiver, ...] = ()
    raised: Mapping[str, tuple[Severity, Where | None]] = field(default_factory=dict)


def run_checks(checks: Mapping[str, Check], facts: Facts, settings: CheckSettings, today: date) -> tuple[Finding, ...]:
    """All findings, in order. A waived one becomes a note that says until when; an expired waiver is an error itself."""
    findings = [*_settings_that_do_nothing(checks, settings)]
    current = [waiver for waiver in settings.waivers if waiver.code in checks and waiver.until >= today]
    used: set[Waiver] = set()
    for check in checks.values():
        waivers = [waiver for waiver in current if waiver.code == check.code]
        for violation in check.run(facts):
            address = str(violation.entry.address)
            waiver = next((waiver for waiver in waivers if fnmatchcase(address, waiver.address)), None)
            message, fix = violation.message, violation.fix or check.fix
            severity = _severity(check, violation, settings)
            if waiver is not None:
                used.add(waiver)
                message, fix = f"{message} [waived until {waiver.until}: {waiver.reason}]", ""
                severity = Severity.NOTE
            findings.append(
                Finding(
                    check.code,
                    severity,
                    message,
                    fix,
                    address,
                    violation.entry.where,
                    waiver is not None,
                    violation.group,
                    violation.item,
                )
            )
    findings += _outdated(checks, facts, settings, used, today)
    return tuple(sort_findings(findings))


def _severity(check: Check, violation: Violation, settings: CheckSettings) -> Severity:
    own = violation.severity or check.severity
    return max(own, settings.raised.get(check.code, (own, None))[0], key=RANK.__getitem__)


def _settings_that_do_nothing(checks: Mapping[str, Check], settings: CheckSettings) -> Iterable[Finding]:
    for code, (severity, where) in settings.raised.items():
        minimum = checks[code].milder or checks[code].severity if code in checks else severity
        if RANK[severity] < RANK[minimum]:
            article = "an" if minimum is Severity.ERROR else "a"
            text = f"checks.raise: {code} is already {article} {minimum.value}"
            yield error("VP263", text, fix="remove it; only a waiver lowers a finding", where=where)


def _outdated(
    checks: Mapping[str, Check], facts: Facts, settings: CheckSettings, used: set[Waiver], today: date
) -> Iterable[Finding]:
    for waiver in settings.waivers:
        if waiver.code not in checks:
            continue
        if waiver.until < today:
            text = f"the waiver of {waiver.code} for {waiver.address} expired on {waiver.until}"
            yield error("VP261", text, fix="fix the cause, or write a later until", where=waiver.where)
        elif waiver not in used and _had_its_facts(checks[waiver.code], facts):
            text = f"the waiver of {waiver.code} for {waiver.address} waives nothing"
            yield Finding("VP262", Severity.WARNING, text, "remove it", "", waiver.where)


def _had_its_facts(check: Check, facts: Facts) -> bool:
    """Whether a check that found nothing had the live objects that it reads: offline it has not."""
    return all((site, kind) in facts.seen for kind in check.reads for site in check.wanted(facts))
