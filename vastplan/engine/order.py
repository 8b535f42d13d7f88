"""The order of work: creates from what is desired, deletes from what is live, and letting go before what is held goes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from vastplan.engine.diff import fingerprint
from vastplan.engine.match import Matcher
from vastplan.engine.observe import Live
from vastplan.model.address import Address
from vastplan.model.finding import Finding, error
from vastplan.model.plan import Action, Block, Cause, FieldChange, Operation, Step, Verb
from vastplan.model.value import Ref, references, to_json
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Field, Kind
from vastplan.schema.markers import Marker
from vastplan.schema.references import fields_with_references, raw_references, targets_of

_Node = tuple[Address, Step]
_Named = TypeVar("_Named", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Referrer:
    """A live object that refers to another, by which field, and whether that keeps the other from being deleted."""

    live: Live
    field: Field
    blocks_delete: bool


class Order:
    """Operations and their edges for a set of actions."""

    def __init__(self, matcher: Matcher, desired: Mapping[Address, Entry], actions: Mapping[Address, Action]) -> None:
        self._matcher = matcher
        self._desired = desired
        self.actions = dict(actions)
        self.findings: list[Finding] = []
        self._edges: dict[_Node, set[_Node]] = {}
        self._referrers: dict[tuple[str, str, str], list[Referrer]] = {}

    def operations(self) -> tuple[Operation, ...]:
        """All operations, each after those it needs; a cycle is a finding and yields none."""
        going = [action for action in self.actions.values() if action.verb in (Verb.DELETE, Verb.REPLACE)]
        if going:
            self._index_referrers({action.address.kind for action in going})
        for action in list(self.actions.values()):
            for step in _steps(action.verb):
                self._edges.setdefault((action.address, step), set())
        for action in list(self.actions.values()):
            if action.verb is not Verb.DELETE:
                self._needs_desired(action)
            if action.verb in (Verb.DELETE, Verb.REPLACE):
                self._frees(action)
            if action.verb is Verb.REPLACE:
                self._edge((action.address, Step.WRITE), (action.address, Step.DELETE))
        return self._sorted()

    def _edge(self, node: _Node, before: _Node) -> None:
        if node != before and before in self._edges:
            self._edges.setdefault(node, set()).add(before)

    def _needs_desired(self, action: Action) -> None:
        """What an object refers to, or must come after, is in place first."""
        entry = self._desired.get(action.address)
        if entry is None:
            return
        kind = self._matcher.kinds[action.address.kind]
        for field, ref in fields_with_references(kind.fields, entry.values):
            if ref.target in self.actions and not (field.refers and field.refers.shields):
                self._edge((action.address, Step.WRITE), (ref.target, Step.WRITE))
        for target in entry.after:
            self._edge((action.address, Step.WRITE), (target, Step.WRITE))

    def _frees(self, action: Action) -> None:
        """Whatever holds the object goes, or lets go, before it does."""
        node = (action.address, Step.DELETE)
        match = self._matcher.match(action.address)
        assert match.live is not None  # what is not there is not deleted
        blocked: list[str] = []
        for holder in self._referrers.get((match.live.site, match.live.kind.name, match.live.id), []):
            address = self._matcher.address_of(holder.live)
            other = self.actions.get(address) if address else self._original(holder.live)
            if holder.field.refers is not None and holder.field.refers.shields:
                if other is not None and other.verb in (Verb.DELETE, Verb.REPLACE):
                    self._edge((other.address, Step.DELETE), node)  # closed until there is nothing to open
            elif action.verb is Verb.REPLACE and not holder.blocks_delete:
                continue  # it refers by name, and the name will be there again
            elif other is not None and other.verb in (Verb.DELETE, Verb.REPLACE):
                self._edge(node, (other.address, Step.DELETE))
            elif not holder.blocks_delete:
                continue
            elif other is not None and other.verb is Verb.UPDATE and self._lets_go(other, holder, action.address):
                self._edge(node, (other.address, Step.WRITE))
            elif action.verb is Verb.REPLACE and address in self._desired and _clearable(holder):
                self._detach(address, holder, action)
            else:
                blocked.append(
                    str(address) if address else f"{holder.live.kind.name} {holder.live.name} (not in the ledger)"
                )
        for address, owned in self._matcher.owned().items() if action.verb is Verb.DELETE else ():
            if (
                str(action.address) in owned.refers
                and address in self.actions
                and not self._shields(address, action.address)
            ):
                other = self.actions[address]
                if other.verb in (Verb.DELETE, Verb.REPLACE):
                    self._edge(node, (address, Step.DELETE))
        if blocked:
            shown = ", ".join(sorted(blocked)[:5]) + (f" and {len(blocked) - 5} more" if len(blocked) > 5 else "")
            fix = (
                "make a new one under another name and move them to it"
                if action.verb is Verb.REPLACE
                else "remove those first"
            )
            block = Block("in-use", f"{len(blocked)} object(s) still refer to it: {shown}", fix)
            self.actions[action.address] = replace(action, blocked=(*action.blocked, block))

    def _shields(self, one: Address, other: Address) -> bool:
        """Whether objects like `one` keep objects like `other` closed."""
        fields = self._matcher.kinds[one.kind].fields
        return any(
            field.refers and field.refers.shields and other.kind in dict(field.refers.targets) for field in fields
        )

    def _original(self, copy: Live) -> Action | None:
        """The action that takes away what the system made `copy` of, on another site."""
        if not copy.kind.mirrored:
            return None
        for action in self.actions.values():
            address = action.address
            if (
                action.verb in (Verb.DELETE, Verb.REPLACE)
                and address.kind == copy.kind.name
                and address.site != copy.site
            ):
                live = self._matcher.match(address).live
                if live is not None and live.name == copy.name:
                    return action
        return None

    def _lets_go(self, other: Action, holder: Referrer, target: Address) -> bool:
        entry = self._desired.get(other.address)
        value = entry.values.get(holder.field.name) if entry else None
        return not any(ref.target == target for ref in references(value))

    def _detach(self, address: Address | None, holder: Referrer, replaced: Action) -> None:
        """An object that keeps referring to what is replaced lets go first and is attached again afterwards."""
        assert address is not None
        other = self.actions.get(address)
        live = holder.live
        entry = self._desired[address]
        change = FieldChange(
            path=holder.field.name,
            before=to_json(Ref(replaced.address)),
            after=to_json(Ref(replaced.address)),
            cause=Cause.DEPENDENCY,
            known_after_apply=True,
        )
        if other is None or other.verb is Verb.RELEASE:
            other = Action(
                address=address,
                verb=Verb.UPDATE,
                reason=f"{replaced.address} is replaced; it lets go before and is attached again after",
                desired=to_json(dict(entry.values)),
                origin=entry.origin,
                id=live.id,
                locator=live.locator,
                fingerprint=fingerprint(live.kind, entry.values, self._matcher.symbolic(live.kind, live, entry.values)),
                released=other.released if other else (),
            )
        self.actions[address] = replace(other, changes=(*other.changes, change))
        self._edges.setdefault((address, Step.DETACH), set())
        self._edges.setdefault((address, Step.WRITE), set())
        self._edge((replaced.address, Step.DELETE), (address, Step.DETACH))
        self._edge((address, Step.WRITE), (replaced.address, Step.WRITE))

    def _index_referrers(self, targets: set[str]) -> None:
        """Every live reference to an object of a kind in `targets`."""
        for (site, _), collection in self._matcher.observed.collections.items():
            if not collection.objects:
                continue
            kind = collection.objects[0].kind
            if not targets_of(kind.fields) & targets:
                continue
            for live in collection.objects:
                for field, refers, raw in raw_references(kind.fields, live.values):
                    for target, attribute in refers.targets:
                        if target in targets and raw is not None:
                            found = self._matcher.observed.find(site, target, attribute, raw)
                            if found is not None:
                                key = (site, target, found.id)
                                self._referrers.setdefault(key, []).append(Referrer(live, field, refers.blocks_delete))

    def referrers(self, action: Action) -> list[Referrer]:
        """The live objects that refer to an action's object."""
        live = self._matcher.match(action.address).live
        return [] if live is None else self._referrers.get((live.site, live.kind.name, live.id), [])

    def _sorted(self) -> tuple[Operation, ...]:
        sorter: TopologicalSorter[_Node] = TopologicalSorter()
        for node in sorted(self._edges, key=lambda node: (node[0], node[1].value)):
            sorter.add(node, *sorted(self._edges[node], key=lambda node: (node[0], node[1].value)))
        try:
            order = list(sorter.static_order())
        except CycleError as ring:
            self.findings.append(_circular([node[0] for node in ring.args[1]], self._desired))
            return ()
        index = {node: position for position, node in enumerate(order)}
        return tuple(
            Operation(address, step, tuple(sorted(index[before] for before in self._edges[address, step])))
            for address, step in order
        )


def circular(kinds: Mapping[str, Kind], entries: Iterable[Entry]) -> list[Finding]:
    """A finding for entries that need one another, so that none can be made first; at most one ring is named."""
    desired = {entry.address: entry for entry in entries}
    between: dict[str, set[str]] = {}
    for address, entry in desired.items():
        between.setdefault(address.kind, set()).update(target.kind for target in entry.after)
    for name, targets in between.items():
        targets |= _needed_kinds(kinds[name].fields)
    if _ring(between) is None:
        return []  # no entry can close a ring that their kinds do not: thousands need not be looked at
    needs = {
        address: {
            *(ref.target for field, ref in fields_with_references(kinds[address.kind].fields, entry.values)
              if not (field.refers and field.refers.shields)),
            *entry.after,
        } & desired.keys()
        for address, entry in desired.items()
    }  # fmt: skip
    found = _ring(needs)
    return [] if found is None else [_circular(found, desired)]


def _ring(needs: Mapping[_Named, Iterable[_Named]]) -> list[_Named] | None:
    sorter: TopologicalSorter[_Named] = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as ring:
        return list(ring.args[1])
    return None


def _needed_kinds(fields: tuple[Field, ...]) -> set[str]:
    found: set[str] = set()
    for field in fields:
        if field.refers is not None and not field.refers.shields:
            found |= {kind for kind, _ in field.refers.targets}
        found |= _needed_kinds(field.fields)
    return found


def _circular(ring: list[Address], desired: Mapping[Address, Entry]) -> Finding:
    # the sorter names what comes first before what needs it; the arrows say "needs"
    steps = list(dict.fromkeys(reversed(ring)))
    first = min(steps)
    turn = steps.index(first)
    path = " → ".join(map(str, (*steps[turn:], *steps[:turn], first)))
    where = desired[first].where if first in desired else None
    fix = "remove one of these references: none of them can be made first"
    return error("VP301", f"these need one another: {path}", fix=fix, where=where)


def _steps(verb: Verb) -> tuple[Step, ...]:
    if verb is Verb.DELETE:
        return (Step.DELETE,)
    return (Step.DELETE, Step.WRITE) if verb is Verb.REPLACE else (Step.WRITE,)


def _clearable(holder: Referrer) -> bool:
    """Whether null there means no reference: a null that is a choice would open or widen something meanwhile."""
    field = holder.field
    return field.shape.detachable and field.nullable and not field.has(Marker.EXPLICIT_NULL)
