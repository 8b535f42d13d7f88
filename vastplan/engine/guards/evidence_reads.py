"""What has to be read and indexed for the guards: only for actions that delete or replace, or may let fewer clients in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from vastplan.engine.access.backing import kinds_behind, kinds_to_read, may_back
from vastplan.engine.access.closing import closing_rules, may_close, rules_of
from vastplan.engine.access.narrowing import cuts_off, may_narrow
from vastplan.engine.live.namesakes import shown_places
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.links import linked_kinds
from vastplan.engine.matching.originals import originals_to_read
from vastplan.engine.matching.remote_directories import landing_places
from vastplan.engine.values.delivery import delivered_into
from vastplan.model.address import Address
from vastplan.model.plan import GOING, Action, Verb
from vastplan.schema.dependents import Dependents
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts, mounting_kinds, reaching


def second_read(
    kinds: Mapping[str, Kind], actions: Mapping[Address, Action], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """The collections that only some actions need: dependents of objects to delete or replace, and clients that may be cut off.

    `systems` are the systems of each site. Returns pairs of site and kind.
    """
    kind_facts = facts(kinds)
    collections: set[tuple[str, str]] = set()
    narrowed: set[tuple[str, str]] = set()
    for action in actions.values():
        kind, site = kinds[action.address.kind], action.address.site
        if action.verb in GOING:
            collections |= {(site, name) for name in _hanging_on(kind, kinds)}
            collections |= {
                (site, name)
                for name in {*_reading_of(kind, kinds), *mounting_kinds(kinds, kind.name)}
                if kind_facts[name].system in systems.get(site, ())
            }
        else:
            collections |= {
                (site, name) for name in _emptied(kind, kinds) if kind_facts[name].system in systems.get(site, ())
            }
        collections |= {
            (place, name)
            for place, name in landing_places(action, kind)
            if kind_facts[name].system in systems.get(place, ())
        }
        collections |= set(originals_to_read(action, kind))
        collections |= {(site, name) for name in kinds_to_read(action, kinds)}
        if may_close(action, kind, actions):
            rules = closing_rules(action, kinds)
            users = {rule.kind for rule in rules}
            collections |= {(site, rule.within[0]) for rule in rules if rule.within[0]}  # also where the site has none
            collections |= {(site, user) for user in users if kind_facts[user].system in systems.get(site, ())}
        elif (site, kind.name) not in narrowed and cuts_off(action, kind):
            narrowed.add((site, kind.name))
    for site, name in narrowed:
        collections |= {
            (site, user) for user in reaching(kinds, kinds[name]) if kind_facts[user].system in systems.get(site, ())
        }
    return collections | _places(kinds, actions, systems)


def _places(
    kinds: Mapping[str, Kind], actions: Mapping[Address, Action], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """The kinds to read to determine which of several objects of one name is meant, where their referrers must be known."""
    kind_facts = facts(kinds)
    by_site: dict[str, dict[Address, Action]] = {}
    for address, action in actions.items():
        by_site.setdefault(address.site, {})[address] = action
    indexed = {site: kinds_to_index(kinds, of_site) for site, of_site in by_site.items()}
    return {
        (site, place)
        for site, targets in indexed.items()
        for place in shown_places((kinds[name] for name in targets), kind_facts.values())
        if kind_facts[place].system in systems.get(site, ())
    }


def _between(rule: Dependents, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds that dependents refer to and whose fields a rule compares (`tenant.local_provider`)."""
    names = {path.partition(".")[0] for _, path in rule.same if "." in path}
    fields = (kinds[rule.kind].field(name) for name in names)
    return {kind for field in fields if field.refers is not None for kind in field.refers.attributes}


def _hanging_on(kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds of the dependents of a kind, and the kinds needed to find these."""
    return {name for rule in kind.dependents for name in (rule.kind, *_between(rule, kinds))}


def _emptied(kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds of what may depend on the object from which an object of this kind lets the system delete."""
    refers = kind.field(kind.deleting.of).refers if kind.deleting is not None else None
    return {name for of in (refers.attributes if refers is not None else ()) for name in _hanging_on(kinds[of], kinds)}


def reads_beside(
    kinds: Mapping[str, Kind],
    actions: Mapping[Address, Action],
    going_away: Iterable[Live],
    systems: Mapping[str, Set[str]],
) -> set[tuple[str, str]]:
    """The collections that make a message better, and without which a plan is no less safe: what a new object is created in, which
    may be going away, and who still uses the objects that are."""
    rooms = {
        (action.address.site, room.kind)
        for action in actions.values()
        if action.verb in (Verb.CREATE, Verb.REPLACE) and (room := kinds[action.address.kind].endpoint.room) is not None
    }
    users = {(live.site, rule.kind) for live in going_away for rule in live.kind.used_by}
    lost = {
        (action.address.site, name)
        for action in actions.values()
        if action.verb in GOING
        for name in linked_kinds(kinds[action.address.kind], kinds)
    }
    kind_facts = facts(kinds)
    return {(site, name) for site, name in rooms | users | lost if kind_facts[name].system in systems.get(site, ())}


def may_be_read(kinds: Mapping[str, Kind], name: str) -> set[str]:
    """The kinds that any action on an object of a kind may need to read: at least all that `second_read` returns for it."""
    kind = kinds[name]
    rules = rules_of(kind, kinds)
    hangs_on_it = _hanging_on(kind, kinds)
    cut_off = {name for rule in rules for name in (rule.kind, rule.within[0]) if name}
    reading = _reading_of(kind, kinds) | {
        other for other, _, _ in (kind.remote_directory.shown_by if kind.remote_directory else ())
    }
    reading |= {name for rule in kind.created_from for name in rule.kinds}
    reading |= {name} if kind.mirrored else set()
    referring = {*reaching(kinds, kind)}
    places = shown_places((kinds[other] for other in {name, *delivered_into(kind), *referring}), facts(kinds).values())
    lost = linked_kinds(kind, kinds)
    return (
        lost
        | hangs_on_it
        | _emptied(kind, kinds)
        | cut_off
        | kinds_behind(rules, kind, kinds)
        | referring
        | reading
        | places
    )


def _reading_of(kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds whose objects may use what an object of a kind delivers: those that refer to its destination."""
    into = delivered_into(kind)
    return {name for name, kind_facts in facts(kinds).items() if kind_facts.targets & into} if into else set()


def kinds_to_index(kinds: Mapping[str, Kind], actions: Mapping[Address, Action]) -> set[str]:
    """The kinds whose referrers must be known: those deleted or replaced, and those that let fewer in, with all that reach them."""
    targets = {action.address.kind for action in actions.values() if action.verb in GOING}
    targets = targets.union(*(delivered_into(kinds[name]) for name in targets | _drawing(kinds, actions)))
    backed = {rule.backs.kind for action in actions.values() for rule in may_back(action, kinds) if rule.backs}
    if backed:  # and the kinds that keep these closed, to know whether that is enforced
        targets |= backed | {name for name, kind_facts in facts(kinds).items() if kind_facts.closes}
    narrowing = [action for action in actions.values() if may_narrow(action, kinds, actions)]
    for name in {action.address.kind for action in narrowing if cuts_off(action, kinds[action.address.kind])}:
        targets |= {name, *reaching(kinds, kinds[name])}
    # An object that closes something is enforced only by another object, which refers to it.
    return targets | {action.address.kind for action in narrowing if kinds[action.address.kind].closes}


def _drawing(kinds: Mapping[str, Kind], actions: Mapping[Address, Action]) -> set[str]:
    """The kinds of which a value is delivered to another destination: the users of the old destination must be known."""
    return {
        action.address.kind
        for action in actions.values()
        if action.verb is Verb.UPDATE
        and (delivers := kinds[action.address.kind].delivers) is not None
        and any(change.path == delivers.to for change in action.changes)
    }
