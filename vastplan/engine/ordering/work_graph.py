"""The graph from which the operations of a plan are built: a node is an address and a step, an edge says what comes after what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from vastplan.engine.ordering.exclusive_values import Held
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Operation, Step

Node = tuple[Address, Step]


class WorkGraph:
    """The nodes, what each comes after, and the actions with what the graph adds: blocks, `together`, and further changes."""

    def __init__(self, actions: Mapping[Address, Action]) -> None:
        self.actions = dict(actions)
        self._edges: dict[Node, set[Node]] = {}
        self._held: dict[tuple[Node, Node], Held] = {}
        self._idle: set[tuple[Node, Node]] = set()
        self._preferred: dict[Node, set[Node]] = {}
        """By node, the nodes that should come after it unless that closes a ring."""

    def add(self, node: Node) -> None:
        """Add a step to do. An edge to a step that was not added is not drawn."""
        self._edges.setdefault(node, set())

    def edge(self, node: Node, before: Node, *, idle: bool = False) -> None:
        """Do a node after another one. Both sides of an `idle` edge are blocked, so a ring that it closes does not count."""
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
        """Add an action, or replace it by one with more to do."""
        self.actions[action.address] = action

    def wait(self, taken: Held) -> None:
        """Write the taker after the step that frees the value; block it if no step does, or if that closes a ring."""
        if taken.freed is None:
            self.block(taken.taker, taken.block)
            return
        node = (taken.taker, Step.WRITE)
        self._held[node, taken.freed] = taken
        self.edge(node, taken.freed)

    def block(self, address: Address, block: Block) -> None:
        """Add a block to an action."""
        action = self.actions[address]  # a detach may have been added to it
        self.put(replace(action, blocked=(*action.blocked, block)))

    def together(self, address: Address, *others: Address) -> None:
        """Apply an action together with others: it is blocked when one of them is, in whatever order they are carried out."""
        action = self.actions[address]
        names = dict.fromkeys((*action.together, *(str(other) for other in others if other != address)))
        self.put(replace(action, together=tuple(names)))

    def operations(self) -> tuple[Operation, ...]:
        """All operations, each after those it needs; raises `CycleError`.

        A ring that closes by a preferred or an idle edge loses that edge. In a ring that closes by waiting for what another object
        holds, the waiting action is blocked, and the rest of the plan stands.
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
        """Remove all preferred edges to one node of the ring. Returns whether one was in the ring."""
        for before, node in pairwise(ring):
            if node in self._preferred.get(before, ()):
                for each in self._preferred.pop(before):
                    self._edges[each].discard(before)
                return True
        return False

    def _less_idle(self, ring: list[Node]) -> bool:
        """Remove the idle edges of the ring. Returns whether any existed."""
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
