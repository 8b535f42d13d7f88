"""The guard of directories that a system creates on another site: it needs a new one, and keeps it when the object is deleted."""

from __future__ import annotations

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.remote_directories import existing_directory, namesake
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Block
from vastplan.model.value import Ref, from_json


def conflict(action: Action, context: GuardContext) -> Block | None:
    """A directory or the name of a copy that already exists, which the system would refuse during an apply."""
    kind = context.kind(action)
    existing = existing_directory(action, kind, context.matches, context.ground)
    if kind.remote_directory is None or existing is None:
        other = namesake(action, kind, context.matches)
        return None if other is None or action.blocked else _name_taken(other)  # its other side may be what blocks it
    live, stays = existing
    path = from_json(dict(action.desired))[kind.remote_directory.path]
    label = f"{live.kind.name} {inert(live.name, 80)}"
    if stays:
        text = f"{path} already exists: it is the copy of {label}, and stays when that is deleted"
        fix = f"write another {kind.remote_directory.path}, or delete the directory there first, with all its contents"
    else:
        text = f"{path} already exists: {label} of {live.site} is in it, and the system needs a new directory"
        fix = f"write another {kind.remote_directory.path}; the existing directory stays as it is"
    if action.origin and kind.remote_directory.composed:
        fix = kind.remote_directory.composed
    return Block("in-the-way", text, fix)


def _name_taken(other: Live) -> Block:
    name = inert(other.name, 80)
    text = f"its copy on {other.site} would have the name of a {other.kind.name} that exists there: {name}"
    return Block("in-the-way", text, "write another name, or delete that one first")


def left_behind(live: Live, context: GuardContext) -> str:
    """The directory of another site that stays when an object is deleted; "" for none."""
    lands, held = live.kind.remote_directory, live.kind.held
    if lands is None or not live.values.get(lands.room):
        return ""
    if held is not None and held.while_ and live.metrics[held.while_] != 0:  # it is deleted with the object
        return ""
    room = context.matches.symbolic(live.kind, live)[lands.room]
    where = str(room.target) if isinstance(room, Ref) else inert(str(room), 80)
    return f"{inert(str(live.values.get(lands.path)), 200)} of {where}"
