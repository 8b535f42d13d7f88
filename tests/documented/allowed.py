"""The rights that requests take, against those that vastplan says it needs: to look, and to apply."""

from __future__ import annotations

from functools import lru_cache

import vastplan.systems
from tests.lab import full_registry
from vastplan.app.rights import api_operations, by_task, writable_kinds
from vastplan.model.rights import Right
from vastplan.schema.operations import Purpose
from vastplan.schema.system import discover_systems

SYSTEMS = discover_systems(vastplan.systems)
LOOKING = (Purpose.READ, Purpose.LEDGER_READ, Purpose.CENSUS, Purpose.TRY)


@lru_cache
def said(system: str) -> dict[Purpose, frozenset[Right]]:
    """What is said of all kinds of a system."""
    registry = full_registry()
    kinds = [kind for kind in registry.kinds.values() if kind.system == system]
    changed = writable_kinds(registry)
    return by_task(SYSTEMS[system], api_operations(SYSTEMS[system], kinds, changed, changed))


def beyond(system: str, method: str, path: str, *, writable: bool) -> str:
    """What is wrong with a request of a client, "" where nothing is: it takes a right that is not said for what it is for."""
    right_of = SYSTEMS[system].right_of
    assert right_of is not None
    try:
        right = right_of(method, path)
    except KeyError:
        return "nobody says which right it takes"
    rights = said(system)
    tasks = Purpose if writable else LOOKING
    if right is None or any(right in rights[task] for task in tasks):
        return ""
    return f"takes {right.verb} of {right.on}, which is not said to be needed to {'apply' if writable else 'look'}"
