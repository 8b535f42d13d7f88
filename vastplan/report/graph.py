"""What stands on what on one site, reduced to what a picture shows: boxes in bands and columns, and lines between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vastplan.model.address import Address
from vastplan.model.plan import Action, Node, Plan, Stage, Verb

STAGES = tuple(Stage)
_GOING = (Verb.DELETE,)


@dataclass(frozen=True, slots=True)
class Line:
    """A connection from what stands further left to what stands further right; `state` is `same`, `new` or `gone`."""

    left: str
    right: str
    state: str


@dataclass(frozen=True, slots=True)
class Band:
    """One owner with all that is its own, by column; the last band, without a name, is what no owner has alone."""

    owner: str
    columns: Mapping[Stage, tuple[str, ...]]

    def all(self) -> Iterator[str]:
        """Every address in it."""
        for members in self.columns.values():
            yield from members


@dataclass(frozen=True, slots=True)
class Graph:
    """One site. `actions` are those on it, by address."""

    site: str
    nodes: Mapping[str, Node]
    bands: tuple[Band, ...]
    lines: tuple[Line, ...]
    actions: Mapping[str, Action]


def sites(plan: Plan) -> list[str]:
    """The sites that have something to draw."""
    return sorted({Address.parse(node.address).site for node in plan.topology if node.stage})


def graph(plan: Plan, site: str) -> Graph:
    """What the picture of a site shows."""
    nodes = {node.address: node for node in plan.topology if node.address.startswith(f"{site}/")}
    actions = {str(action.address): action for action in plan.actions if action.address.site == site}
    lost = {address: _let_go(action) for address, action in actions.items()}
    now = {address: set(node.refers) for address, node in nodes.items()}
    everything = {address: refers | lost.get(address, set()) for address, refers in now.items()}
    bands = tuple(_bands(nodes, everything))
    return Graph(site, nodes, bands, tuple(_lines(nodes, now, everything, actions)), actions)


def _let_go(action: Action) -> set[str]:
    """What an action's object refers to before it and not after it."""
    found: set[str] = set()
    for change in action.changes:
        found |= {*_named(change.before)} - {*_named(change.after)}
    return found


def _named(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("$ref", "$existing") and isinstance(inner, str):
                yield inner
            else:
                yield from _named(inner)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _named(item)


def _bands(nodes: Mapping[str, Node], refers: Mapping[str, set[str]]) -> Iterator[Band]:
    users: dict[str, list[str]] = {}
    for address, targets in refers.items():
        for target in targets:
            users.setdefault(target, []).append(address)
    placed: set[str] = set()
    for owner in sorted(address for address, node in nodes.items() if node.stage is Stage.OWNER):
        reached = _reached(owner, users, nodes)
        # A team is not made of the storage: what it mounts refers to it, so it is found the other way round.
        reached |= {one for each in reached for one in refers.get(each, ()) if _stage(nodes, one) is Stage.TEAM}
        mine = {one for one in reached if _stage(nodes, one)} - placed
        placed |= mine
        yield Band(owner, _columns(mine, nodes))
    shared = {address for address, node in nodes.items() if node.stage} - placed
    if shared:
        yield Band("", _columns(shared, nodes))


def _reached(start: str, users: Mapping[str, list[str]], nodes: Mapping[str, Node]) -> set[str]:
    found, queue = {start}, [start]
    while queue:
        for one in users.get(queue.pop(), ()):
            if one not in found and _stage(nodes, one) is not Stage.OWNER:
                found.add(one)
                if _stage(nodes, one) is not Stage.TEAM:
                    queue.append(one)
    return found


def _stage(nodes: Mapping[str, Node], address: str) -> Stage | None:
    node = nodes.get(address)
    return node.stage if node else None


def _columns(members: Iterable[str], nodes: Mapping[str, Node]) -> dict[Stage, tuple[str, ...]]:
    found: dict[Stage, list[str]] = {}
    for one in sorted(members):
        stage = nodes[one].stage
        assert stage is not None
        found.setdefault(stage, []).append(one)
    return {stage: tuple(found[stage]) for stage in STAGES if stage in found}


def _lines(
    nodes: Mapping[str, Node],
    now: Mapping[str, set[str]],
    everything: Mapping[str, set[str]],
    actions: Mapping[str, Action],
) -> Iterator[Line]:
    """Connections between drawn objects, over undrawn ones; those that follow from others are left out."""
    left: dict[str, set[str]] = {}
    rank = {address: STAGES.index(node.stage) for address, node in nodes.items() if node.stage}
    for address in rank:
        for other in _drawn(address, everything, rank):
            if rank[other] != rank[address]:
                low, high = sorted((address, other), key=rank.__getitem__)
                left.setdefault(high, set()).add(low)
    kept_now = {address: _drawn(address, now, rank) for address in rank}
    before: dict[str, set[str]] = {}
    for address in sorted(rank, key=lambda one: (rank[one], one)):
        mine = left.get(address, set())
        before[address] = mine.union(*(before[one] for one in mine))
        for other in sorted(mine):
            if not any(other in before[each] for each in mine):
                still = other in kept_now[address] or address in kept_now[other]
                yield Line(other, address, _state((other, address), still, actions))


def _drawn(address: str, refers: Mapping[str, set[str]], rank: Mapping[str, int]) -> set[str]:
    """The drawn objects that one refers to, directly or over what is not drawn."""
    found: set[str] = set()
    seen, queue = {address}, [address]
    while queue:
        for one in refers.get(queue.pop(), ()):
            if one in seen:
                continue
            seen.add(one)
            if one in rank:
                found.add(one)
            else:
                queue.append(one)
    return found


def _state(ends: tuple[str, str], still: bool, actions: Mapping[str, Action]) -> str:
    verbs = [actions[one].verb for one in ends if one in actions]
    if not still or any(verb in _GOING for verb in verbs):
        return "gone"
    return "new" if Verb.CREATE in verbs else "same"
