"""What depends on what on one site, reduced to what a picture shows: boxes in bands and columns, and lines between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Node, Plan, Stage, Verb
from vastplan.report.values import kind_words

STAGES = tuple(Stage)
_WHOLE = (Stage.VOLUME, Stage.DATA, Stage.TEAM)
"""What an object that is not drawn may be a part of, the nearest to its data first."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection between two objects, from left to right; `state` is `same`, `new` or `gone`."""

    left: str
    right: str
    state: str


@dataclass(frozen=True, slots=True)
class Band:
    """One owner with the objects that are its own, by column; the last band, without a name, has those of no single owner."""

    owner: str
    columns: Mapping[Stage, tuple[str, ...]]

    def members(self) -> Iterator[str]:
        """Every address in the band."""
        for members in self.columns.values():
            yield from members


@dataclass(frozen=True, slots=True)
class Graph:
    """One site. `actions` are those on the site, by address; `parts` are those of objects that are not drawn, by the drawn object that
    they are a part of: the quota of a view, for example."""

    site: str
    nodes: Mapping[str, Node]
    bands: tuple[Band, ...]
    lines: tuple[Edge, ...]
    actions: Mapping[str, Action]
    parts: Mapping[str, Sequence[Action]]

    def changes(self, address: str) -> bool:
        """Whether the object, or a part of it, changes."""
        return address in self.actions or address in self.parts

    def word(self, address: str) -> str:
        """The word for an object: `bucket`, or its kind."""
        return self.nodes[address].called or kind_words(Address.parse(address).kind)


def drawn_sites(plan: Plan) -> list[str]:
    """The sites that have something to draw."""
    return sorted({Address.parse(node.address).site for node in plan.topology if node.stage})


def graphs(plan: Plan, sites: Sequence[str]) -> list[Graph]:
    """What the pictures of some sites show; the plan is walked once for all of them."""
    nodes: dict[str, dict[str, Node]] = {site: {} for site in sites}
    actions: dict[str, dict[str, Action]] = {site: {} for site in sites}
    for node in plan.topology:
        site = node.address.partition("/")[0]
        if site in nodes:
            nodes[site][node.address] = node
    for action in plan.actions:
        if action.address.site in actions:
            actions[action.address.site][str(action.address)] = action
    return [_graph(site, nodes[site], actions[site]) for site in sites]


def _graph(site: str, nodes: Mapping[str, Node], actions: Mapping[str, Action]) -> Graph:
    now = {address: set(node.refers) for address, node in nodes.items()}
    everything = {
        address: refers | _let_go(actions[address]) if address in actions else refers for address, refers in now.items()
    }
    bands = tuple(_bands(nodes, everything))
    return Graph(site, nodes, bands, tuple(_lines(nodes, now, everything, actions)), actions, _parts(nodes, actions))


def _parts(nodes: Mapping[str, Node], actions: Mapping[str, Action]) -> dict[str, list[Action]]:
    """The actions on objects that are not drawn, by the volume, view, class or team that each refers to."""
    parts: dict[str, list[Action]] = {}
    for address, action in actions.items():
        node = nodes.get(address)
        if node is None or node.stage is not None:
            continue
        drawn = [(nodes[other].stage, other) for other in node.refers if _stage(nodes, other) in _WHOLE]
        if drawn:
            whole = min(drawn, key=lambda pair: _WHOLE.index(pair[0]))[1]
            parts.setdefault(whole, []).append(action)
    return parts


def _let_go(action: Action) -> set[str]:
    """The addresses that an action's object refers to before the action and not after it."""
    addresses: set[str] = set()
    for change in action.changes:
        if change.before is not None:
            addresses.update({*_referred(change.before)} - {*_referred(change.after)})
    return addresses


def _referred(value: Any) -> Iterator[str]:
    """The addresses that a symbolic value refers to."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("$ref", "$existing") and isinstance(inner, str):
                yield inner
            else:
                yield from _referred(inner)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _referred(item)


def _bands(nodes: Mapping[str, Node], refers: Mapping[str, set[str]]) -> Iterator[Band]:
    users: dict[str, list[str]] = {}
    for address, targets in refers.items():
        for target in targets:
            users.setdefault(target, []).append(address)
    placed: set[str] = set()
    for owner in sorted(address for address, node in nodes.items() if node.stage is Stage.OWNER):
        reached = _reached(owner, users, nodes)
        # A team does not refer to storage: what it mounts refers to the team, so it is found in the other direction.
        reached |= {
            other for member in reached for other in refers.get(member, ()) if _stage(nodes, other) is Stage.TEAM
        }
        mine = {address for address in reached if _stage(nodes, address)} - placed
        placed |= mine
        yield Band(owner, _columns(mine, nodes))
    shared = {address for address, node in nodes.items() if node.stage} - placed
    if shared:
        yield Band("", _columns(shared, nodes))


def _reached(start: str, users: Mapping[str, list[str]], nodes: Mapping[str, Node]) -> set[str]:
    """Everything that depends on an object, as far as the next owner or team."""
    reached, queue = {start}, [start]
    while queue:
        for user in users.get(queue.pop(), ()):
            if user not in reached and _stage(nodes, user) is not Stage.OWNER:
                reached.add(user)
                if _stage(nodes, user) is not Stage.TEAM:
                    queue.append(user)
    return reached


def _stage(nodes: Mapping[str, Node], address: str) -> Stage | None:
    node = nodes.get(address)
    return node.stage if node else None


def _columns(members: Iterable[str], nodes: Mapping[str, Node]) -> dict[Stage, tuple[str, ...]]:
    columns: dict[Stage, list[str]] = {}
    for address in sorted(members):
        stage = nodes[address].stage
        assert stage is not None
        columns.setdefault(stage, []).append(address)
    return {stage: tuple(columns[stage]) for stage in STAGES if stage in columns}


def _lines(
    nodes: Mapping[str, Node],
    now: Mapping[str, set[str]],
    everything: Mapping[str, set[str]],
    actions: Mapping[str, Action],
) -> Iterator[Edge]:
    """Connections between drawn objects, also across undrawn ones; those that follow from others are left out."""
    left: dict[str, set[str]] = {}
    rank = {address: STAGES.index(node.stage) for address, node in nodes.items() if node.stage}
    for address in rank:
        for other in _drawn(address, everything, rank):
            if rank[other] != rank[address]:
                low, high = sorted((address, other), key=rank.__getitem__)
                left.setdefault(high, set()).add(low)
    kept_now = {address: _drawn(address, now, rank) for address in rank}
    before: dict[str, set[str]] = {}
    for address in sorted(rank, key=lambda address: (rank[address], address)):
        mine = left.get(address, set())
        beyond: set[str] = set().union(*(before[other] for other in mine))
        before[address] = mine | beyond
        for other in sorted(mine - beyond):
            still = other in kept_now[address] or address in kept_now[other]
            yield Edge(other, address, _state((other, address), still, actions))


def _drawn(address: str, refers: Mapping[str, set[str]], rank: Mapping[str, int]) -> set[str]:
    """The drawn objects that an object refers to, directly or across undrawn ones."""
    drawn: set[str] = set()
    seen, queue = {address}, [address]
    while queue:
        for other in refers.get(queue.pop(), ()):
            if other in seen:
                continue
            seen.add(other)
            if other in rank:
                drawn.add(other)
            else:
                queue.append(other)
    return drawn


def _state(ends: tuple[str, str], still: bool, actions: Mapping[str, Action]) -> str:
    verbs = [actions[end].verb for end in ends if end in actions]
    if not still or Verb.DELETE in verbs:
        return "gone"
    return "new" if Verb.CREATE in verbs else "same"
