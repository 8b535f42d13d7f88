"""The stage that writes: records the intents in the ledgers, runs the operations, then records the end of the apply."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache

from vastplan.app.applying.run_log import ended_run
from vastplan.app.clock import timestamp
from vastplan.app.locks import LockedLedgers
from vastplan.app.planning.request import Planned
from vastplan.engine.applying.apply import Progress, apply_actions
from vastplan.engine.applying.apply_context import ApplyContext
from vastplan.engine.live.consent import recorded_limits
from vastplan.engine.live.diff import digests
from vastplan.engine.live.matches import ValueFault
from vastplan.engine.live.moved_references import moved_references
from vastplan.engine.live.observe import Live
from vastplan.engine.live.renames import moves_of
from vastplan.engine.values.formers import entry_identity, objects_by_identity
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.errors import Lost
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Action, Plan, Verb
from vastplan.model.site_ledger import Intent, LoggedRun, Owned, SiteLedger
from vastplan.model.value import from_json, references

_Existing = Callable[[str], Mapping[tuple[str, ...], list[Live]]]
CALLS_PER_SYSTEM, LEAST_CALLS, MOST_CALLS = 8, 4, 32
"""How many operations run at once: so many for each connected system, within a least and a most."""


def carry_out_plan(
    plan: Plan,
    again: Planned,
    context: ApplyContext,
    ledgers: LockedLedgers,
    runs: Mapping[str, LoggedRun],
    progress: Progress,
    stop: threading.Event,
) -> Receipt:
    """Carry out every action that is not blocked. The ledger has all intents before the first write, and each outcome after its write.

    `again` is the plan made again now: the systems' addresses and the change limits come from it, not from the saved plan. `runs` is what
    the history of each site has of this apply when it begins.
    """
    _record_intents(plan, again, context, ledgers, runs)
    parallel = min(MOST_CALLS, max(LEAST_CALLS, CALLS_PER_SYSTEM * len(context.providers)))
    receipt = None
    try:
        receipt = apply_actions(plan, context, parallel=parallel, progress=progress, stop=stop)
        return receipt
    finally:
        _record_end(plan, again.plan, context, ledgers, runs, receipt)


def _record_intents(
    plan: Plan, again: Planned, context: ApplyContext, ledgers: LockedLedgers, runs: Mapping[str, LoggedRun]
) -> None:
    begun, moves = timestamp(), moves_of(plan.actions)
    renoted = moved_references(context.kinds, again.everything, context.ledger, moves)
    endpoints = {part.site: part.endpoints for part in again.plan.parts}
    for site, session in ledgers.sessions.items():
        existing = _existing(context, site, session.part.key)
        made = _made_by_one_cut_off(again, session.part)
        intents = {
            str(action.address): _intent(context, action, session.part.key, begun, existing)
            for action in plan.actions
            # a refused action gets no intent: nothing in it is evaluated, least of all the source of a secret
            if action.address.site == site and not action.blocked and action.address not in context.overtaken
            # a release of an object that only an earlier intent shows as owned leaves that intent in place
            if action.verb is not Verb.RELEASE or action.address not in made
        }
        # A renamed object gets its new address in the ledger before any operation on it, even if that operation fails.
        addresses = {str(old): str(new) for old, new in moves.items() if old.site == site}
        digests = renoted.get(site, {})
        renamed = (events.move_event(addresses, digests),) if addresses or digests else ()
        asked_for = _asked_for_by_a_number(again, addresses)
        # An object that vastplan itself deleted leaves the ledger even if its create fails: it was not deleted outside vastplan.
        taken = (
            events.drop_event(str(action.address))
            for action in again.plan.actions
            if str(action.address) in intents
            and action.verb is Verb.CREATE
            and not (action.blocked or action.deleted_outside)
            and (action.renamed_from or str(action.address)) in context.ledger[site].entries
        )
        # What an interrupted apply created, or may have created, enters the ledger before a new intent replaces that apply's intent.
        noted = (events.own_event(str(address), owned) for address, owned in made.items() if str(address) in intents)
        recovered = (
            event
            for address, former in again.matches.formers.items()
            if former.unnoted is not None and site == address.site and {str(address), str(former.of)} & intents.keys()
            for event in (events.own_event(str(address), former.unnoted), events.settle_event(str(former.of)))
        )
        session.record(
            *renamed,
            *asked_for,
            *taken,
            *noted,
            *recovered,
            events.begin_event(plan.id, intents, begun, _systems(endpoints[site]), runs[site]),
        )


def _made_by_one_cut_off(again: Planned, part: SiteLedger) -> dict[Address, Owned]:
    """The objects that only the intent of an interrupted apply shows as owned, with the values that the apply intended to write."""
    made: dict[Address, Owned] = {}
    for action in again.plan.actions if part.intents else ():
        noted_as = action.renamed_from or str(action.address)
        intent = part.intents.get(noted_as)
        if intent is None or noted_as in part.entries or action.address.site != part.site:
            continue
        if action.verb in (Verb.RELEASE, Verb.UPDATE, Verb.REPLACE):
            of = (ref.target for ref in references(from_json(dict(action.desired))) if ref.managed)
            refers = tuple(sorted({*map(str, of), *action.after}))
            made[action.address] = Owned(action.id, action.locator, intent.fields, refers, intent.at)
    return made


def _asked_for_by_a_number(again: Planned, moves: Mapping[str, str]) -> Iterator[events.Event]:
    """For each object replaced because the document has another generation, drops the recorded one: its delete stays asked for
    whatever generation the document has later."""
    for address, former in again.matches.formers.items():
        delivers = again.matches.kinds[address.kind].delivers
        if former.fault is ValueFault.GENERATION and moves.get(str(former.of)) == str(address) and delivers is not None:
            yield events.own_event(str(address), again.matches.owned[address].without({delivers.generation}))


def _systems(endpoints: Mapping[str, str]) -> dict[str, str]:
    """The addresses of those systems of a site that could be reached when the plan was made again."""
    return {system: place for system, place in endpoints.items() if place and system != "ledger"}


def _existing(context: ApplyContext, site: str, key: str) -> _Existing:
    """Returns a lookup of a site's live objects of a kind, grouped by their identity fields; each kind is computed once."""
    return cache(lambda kind: objects_by_identity(context.matches, site, context.kinds[kind], key))


def _intent(context: ApplyContext, action: Action, key: str, at: str, existing: _Existing) -> Intent:
    fields: dict[str, str] = {}
    before: tuple[str, ...] | None = None
    kind = context.kinds[action.address.kind]
    if action.verb is not Verb.DELETE and action.desired:
        values = context.revealed(from_json(dict(action.desired)))
        fields = digests(kind, values, key)
        if kind.distinct_by_id and action.verb in (Verb.CREATE, Verb.REPLACE):
            before = tuple(live.id for live in existing(kind.name).get(entry_identity(kind, fields), ()))
    return Intent(action.verb.value, fields, action.id, at, before)


def _record_end(
    plan: Plan,
    now: Plan,
    context: ApplyContext,
    ledgers: LockedLedgers,
    runs: Mapping[str, LoggedRun],
    receipt: Receipt | None,
) -> None:
    for part in now.parts:
        with suppress(Lost):  # the outcomes report the lost lock where it matters
            limits = recorded_limits(plan, part, context.ledger[part.site].limits, now)
            ended = None if receipt is None else ended_run(runs[part.site], part.site, plan, receipt, timestamp())
            head = now.head.settings if now.head is not None else None
            ledgers.sessions[part.site].record(events.end(timestamp(), limits, head, ended))
