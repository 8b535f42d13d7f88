"""Guards against loss: consent, what is in use, what would stay behind, what is locked, and what may still refer to it."""

from __future__ import annotations

from datetime import datetime
from math import ceil

from vastplan.engine.guards.automatic_deletion import deletion
from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.floors import Figure
from vastplan.engine.matching import usage
from vastplan.engine.values.formers import entry_of, goes_unasked
from vastplan.model.address import Address
from vastplan.model.plan import GOING, Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.value import Unknown
from vastplan.model.wording import some

_AGAIN = "plan again when the system reports it, or delete it there and vastplan ledger forget it"


def consent(action: Action, context: GuardContext) -> Block | None:
    """A delete or replace needs consent by address; where data depends on it, an approval in a file that others can review."""
    if action.verb not in GOING:
        return None
    kind, address = context.kind(action), action.address
    if action.verb is Verb.DELETE and goes_unasked(context.matches, address):
        return None
    if not kind.data_bearing:
        whole = _stood_for(action, context)
        if context.named(address, context.allowed.delete) or _allowed_with_another(action, context):
            return None
        if whole is not None and whole in context.allowed.delete:
            return None
        fix = f"--allow-delete {word(address)}"
        fix += "" if whole is None else f", or --allow-delete {word(whole)} for all its objects"
        return Block("approval", f"a {action.verb.value} needs consent", fix)
    missing = _missing_approval(
        f"a {action.verb.value} of a {kind.name} needs an approval because data depends on it", action, context
    )
    return Block("approval", *missing) if missing else None


def _stood_for(action: Action, context: GuardContext) -> Address | None:
    """The composite entry of a deleted object, if the document no longer has that entry: one consent then covers all its parts.

    `None` otherwise: each deleted part of an entry that the document still has needs consent of its own.
    """
    owned = context.matches.owned.get(action.address)
    if action.verb is not Verb.DELETE or owned is None or not owned.origin or owned.origin in context.composites:
        return None
    return Address.parse(owned.origin)


def _allowed_with_another(action: Action, context: GuardContext) -> bool:
    """Whether consent for another address covers the delete of a former object: its deleted entry, or what it is applied together with.

    An object that an interrupted apply may have created has no certain owner, and needs consent of its own.
    """
    owned, address = context.matches.owned.get(action.address), action.address
    of = entry_of(address, owned) if owned is not None and owned.fields else None
    if of is None or action.verb is not Verb.DELETE:
        return False
    others = [Address.parse(text) for text in action.together] if of in context.matches.desired else [of]
    return any(other in context.allowed.delete for other in others)


def _missing_approval(text: str, action: Action, context: GuardContext) -> tuple[str, str] | None:
    """The message and the fix where no approval of the address is in force; `text` is the message where none exists."""
    approval = context.approval(action.address)
    if approval is None:
        return (
            text,
            f"approve {action.address} in the file from --approvals-template FILE and pass --approvals FILE",
        )
    if datetime.fromisoformat(approval.until).date() < context.now.date():
        return f"its approval ended on {approval.until}", "write a later date in the approvals file"
    return None


def deletes(action: Action, context: GuardContext) -> Block | None:
    """A change that makes a system delete more data, or sooner, needs an approval like a delete of data."""
    loss = deletion(action, context)
    if loss is None:
        return None
    seen = [f"{name} {_figure(figure, unit)}" for name, figure, unit in loss.used or ()]
    kept = ", ".join(seen) if seen else "an unknown amount"
    text = f"the system would delete more than before, or sooner, of {kept}, because of {some(loss.fields)}"
    missing = _missing_approval(text, action, context)
    return Block("deletes", *missing) if missing else None


def _figure(figure: Figure, unit: str) -> str:
    return str(figure) if isinstance(figure, Unknown) else usage.figure_text(figure, unit)


def in_use(action: Action, context: GuardContext) -> Block | None:
    """An object in use is not deleted, unless an approval says how much may be lost; an unknown figure is never approved.

    Its kind says what counts (`Kind.in_use`: used bytes of a view, a volume that is bound). A view whose volume is in use waits for
    that volume, which is deleted first (`Kind.mounts`) and is blocked here.
    """
    live = context.live(action)
    if action.verb not in GOING or live is None:
        return None
    approval = context.approval(action.address)
    accepted = approval.max_used if approval else 0
    undetermined, over, most = [], [], 0
    for name, figure, unit in usage.usage_figures(live, context.dependents):
        if isinstance(figure, Unknown):
            undetermined.append(f"cannot determine {name}: {figure.why}")
        elif figure > accepted:
            over.append(f"{name}: {usage.figure_text(figure, unit)}")
            most = max(most, ceil(figure))
    if undetermined:
        return Block("in-use", "; ".join(undetermined), _AGAIN)
    fix = f"write max_used: {most} in its approval, or empty it first"
    return Block("in-use", "; ".join(over), fix, max_used=most) if over else None


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
    approval = context.approval(action.address)
    accepted = approval.max_orphans if approval else 0
    for remaining in usage.remaining(live, context.dependents, context.matches, context.actions):
        figure = remaining.figure
        if isinstance(figure, Unknown):
            return Block(
                "orphans",
                f"cannot determine how many {remaining.name} would stay behind: {figure.why}",
                "plan again when they can be read",
            )
        if figure > accepted:
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
