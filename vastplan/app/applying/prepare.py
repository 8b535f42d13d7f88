"""The stage that prepares an apply: the context its operations share, and the actions that a change since the plan invalidates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from vastplan.app.applying.journal import LedgerJournal, LockedProvider
from vastplan.app.clock import now
from vastplan.app.connect import Providers
from vastplan.app.locks import LockedLedgers
from vastplan.app.planning.request import Planned
from vastplan.app.secrets import revealer
from vastplan.app.stale.confirmation import BorneOut
from vastplan.app.workspace import Workspace
from vastplan.engine.applying.apply_context import ApplyContext
from vastplan.engine.deciding.staleness import overtaken
from vastplan.engine.guards.losses import losses, witnesses
from vastplan.engine.matching.contents import index_contents
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert


def _version(providers: Providers, site: str, system: str) -> str:
    """The version that a system reports now; "" where it does not answer."""
    client = providers[site, system]
    try:
        return "" if isinstance(client, Exception) else client.version()
    except VastplanError:
        return ""


def prepare(
    workspace: Workspace, borne: BorneOut, again: Planned, ledgers: LockedLedgers, providers: Providers
) -> ApplyContext:
    """The context that the operations share, with the actions that a change since the plan invalidates.

    Raises `Stale` for a rename that the ledger no longer shows.
    """
    matches = again.matches
    for action in borne.plan.actions:
        old = matches.renames.moves.get(action.address, "")
        if action.renamed_from != str(old) and not action.blocked:
            raise Stale(f"the ledger has nothing to move from {inert(action.renamed_from, 200)}; plan again")
    contents = index_contents(matches.observed, matches.kinds, borne.plan.actions)
    empty = witnesses(matches, losses(matches, borne.plan.by_address(), contents))
    alike = tuple(action for action in borne.plan.actions if action.address not in borne.unlike)
    return ApplyContext(
        kinds=workspace.registry.kinds,
        providers={
            (site, system): LockedProvider(provider, ledgers.sessions[site]) if site in ledgers.sessions else provider
            for (site, system), provider in providers.items()
            if not isinstance(provider, Exception)
        },
        journals={
            site: LedgerJournal(session, partial(_version, providers, site))
            for site, session in ledgers.sessions.items()
        },
        ledger=ledgers.parts(),
        matches=matches,
        reveal=revealer(workspace.document.secrets),
        now=now,
        overtaken={**borne.refused, **overtaken(replace(borne.plan, actions=alike), matches)},
        moved=borne.moved,
        witnesses=empty,
    )
