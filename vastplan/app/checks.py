"""The checks over a document, offline and on what a plan observed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

import vastplan.checks
from vastplan.app.workspace import Composed, Workspace
from vastplan.checks.check import Check, discover_checks
from vastplan.checks.facts import Facts, LiveObject
from vastplan.checks.index import Index
from vastplan.checks.runner import CheckSettings, Waiver, run_checks
from vastplan.document.nearest import Nearest
from vastplan.document.waivers import ChecksSpec, WaiverSpec
from vastplan.kinds.vast.cluster import READS, USABLE, WRITES
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.isolation import Isolation
from vastplan.model.nearest import known_ones, nearest
from vastplan.model.value import Unknown
from vastplan.schema.capability import Capability

if TYPE_CHECKING:
    from vastplan.engine.live.matches import Matches
    from vastplan.engine.live.observe import Live, Observed
    from vastplan.report.json_report import KnownCheck

_PROBLEM = "VP"
_DECLARED = frozenset({USABLE, READS, WRITES})
"""The figures that a document may say in the place of a system."""
_ISOLATION = "ISO-"
"""The prefix of the isolation checks' codes."""


@cache
def catalogue() -> Mapping[str, Check]:
    """All checks by code."""
    return discover_checks(vastplan.checks)


def known_checks(code: str | None = None) -> tuple[KnownCheck, ...]:
    """All checks as reports show them, or the one with the code. Raises `VastplanError` for a code that no check has."""
    from vastplan.report.json_report import KnownCheck

    if code is not None and code.upper().startswith(_PROBLEM):
        raise VastplanError(
            f"{code} is a problem and not a check: its own message says what is wrong, where and what to do; "
            "--explain is for checks, which --list-checks lists"
        )
    if code is not None and code not in catalogue():
        hint = nearest(code.upper(), catalogue())
        raise VastplanError(f"no check {code}" + (f"; {hint}" if hint else ""))
    return tuple(
        KnownCheck(
            check.code, check.title, check.severity, check.why, check.fix, check.source, bool(check.reads), check.milder
        )
        for check in catalogue().values()
        if code in (None, check.code)
    )


def check_facts(
    workspace: Workspace, composed: Composed, probed: Mapping[str, Mapping[str, Any]] | None = None
) -> Facts:
    """The facts that checks have before anything is observed, for all sites: a reference may point to a site that is not planned."""
    return Facts(
        sites=workspace.document.sites(probed),
        objects=Index(composed.entries),
        written=Index(workspace.document.entries),
        capabilities=_capabilities(workspace),
        ledger_site=_ledger_site(workspace),
    )


def _ledger_site(workspace: Workspace) -> str:
    shared = workspace.document.head.shared_ledger()
    site = None if shared is None else shared[1].site
    return site if isinstance(site, str) else ""


def collections_of_checks(facts: Facts) -> set[tuple[str, str]]:
    """The live collections that checks read, as site and kind."""
    return {(site, kind) for check in catalogue().values() for kind in check.reads for site in check.wanted(facts)}


def glanced(read: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of the collections that a plan reads anyway which some check sees."""
    kinds = {kind for check in catalogue().values() for kind in check.glances}
    return {key for key in read if key[1] in kinds}


def seen_objects(
    observed: Observed, matches: Matches, asked: Set[tuple[str, str]]
) -> dict[tuple[str, str], tuple[LiveObject, ...]]:
    """The live objects of those `asked` collections that could be read, in the form that checks use."""
    return {
        key: tuple(_seen(live, matches) for live in observed.objects(*key)) for key in asked if not observed.error(*key)
    }


def _seen(live: Live, matches: Matches) -> LiveObject:
    address = matches.address_of(live) or Address(live.site, live.kind.name, live.name)
    return LiveObject(
        address,
        live.values,
        {name: value for name, value in live.metrics.items() if not isinstance(value, Unknown)},
        live.attributes,
        owned.delivered_at if (owned := matches.owned.get(address)) is not None and owned.id == live.id else "",
    )


def unread_findings(facts: Facts, asked: Set[tuple[str, str]], observed: Observed) -> list[Finding]:
    """One warning for each check, kind and reason where a collection in `asked` could not be read: unknown is not fine."""
    findings = []
    for check in catalogue().values():
        reads = {(site, kind) for kind in check.reads for site in check.wanted(facts)}
        sites_of: dict[tuple[str, str, str], list[str]] = {}
        for site, kind in sorted(reads & asked):
            unknown = [
                f"{name}: {value}"
                for live in observed.objects(site, kind)
                for name, value in live.metrics.items()
                if name in check.figures and isinstance(value, Unknown)
            ]
            problem = observed.error(site, kind)
            reason = problem or "; ".join(unknown)
            if reason:
                fix = "plan again when the system answers" if problem else _unreported(check)
                sites_of.setdefault((kind, reason, fix), []).append(site)
        for (kind, reason, fix), sites in sites_of.items():
            text = f"this could not be checked against {', '.join(sites)}: {kind}: {reason}"
            findings.append(Finding(check.code, Severity.WARNING, text, fix))
    return findings


def _unreported(check: Check) -> str:
    """What to do about a figure that a system answers without."""
    is_declared = not _DECLARED.isdisjoint(check.figures)
    return "write in sites.SITE.capability what the cluster does not report" if is_declared else ""


def check_findings(
    workspace: Workspace, facts: Facts, today: date, sites: Container[str] | None = None
) -> list[Finding]:
    """What the checks find on the sites (all when left out), with the document's waivers and raised severities applied."""
    findings = [*_unknown_codes(workspace), *run_checks(catalogue(), facts, _rules(workspace), today)]
    return [
        finding
        for finding in findings
        if sites is None or not finding.address or Address.parse(finding.address).site in sites
    ]


def projects_meet(findings: Iterable[Finding]) -> bool:
    """Whether a finding without a waiver says that projects of the document share, or may share, a resource."""
    return any(finding.code.startswith(_ISOLATION) and not finding.waived for finding in findings)


def live_meetings(workspace: Workspace, proofs: Sequence[Isolation], today: date) -> list[str]:
    """The addresses of live meeting points, open ends and open ways that no waiver covers."""
    waivers = [waiver for waiver in _rules(workspace).waivers if waiver.until >= today]
    points = [
        ("ISO-02" if meeting.layer == "secret" else "ISO-01", meeting.address)
        for proof in proofs
        for meeting in proof.meetings
    ]
    points += [("ISO-03", end.address) for proof in proofs for end in proof.open_ends]
    points += [("ISO-04", proof.found_at(way)) for proof in proofs for way in proof.open_ways]
    return [
        address
        for code, address in points
        if not any(waiver.code == code and fnmatchcase(address, waiver.address) for waiver in waivers)
    ]


def _spec(workspace: Workspace) -> tuple[list[WaiverSpec], dict[str, str]]:
    """The document's settings for checks: its waivers, and the raised severities by code."""
    spec = workspace.document.head.checks
    if not isinstance(spec, ChecksSpec):
        return [], {}
    waivers = spec.waive if isinstance(spec.waive, list) else []
    raised: dict[str, str] = dict(spec.raised) if isinstance(spec.raised, dict) else {}
    return waivers, raised


def _rules(workspace: Workspace) -> CheckSettings:
    waivers, raised = _spec(workspace)
    places = workspace.document.places
    return CheckSettings(
        tuple(
            Waiver(
                waiver.code,
                waiver.address,
                waiver.reason,
                date.fromisoformat(waiver.until),
                places.get(("waive", str(index))),
            )
            for index, waiver in enumerate(waivers)
        ),
        {code: (Severity(severity), places.get(("raise", code))) for code, severity in raised.items()},
    )


def _capabilities(workspace: Workspace) -> dict[str, Mapping[str, Any]]:
    capabilities = {name: spec.capability for name, spec in workspace.document.head.sites.items()}
    return {name: spec.model_dump() for name, spec in capabilities.items() if isinstance(spec, Capability)}


def _meant(code: str, near: Nearest) -> str:
    """What to write instead of an unknown code: the codes of its family if only the number is wrong, else the nearest code."""
    family, _, number = code.rpartition("-")
    alike = sorted(other for other in catalogue() if other.startswith(f"{family}-"))
    return known_ones(alike) if alike and len(number) == 2 and number.isdecimal() else near(code, catalogue())


def _unknown_codes(workspace: Workspace) -> list[Finding]:
    """An error for each code in the document's check settings that no check has."""
    waivers, raised = _spec(workspace)
    places = workspace.document.places
    used = [(waiver.code, ("waive", str(index))) for index, waiver in enumerate(waivers)]
    used += [(code, ("raise", code)) for code in raised]
    hint, near = "vastplan validate --list-checks lists them", Nearest()
    return [
        error("VP260", f"no check {code}", fix=_meant(code, near) or hint, where=places.get(place))
        for code, place in used
        if code not in catalogue()
    ]
