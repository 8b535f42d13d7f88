"""Blocks that follow from other blocks: what waits for something blocked, and what is applied together with it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Operation


def block_dependents(actions: Mapping[Address, Action], operations: tuple[Operation, ...]) -> dict[Address, Action]:
    """Block what waits for something blocked, and what is applied together with it; `operations` come causes before effects."""
    held = dict(actions)
    changed = True
    # A block can travel back: an action has several steps, or is applied together with what comes after it.
    while changed:
        changed = False
        for operation in operations:
            action = held[operation.address]
            block = None if action.blocked else _block(action, operation, operations, held)
            if block is not None:
                held[operation.address] = replace(action, blocked=(block,))
                changed = True
    return held


def _block(
    action: Action, operation: Operation, operations: tuple[Operation, ...], held: Mapping[Address, Action]
) -> Block | None:
    for index in operation.after:
        cause = held[operations[index].address]
        if cause.blocked:  # never itself: it is not blocked yet
            return Block("waits", f"waits for {cause.address}, which is {_state(cause)}")
    for text in action.together:
        with_it = held.get(Address.parse(text))
        if with_it is None:
            return Block("together", f"is applied together with {text}, which is unknown")
        if with_it.blocked:
            return Block("together", f"is applied together with {with_it.address}, which is {_state(with_it)}")
    return None


def _state(stopped: Action) -> str:
    return "stale" if any(block.guard == "moved" for block in stopped.blocked) else "blocked"
