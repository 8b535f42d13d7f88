"""What running rehearsals have created: nobody has to manage it, because they delete it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from vastplan.engine.observe import Live
from vastplan.model.escaping import inert
from vastplan.model.move_plan import REHEARSE
from vastplan.model.operation import Operation
from vastplan.operations.copy_calls import COPY
from vastplan.operations.rehearse_calls import MOUNT, VIEW, mounts, wanted
from vastplan.operations.rehearse_removal import CLONE

_Key: TypeAlias = tuple[str, str, str]
"""Site and kind of an object, and by what it is found there."""


def made_by_rehearsals(operations: Iterable[Operation]) -> Mapping[_Key, str]:
    """Who made each object, in words: of what a call of a rehearsal is known to have made, while that is under way."""
    found: dict[_Key, str] = {}
    for one in operations:
        if one.mode == REHEARSE and not one.phase.closed:
            by = f"vastplan {one.kind} rehearsal {inert(one.id, 40)}"
            found |= {(one.target, kind, key): by for kind, key in _made(one)}
    return found


def live_key(live: Live) -> _Key:
    """By what an object is found: views and clones are called by their system, and found by what was asked for."""
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
