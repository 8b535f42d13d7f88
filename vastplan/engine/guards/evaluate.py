"""Applies the guards to a plan: a guard blocks its action, what waits for that, and what is applied together with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vastplan.engine.access.opening import given_access
from vastplan.engine.guards import (
    access,
    approval,
    destination,
    fields,
    going_away,
    in_use,
    open_operation,
    origin,
    ownership,
    remote_directory,
)
from vastplan.engine.guards.automatic_deletion import deletion
from vastplan.engine.guards.context import Guard, GuardContext
from vastplan.engine.guards.losses import loss_evidence
from vastplan.engine.matching import usage
from vastplan.engine.matching.referrers import Referrer
from vastplan.model.address import Address
from vastplan.model.plan import GOING, Action, Evidence, Verb
from vastplan.model.value import Unknown
from vastplan.model.wording import plural

GUARDS: tuple[Guard, ...] = (
    open_operation.under_way, going_away.going_away, ownership.foreign, ownership.copies, ownership.torn, ownership.busy, destination.occupied,
    remote_directory.conflict, origin.no_origin, approval.consent, in_use.in_use, in_use.before_its_contents, in_use.reported_existing, in_use.orphans, in_use.locks,
    approval.deletes, ownership.adopting, ownership.emptied, fields.one_way, fields.fixed, fields.below_use, access.narrowing,
    access.still_shields, access.still_backs, in_use.unread_users, ownership.mass,
)  # fmt: skip


def evaluate_guards(context: GuardContext, guards: tuple[Guard, ...] = GUARDS) -> dict[Address, Action]:
    """The actions, each with the blocks of all guards. No guard sees the blocks of another."""
    guarded = {}
    for address, action in context.actions.items():
        blocks = tuple(block for guard in guards if (block := guard(action, context)) is not None)
        guarded[address] = replace(action, blocked=(*action.blocked, *blocks)) if blocks else action
    return guarded


def action_evidence(action: Action, context: GuardContext) -> tuple[Evidence, ...]:
    """The live figures a person should see next to an action."""
    live, narrowing = context.live(action), context.narrowings.get(action.address)
    narrowed = list(narrowing.evidence) if narrowing is not None else []
    deleted = deletion(action, context)
    if deleted is not None:
        narrowed.append(Evidence("deletes more automatically, by", ", ".join(deleted.fields)))
    if live is None:
        return tuple(narrowed)
    evidence = []
    if action.verb in GOING or action.changes:
        figures_of = [(fact, live.metrics[fact.name]) for fact in live.kind.metrics]
        evidence = [
            Evidence(fact.name, str(figure) if isinstance(figure, Unknown) else figure, fact.unit)
            for fact, figure in figures_of
            if figure and not isinstance(figure, Mapping)
        ]
    if action.verb in GOING:
        lost = [*loss_evidence(live, context.losses[action.address])]
        named = {seen.name for seen in lost}
        evidence = [*lost, *(seen for seen in evidence if seen.name not in named)]
        evidence += usage.weighed(live, context.dependents)
        left = remote_directory.left_behind(live, context)
        evidence += [Evidence("leaves behind", left)] if left else []
    if action.verb is Verb.DELETE and (given := given_access(live, context.matches)):
        evidence.append(Evidence("ends the access", given))
    evidence += context.contents.weighed(action, live)
    evidence += narrowed
    if action.verb is Verb.REPLACE:
        untouched: dict[str, set[str]] = {}
        for referrer in context.referrers.of(live):
            if not (referrer.blocks_delete or referrer.shields or _going(context, referrer)):
                untouched.setdefault(referrer.live.kind.name, set()).add(referrer.live.id)
        evidence += [
            Evidence(f"existing {plural(name)} left unchanged", f"{len(ids)} of {len(ids)}")
            for name, ids in sorted(untouched.items())
        ]
    return tuple(evidence)


def _going(context: GuardContext, referrer: Referrer) -> bool:
    address = context.matches.address_of(referrer.live)
    action = context.actions.get(address) if address else None
    return action is not None and action.verb in GOING
