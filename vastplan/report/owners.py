"""Which tenant each object of a plan belongs to, directly or through other objects. Pure; the work grows with the topology."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.plan import Action, Node, Plan, Stage


class TenantFinder:
    """Finds the tenant in the topology of a plan, or else takes the tenant that the object itself names."""

    def __init__(self, plan: Plan) -> None:
        self._nodes: Mapping[str, Node] = {node.address: node for node in plan.topology}
        self._known: dict[str, str] = {}

    def of(self, action: Action) -> str:
        """The address of the tenant, "" for an object of no single tenant."""
        address = str(action.address)
        return self._owner(address) or _named(action.desired.get("tenant")) or _named(action.seen.get("tenant"))

    def _owner(self, start: str) -> str:
        """The first owner that is found; a cycle leads to none. Without recursion, because a chain may be long."""
        if start in self._known:
            return self._known[start]
        path, seen, owner = [start], {start}, ""
        while path and not owner:
            node = self._nodes.get(path[-1])
            if node is None:
                path.pop()
            elif node.stage is Stage.OWNER:
                owner = node.address
            else:
                known_owner = next((self._known[other] for other in node.refers if self._known.get(other)), "")
                step = next((other for other in node.refers if other not in seen and other not in self._known), None)
                if known_owner:
                    owner = known_owner
                elif step is None:
                    self._known[path.pop()] = ""
                else:
                    seen.add(step)
                    path.append(step)
        for address in path:
            self._known[address] = owner
        return self._known.setdefault(start, owner)


def _named(value: Any) -> str:
    """The address in a symbolic reference."""
    if isinstance(value, Mapping):
        reference = value.get("$ref", value.get("$existing"))
        return reference if isinstance(reference, str) and reference.count("/") >= 2 else ""
    return ""
