"""The guards, put on the actions of a plan; a guard stops its action and what waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vastplan.engine.guards import access, fields, figures, loss, ownership
from vastplan.engine.guards.context import GOING, Guard, GuardContext
from vastplan.engine.order import Referrer
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Evidence, Operation, Verb
from vastplan.schema.kind import Unknown

GUARDS: tuple[Guard, ...] = (
    loss.approved, loss.in_use, loss.orphans, loss.locks, ownership.adopting, ownership.emptied, fields.one_way,
    fields.below_use, access.narrowing, access.still_shields, loss.unread_users, ownership.mass,
)  # fmt: skip


def evaluate_guards(context: GuardContext, guards: tuple[Guard, ...] = GUARDS) -> None:
    """Put every guard's finding on its action."""
    for address, action in list(context.order.actions.items()):
        found = tuple(block for guard in guards if (block := guard(action, context)) is not None)
        if found:
            context.order.actions[address] = replace(action, blocked=(*action.blocked, *found))


def block_dependents(actions: Mapping[Address, Action], operations: tuple[Operation, ...]) -> dict[Address, Action]:
    """Block what waits for something blocked; `operations` come in an order in which causes precede effects."""
    held = dict(actions)
    changed = True
    while changed:  # an action has several steps, so a block can travel back to an earlier one
        changed = False
        for operation in operations:
            if held[operation.address].blocked:
                continue
            for index in operation.after:
                cause = held[operations[index].address]
                if cause.blocked:  # never itself: it is not blocked yet
                    block = Block("waits", f"waits for {cause.address}, which is blocked")
                    held[operation.address] = replace(held[operation.address], blocked=(block,))
                    changed = True
                    break
    return held


def evidence(action: Action, context: GuardContext) -> tuple[Evidence, ...]:
    """The live figures a person should see next to an action."""
    live = context.live(action)
    if live is None:
        return ()
    found = []
    if action.verb in GOING or action.changes:
        told = [(fact, live.facts[fact.name]) for fact in live.kind.facts]
        found = [
            Evidence(fact.name, str(figure) if isinstance(figure, Unknown) else figure, fact.unit)
            for fact, figure in told
            if figure and not isinstance(figure, Mapping)
        ]
    if action.verb in GOING:
        found += figures.weighed(live, context.matcher)
    if access.lost_clients(action, context.kind(action), live):
        found += figures.reached(live, context.matcher)
    if action.verb is Verb.REPLACE:
        untouched: dict[str, int] = {}
        for holder in context.order.referrers(action):
            shields = holder.field.refers is not None and holder.field.refers.shields
            if not (holder.blocks_delete or shields or _going(context, holder)):
                untouched[holder.live.kind.name] = untouched.get(holder.live.kind.name, 0) + 1
        found += [
            Evidence(f"existing {name}s that change", f"0 of {count}") for name, count in sorted(untouched.items())
        ]
    return tuple(found)


def _going(context: GuardContext, holder: Referrer) -> bool:
    address = context.matcher.address_of(holder.live)
    action = context.order.actions.get(address) if address else None
    return action is not None and action.verb in GOING
