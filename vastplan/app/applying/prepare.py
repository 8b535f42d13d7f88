"""The stages of an apply that look before anything is written: what the plan touches is read, and held against its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vastplan.app.applying.journal import LedgerJournal, LockedProvider
from vastplan.app.claims import site_claims
from vastplan.app.clock import now
from vastplan.app.connect import Providers
from vastplan.app.endpoints import endpoints
from vastplan.app.locks import LockedLedgers
from vastplan.app.secrets import revealer
from vastplan.app.workspace import Workspace
from vastplan.engine.apply_context import ApplyContext
from vastplan.engine.evidence_reads import second_read
from vastplan.engine.guards.owner import owners
from vastplan.engine.match import Matches, match
from vastplan.engine.names import names_to_read
from vastplan.engine.observe import Observed
from vastplan.engine.plan import collections_to_read
from vastplan.engine.read import observe
from vastplan.engine.stale import overtaken
from vastplan.ledger.backend import OtherParts
from vastplan.model.address import Address
from vastplan.model.errors import NotAuthorised, Stale
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Plan, Verb
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.value import from_json
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class Touched:
    """What a plan touches: the objects that it wants, what we own, and what is there now."""

    entries: Mapping[Address, Entry]
    ledger: Mapping[str, SiteLedger]
    observed: Observed


def observe_touched(workspace: Workspace, plan: Plan, ledgers: LockedLedgers, providers: Providers) -> Touched:
    """Read the collections that the plan's actions are in, refer to or weigh."""
    kinds, systems = workspace.registry.kinds, workspace.systems()
    entries = {
        action.address: Entry(action.address, from_json(dict(action.desired)), renamed_from=_former_name(action))
        for action in plan.actions
        if action.verb is not Verb.DELETE and action.desired
    }
    ledger = ledgers.parts()
    collections = collections_to_read(kinds, entries.values(), ledger, systems)
    collections |= second_read(kinds, plan.by_address(), systems)
    names = names_to_read(kinds, entries.values(), ledger)
    observed = observe([(site, kinds[name]) for site, name in sorted(collections)], providers, ledger, names)
    return Touched(entries, ledger, observed)


def _claimed_meanwhile(
    workspace: Workspace, plan: Plan, ledgers: LockedLedgers, providers: Providers, matches: Matches
) -> dict[Address, str]:
    """What would be taken over and has got another owner since it was planned, or says so."""
    taken = {
        action.address: match.live
        for action in plan.actions
        if not action.blocked and (match := matches.match(action.address)).live is not None and match.owned is None
    }
    if not taken:
        return {}
    try:
        others = ledgers.others()
    except NotAuthorised:
        others = OtherParts()  # the plan said that this cannot be told
    known = owners(plan.document, site_claims(others, endpoints(providers, ledgers.place), workspace.registry.kinds))
    blocks = {address: known.block(live) for address, live in taken.items() if live is not None}
    return {address: f"{block.message}; plan again" for address, block in blocks.items() if block is not None}


def prepare(
    workspace: Workspace, plan: Plan, ledgers: LockedLedgers, providers: Providers, touched: Touched
) -> ApplyContext:
    """What the operations of the run share, and which actions something has moved under since they were planned."""
    kinds = workspace.registry.kinds
    matches = match(kinds, touched.observed, touched.ledger, touched.entries)
    for action in plan.actions:
        old = matches.renames.moves.get(action.address, "")
        if action.renamed_from != str(old) and not action.blocked:
            raise Stale(f"the ledger has nothing to move from {inert(action.renamed_from, 200)}; plan again")
    return ApplyContext(
        kinds=kinds,
        providers={
            (site, system): LockedProvider(provider, ledgers.sessions[site]) if site in ledgers.sessions else provider
            for (site, system), provider in providers.items()
            if not isinstance(provider, Exception)
        },
        journals={site: LedgerJournal(session) for site, session in ledgers.sessions.items()},
        ledger=touched.ledger,
        matches=matches,
        reveal=revealer(workspace.document.secrets),
        now=now,
        overtaken=overtaken(plan, matches) | _claimed_meanwhile(workspace, plan, ledgers, providers, matches),
    )


def _former_name(action: Action) -> str:
    return Address.parse(action.renamed_from).name if action.renamed_from else ""
