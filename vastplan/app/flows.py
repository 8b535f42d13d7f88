"""The flows behind the commands: plan, apply, drift. They answer values; printing is the command line's."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace

from vastplan.app import checks, isolation
from vastplan.app.base import no_base, split
from vastplan.app.clock import now
from vastplan.app.commitments import with_live
from vastplan.app.connect import Providers, connected, unverified
from vastplan.app.ignore import rules
from vastplan.app.journal import Held, Notes
from vastplan.app.plan_file import sealed
from vastplan.app.secrets import revealer
from vastplan.app.sources import Source, source_of
from vastplan.app.stale import check_document, check_endpoints, check_ledger, check_places, check_time
from vastplan.app.versions import check_versions
from vastplan.app.workspace import Composed, Workspace
from vastplan.checks.checkpoint.summary import budgets
from vastplan.checks.commitments import commitments
from vastplan.engine.apply import Progress, apply
from vastplan.engine.apply_context import ApplyContext
from vastplan.engine.attribution import attribute
from vastplan.engine.diff import digests
from vastplan.engine.guards.consent import ChangeLimits, Consent, in_force, limits_of, noted
from vastplan.engine.guards.reads import second_read
from vastplan.engine.match import Matches, match
from vastplan.engine.observe import Observed, observe
from vastplan.engine.plan import PlanInputs, build, draft, wanted
from vastplan.engine.stale import overtaken
from vastplan.ledger import events
from vastplan.ledger.backend import Session
from vastplan.model.address import Address
from vastplan.model.errors import Invalid, Lost
from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Action, Plan, Verb
from vastplan.model.site_ledger import Intent
from vastplan.model.snapshot import Snapshot
from vastplan.model.value import from_json
from vastplan.schema.entries import Entry
from vastplan.schema.provider import Provider


@dataclass(frozen=True, slots=True)
class Options:
    """What a command was told. With a `snapshot` nothing is connected; a `base` tells what is this document's own change."""

    sites: tuple[str, ...]
    targets: tuple[str, ...] = ()
    consent: Consent = field(default_factory=Consent)
    keep: tuple[str, ...] = ()  # patterns of addresses whose changes by hand are left alone
    prove: bool = False
    """Whether to prove the isolation of what is live too, which takes more reading."""
    snapshot: Snapshot | None = None
    base: Workspace | Finding | None = None


def holder() -> str:
    """Who works on a ledger, for those who find it locked."""
    return f"{os.environ.get('USER', 'somebody')}@{socket.gethostname()} (pid {os.getpid()})"


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with what it was made from, for those that look further than the plan."""

    plan: Plan
    observed: Observed
    entries: tuple[Entry, ...]
    matcher: Matches
    isolation: tuple[Isolation, ...] = ()
    """The proof of what is live, where it was asked for."""


def make_plan(workspace: Workspace, options: Options) -> Planned:
    """Observe and plan; sends nothing but reads. What is wrong with the document is found before anything is opened."""
    offline = workspace.composed()
    with source_of(workspace, options.snapshot) as source:
        planned = _plan(workspace, options, source, _composed(workspace, source, offline))
        plan = planned.plan
        if isinstance(options.base, Workspace):
            plan = split(plan, _base(options.base, options, source))
        elif options.base is not None:
            plan = replace(plan, findings=(options.base, *plan.findings))
        owned, kinds = planned.matcher.owned, workspace.registry.kinds
        plan = replace(plan, actions=attribute(plan.actions, owned, kinds, source.providers))
        return replace(planned, plan=sealed(plan))


def _base(base: Workspace, options: Options, source: Source) -> Plan | Finding:
    """What the base would do, by the same observation; a finding where that cannot be told."""
    try:
        if any(site not in base.document.head.sites for site in options.sites):
            known = tuple(site for site in options.sites if site in base.document.head.sites)
            options = replace(options, sites=known)
        return _plan(base, options, source, _composed(base, source, base.composed())).plan
    except Invalid as problem:
        return no_base(problem)


def _composed(workspace: Workspace, source: Source, offline: Composed) -> Composed:
    return workspace.composed(source.facts()) if offline.probed else offline


def _reach(workspace: Workspace) -> tuple[str, ...]:
    """All sites: a reference may cross to one that is not worked on."""
    return tuple(workspace.document.head.sites)


def _plan(workspace: Workspace, options: Options, source: Source, composed: Composed) -> Planned:
    entries = composed.entries
    ledger = source.ledger(options.sites)
    mine = tuple(entry for entry in entries if entry.address.site in options.sites)
    kinds, systems, ceiling = workspace.registry.kinds, _systems(workspace), _asked(workspace)
    skew = check_versions(workspace, mine, source.facts)
    probed = source.facts() if composed.probed else {}
    facts = checks.facts_of(workspace, composed, probed)
    asked = {key for key in checks.wanted(facts) if key[0] in options.sites}
    chain = isolation.collections(kinds, options.sites, systems) if options.prove else set()
    observed = source.observe(wanted(kinds, mine, ledger, systems) | asked | chain, ledger)
    known = {entry.address for entry in mine} | {Address.parse(one) for part in ledger.values() for one in part.entries}
    whole = set(options.sites) == set(_reach(workspace))
    leave, told = rules(workspace, options.keep, known, now().date(), everywhere=whole)
    request = PlanInputs(
        document=workspace.name,
        digest=workspace.digest(entries),
        source=workspace.document.source,
        kinds=kinds,
        entries=mine,
        observed=observed,
        ledger=ledger,
        endpoints=source.endpoints(),
        consent=options.consent,
        reveal=source.reveal,
        now=now(),
        targets=options.targets,
        findings=(*composed.findings, *skew, *unverified(workspace.document, options.sites), *told),
        leave=leave,
        limits={site: in_force(limits_of(part.limits), ceiling) for site, part in ledger.items()},
        asked={"count": ceiling.count, "percent": ceiling.percent},
        snapshot=source.taken_from,
    )
    drafted = draft(request)
    more = second_read(kinds, drafted.actions.values(), systems) - observed.collections.keys()
    if more:  # read only where something is to go or to be cut off
        observed = observed.joined(source.observe(more, ledger))
        request, drafted = replace(request, observed=observed), drafted.seeing(observed)
    plan, matcher = build(request, drafted)
    live = replace(facts, seen=checks.seen(observed, matcher, asked))
    live = with_live(live, options.sites, observed, matcher)
    checked = (
        *checks.findings(workspace, live, request.now.date(), options.sites),
        *checks.untold(facts, asked, observed),
    )
    rows = tuple(one for one in commitments(live) if one.site in options.sites)
    proofs = tuple(one for site, one in facts.isolation.items() if site in options.sites)
    spans = tuple(one for one in budgets(live) if Address.parse(one.address).site in options.sites)
    plan = replace(plan, findings=(*checked, *plan.findings), isolation=proofs, commitments=rows, budgets=spans)
    return Planned(plan, observed, mine, matcher, isolation.live(options.sites, observed, matcher, chain))


def _systems(workspace: Workspace) -> dict[str, frozenset[str]]:
    return {name: site.systems for name, site in workspace.document.sites().items()}


def _asked(workspace: Workspace) -> ChangeLimits:
    """The limits that the document asks for."""
    given, usual = workspace.document.head.limits, ChangeLimits()
    count, percent = getattr(given, "max_changes", None), getattr(given, "max_changes_percent", None)
    return ChangeLimits(
        count if isinstance(count, int) else usual.count, percent if isinstance(percent, int) else usual.percent
    )


def carry(workspace: Workspace, plan: Plan, progress: Progress, stop: threading.Event) -> Receipt:
    """Carry out exactly this plan. Raises `Stale` when its document, its systems or its ledger are not as they were."""
    check_time(workspace, plan, now())
    sites = tuple(part.site for part in plan.parts)
    check_places(workspace, plan)
    with ExitStack() as stack:
        backend = stack.enter_context(workspace.ledger(writable=True))
        sessions: dict[str, Session] = {}
        for site in sorted(sites):
            sessions[site] = backend.open(site, holder())
            stack.callback(sessions[site].close)
        check_ledger(plan, sessions)
        providers = stack.enter_context(connected(workspace.document, sites=_reach(workspace), writable=True))
        check_endpoints(plan, providers, backend.describe())
        check_document(workspace, plan, providers)
        return _carry(workspace, plan, sessions, providers, progress, stop)


def note_limits(workspace: Workspace, plan: Plan) -> None:
    """Have the ledgers record the limits of a document that has nothing else to apply; nothing where they have them."""
    with workspace.ledger() as backend:
        held = {part.site: backend.read(part.site) for part in plan.parts}
    wanted_limits = {part.site: noted(plan, part, held[part.site].limits) for part in plan.parts}
    late = [
        site
        for site, limits in wanted_limits.items()
        if held[site].serial and limits_of(held[site].limits) != limits_of(limits)
    ]
    if plan.actions or not late:
        return
    at = now().isoformat(timespec="seconds")
    with workspace.ledger(writable=True) as backend:
        for site in late:
            with closing(backend.open(site, holder())) as session:
                session.record(events.begin("", {}, at), events.end(at, wanted_limits[site]))


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
    collections |= second_read(kinds, plan.actions, _systems(workspace))
    observed = observe([(site, kinds[name]) for site, name in sorted(collections)], providers, ledger)
    reveal = revealer(workspace.document.folder)
    usable: dict[tuple[str, str], Provider] = {
        key: Held(one, sessions[key[0]]) if key[0] in sessions else one
        for key, one in providers.items()
        if not isinstance(one, Exception)
    }
    matches = match(kinds, observed, ledger, entries)
    run = ApplyContext(
        kinds=kinds,
        providers=usable,
        journals={site: Notes(session) for site, session in sessions.items()},
        ledger=ledger,
        matches=matches,
        reveal=reveal,
        now=now,
        overtaken=overtaken(plan, matches),
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
        for part in plan.parts:
            with suppress(Lost):  # the outcomes say so where it matters
                kept = noted(plan, part, ledger[part.site].limits)
                sessions[part.site].record(events.end(now().isoformat(timespec="seconds"), kept))


def _intent(run: ApplyContext, action: Action, key: str, at: str) -> Intent:
    fields: dict[str, str] = {}
    if action.verb is not Verb.DELETE and action.desired:
        fields = digests(run.kinds[action.address.kind], run.revealed(from_json(dict(action.desired))), key)
    return Intent(action.verb.value, fields, action.id, at)
