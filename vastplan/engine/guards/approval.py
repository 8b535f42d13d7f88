"""Guards of approval: a delete or a replace, and a change that makes the system delete more, need somebody's consent."""

from __future__ import annotations

from datetime import datetime

from vastplan.engine.guards.automatic_deletion import deletion
from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.floors import Figure
from vastplan.engine.matching import usage
from vastplan.engine.values.formers import entry_of, goes_unasked
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.plan import GOING, Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.value import Unknown
from vastplan.model.wording import some


def consent(action: Action, context: GuardContext) -> Block | None:
    """A delete or replace needs consent by address; where data depends on it, an approval in a file that others can review."""
    if action.verb not in GOING:
        return None
    address = action.address
    if action.verb is Verb.DELETE and goes_unasked(context.matches, address):
        return None
    if not context.holds_data(action):
        whole = _stood_for(action, context)
        if context.named(address, context.allowed.delete) or _allowed_with_another(action, context):
            return None
        if whole is not None and whole in context.allowed.delete:
            return None
        if _may_hold_data(action, context) and _missing_approval("", action, context) is None:
            return None
        fix = f"--allow-delete {word(address)}"
        fix += "" if whole is None else f", or --allow-delete {word(whole)} for all its objects"
        return Block("approval", f"a {action.verb.value} needs consent", fix)
    missing = _missing_approval(_why(action, context), action, context)
    return Block("approval", *missing, in_file=True) if missing else None


def _may_hold_data(action: Action, context: GuardContext) -> bool:
    live = context.live(action)
    return context.kind(action).holds_data(None if live is None else live.values)


def _why(action: Action, context: GuardContext) -> str:
    """Why an approval is needed: what goes with the object, or why it is not known to be empty."""
    kind, loss = context.kind(action), context.losses.get(action.address)
    needs = f"a {action.verb.value} of a {kind.name} needs an approval"
    if loss is not None and loss.holding.used == 0:
        return f"{needs}, although 0 B are reported: {inert(loss.doubt, 300)}"
    if kind.held is not None and kind.held.unprotected:
        return f"{needs} because data is not protected without it"
    return f"{needs} because data depends on it"


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
    approval = context.approval(action)
    if approval is None:
        of_others = context.allowed.approvals.get(str(action.address))
        if of_others:
            text = f"its approval is of the object with id {inert(of_others[0].id, 80)}, and this one has id {inert(action.id, 80)}"
        return (
            text,
            f"approve {action.address}{_which(action)} in the file from --approvals-template FILE and pass --approvals FILE",
        )
    if datetime.fromisoformat(approval.until).date() < context.now.date():
        return f"its approval ended on {approval.until}", "write a later date in the approvals file"
    return None


def _which(action: Action) -> str:
    return f" (id {inert(action.id, 80)})" if action.id else ""


def deletes(action: Action, context: GuardContext) -> Block | None:
    """A change that makes a system delete more data, or sooner, needs an approval like a delete of data."""
    loss = deletion(action, context)
    if loss is None:
        return None
    seen = [f"{name} {_figure(figure, unit)}" for name, figure, unit in loss.used or ()]
    kept = ", ".join(seen) if seen else "an unknown amount"
    text = f"the system would delete more than before, or sooner, of {kept}, because of {some(loss.fields)}"
    missing = _missing_approval(text, action, context)
    return Block("deletes", *missing, in_file=True) if missing else None


def _figure(figure: Figure, unit: str) -> str:
    return str(figure) if isinstance(figure, Unknown) else usage.figure_text(figure, unit)
