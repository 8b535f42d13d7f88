"""Which object depends on which, on the planned sites: all desired objects, those to be deleted, and what these refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import LARGEST
from vastplan.model.address import Address
from vastplan.model.plan import Action, Evidence, Node, Stage
from vastplan.model.value import Ref, references
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind


def topology(matches: Matches, desired: Mapping[Address, Entry], actions: Iterable[Action]) -> tuple[Node, ...]:
    """One node for each address, sorted. An object to be deleted has its live references."""
    nodes: dict[Address, Node] = {}
    named: list[Ref] = []
    for address, entry in desired.items():
        refs = references(entry.values)
        targets = [*(ref.target for ref in refs), *entry.after]
        nodes[address] = _node(matches, address, targets, entry.values)
        named += refs
    for action in actions:
        address = action.address
        if address in desired:
            continue
        live = matches.match(address).live
        values = matches.symbolic(matches.kinds[address.kind], live) if live else {}
        nodes[address] = _node(matches, address, [ref.target for ref in references(values)], values)
    for ref in named:
        if ref.target not in nodes:
            kind = matches.kinds[ref.target.kind]
            nodes[ref.target] = Node(str(ref.target), kind.system, kind.stage, managed=False)
    return tuple(nodes[address] for address in sorted(nodes))


def _node(matches: Matches, address: Address, targets: Iterable[Address], values: Mapping[str, Any]) -> Node:
    kind = matches.kinds[address.kind]
    refers = tuple(str(target) for target in dict.fromkeys(targets) if target != address)
    field, word = kind.called or ("", "")
    called = word if values.get(field) is not None else ""
    figures = tuple(_figures(matches, kind, address, values))
    return Node(str(address), kind.system, kind.stage, refers, figures, called=called)


def _figures(matches: Matches, kind: Kind, address: Address, values: Mapping[str, Any]) -> Iterator[Evidence]:
    """The measures of an object and, in the stage of the teams that use the storage, its live figures."""
    names: set[str] = set()
    for measure in kind.measures:  # of two with one name, the first that exists: a live object may have both
        amounts = [
            amount for amount in _at(values, measure.path) if isinstance(amount, int | float) and amount < LARGEST
        ]
        if amounts and measure.name not in names:
            names.add(measure.name)
            yield Evidence(measure.name, sum(amounts), measure.unit)
    live = matches.match(address).live if kind.stage is Stage.TEAM else None
    for fact in kind.metrics if live else ():
        assert live is not None
        amount = live.metrics.get(fact.name)
        if amount and not isinstance(amount, Mapping):
            yield Evidence(fact.name, amount, fact.unit)


def _at(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """The values at a path; `*` is any key."""
    if not path:
        yield value
    elif isinstance(value, Mapping):
        for key in value if path[0] == "*" else path[:1]:
            yield from _at(value.get(key), path[1:])
