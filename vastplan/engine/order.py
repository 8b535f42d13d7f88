"""The order of work: creates from what is desired, deletes from what is live, and letting go before what is held goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType

from vastplan.engine.circular import ring_finding
from vastplan.engine.diff import fingerprint
from vastplan.engine.exclusive import Held, held
from vastplan.engine.match import Matches
from vastplan.engine.narrowing import Narrowing, dropped, goes_with
from vastplan.engine.observe import Live
from vastplan.engine.referrers import Referrer, Referrers
from vastplan.engine.taken_names import taken_names
from vastplan.model.address import Address
from vastplan.model.finding import Finding
from vastplan.model.plan import GOING, Action, Block, Cause, FieldChange, Operation, Step, Verb
from vastplan.model.value import Ref, references, to_json
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Field
from vastplan.schema.markers import Marker
from vastplan.schema.references import fields_with_references

_Node = tuple[Address, Step]
_SHOWN = 5  # names in a message
_LET_GO = "remove those first, or have them refer to another"
_MAKING = (Verb.CREATE, Verb.REPLACE)


@dataclass(frozen=True, slots=True)
class Ordered:
    """The actions, what has to let go of what is replaced among them, and their operations, each after those it needs."""

    actions: Mapping[Address, Action]
    operations: tuple[Operation, ...]
    findings: tuple[Finding, ...] = ()


def order(
    matches: Matches,
    desired: Mapping[Address, Entry],
    actions: Mapping[Address, Action],
    referrers: Referrers,
    narrowed: Mapping[Address, Narrowing] = MappingProxyType({}),
) -> Ordered:
    """Order the work of a set of actions; a cycle is a finding and yields no operations.

    `narrowed` are those that let fewer in: they are blocked together with the deletes of who is in use there.
    """
    graph = _Graph(matches, desired, actions, referrers)
    graph.connect()
    for address, narrowing in narrowed.items():
        graph.together(address, *narrowing.leaving)
    try:
        return Ordered(graph.actions, graph.operations())
    except CycleError as ring:
        return Ordered(graph.actions, (), (ring_finding([node[0] for node in ring.args[1]], desired),))


class _Graph:
    """The operations and their edges while they are put together."""

    def __init__(
        self,
        matches: Matches,
        desired: Mapping[Address, Entry],
        actions: Mapping[Address, Action],
        referrers: Referrers,
    ) -> None:
        self.actions = dict(actions)
        self._matches, self._desired, self._referrers = matches, desired, referrers
        self._edges: dict[_Node, set[_Node]] = {}
        going = [action for action in actions.values() if action.verb in GOING]
        self._held: dict[tuple[_Node, _Node], Held] = {}
        self._followers = _followers(matches, going)
        self._originals = _originals(matches, going)

    def connect(self) -> None:
        """Draw every edge."""
        planned = list(self.actions.values())
        for action in planned:
            for step in _steps(action.verb):
                self._edges.setdefault((action.address, step), set())
        for action in planned:
            if action.verb is not Verb.DELETE:
                self._after_what_it_needs(action)
            self._with_what_it_lets_in(action)
            if action.verb in GOING:
                self._after_its_referrers(action)
            if action.verb is Verb.REPLACE:
                self._edge((action.address, Step.WRITE), (action.address, Step.DELETE))
            if action.verb is not Verb.DELETE:
                self._after_who_makes_room(action)
        for taken in (*held(self._matches, self._desired, self.actions), *taken_names(self._matches, self.actions)):
            if taken.freed is None:
                self._block(taken.taker, taken.block)
            else:
                node = (taken.taker, Step.WRITE)
                self._held[node, taken.freed] = taken
                self._edge(node, taken.freed)

    def _block(self, address: Address, block: Block) -> None:
        action = self.actions[address]  # letting go of something else may have been added to it
        self.actions[address] = replace(action, blocked=(*action.blocked, block))

    def together(self, address: Address, *others: Address) -> None:
        """Block an action with others, in whatever order they are carried out."""
        action = self.actions[address]
        names = dict.fromkeys((*action.together, *(str(other) for other in others if other != address)))
        self.actions[address] = replace(action, together=tuple(names))

    def _edge(self, node: _Node, before: _Node) -> None:
        if node != before and before in self._edges:
            self._edges.setdefault(node, set()).add(before)

    def _after_who_makes_room(self, action: Action) -> None:
        """What has its address in the ledger is renamed before it, and what has its identity there lets go of it."""
        renamed = self._matches.renames.by_former.get(action.address)
        if renamed is not None:
            self._edge((action.address, Step.WRITE), (renamed, Step.WRITE))
        holder = self._matches.match(action.address).holder
        if holder is not None and holder in self.actions:
            going = Step.DELETE if self.actions[holder].verb in GOING else Step.WRITE
            self._edge((action.address, Step.WRITE), (holder, going))

    def _after_what_it_needs(self, action: Action) -> None:
        """What an object refers to, or must come after, is in place first."""
        entry = self._desired.get(action.address)
        if entry is None:
            return
        kind = self._matches.kinds[action.address.kind]
        for field, ref in fields_with_references(kind.fields, entry.values):
            if ref.target in self.actions and field.refers and field.refers.shields:
                self._with_what_it_shields(action, self.actions[ref.target])
            elif ref.target in self.actions:
                self._edge((action.address, Step.WRITE), (ref.target, Step.WRITE))
            if self._follows(action, field, ref):
                self.together(ref.target, action.address)
        for target in entry.after:
            if action.verb in _MAKING or not self._shields(target, action.address):
                self._edge((action.address, Step.WRITE), (target, Step.WRITE))

    def _follows(self, action: Action, field: Field, ref: Ref) -> bool:
        """Whether a live object is to find under its new name what it refers to: that is not renamed without it."""
        coming = self._matches.coming.get(ref.target)
        if not coming or ref.target not in self.actions or action.verb is Verb.CREATE or field.refers is None:
            return False
        return field.refers.attribute(ref.target.kind) in coming

    def _with_what_it_shields(self, action: Action, other: Action) -> None:
        """What keeps an object closed goes no further than the object: blocked with it, and skipped when it fails.

        An object that is made is closed before it is there. One that is there is written first: it is as open as it was,
        and a refusal leaves it so. One that is replaced under another name is closed under the old one until that is gone.
        """
        if other.verb in _MAKING:
            self.together(action.address, other.address)
            if other.verb is Verb.REPLACE and self._matches.coming.get(other.address):
                self._edge((action.address, _steps(action.verb)[0]), (other.address, Step.DELETE))
        else:
            self._edge((action.address, Step.WRITE), (other.address, Step.WRITE))

    def _with_what_it_lets_in(self, action: Action) -> None:
        """What stops letting something in, or lets into it, goes no further than the delete of that."""
        kind = self._matches.kinds[action.address.kind]
        for other, lets_go_first in dropped(action, self._matches, self.actions):
            self.together(action.address, other)
            if not lets_go_first:
                self._edge((action.address, Step.WRITE), (other, Step.DELETE))
        if action.verb is Verb.DELETE and kind.lets_in is not None:
            live = self._matches.match(action.address).live
            into = goes_with(action, live, self._matches, self.actions) if live is not None else None
            if into is not None:
                self.together(action.address, into)

    def _after_its_referrers(self, action: Action) -> None:
        """Whatever refers to the object goes, or lets go, before it does."""
        node = (action.address, Step.DELETE)
        live = self._matches.match(action.address).live
        assert live is not None  # what is not there is not deleted
        in_the_way = []
        for referrer in self._referrers.of(live):
            if not self._makes_way(action, node, referrer):
                address = self._matches.address_of(referrer.live)
                if address is None and _goes_along(referrer.live):
                    continue
                stranger = f"{referrer.live.kind.name} {referrer.live.name} (not in the ledger)"
                in_the_way.append(str(address) if address else stranger)
        if action.verb is Verb.DELETE:
            for address in self._followers.get(str(action.address), ()):
                if self._shields(address, action.address):
                    self._edge((address, Step.DELETE), node)
                else:
                    self._edge(node, (address, Step.DELETE))
        if in_the_way:
            self._block(action.address, _still_referred_to(action, in_the_way))

    def _makes_way(self, action: Action, node: _Node, referrer: Referrer) -> bool:
        """Order what refers to the object around its delete; whether it does not stand in the way."""
        address = self._matches.address_of(referrer.live)
        other = self.actions.get(address) if address else self._originals.get(_copied(referrer.live))
        goes = other is not None and other.verb in GOING
        if referrer.shields:
            if other is not None and goes:
                self._edge((other.address, Step.DELETE), node)  # closed until there is nothing to open
            return True
        stays = referrer.attribute not in self._matches.coming.get(action.address, ())
        if action.verb is Verb.REPLACE and not referrer.blocks_delete and stays:
            return True  # it refers by name, and the name will be there again
        if other is not None and goes:
            self._edge(node, (other.address, Step.DELETE))
            return True
        if not referrer.blocks_delete and not referrer.needs:
            return True
        if other is not None and other.verb is Verb.UPDATE and _writes(other, referrer.field):
            if action.verb is Verb.REPLACE and not referrer.blocks_delete:
                return True  # it is given the new name once there is something of it
            if self._lets_go(other, referrer, action.address):
                self._edge(node, (other.address, Step.WRITE))
                return True
        if not referrer.blocks_delete:
            return False
        if action.verb is Verb.REPLACE and address in self._desired and _clearable(referrer.field):
            assert address is not None
            self._detach(address, referrer, action)
            return True
        return False

    def _shields(self, address: Address, other: Address) -> bool:
        """Whether objects like the one at `address` keep objects like `other` closed."""
        fields = self._matches.kinds[address.kind].fields
        return any(field.refers and field.refers.shields and other.kind in field.refers.attributes for field in fields)

    def _lets_go(self, update: Action, referrer: Referrer, target: Address) -> bool:
        entry = self._desired.get(update.address)
        value = entry.values.get(referrer.field.name) if entry else None
        return not any(ref.target == target for ref in references(value))

    def _detach(self, address: Address, referrer: Referrer, replaced: Action) -> None:
        """An object that keeps referring to what is replaced lets go first and is attached again afterwards."""
        update = self.actions.get(address)
        live = referrer.live
        entry = self._desired[address]
        change = FieldChange(
            path=referrer.field.name,
            before=to_json(Ref(replaced.address)),
            after=to_json(Ref(replaced.address)),
            cause=Cause.DEPENDENCY,
            known_after_apply=True,
        )
        if update is None or update.verb is Verb.RELEASE:
            old = self._matches.renames.moves.get(address)  # it moves also where only what is replaced was targeted
            update = Action(
                address=address,
                verb=Verb.UPDATE,
                reason=f"{replaced.address} is replaced; it lets go before and is attached again after",
                desired=to_json(dict(entry.values)),
                origin=entry.origin,
                id=live.id,
                locator=live.locator,
                fingerprint=fingerprint(
                    live.kind, entry.values, self._matches.symbolic(live.kind, live, references(entry.values))
                ),
                released=update.released if update else (),
                renamed_from=str(old) if old else "",
            )
        self.actions[address] = replace(update, changes=(*update.changes, change))
        self._edges.setdefault((address, Step.DETACH), set())
        self._edges.setdefault((address, Step.WRITE), set())
        self._edge((replaced.address, Step.DELETE), (address, Step.DETACH))
        self._edge((address, Step.WRITE), (replaced.address, Step.WRITE))

    def operations(self) -> tuple[Operation, ...]:
        """All operations, each after those it needs; raises `CycleError`.

        Where a ring closes by waiting for what somebody else holds, the one that waits is blocked, and not the plan wrong.
        """
        while True:
            try:
                return self._sorted()
            except CycleError as ring:
                nodes = ring.args[1]  # each comes before the next
                waits = [pair for pair in zip(nodes[1:], nodes, strict=False) if pair in self._held]
                if not waits:
                    raise
                for node, before in waits:
                    self._edges[node].discard(before)
                    self._block(node[0], self._held.pop((node, before)).block)

    def _sorted(self) -> tuple[Operation, ...]:
        sorter: TopologicalSorter[_Node] = TopologicalSorter()
        for node in sorted(self._edges, key=_by_name):
            sorter.add(node, *sorted(self._edges[node], key=_by_name))
        nodes = list(sorter.static_order())
        index = {node: position for position, node in enumerate(nodes)}
        return tuple(
            Operation(address, step, tuple(sorted(index[before] for before in self._edges[address, step])))
            for address, step in nodes
        )


def _goes_along(live: Live) -> bool:
    """Whether the system itself takes an object away with what it refers to."""
    return any(owner.goes_along and owner.name == live.controller for owner in live.kind.controller_owned)


def _by_name(node: _Node) -> tuple[Address, str]:
    return node[0], node[1].value


def _followers(matches: Matches, going: Iterable[Action]) -> dict[str, list[Address]]:
    """By address, what goes and was last applied with a reference to it: no system shows all of these."""
    followers: dict[str, list[Address]] = {}
    for action in going:
        owned = matches.owned.get(action.address)
        for target in owned.refers if owned else ():
            followers.setdefault(target, []).append(action.address)
    return followers


def _originals(matches: Matches, going: Iterable[Action]) -> dict[tuple[str, str, str], Action]:
    """What goes and has a copy on other sites that the system keeps by itself, by kind, name and the copy's site."""
    originals: dict[tuple[str, str, str], Action] = {}
    for action in going:
        live = matches.match(action.address).live
        if live is not None and live.kind.mirrored:
            for site in matches.observed.sites(live.kind.name):
                if site != action.address.site:
                    originals.setdefault((live.kind.name, live.name, site), action)
    return originals


def _copied(copy: Live) -> tuple[str, str, str]:
    return copy.kind.name, copy.name, copy.site


def _still_referred_to(action: Action, names: list[str]) -> Block:
    replaced = action.verb is Verb.REPLACE
    fix = "make a new one under another name and move them to it" if replaced else _LET_GO
    return Block("in-use", f"{len(names)} object(s) still refer to it: {some(sorted(names), _SHOWN)}", fix)


def _writes(action: Action, field: Field) -> bool:
    """Whether an update writes a field: what the document no longer speaks of stays as it is."""
    return any(change.path.partition(".")[0] == field.name for change in action.changes)


def _steps(verb: Verb) -> tuple[Step, ...]:
    if verb is Verb.DELETE:
        return (Step.DELETE,)
    return (Step.DELETE, Step.WRITE) if verb is Verb.REPLACE else (Step.WRITE,)


def _clearable(field: Field) -> bool:
    """Whether null there means no reference: a null that is a choice would open or widen something meanwhile."""
    return field.shape.detachable and field.nullable and not field.has(Marker.EXPLICIT_NULL)
