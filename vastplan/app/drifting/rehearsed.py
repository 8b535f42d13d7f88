"""What running rehearsals have created: nobody has to manage it, because they delete it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from vastplan.engine.live.observe import Live
from vastplan.model.escaping import inert
from vastplan.model.move_plan import REHEARSE
from vastplan.model.operation import Operation
from vastplan.operations.calls.copy import COPY
from vastplan.operations.modes.rehearsal.calls import MOUNT, VIEW, mounts, wanted
from vastplan.operations.modes.rehearsal.removal import CLONE

_Key: TypeAlias = tuple[str, str, str]
"""Site, kind and the key that finds the object there."""


def made_by_rehearsals(operations: Iterable[Operation]) -> Mapping[_Key, str]:
    """The creator, in words, of each object that a call of an open rehearsal is known to have created."""
    found: dict[_Key, str] = {}
    for one in operations:
        if one.mode == REHEARSE and not one.phase.closed:
            by = f"vastplan {one.kind} rehearsal {inert(one.id, 40)}"
            found |= {(one.target, kind, key): by for kind, key in _made(one)}
    return found


def live_key(live: Live) -> _Key:
    """The key that finds an object: the path of a view and the name of a clone, because their system names them; else the locator."""
    key = live.values.get("path") if live.kind.name == "view" else live.name if live.kind.name == "clone" else None
    return live.site, live.kind.name, str(live.locator if key is None else key).rstrip("/")


def _made(operation: Operation) -> Iterator[tuple[str, str]]:
    try:
        copy, claims = wanted(operation), mounts(operation)
    except (KeyError, TypeError):  # anybody may have written a ledger
        return
    if operation.happened(CLONE, COPY):
        yield "clone", copy.name
    if operation.happened(MOUNT, VIEW):
        yield "view", copy.directory
    for one in claims:
        if operation.happened(MOUNT, f"volume {one.name}"):
            yield "persistent_volume", one.name
        if operation.happened(MOUNT, f"claim {one.namespace}/{one.name}"):
            yield "persistent_volume_claim", f"{one.namespace}/{one.name}"
