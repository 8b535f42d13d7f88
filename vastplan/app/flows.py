"""The flows behind the commands: plan, apply, drift. They answer values; printing is the command line's."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from vastplan.app import checking, committed, proving
from vastplan.app.connect import Providers, connected, unverified
from vastplan.app.holding import Held, Notes
from vastplan.app.planfile import sealed
from vastplan.app.secret import revealer
from vastplan.app.workspace import Expanded, Workspace, probe
from vastplan.checks.commitments import commitments
from vastplan.engine.apply import Progress, apply
from vastplan.engine.carry import Run
from vastplan.engine.diff import digests
from vastplan.engine.guard import Consent
from vastplan.engine.match import Matcher
from vastplan.engine.observe import Observed, observe
from vastplan.engine.plan import Request, build, wanted
from vastplan.ledger import events
from vastplan.ledger.backend import Session
from vastplan.model.errors import Lost, Stale, VastplanError
from vastplan.model.isolation import Isolation
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Action, Plan, Verb
from vastplan.model.state import Intent, LedgerPart
from vastplan.model.value import from_json
from vastplan.words.document import Entry
from vastplan.words.provider import Provider


@dataclass(frozen=True, slots=True)
class Options:
    """What a command was told."""

    sites: tuple[str, ...]
    targets: tuple[str, ...] = ()
    consent: Consent = field(default_factory=Consent)
    prove: bool = False
    """Whether to prove the isolation of what is live too, which takes more reading."""


def now() -> datetime:
    """The time, or that of `SOURCE_DATE_EPOCH` where a reproducible plan is wanted."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)


def holder() -> str:
    """Who works on a ledger, for those who find it locked."""
    return f"{os.environ.get('USER', 'somebody')}@{socket.gethostname()} (pid {os.getpid()})"


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with what it was made from, for those that look further than the plan."""

    plan: Plan
    observed: Observed
    entries: tuple[Entry, ...]
    matcher: Matcher
    isolation: tuple[Isolation, ...] = ()
    """The proof of what is live, where it was asked for."""


def make_plan(workspace: Workspace, options: Options) -> Planned:
    """Observe and plan; sends nothing but reads. What is wrong with the document is found before anything is opened."""
    offline = workspace.expanded()
    with connected(workspace.document, sites=_reach(workspace), writable=False) as providers:
        probed = probe(workspace, providers) if offline.probed else {}
        expanded = workspace.expanded(probed) if offline.probed else offline
        return _plan(workspace, options, providers, expanded, probed)


def _reach(workspace: Workspace) -> tuple[str, ...]:
    """All sites: a reference may cross to one that is not worked on."""
    return tuple(workspace.document.head.sites)


def _plan(
    workspace: Workspace,
    options: Options,
    providers: Providers,
    expanded: Expanded,
    probed: Mapping[str, Mapping[str, Any]],
) -> Planned:
    entries = expanded.entries
    with workspace.ledger() as backend:
        ledger = {site: backend.read(site) for site in options.sites}
    mine = tuple(entry for entry in entries if entry.address.site in options.sites)
    kinds = workspace.registry.kinds
    facts = checking.facts_of(workspace, expanded, probed)
    asked = {key for key in checking.wanted(facts) if key[0] in options.sites}
    chain = proving.collections(kinds, options.sites, _systems(workspace)) if options.prove else set()
    collections = wanted(kinds, mine, ledger, _systems(workspace)) | asked | chain
    observed = observe([(site, kinds[name]) for site, name in sorted(collections)], providers, ledger)
    request = Request(
        document=workspace.name,
        digest=workspace.digest(entries),
        source=workspace.document.source,
        kinds=kinds,
        entries=mine,
        observed=observed,
        ledger=ledger,
        endpoints=_endpoints(providers, backend.describe()),
        consent=_limited(workspace, options.consent, ledger),
        reveal=revealer(workspace.document.folder),
        now=now(),
        targets=options.targets,
        findings=(*expanded.findings, *unverified(workspace.document, options.sites)),
    )
    plan, matcher = build(request)
    live = replace(facts, seen=checking.seen(observed, matcher, asked))
    live = committed.with_live(live, options.sites, observed, matcher)
    checked = (
        *checking.findings(workspace, live, request.now.date(), options.sites),
        *checking.untold(asked, observed),
    )
    rows = tuple(one for one in commitments(live) if one.site in options.sites)
    proofs = tuple(one for site, one in facts.isolation.items() if site in options.sites)
    plan = replace(plan, findings=(*checked, *plan.findings), isolation=proofs, commitments=rows)
    return Planned(sealed(plan), observed, mine, matcher, proving.live(options.sites, observed, matcher, chain))


def _systems(workspace: Workspace) -> dict[str, frozenset[str]]:
    return {name: site.systems for name, site in workspace.document.sites().items()}


def _limited(workspace: Workspace, consent: Consent, ledger: dict[str, LedgerPart]) -> Consent:
    """The thresholds: the document's, but not above what the last apply left, so that no change raises its own."""
    limits = workspace.document.head.limits
    percent = getattr(limits, "max_changes_percent", None)
    count = getattr(limits, "max_changes", None)
    wanted_percent = percent if isinstance(percent, int) else consent.max_percent
    wanted_count = count if isinstance(count, int) else consent.max_count
    for part in ledger.values():
        wanted_percent = min(wanted_percent, part.limits.get("percent", wanted_percent))
        wanted_count = min(wanted_count, part.limits.get("count", wanted_count))
    given_percent = (
        max(wanted_percent, consent.max_percent) if consent.max_percent != Consent().max_percent else wanted_percent
    )
    given_count = max(wanted_count, consent.max_count) if consent.max_count != Consent().max_count else wanted_count
    return Consent(consent.allow_delete, consent.adopt, consent.approvals, given_percent, given_count)


def _endpoints(providers: Providers, ledger: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for (site, system), provider in providers.items():
        simulated = "127.0.0.1" in (where := provider.describe()) if not isinstance(provider, Exception) else False
        where = "" if isinstance(provider, Exception) else "embedded simulator" if simulated else where
        found.setdefault(site, {"ledger": ledger})[system] = where
    return found


def carry(workspace: Workspace, plan: Plan, progress: Progress, stop: threading.Event) -> Receipt:
    """Carry out exactly this plan. Raises `Stale` when its document or its ledger is no longer what it was made from."""
    if plan.document != workspace.name:
        raise VastplanError(f"the plan is of the document {plan.document}, not of {workspace.name}")
    if datetime.fromisoformat(plan.expires) < now():
        raise Stale(f"the plan expired on {plan.expires}; plan again")
    sites = tuple(part.site for part in plan.parts)
    _check_places(workspace, plan, sites)
    with ExitStack() as stack:
        backend = stack.enter_context(workspace.ledger(writable=True))
        sessions: dict[str, Session] = {}
        for site in sorted(sites):
            sessions[site] = backend.open(site, holder())
            stack.callback(sessions[site].close)
        _check(plan, sessions)
        providers = stack.enter_context(connected(workspace.document, sites=_reach(workspace), writable=True))
        return _carry(workspace, plan, sessions, providers, progress, stop)


def _check_places(workspace: Workspace, plan: Plan, sites: tuple[str, ...]) -> None:
    """A plan file is a file: before its words become names of files and requests they must be the document's."""
    for site in sites:
        if site not in workspace.document.head.sites:
            raise VastplanError(f"the plan is for a site {site}, which the document does not have; plan again")
    for action in plan.actions:
        if action.address.site not in sites or action.address.kind not in workspace.registry.kinds:
            raise VastplanError(f"the plan has an action on {action.address}, which is no address here; plan again")


def _check(plan: Plan, sessions: dict[str, Session]) -> None:
    for part in plan.parts:
        ledger = sessions[part.site].part
        if plan.id in ledger.plans:
            raise Stale("this plan was applied already; plan again")
        fresh = ledger.serial == 0 and part.serial == 0
        if not fresh and (ledger.lineage, ledger.serial) != (part.lineage, part.serial):
            raise Stale(f"the ledger of {part.site} has moved on since the plan was made; plan again")


def _carry(
    workspace: Workspace,
    plan: Plan,
    sessions: dict[str, Session],
    providers: Providers,
    progress: Progress,
    stop: threading.Event,
) -> Receipt:
    kinds = workspace.registry.kinds
    entries = {
        action.address: Entry(action.address, from_json(dict(action.desired)))
        for action in plan.actions
        if action.verb is not Verb.DELETE and action.desired
    }
    ledger = {site: session.part for site, session in sessions.items()}
    collections = wanted(kinds, entries.values(), ledger, _systems(workspace))
    observed = observe([(site, kinds[name]) for site, name in sorted(collections)], providers, ledger)
    reveal = revealer(workspace.document.folder)
    usable: dict[tuple[str, str], Provider] = {
        key: Held(one, sessions[key[0]]) if key[0] in sessions else one
        for key, one in providers.items()
        if not isinstance(one, Exception)
    }
    run = Run(
        kinds=kinds,
        providers=usable,
        journals={site: Notes(session) for site, session in sessions.items()},
        ledger=ledger,
        matcher=Matcher(kinds, observed, ledger, entries),
        reveal=reveal,
        now=now,
    )
    begun = now().isoformat(timespec="seconds")
    for site, session in sessions.items():
        intents = {
            str(action.address): _intent(run, action, session.part.key, begun)
            for action in plan.actions
            if action.address.site == site and not action.blocked
        }
        session.record(events.begin(plan.id, intents, begun))
    parallel = max(4, 8 * len(usable))
    try:
        return apply(plan, run, parallel=min(32, parallel), progress=progress, stop=stop)
    finally:
        limits = workspace.document.head.limits
        values = {
            "percent": getattr(limits, "max_changes_percent", None),
            "count": getattr(limits, "max_changes", None),
        }
        for session in sessions.values():
            kept = {name: value for name, value in values.items() if isinstance(value, int)}
            with suppress(Lost):  # the outcomes say so where it matters
                session.record(events.end(now().isoformat(timespec="seconds"), kept))


def _intent(run: Run, action: Action, key: str, at: str) -> Intent:
    fields: dict[str, str] = {}
    if action.verb is not Verb.DELETE and action.desired:
        fields = digests(run.kinds[action.address.kind], run.revealed(from_json(dict(action.desired))), key)
    return Intent(action.verb.value, fields, action.id, at)
