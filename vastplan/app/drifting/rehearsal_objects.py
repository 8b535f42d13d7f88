"""What running rehearsals have created: nobody has to manage it, because they delete it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from vastplan.engine.live.observe import Live
from vastplan.model.escaping import inert
from vastplan.model.move_plan import REHEARSE
from vastplan.model.operation import Operation
from vastplan.operations.modes.rehearsal.removal import created

_Key: TypeAlias = tuple[str, str, str]
"""Site, kind and the key that finds the object there."""


def made_by_rehearsals(operations: Iterable[Operation]) -> Mapping[_Key, str]:
    """The creator, in words, of each object that a call of an open rehearsal is known to have created."""
    creators: dict[_Key, str] = {}
    for operation in operations:
        if operation.mode == REHEARSE and not operation.phase.closed:
            by = f"vastplan {operation.kind} rehearsal {inert(operation.id, 40)}"
            creators |= {(operation.target, kind, key): by for kind, key in created(operation)}
    return creators


def live_key(live: Live) -> _Key:
    """The key that finds an object: the path of a view and the name of a clone, because their system names them; else the locator."""
    key = live.values.get("path") if live.kind.name == "view" else live.name if live.kind.name == "clone" else None
    return live.site, live.kind.name, str(live.locator if key is None else key).rstrip("/")
