"""Drift: what the system moved since the last apply, told apart from what the document wants; and one object in full."""

from __future__ import annotations

from typing import Any

from vastplan.model.plan import Action, Cause, Plan, Verb
from vastplan.model.text import inert
from vastplan.report.machine import BY_HAND, Stranger
from vastplan.report.text import Style, findings_lines
from vastplan.report.values import CAUSES, before_after, counted, plain

_SHOWN_STRANGERS = 20


def by_hand(action: Action) -> bool:
    """Whether the action undoes something the system did: changed fields, or an object that is gone."""
    gone = action.verb is Verb.CREATE and "behind our back" in action.reason
    return gone or any(change.cause in BY_HAND for change in action.changes)


def moved(plan: Plan) -> list[Action]:
    """The actions that undo something the system did."""
    return [action for action in plan.actions if by_hand(action)]


def text(plan: Plan, found: list[Action], strangers: list[Stranger], style: Style) -> str:
    """For a terminal."""
    lines = [*findings_lines(plan.findings, style)]
    for action in found:
        if action.verb is Verb.CREATE:
            lines.append(style.paint(f"gone     {inert(str(action.address))}", "red"))
            continue
        lines.append(style.paint(f"changed  {inert(str(action.address))}", "yellow"))
        for change in action.changes:
            if change.cause in BY_HAND:
                live, wanted = before_after(change)
                lines.append(
                    f"           {inert(change.path)}  is {live}, was applied as {wanted}  [{CAUSES[change.cause]}]"
                )
    if strangers:
        lines.append(style.paint(f"Nobody manages {counted(len(strangers), 'object')} here:", "cyan"))
        lines += [
            f"  {inert(f'{site}/{kind}')} {inert(name, 120)}" for site, kind, name in strangers[:_SHOWN_STRANGERS]
        ]
        if len(strangers) > _SHOWN_STRANGERS:
            lines.append(f"  and {len(strangers) - _SHOWN_STRANGERS} more")
    if plan.unknown:
        lines.append(style.paint("Unknown (could not be read, so it cannot be told):", "yellow"))
        lines += [f"  ? {inert(f'{one.site} {one.system} {one.kind}')}: {inert(one.reason)}" for one in plan.unknown]
    pending = len(plan.actions) - len(found)
    more = f" {counted(pending, 'change')} of the document not applied yet." if pending else ""
    if found:
        lines.append(style.paint(f"Drift: {counted(len(found), 'object')} moved behind our back.", "bold") + more)
    else:
        lines.append(style.paint("Drift: none. Nothing moved behind our back.", "green") + more)
    return "\n".join(lines) + "\n"


def object_text(found: dict[str, Any], style: Style) -> str:
    """One object: every field, what the document says, what the system says, and who moved."""
    lines = [style.paint(inert(found["address"]), "bold")]
    for name in ("origin", "id", "applied", "state"):
        if found.get(name):
            lines.append(f"  {name}: {inert(found[name])}")
    lines += [f"  chosen: {inert(one)}" for one in found["chosen"]]
    for one in found["fields"]:
        sides = f"{plain(one['desired'], one['unit'])}"
        if one["differs"]:
            sides += style.paint(f"  live {plain(one['live'], one['unit'])}  [{CAUSES[Cause(one['cause'])]}]", "yellow")
        lines.append(f"  {inert(one['path'])}: {sides}")
    for one in found["writers"]:
        lines.append(f"  also written by: {inert(one)}")
    return "\n".join(lines) + "\n"
