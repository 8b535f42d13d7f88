"""Guards of what is in use: used bytes, mounted volumes, what would stay behind, what is locked, and what may still refer to it."""

from __future__ import annotations

from math import ceil

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.observe import Live
from vastplan.engine.matching import usage
from vastplan.model.plan import GOING, Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.value import Unknown
from vastplan.model.wording import some
from vastplan.schema.dependents import RefusesDelete

_AGAIN = "plan again when the system reports it, or delete it there and vastplan ledger forget it"


def in_use(action: Action, context: GuardContext) -> Block | None:
    """An object in use is not deleted, unless an approval says how much may be lost; an unknown figure is never approved.

    Its kind says what counts (`Kind.in_use`: used bytes of a view, a volume that is bound). A view whose volume is in use waits for
    that volume, which is deleted first (`Kind.mounts`) and is blocked here.
    """
    live = context.live(action)
    if action.verb not in GOING or live is None:
        return None
    refusals = _refusals(action, live, context)
    if refusals:
        rule, _ = refusals[0]
        figures = [f"{other.figure}: {amount}" for other, amount in refusals if amount and other.why == rule.why]
        return Block("in-use", "; ".join([rule.why, *figures]), rule.fix)
    approval = context.approval(action)
    accepted = approval.max_used if approval else 0
    undetermined, over, most = [], [], 0
    used = [
        figure
        for figure in usage.usage_figures(live, context.dependents)
        if figure[0] not in _tied(action, live, context)
    ]
    used += usage.mounting_figures(live, context.referrers, context.matches, context.actions)
    for name, figure, unit in used:
        if isinstance(figure, Unknown):
            undetermined.append(f"cannot determine {name}: {figure.why}")
        elif figure > accepted:
            over.append(f"{name}: {usage.figure_text(figure, unit)}")
            most = max(most, ceil(figure))
    if undetermined:
        return Block("in-use", "; ".join(undetermined), _AGAIN)
    fix = f"write max_used: {most} in its approval, or empty it first"
    return Block("in-use", "; ".join(over), fix, max_used=most) if over else None


def _tied(action: Action, live: Live, context: GuardContext) -> tuple[str, ...]:
    """The figures that do not count because the object is known to hold nothing."""
    held = live.kind.held
    return () if held is None or context.holds_data(action) else held.tied


def _refusals(action: Action, live: Live, context: GuardContext) -> list[tuple[RefusesDelete, str]]:
    contents = context.contents.of(live)
    found = usage.delete_refusals(live, contents, context.dependents, context.matches, context.actions)
    return [(rule, amount) for rule, amount in found if rule.figure or action.verb is Verb.DELETE]


def before_its_contents(action: Action, context: GuardContext) -> Block | None:
    """What leads to the data in an object is not deleted before that object can be: a person has to delete the data through it."""
    live = context.live(action)
    if action.verb is not Verb.DELETE or live is None:
        return None
    for field, holders in context.full.get((live.site, live.kind.name), {}).items():
        full = holders.get(str(live.values.get(field)))
        if full is not None:
            return Block("waits", f"waits for {full}, which is blocked until it is empty: this leads to what is in it")
    return None


def reported_existing(action: Action, context: GuardContext) -> Block | None:
    """An object to which an entry of the document refers with `existing` is not deleted: no approval is enough."""
    entry = context.reported_existing.get(action.address)
    if action.verb is not Verb.DELETE or entry is None:
        return None
    fix = f"write another name there, put its entry back, or type vastplan ledger forget DOCUMENT {word(action.address)} to keep it without managing it"
    return Block("in-use", f"{entry} refers to it as existing", fix)


def orphans(action: Action, context: GuardContext) -> Block | None:
    """Dependents that would stay behind unmanaged need an approval that accepts their number."""
    live = context.live(action)
    if action.verb not in GOING or live is None:
        return None
    approval = context.approval(action)
    accepted = approval.max_orphans if approval else 0
    refused = {rule.figure for rule, _ in _refusals(action, live, context)}  # `in_use` says it: no approval is enough
    for remaining in usage.remaining(live, context.dependents, context.matches, context.actions):
        figure = remaining.figure
        if isinstance(figure, Unknown):
            return Block(
                "orphans",
                f"cannot determine how many {remaining.name} would stay behind: {figure.why}",
                "plan again when they can be read",
            )
        if figure > accepted and remaining.name not in refused:
            beside = (
                f", beside those that this plan deletes first: {some(remaining.leaving)}" if remaining.leaving else ""
            )
            fix = f"write max_orphans: {figure} in its approval, or delete them first"
            return Block(
                "orphans", f"{figure} {remaining.name} would stay behind{beside}", fix, max_orphans=int(figure)
            )
    return None


def locks(action: Action, context: GuardContext) -> Block | None:
    """An object with dependents that are locked against deletion is not deleted: no approval is enough."""
    live = context.live(action)
    if action.verb not in GOING or live is None:
        return None
    for name, objects in usage.locked(live, context.dependents):
        names = some(sorted(dependent.name for dependent in objects))
        fix = "unlock them, or wait until they expire; vastplan ledger forget keeps it without managing it"
        return Block("locked", f"{len(objects)} {name} are locked: {names}", fix)
    return None


def unread_users(action: Action, context: GuardContext) -> Block | None:
    """An object is not deleted while it cannot be determined whether something still refers to it."""
    if action.verb not in GOING:
        return None
    unread = context.unread.get((action.address.site, action.address.kind))
    if unread is None:
        return None
    name, reason = unread
    text = f"cannot determine whether a {name} still refers to it: {reason}"
    return Block("unseen", text, "plan again when the system answers")
