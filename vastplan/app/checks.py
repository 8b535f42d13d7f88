"""The checks over a document, offline and on what a plan observed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import vastplan.checks
from vastplan.app.versions import check_versions
from vastplan.app.workspace import Composed, Workspace
from vastplan.checks.check import Check, discover
from vastplan.checks.checkpoint.summary import budgets
from vastplan.checks.commitments import commitments
from vastplan.checks.facts import Facts, LiveObject
from vastplan.checks.index import Index
from vastplan.checks.run import CheckSettings, Waiver, run
from vastplan.document.instantiate import nearest
from vastplan.document.waivers import ChecksSpec
from vastplan.engine.match import Matches
from vastplan.engine.observe import Live, Observed
from vastplan.model.address import Address
from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.isolation import Isolation
from vastplan.model.value import Unknown
from vastplan.report.json_report import KnownCheck
from vastplan.schema.capability import Capability


@dataclass(frozen=True, slots=True)
class Checked:
    """A document that was checked without a network: its findings, and how much of it there is."""

    findings: tuple[Finding, ...]
    objects: int
    kinds: int
    sites: int
    isolation: tuple[Isolation, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    budgets: tuple[CheckpointBudget, ...] = ()


@cache
def catalogue() -> Mapping[str, Check]:
    """All checks by code."""
    return discover(vastplan.checks)


def known(code: str | None = None) -> tuple[KnownCheck, ...]:
    """The checks for people, or the one with the code; raises `VastplanError` for one that is none."""
    if code is not None and code not in catalogue():
        hint = nearest(code.upper(), catalogue())
        raise VastplanError(f"no check {code}" + (f"; {hint}" if hint else ""))
    return tuple(
        KnownCheck(one.code, one.title, one.severity, one.why, one.fix, one.source, bool(one.reads), one.milder)
        for one in catalogue().values()
        if code in (None, one.code)
    )


def offline(workspace: Workspace, today: date) -> Checked:
    """The checks over a whole document, without a network. Raises `Invalid` when it cannot be expanded."""
    composed = workspace.composed()
    facts = facts_of(workspace, composed)
    found = [*check_versions(workspace, composed.entries), *findings(workspace, facts, today)]
    kinds = {entry.address.kind for entry in composed.entries}
    sites = {entry.address.site for entry in composed.entries}
    return Checked(
        (*composed.findings, *found), len(composed.entries), len(kinds), len(sites), tuple(facts.isolation.values()),
        commitments(facts), budgets(facts),
    )  # fmt: skip


def facts_of(workspace: Workspace, composed: Composed, probed: Mapping[str, Mapping[str, Any]] | None = None) -> Facts:
    """What checks may know before anything is observed, of all sites: a reference may cross to one not worked on."""
    return Facts(
        sites=workspace.document.sites(probed),
        objects=Index(composed.entries),
        written=Index(workspace.document.entries),
        capabilities=_capabilities(workspace),
    )


def wanted(facts: Facts) -> set[tuple[str, str]]:
    """The collections that checks want to see live: site and kind."""
    return {(site, kind) for check in catalogue().values() for kind in check.reads for site in check.wanted(facts)}


def seen(
    observed: Observed, matcher: Matches, asked: set[tuple[str, str]]
) -> dict[tuple[str, str], tuple[LiveObject, ...]]:
    """What was asked for and could be read, as checks see it."""
    return {
        key: tuple(_seen(live, matcher) for live in observed.objects(*key)) for key in asked if not observed.error(*key)
    }


def _seen(live: Live, matcher: Matches) -> LiveObject:
    address = matcher.address_of(live) or Address(live.site, live.kind.name, live.name)
    return LiveObject(
        address, live.values, {name: value for name, value in live.facts.items() if not isinstance(value, Unknown)}
    )


def untold(facts: Facts, asked: set[tuple[str, str]], observed: Observed) -> list[Finding]:
    """What checks wanted to see and could not: unknown is not fine. Each check is asked for what it looks at itself."""
    found = []
    for check in catalogue().values():
        mine = {(site, kind) for kind in check.reads for site in check.wanted(facts)}
        for site, kind in sorted(mine & asked):
            unsaid = [
                f"{name}: {value}"
                for one in observed.objects(site, kind)
                for name, value in one.facts.items()
                if name in check.figures and isinstance(value, Unknown)
            ]
            reason = observed.error(site, kind) or "; ".join(unsaid)
            if reason:
                text = f"this could not be checked against {site}: {kind}: {reason}"
                found.append(Finding(check.code, Severity.WARNING, text, "plan again when it answers"))
    return found


def findings(workspace: Workspace, facts: Facts, today: date, sites: Container[str] | None = None) -> list[Finding]:
    """What the checks find on the sites (all when left out), under the document's word on them."""
    found = [*_unknown(workspace), *run(catalogue(), facts, _rules(workspace), today)]
    return [one for one in found if sites is None or not one.address or Address.parse(one.address).site in sites]


def live_meetings(workspace: Workspace, proofs: Iterable[Isolation], today: date) -> list[str]:
    """The addresses of live meeting points and open ends that no waiver speaks of."""
    waived = [one for one in _rules(workspace).waivers if one.until >= today]
    points = [
        ("ISO-02" if one.layer == "secret" else "ISO-01", one.address) for proof in proofs for one in proof.meetings
    ] + [("ISO-03", one.address) for proof in proofs for one in proof.open_ends]
    return [
        address
        for code, address in points
        if not any(one.code == code and fnmatchcase(address, one.address) for one in waived)
    ]


def _said(workspace: Workspace) -> ChecksSpec:
    said = workspace.document.head.checks
    return said if isinstance(said, ChecksSpec) else ChecksSpec()


def _rules(workspace: Workspace) -> CheckSettings:
    said, places = _said(workspace), workspace.document.places
    waive = said.waive if isinstance(said.waive, list) else []
    raised = said.raised if isinstance(said.raised, dict) else {}
    return CheckSettings(
        tuple(
            Waiver(one.code, one.address, one.reason, date.fromisoformat(one.until), places.get(("waive", str(index))))
            for index, one in enumerate(waive)
        ),
        {code: (Severity(how), places.get(("raise", code))) for code, how in raised.items()},
    )


def _capabilities(workspace: Workspace) -> dict[str, Mapping[str, Any]]:
    said = {name: spec.capability for name, spec in workspace.document.head.sites.items()}
    return {name: one.model_dump() for name, one in said.items() if isinstance(one, Capability)}


def _unknown(workspace: Workspace) -> list[Finding]:
    """Codes that are none."""
    said, places = _said(workspace), workspace.document.places
    used = [
        (one.code, ("waive", str(index)))
        for index, one in enumerate(said.waive if isinstance(said.waive, list) else [])
    ]
    used += [(code, ("raise", code)) for code in (said.raised if isinstance(said.raised, dict) else {})]
    hint = "vastplan validate --list-checks lists them"
    return [
        error("VP260", f"no check {code}", fix=nearest(code, catalogue()) or hint, where=places.get(place))
        for code, place in used
        if code not in catalogue()
    ]
