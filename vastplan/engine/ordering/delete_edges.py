"""What happens before an object is deleted: what refers to it is deleted, or detached and attached again, or blocks the delete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import cached_property
from itertools import product

from vastplan.engine.live.diff import live_fingerprint
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.dependents import DependentsIndex
from vastplan.engine.matching.referrers import Referrer, Referrers
from vastplan.engine.matching.usage import deleted
from vastplan.engine.ordering.work_graph import Node, WorkGraph
from vastplan.engine.values.delivery import delivers_of, delivery_places, destination, destinations, is_moved
from vastplan.model.address import Address
from vastplan.model.plan import GOING, Action, Block, Cause, FieldChange, Step, Verb
from vastplan.model.site_ledger import Owned
from vastplan.model.value import Ref, references, to_json
from vastplan.model.wording import counted, some
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import mounting_kinds
from vastplan.schema.markers import Marker

_SHOWN = 5  # names in a message
_LET_GO = "delete those first, or let them refer to another object"


class DeleteEdges:
    """Adds the edges around the deletes of a plan to its graph, and an update for each object that has to be detached."""

    def __init__(
        self,
        graph: WorkGraph,
        matches: Matches,
        desired: Mapping[Address, Entry],
        referrers: Referrers,
        dependents: DependentsIndex,
    ) -> None:
        self._dependents = dependents
        self._graph, self._matches, self._desired, self._referrers = graph, matches, desired, referrers
        going = [action for action in graph.actions.values() if action.verb in GOING]
        self._followers = _followers(matches, going)
        self._originals = _originals(matches, going)

    def draw(self, action: Action) -> None:
        """Order the delete of the action's object: all that refers to it is deleted or detached first, or blocks it."""
        node = (action.address, Step.DELETE)
        live = self._matches.match(action.address).live
        assert live is not None  # an object that does not exist has no delete
        in_the_way: set[str] = set()
        creators: set[str] = set()
        silent: set[tuple[Address, str]] = set()
        for referrer in self._referrers.of(live):
            if not self._makes_way(action, node, referrer):
                address = self._matches.address_of(referrer.live)
                if address is None and _goes_along(referrer.live):
                    continue
                stranger = f"{referrer.live.kind.name} {referrer.live.name} (not in the ledger)"
                in_the_way.add(str(address) if address else stranger)
                creators.add(referrer.live.controller if address is None else "")
                if address is not None and self._is_silent(address, referrer):
                    silent.add((address, referrer.field.name))
        if by_text := self._named_by_text(action, live, node):
            in_the_way |= by_text
            creators.add("")
        self._after_what_would_stay_behind(live, node)
        self._after_what_it_protects(live, node)
        if action.verb is Verb.DELETE:
            self._after_who_reads_its_values(action)
            self._mounts_first(action.address)
            for address in self._followers.get(str(action.address), ()):
                kind = self._matches.kinds[address.kind]
                if self._delivers_into(address, action.address) or _protects(kind, action.address):
                    continue  # that one is deleted after this
                if shields(kind, action.address):
                    self._graph.edge((address, Step.DELETE), node)
                else:
                    self._graph.edge(node, (address, Step.DELETE))
        if in_the_way:
            self._graph.block(action.address, _still_referred_to(action, in_the_way, creators, silent))

    def _is_silent(self, address: Address, referrer: Referrer) -> bool:
        """Whether the document has an object without the list by which it refers to the other: then the list keeps its items."""
        entry = self._desired.get(address)
        return entry is not None and referrer.field.shape.unordered and referrer.field.name not in entry.values

    def _named_by_text(self, action: Action, live: Live, node: Node) -> set[str]:
        """Order objects that refer to this one by a text field: deleted, or given another value, first. Returns those that are neither."""
        in_the_way: set[str] = set()
        for rule in live.kind.dependents:
            if not rule.by:
                continue
            problem = self._matches.observed.error(live.site, rule.kind)
            if problem:
                text = f"cannot determine whether there are {rule.name}: {problem}"
                self._graph.block(action.address, Block("unseen", text, "plan again when the system answers"))
            for other in self._dependents.of(live, rule):
                address = self._matches.address_of(other)
                planned = self._graph.actions.get(address) if address is not None else None
                if planned is not None and planned.verb in GOING:
                    self._graph.edge(node, (planned.address, Step.DELETE))
                elif (
                    planned is not None and action.verb is Verb.DELETE and planned.verb is Verb.UPDATE
                    and any(change.path == rule.by for change in planned.changes)
                ):  # fmt: skip
                    self._graph.edge(node, (planned.address, Step.WRITE))
                else:
                    in_the_way.add(str(address or f"{other.kind.name} {other.name} (not in the ledger)"))
        return in_the_way

    def _mounts_first(self, address: Address) -> None:
        """Of the objects deleted with the one they refer to, those through which workloads mount it are deleted first.

        The system refuses to delete these while they are in use, so the others are then still there.
        """
        followers = self._followers.get(str(address), ())
        mounting = mounting_kinds(self._matches.kinds, address.kind)
        first = [follower for follower in followers if follower.kind in mounting]
        rest = [follower for follower in followers if follower.kind not in mounting]
        for follower, other in product(first, rest):
            self._graph.edge((other, Step.DELETE), (follower, Step.DELETE))

    def _after_what_would_stay_behind(self, live: Live, node: Node) -> None:
        """Dependents that would stay behind and that this plan deletes are deleted first: if that fails, the object is kept."""
        for rule in live.kind.dependents:
            if rule.remain:
                for address in deleted(self._dependents.of(live, rule), self._matches, self._graph.actions):
                    self._graph.edge(node, (address, Step.DELETE))

    def _after_what_it_protects(self, live: Live, node: Node) -> None:
        """What protects or limits data is deleted after the data: if that is refused, the data keeps its protection."""
        for rule in live.kind.protects:
            for address in deleted(self._dependents.of(live, rule), self._matches, self._graph.actions):
                self._graph.edge(node, (address, Step.DELETE))

    def _after_who_reads_its_values(self, action: Action) -> None:
        """Order the delete of an object that delivers a value after that of its destination; block it while the destination is kept and
        in use."""
        owned = self._matches.owned.get(action.address)
        if owned is None or not owned.delivered or action.address in self._matches.formers:
            return
        kept = self._kept
        for heir in dict.fromkeys(kept[place] for place in owned.delivered if place in kept):
            if heir not in self._graph.actions and heir not in self._matches.owned:
                text = f"waits for {heir}, which delivers to the same place and is unknown"
                self._graph.block(action.address, Block("waits", text))
        for into in destinations(owned):
            other = self._graph.actions.get(into)
            live = self._matches.match(into).live
            if other is not None and other.verb in GOING:
                self._graph.edge((action.address, Step.DELETE), (into, Step.DELETE))
            elif live is not None and not self._is_kept(owned, into):
                users = {
                    self._called(referrer.live) for referrer in self._referrers.of(live) if not self._goes(referrer)
                }
                if users:
                    text = f"what it delivers to {into} is in use by {some(sorted(users), _SHOWN)}"
                    self._graph.block(action.address, Block("in-use", text, _LET_GO))

    def deliver_elsewhere(self, action: Action) -> None:
        """A value that is drawn again for another destination is applied together with its users at the old one.

        A user that keeps using the old destination blocks it.
        """
        owned, entry = self._matches.owned.get(action.address), self._desired.get(action.address)
        delivers = delivers_of(self._matches.kinds[action.address.kind], entry.values) if entry is not None else None
        if action.verb is not Verb.UPDATE or owned is None or entry is None or delivers is None or not delivers.drawn:
            return
        where = destination(delivers, entry.values)
        for into in destinations(owned) - {where.target.target} if is_moved(where, owned) else ():
            live = self._matches.match(into).live
            for referrer in self._referrers.of(live) if live is not None and not self._is_kept(owned, into) else ():
                address = self._matches.address_of(referrer.live)
                if address is not None and self._goes(referrer):
                    self._graph.together(action.address, address)
                else:
                    text = f"{self._called(referrer.live)} uses what it delivers to {into}, and would keep using a value that is no longer valid"
                    self._graph.block(action.address, Block("in-use", text, _LET_GO))
                    return

    def _called(self, live: Live) -> str:
        return str(self._matches.address_of(live) or f"{live.kind.name} {live.name}")

    def _is_kept(self, owned: Owned, into: Address) -> bool:
        """Whether entries of the document deliver to all places in `into` that the object delivered to."""
        return self._kept.keys() >= {place for place in owned.delivered if place.startswith(f"{into} ")}

    @cached_property
    def _kept(self) -> Mapping[str, Address]:
        """By place, the entry of the document that delivers there."""
        return {
            place: other
            for other, entry in self._desired.items()
            for place in delivery_places(self._matches.kinds[other.kind], entry.values)
        }

    def _delivers_into(self, address: Address, into: Address) -> bool:
        owned = self._matches.owned.get(address)
        return owned is not None and address not in self._matches.formers and into in destinations(owned)

    def _goes(self, referrer: Referrer) -> bool:
        address = self._matches.address_of(referrer.live)
        action = self._graph.actions.get(address) if address else None
        return action is not None and (
            action.verb in GOING or (action.verb is Verb.UPDATE and _writes(action, referrer.field))
        )

    def _makes_way(self, action: Action, node: Node, referrer: Referrer) -> bool:
        """Order a referrer around the delete of the object. Returns whether it does not block the delete."""
        address = self._matches.address_of(referrer.live)
        other = self._graph.actions.get(address) if address else self._originals.get(_copied(referrer.live))
        goes = other is not None and other.verb in GOING
        if referrer.shields:
            if other is not None and goes:
                self._graph.edge((other.address, Step.DELETE), node)  # it keeps the object closed until that is deleted
            return True
        stays = referrer.attribute not in self._matches.coming.get(action.address, ())
        if action.verb is Verb.REPLACE and not referrer.blocks_delete and stays:
            return True  # it refers by name, and the replacement has the same name
        if other is not None and goes:
            self._graph.edge(node, (other.address, Step.DELETE))
            return True
        if not referrer.blocks_delete and not referrer.needs:
            return True
        if other is not None and other.verb is Verb.UPDATE and _writes(other, referrer.field):
            if action.verb is Verb.REPLACE and not referrer.blocks_delete:
                return True  # it gets the new name once an object of that name exists
            if self._lets_go(other, referrer, action.address):
                self._graph.edge(node, (other.address, Step.WRITE))
                return True
        if not referrer.blocks_delete:
            return False
        if action.verb is Verb.REPLACE and address in self._desired and _clearable(referrer.field):
            assert address is not None
            self._detach(address, referrer, action)
            return True
        return False

    def _lets_go(self, update: Action, referrer: Referrer, target: Address) -> bool:
        entry = self._desired.get(update.address)
        value = entry.values.get(referrer.field.name) if entry else None
        return not any(ref.target == target for ref in references(value))

    def _detach(self, address: Address, referrer: Referrer, replaced: Action) -> None:
        """Detach an object that keeps referring to what is replaced, before the delete, and attach it again after the create."""
        update = self._graph.actions.get(address)
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
            old = self._matches.renames.moves.get(address)  # renamed also where only the replaced object was targeted
            update = Action(
                address=address,
                verb=Verb.UPDATE,
                reason=f"{replaced.address} is replaced; it is detached before that and attached again after",
                desired=to_json(dict(entry.values)),
                origin=entry.origin,
                id=live.id,
                locator=live.locator,
                fingerprint=live_fingerprint(
                    live.kind, entry.values, self._matches.symbolic(live.kind, live, references(entry.values))
                ),
                released=update.released if update else (),
                renamed_from=str(old) if old else "",
            )
        self._graph.put(replace(update, changes=(*update.changes, change)))
        self._graph.add((address, Step.DETACH))
        self._graph.add((address, Step.WRITE))
        self._graph.edge((replaced.address, Step.DELETE), (address, Step.DETACH))
        self._graph.edge((address, Step.WRITE), (replaced.address, Step.WRITE))


def shields(kind: Kind, other: Address) -> bool:
    """Whether objects of a kind keep objects like the one at `other` closed."""
    return any(field.refers and field.refers.shields and other.kind in field.refers.attributes for field in kind.fields)


def _protects(kind: Kind, other: Address) -> bool:
    """Whether objects of a kind protect or limit the data of objects like the one at `other`."""
    return any(rule.kind == other.kind for rule in kind.protects)


def _goes_along(live: Live) -> bool:
    """Whether the system itself deletes an object with what it refers to."""
    return any(owner.goes_along and owner.name == live.controller for owner in live.kind.controller_owned)


def _followers(matches: Matches, going: Iterable[Action]) -> dict[str, list[Address]]:
    """By address, the objects to delete or replace that were last applied with a reference to it: no system shows all of these."""
    followers: dict[str, list[Address]] = {}
    for action in going:
        owned = matches.owned.get(action.address)
        for target in owned.refers if owned else ():
            followers.setdefault(target, []).append(action.address)
    return followers


def _originals(matches: Matches, going: Iterable[Action]) -> dict[tuple[str, str, str], Action]:
    """The actions that delete or replace an object of which the system keeps copies on other sites; by kind, name and the copy's site."""
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


def _still_referred_to(action: Action, names: Set[str], creators: Set[str], silent: Set[tuple[Address, str]]) -> Block:
    """The block for an object that `names` still refer to.

    `creators` are the controllers that created some of them for themselves, and delete these with what they are for; "" stands
    for all others. `silent` are objects of the document that keep what a list refers to, because their entries do not have the list.
    """
    if action.verb is Verb.REPLACE:
        fix = "create a new one under another name and let those refer to it"
    elif len(creators) == 1 and (creator := next(iter(creators))):
        fix = f"{creator} created them: apply the deletion of what they are for, then plan again"
    elif len(silent) == len(names):
        lists = [f"{name}: [] in {address}" for address, name in sorted(silent)]
        fix = f"write {some(lists, _SHOWN)}, or there what is to stay; without that a list keeps what it has"
    else:
        fix = _LET_GO
    text = f"{counted(len(names), 'object')} still {'refers' if len(names) == 1 else 'refer'} to it: {some(sorted(names), _SHOWN)}"
    return Block("in-use", text, fix)


def _writes(action: Action, field: Field) -> bool:
    """Whether an update writes a field: one that the document no longer has keeps its value."""
    return any(change.path.partition(".")[0] == field.name for change in action.changes)


def _clearable(field: Field) -> bool:
    """Whether null there means no reference: where null is a choice, it would open or widen something until the reattach."""
    return field.shape.detachable and field.nullable and not field.has(Marker.EXPLICIT_NULL)
