"""One action for a terminal: its sign and name, why, and every field that changes, in full."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model.escaping import inert
from vastplan.model.plan import DOES_NOT_EXIST, Action, FieldChange, Verb
from vastplan.model.shell import word
from vastplan.model.wording import some
from vastplan.report.differences import before_after
from vastplan.report.edits import action_place
from vastplan.report.style import Style
from vastplan.report.users import users_line
from vastplan.report.values import AMONG_FIELDS, lost_text, other_evidence, plain_value, quoted_where_several
from vastplan.report.view import FieldView, of_change, unseen_openings

OF_VERB = {
    Verb.CREATE: "green", Verb.UPDATE: "yellow", Verb.REPLACE: "magenta", Verb.DELETE: "red",
    Verb.ADOPT: "cyan", Verb.RELEASE: "dim",
}  # fmt: skip
_SHOWN_DEPENDENTS = 3


def action_lines(action: Action, style: Style, *, in_full: bool = False) -> Iterator[str]:
    """All of an action. It lists the first of the objects that it affects, and how to see the others, or with `in_full` all of them."""
    colour = OF_VERB[action.verb]
    place = action_place(action, inert)
    head = f"{action.verb.sign:>3} {inert(action.address.kind)} {inert(action.address.name)}" + (
        f" ({place})" if place else ""
    )
    if action.verb is Verb.CREATE:
        yield from _made(action, style.paint(head, colour), style.width - len(head), style)
        if action.reason != DOES_NOT_EXIST:
            yield f"      why: {inert(action.reason)}"
    else:
        yield (
            style.paint(head, colour)
            + (f" — {lost}" if (lost := lost_text(action)) else "")
            + f"  {inert(action.reason)}"
        )
    for opening in unseen_openings(action):
        yield from style.wrapped(f"lets in: {opening}", "      ")
    for note in action.notes:
        yield from (style.paint(line, "dim") for line in style.wrapped(f"chosen: {inert(note)}", "      "))
    if action.verb is not Verb.CREATE:
        for change in action.changes:
            yield from field_lines(of_change(change), style)
    if action.released:
        yield from style.wrapped(f"no longer managed: {', '.join(map(inert, action.released))}", "      ")
    for evidence in other_evidence(action):
        yield f"      seen: {inert(evidence.name)} {plain_value(evidence.value, evidence.unit)}"
    if action.verb in (Verb.UPDATE, Verb.REPLACE, Verb.DELETE) and action.dependents:
        most = len(action.dependents) if in_full else _SHOWN_DEPENDENTS
        dependents = some(action.dependents, most, inert)
        how = f" (--expand {word(inert(str(action.address)))})" if len(action.dependents) > most else ""
        yield from style.wrapped(f"affects: {dependents}{how}", "      ")
    if users := users_line(action):
        yield from style.wrapped(f"used by: {users}", "      ")
    for block in action.blocked:
        fix = f"; to go on: {inert(block.fix)}" if block.fix else ""
        yield style.paint(f"      blocked ({inert(block.guard)}): {inert(block.message)}{fix}", "red")


def field_lines(field: FieldView, style: Style) -> Iterator[str]:
    """A field that changes, a line for each part of it."""
    replacement = style.paint("  forces replacement", "magenta") if field.replaces else ""
    cause = style.paint(f"  [{field.cause}]", "red" if field.outside else "dim")
    sides = "" if field.parts else f"  {field.before} → {field.after}"
    yield f"      {inert(field.path)}{sides}{cause}{replacement}"
    yield from (f"        {line}" for line in (field.lines() if field.parts else ()))


def _made(action: Action, head: str, room: int, style: Style) -> Iterator[str]:
    """What a create sets, in full: beside its name if it fits, else below it. A name that equals the object's own is not repeated."""
    values = ", ".join(
        f"{quoted_where_several(inert(change.path), AMONG_FIELDS)}: {_made_value(change)}"
        for change in action.changes
        if change.path != "name" or change.after != action.address.name
    )
    if len(values) + 2 <= room:
        yield head + style.paint(f"  {values}" if values else "", "dim")
        return
    yield head
    yield from (style.paint(line, "dim") for line in style.wrapped(values, "      "))


def _made_value(change: FieldChange) -> str:
    """A value among others: a text that could be read as several values is in quotes."""
    text = before_after(change)[1]
    is_text = isinstance(change.after, str) and not change.sensitive and not change.known_after_apply
    return quoted_where_several(text) if is_text else text
