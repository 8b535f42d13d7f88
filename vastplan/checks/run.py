"""Run the checks and apply the document's word on them: severities raised, findings waived for a while, with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Finding, Severity, Where, error, in_order

RANK = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Waiver:
    """Somebody's word that a finding is known and accepted, up to and including a day."""

    code: str
    address: str
    reason: str
    until: date
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What a document says about checks."""

    waivers: tuple[Waiver, ...] = ()
    raised: Mapping[str, tuple[Severity, Where | None]] = field(default_factory=dict)


def run(checks: Mapping[str, Check], facts: Facts, rules: Rules, today: date) -> tuple[Finding, ...]:
    """All findings, in order. A waived one stays as a note that says until when; an expired waiver is an error itself."""
    found = [*_misread(checks, rules)]
    current = [one for one in rules.waivers if one.code in checks and one.until >= today]
    used: set[Waiver] = set()
    for check in checks.values():
        waivers = [one for one in current if one.code == check.code]
        for finding in check.run(facts):
            address = str(finding.entry.address)
            waiver = next((one for one in waivers if fnmatchcase(address, one.address)), None)
            message, fix = finding.message, finding.fix or check.fix
            if waiver is not None:
                used.add(waiver)
                message, fix = f"{message} [waived until {waiver.until}: {waiver.reason}]", ""
            told = Severity.NOTE if waiver is not None else _severity(check, finding, rules)
            found.append(Finding(check.code, told, message, fix, address, finding.entry.where, waiver is not None))
    found += _outdated(checks, facts, rules, used, today)
    return tuple(in_order(found))


def _severity(check: Check, finding: Violation, rules: Rules) -> Severity:
    own = finding.severity or check.severity
    return max(own, rules.raised.get(check.code, (own, None))[0], key=RANK.__getitem__)


def _misread(checks: Mapping[str, Check], rules: Rules) -> Iterable[Finding]:
    for code, (severity, where) in rules.raised.items():
        least = checks[code].milder or checks[code].severity if code in checks else severity
        if RANK[severity] < RANK[least]:
            has = least.value
            text = f"checks.raise: {code} is {'an' if has == 'error' else 'a'} {has} already"
            yield error("VP263", text, fix="a finding is lowered by a waiver only", where=where)


def _outdated(
    checks: Mapping[str, Check], facts: Facts, rules: Rules, used: set[Waiver], today: date
) -> Iterable[Finding]:
    for one in rules.waivers:
        if one.code not in checks:
            continue
        if one.until < today:
            text = f"the waiver of {one.code} for {one.address} expired on {one.until}"
            yield error(
                "VP261", text, fix="mend what it stands for, or decide anew and give another day", where=one.where
            )
        elif one not in used and _told(checks[one.code], facts):
            text = f"the waiver of {one.code} for {one.address} waives nothing"
            yield Finding("VP262", Severity.WARNING, text, "remove it", "", one.where)


def _told(check: Check, facts: Facts) -> bool:
    """Whether a check that found nothing could have: offline, one that reads has not been asked yet."""
    return all((site, kind) in facts.seen for kind in check.reads for site in check.wanted(facts))
