"""The guard of objects that are being deleted: nothing is changed in one, and nothing new is created in it or refers to it."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.observe import Live
from vastplan.model.live_state import state_text
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.value import from_json, references

_WAIT = "plan again once it is gone: what holds it has to end first"


def going_away(action: Action, context: GuardContext) -> Block | None:
    """Blocks changes of an object that is being deleted, and what would be created in one or refer to one."""
    live = context.live(action)
    if live is not None and action.verb in (Verb.UPDATE, Verb.ADOPT) and live.state.going_away:
        return Block("going-away", f"it is {state_text(live.state)}", _WAIT)
    for target in _needed(action, context):
        if target.state.going_away:
            what = f"{target.kind.name} {target.name}"
            return Block("going-away", f"{what} is {state_text(target.state)}: nothing new is created for it", _WAIT)
    return None


def _needed(action: Action, context: GuardContext) -> Iterator[Live]:
    """The live objects that an action makes its object refer to, and the one that it creates its object in."""
    if action.verb in (Verb.DELETE, Verb.RELEASE):
        return
    whole = action.verb in (Verb.CREATE, Verb.REPLACE)
    changed = {change.path.partition(".")[0] for change in action.changes}
    values = {name: value for name, value in from_json(dict(action.desired)).items() if whole or name in changed}
    for ref in references(values):
        target = context.matches.referred(ref)
        if target is not None:
            yield target
    kind = context.kind(action)
    room = kind.endpoint.room
    if room is not None and whole:
        inside = next(field.name for field in kind.fields if field.wire == room.path)
        name = context.matches.resolved(kind, values).get(inside)
        yield from context.matches.observed.having(action.address.site, room.kind, "name", name)
