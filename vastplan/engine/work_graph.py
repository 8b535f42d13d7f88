"""The operations of a plan and the edges between them while they are put together, as nodes: an address and a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from vastplan.engine.exclusive import Held
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Operation, Step

Node = tuple[Address, Step]


class WorkGraph:
    """The nodes, what each comes after, and the actions as they become by that: blocked, together, or with more to do."""

    def __init__(self, actions: Mapping[Address, Action]) -> None:
        self.actions = dict(actions)
        self._edges: dict[Node, set[Node]] = {}
        self._held: dict[tuple[Node, Node], Held] = {}
        self._idle: set[tuple[Node, Node]] = set()
        self._preferred: dict[Node, set[Node]] = {}
        """By what is done first, what had better be done after it."""

    def add(self, node: Node) -> None:
        """A step that has to be done; edges to what is no node are not drawn."""
        self._edges.setdefault(node, set())

    def edge(self, node: Node, before: Node, *, idle: bool = False) -> None:
        """Do a node after another one; what is `idle` is blocked on both sides, and no ring that it closes is one."""
        if node != before and before in self._edges:
            pair, waits = {(node, before)}, before in self._edges.get(node, ())
            self._idle.difference_update(() if idle else pair)
            self._idle.update(pair if idle and not waits else ())
            self._edges.setdefault(node, set()).add(before)

    def prefer(self, node: Node, before: Node) -> None:
        """Do a node after another one unless that closes a ring."""
        self.edge(node, before)
        self._preferred.setdefault(before, set()).add(node)

    def put(self, action: Action) -> None:
        """An action that has more to do than was planned, or one that was not planned at all."""
        self.actions[action.address] = action

    def wait(self, taken: Held) -> None:
        """Write what takes something after what frees it, or block it: where nothing does, or where that closes a ring."""
        if taken.freed is None:
            self.block(taken.taker, taken.block)
            return
        node = (taken.taker, Step.WRITE)
        self._held[node, taken.freed] = taken
        self.edge(node, taken.freed)

    def block(self, address: Address, block: Block) -> None:
        """Block an action, for one reason more."""
        action = self.actions[address]  # letting go of something else may have been added to it
        self.put(replace(action, blocked=(*action.blocked, block)))

    def together(self, address: Address, *others: Address) -> None:
        """Block an action with others, in whatever order they are carried out."""
        action = self.actions[address]
        names = dict.fromkeys((*action.together, *(str(other) for other in others if other != address)))
        self.put(replace(action, together=tuple(names)))

    def operations(self) -> tuple[Operation, ...]:
        """All operations, each after those it needs; raises `CycleError`.

        Where a ring closes by what had only better be so, or by what is blocked on both sides, that is let go of. Where it closes by waiting for what somebody
        else holds, the one that waits is blocked, and not the plan wrong.
        """
        while True:
            try:
                return self._sorted()
            except CycleError as ring:
                nodes = ring.args[1]  # each comes before the next
                if self._less_preferred(nodes) or self._less_idle(nodes):
                    continue
                waits = [pair for pair in zip(nodes[1:], nodes, strict=False) if pair in self._held]
                if not waits:
                    raise
                for node, before in waits:
                    self._edges[node].discard(before)
                    self.block(node[0], self._held.pop((node, before)).block)

    def _less_preferred(self, ring: list[Node]) -> bool:
        """Let go of what had better come after one of the ring; whether there was any. Once for each that is waited for."""
        for before, node in pairwise(ring):
            if node in self._preferred.get(before, ()):
                for each in self._preferred.pop(before):
                    self._edges[each].discard(before)
                return True
        return False

    def _less_idle(self, ring: list[Node]) -> bool:
        """Let go of what is done neither before nor after; whether there was any."""
        idle = self._idle.intersection(zip(ring[1:], ring, strict=False))
        for node, before in idle:
            self._edges[node].discard(before)
        self._idle -= idle
        return bool(idle)

    def _sorted(self) -> tuple[Operation, ...]:
        sorter: TopologicalSorter[Node] = TopologicalSorter()
        for node in sorted(self._edges, key=_by_name):
            sorter.add(node, *sorted(self._edges[node], key=_by_name))
        nodes = list(sorter.static_order())
        index = {node: position for position, node in enumerate(nodes)}
        return tuple(
            Operation(address, step, tuple(sorted(index[before] for before in self._edges[address, step])))
            for address, step in nodes
        )


def _by_name(node: Node) -> tuple[Address, str]:
    return node[0], node[1].value
