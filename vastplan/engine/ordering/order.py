"""The order of work: creates from what is desired, deletes from what is live."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError

from vastplan.engine.access.narrowing import Narrowing, dropped_references, goes_with
from vastplan.engine.live.cycles import ring_finding
from vastplan.engine.live.matches import Matches
from vastplan.engine.matching.dependents import DependentsIndex
from vastplan.engine.matching.needs import changed_beside
from vastplan.engine.matching.referrers import Referrers
from vastplan.engine.matching.substitution import instead_of, who_comes
from vastplan.engine.ordering.companions import moving_along
from vastplan.engine.ordering.delete_edges import DeleteEdges, shields
from vastplan.engine.ordering.entry_units import entry_units
from vastplan.engine.ordering.exclusive_values import held_values
from vastplan.engine.ordering.limits import limited_until, who_goes
from vastplan.engine.ordering.taken_names import taken_names
from vastplan.engine.ordering.work_graph import WorkGraph
from vastplan.engine.values.delivery import delivery_places, destinations, fillings
from vastplan.engine.values.succession import replaced_at
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.plan import GOING, Action, Operation, Step, Verb
from vastplan.model.site_ledger import Owned
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.references import fields_with_references

_MAKING = (Verb.CREATE, Verb.REPLACE)


@dataclass(frozen=True, slots=True)
class Ordered:
    """The actions, with added updates that detach references to replaced objects, and their operations, each after those it needs."""

    actions: Mapping[Address, Action]
    operations: tuple[Operation, ...]
    findings: tuple[Finding, ...] = ()


def order(
    matches: Matches,
    desired: Mapping[Address, Entry],
    actions: Mapping[Address, Action],
    referrers: Referrers,
    narrowed: Mapping[Address, Narrowing],
    dependents: DependentsIndex,
) -> Ordered:
    """Order the work of a set of actions; a cycle is a finding and yields no operations.

    `narrowed` are the actions that let fewer in: each is blocked together with the deletes of the users that the plan deletes.
    """
    graph = WorkGraph(actions)
    _Edges(graph, matches, desired, DeleteEdges(graph, matches, desired, referrers, dependents)).draw()
    for address, narrowing in narrowed.items():
        graph.together(address, *narrowing.leaving)
    try:
        return Ordered(graph.actions, graph.operations())
    except CycleError as ring:
        return Ordered(graph.actions, (), (ring_finding([node[0] for node in ring.args[1]], desired),))


class _Edges:
    """Draws the edges of a plan into its graph."""

    def __init__(
        self, graph: WorkGraph, matches: Matches, desired: Mapping[Address, Entry], deletes: DeleteEdges
    ) -> None:
        self._graph, self._matches, self._desired, self._deletes = graph, matches, desired, deletes
        self._fillings = fillings(matches.kinds, desired, graph.actions)
        self._coming = who_comes(matches, desired, graph.actions.values())

    def draw(self) -> None:
        """Draw every edge."""
        planned = list(self._graph.actions.values())
        for action in planned:
            for step in _steps(action.verb):
                self._graph.add((action.address, step))
        for action in planned:
            if action.verb is not Verb.DELETE:
                self._after_what_it_needs(action)
            self._with_what_it_lets_in(action)
            self._deletes.deliver_elsewhere(action)
            if action.verb in GOING:
                self._deletes.draw(action)
                self._after_its_successor(action)
                self._after_who_is_let_in_instead(action)
            if action.verb is Verb.REPLACE:
                self._graph.edge((action.address, Step.WRITE), (action.address, Step.DELETE))
            if action.verb is not Verb.DELETE:
                self._after_who_makes_room(action)
        self._remove_limits_after_users(planned)
        self._with_what_is_replaced(planned)
        for bound in (moving_along, entry_units):
            for address, others in bound(planned, self._matches, self._desired).items():
                self._graph.together(address, *others)
        self._after_the_member_that_comes(planned)
        for taken in (
            *held_values(self._matches, self._desired, self._graph.actions),
            *taken_names(self._matches, self._graph.actions),
        ):
            self._graph.wait(taken)

    def _remove_limits_after_users(self, planned: list[Action]) -> None:
        """A limit of a user is removed after the user is deleted, and only together with that."""
        leaving = who_goes(self._matches, self._graph.actions)
        for action in planned:
            for other in limited_until(action, self._matches.kinds[action.address.kind], leaving):
                self._graph.together(action.address, other)
                self._graph.prefer((action.address, Step.WRITE), (other, Step.DELETE))

    def _with_what_is_replaced(self, planned: list[Action]) -> None:
        """Of a composite entry, a former part is deleted, and what it refers to in the same entry is updated, only together with the
        replace of the part that holds its data: a volume is not given to another claim while the present one stays."""
        replaced: dict[str, list[Address]] = {}
        for action in planned:
            if action.verb is Verb.REPLACE and action.origin and self._holds_data(action.address):
                replaced.setdefault(action.origin, []).append(action.address)
        for action in planned if replaced else ():
            owned = self._matches.owned.get(action.address)
            if action.verb is Verb.DELETE and owned is not None and owned.origin in replaced:
                self._graph.together(action.address, *replaced[owned.origin])
        for address in [address for addresses in replaced.values() for address in addresses]:
            entry = self._desired[address]
            for _, ref in fields_with_references(self._matches.kinds[address.kind].fields, entry.values):
                other = self._graph.actions.get(ref.target)
                if other is not None and other.verb is Verb.UPDATE and other.origin == entry.origin:
                    self._graph.together(other.address, address)

    def _holds_data(self, address: Address) -> bool:
        live = self._matches.match(address).live
        return self._matches.kinds[address.kind].holds_data(live.values if live else None)

    def _after_the_member_that_comes(self, planned: list[Action]) -> None:
        """An owned member is released after its group's member on another site is adopted; what its composite created is deleted only
        together with that."""
        for action in planned:
            first = self._matches.match(action.address).member_of
            if first is None or action.verb is Verb.CREATE:
                continue
            if first in self._graph.actions:
                self._graph.edge((first, Step.WRITE), (action.address, Step.WRITE))
            owned = self._matches.owned[first]
            for other in planned if owned.origin else ():
                record = self._matches.owned.get(other.address)
                if other.verb is Verb.DELETE and record is not None and record.origin == owned.origin:
                    self._graph.together(other.address, action.address)

    def _after_its_successor(self, action: Action) -> None:
        """An object that another one succeeds is deleted after that is created and its value delivered."""
        former = self._matches.formers.get(action.address)
        if former is not None:
            first, then = (former.of, Step.WRITE), (action.address, Step.DELETE)
            if not (
                self._matches.owned[action.address].delivered_at and replaced_at(self._matches, action.address, former)
            ):
                self._graph.edge(then, first)
            elif former.of in self._graph.actions:
                self._graph.prefer(first, then)  # its own successor exists: the delete makes room for the next one
            return
        owned = self._matches.owned.get(action.address, Owned("", ""))
        for into in destinations(owned):
            for filling in self._fillings.get(into, ()):
                if filling != action.address and self._takes_the_place(filling, owned):
                    self._graph.edge((action.address, Step.DELETE), (filling, Step.WRITE))

    def _takes_the_place(self, filling: Address, owned: Owned) -> bool:
        """Whether an action delivers a value to a place that has a value of an owned object, which is used until then."""
        kind, entry = self._matches.kinds[filling.kind], self._desired[filling]
        return not owned.delivered.keys().isdisjoint(delivery_places(kind, entry.values))

    def _after_who_is_let_in_instead(self, action: Action) -> None:
        """An access rule is deleted after those that replace it are created: if they fail, nobody has lost access."""
        for other in instead_of(action, self._matches, self._coming):
            self._graph.prefer((action.address, Step.DELETE), (other, Step.WRITE))

    def _after_who_makes_room(self, action: Action) -> None:
        """The object that has its address in the ledger is renamed first, and the one that has its identity gives it up first."""
        renamed = self._matches.renames.by_former.get(action.address)
        if renamed is not None:
            self._graph.edge((action.address, Step.WRITE), (renamed, Step.WRITE))
        holder = self._matches.match(action.address).holder
        if holder is not None and holder in self._graph.actions:
            going = Step.DELETE if self._graph.actions[holder].verb in GOING else Step.WRITE
            # a holder outside the document may be a rename without `renamed_from`: both are blocked for that, so the edge is idle
            self._graph.edge((action.address, Step.WRITE), (holder, going), idle=holder not in self._desired)

    def _after_what_it_needs(self, action: Action) -> None:
        """What an object refers to, or must come after, is created or updated first."""
        entry = self._desired.get(action.address)
        if entry is None:
            return
        kind = self._matches.kinds[action.address.kind]
        for field, ref in fields_with_references(kind.fields, entry.values):
            if ref.target in self._graph.actions and field.refers and field.refers.shields:
                self._with_what_it_shields(action, self._graph.actions[ref.target])
            elif ref.target in self._graph.actions:
                self._graph.edge((action.address, Step.WRITE), (ref.target, Step.WRITE))
                self._kept_until_made(action, self._graph.actions[ref.target])
            for filling in self._fillings.get(ref.target, ()) if kind.delivers is None else ():
                self._graph.edge((action.address, Step.WRITE), (filling, Step.WRITE))
            if self._follows(action, field, ref):
                self._graph.together(ref.target, action.address)
        for other in changed_beside(action, entry):
            if other in self._graph.actions:
                self._graph.together(action.address, other)
                # a value is delivered after the change that it follows: if that fails, the former value keeps working
                follows = self._matches.kinds[other.kind].delivers is not None
                then, first = (other, action.address) if follows else (action.address, other)
                self._graph.prefer((then, Step.WRITE), (first, Step.WRITE))
        for target in entry.after:
            if action.verb in _MAKING or not shields(self._matches.kinds[target.kind], action.address):
                self._graph.edge((action.address, Step.WRITE), (target, Step.WRITE))

    def _kept_until_made(self, action: Action, other: Action) -> None:
        """A replaced object is deleted after the object that its new form refers to is created: if that fails, nothing was deleted."""
        if action.verb is Verb.REPLACE and other.verb is Verb.CREATE:
            self._graph.prefer((action.address, Step.DELETE), (other.address, Step.WRITE))

    def _follows(self, action: Action, field: Field, ref: Ref) -> bool:
        """Whether a live object refers by name to one that gets a new name: that one is not renamed without it."""
        coming = self._matches.coming.get(ref.target)
        if not coming or ref.target not in self._graph.actions or action.verb is Verb.CREATE or field.refers is None:
            return False
        return field.refers.attribute(ref.target.kind) in coming

    def _with_what_it_shields(self, action: Action, other: Action) -> None:
        """What keeps an object closed is applied together with it: blocked with it, and skipped when it fails.

        A new object is closed before it exists. An existing one is written first: it stays as open as it was, also when the write
        is refused. One that is replaced under another name stays closed under the old name until it is deleted.
        """
        if other.verb in _MAKING:
            self._graph.together(action.address, other.address)
            if other.verb is Verb.REPLACE and self._matches.coming.get(other.address):
                self._graph.edge((action.address, _steps(action.verb)[0]), (other.address, Step.DELETE))
        else:
            self._graph.edge((action.address, Step.WRITE), (other.address, Step.WRITE))

    def _with_what_it_lets_in(self, action: Action) -> None:
        """An action that stops letting an object in, or deletes access to it, is applied together with the delete of that object."""
        kind = self._matches.kinds[action.address.kind]
        for other, lets_go_first in dropped_references(action, self._matches, self._graph.actions):
            self._graph.together(action.address, other)
            if not lets_go_first:
                self._graph.edge((action.address, Step.WRITE), (other, Step.DELETE))
        if action.verb is Verb.DELETE and kind.lets_in is not None:
            live = self._matches.match(action.address).live
            into = goes_with(action, live, self._matches, self._graph.actions) if live is not None else None
            if into is not None:
                self._graph.together(action.address, into)


def _steps(verb: Verb) -> tuple[Step, ...]:
    if verb is Verb.DELETE:
        return (Step.DELETE,)
    return (Step.DELETE, Step.WRITE) if verb is Verb.REPLACE else (Step.WRITE,)
