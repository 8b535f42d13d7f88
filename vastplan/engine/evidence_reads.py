"""What guards need to be read and indexed for: only where something is to go, or may let fewer in."""

from __future__ import annotations

from collections.abc import Mapping, Set

from vastplan.engine.backing import kinds_behind, kinds_to_read, may_back
from vastplan.engine.closing import closing_rules, may_close, rules_of
from vastplan.engine.delivery import delivered_into
from vastplan.engine.landing import landing_places
from vastplan.engine.meant import places_told
from vastplan.engine.narrowing import cuts_off, may_narrow
from vastplan.model.address import Address
from vastplan.model.plan import GOING, Action, Verb
from vastplan.schema.kind import Dependents, Kind
from vastplan.schema.references import reaching, targets_of


def second_read(
    kinds: Mapping[str, Kind], actions: Mapping[Address, Action], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """The collections that only some actions need: what hangs on objects that are to go, and what would be cut off.

    `systems` says what each site has. Answers sites with kinds.
    """
    collections: set[tuple[str, str]] = set()
    narrowed: set[tuple[str, str]] = set()
    for action in actions.values():
        kind, site = kinds[action.address.kind], action.address.site
        if action.verb in GOING:
            collections |= {(site, name) for name in _hanging_on(kind, kinds)}
            collections |= {
                (site, one) for one in _reading_of(kind, kinds) if kinds[one].system in systems.get(site, ())
            }
        else:
            collections |= {
                (site, name) for name in _emptied(kind, kinds) if kinds[name].system in systems.get(site, ())
            }
        collections |= {
            (there, one) for there, one in landing_places(action, kind) if kinds[one].system in systems.get(there, ())
        }
        collections |= {(site, name) for name in kinds_to_read(action, kinds)}
        if may_close(action, kind, actions):
            users = {rule.kind for rule in closing_rules(action, kinds)}
            collections |= {(site, user) for user in users if kinds[user].system in systems.get(site, ())}
        elif (site, kind.name) not in narrowed and cuts_off(action, kind):
            narrowed.add((site, kind.name))
    for site, name in narrowed:
        collections |= {
            (site, user) for user in reaching(kinds, kinds[name]) if kinds[user].system in systems.get(site, ())
        }
    return collections | _places(kinds, actions, systems)


def _places(
    kinds: Mapping[str, Kind], actions: Mapping[Address, Action], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """What tells which of several of a name is meant, where it has to be known who refers to them."""
    by_site: dict[str, dict[Address, Action]] = {}
    for address, action in actions.items():
        by_site.setdefault(address.site, {})[address] = action
    indexed = {site: kinds_to_index(kinds, of_site) for site, of_site in by_site.items()}
    return {
        (site, place)
        for site, targets in indexed.items()
        for place in places_told((kinds[name] for name in targets), kinds.values())
        if kinds[place].system in systems.get(site, ())
    }


def _between(rule: Dependents, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds of which fields are compared that what hangs on an object refers to."""
    names = {theirs.partition(".")[0] for _, theirs in rule.same if "." in theirs}
    fields = (kinds[rule.kind].field(name) for name in names)
    return {kind for field in fields if field.refers is not None for kind in field.refers.attributes}


def _hanging_on(kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds of what hangs on objects of a kind, and of what tells that it does."""
    return {name for rule in kind.dependents for name in (rule.kind, *_between(rule, kinds))}


def _emptied(kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """What may hang on an object that one of a kind has the system delete of."""
    refers = kind.field(kind.deleting.of).refers if kind.deleting is not None else None
    return {name for of in (refers.attributes if refers is not None else ()) for name in _hanging_on(kinds[of], kinds)}


def may_be_read(kinds: Mapping[str, Kind], name: str) -> set[str]:
    """The kinds that an action on an object of a kind may ask for, whatever the action: no fewer than `second_read` can."""
    kind = kinds[name]
    rules = rules_of(kind, kinds)
    hangs_on_it = _hanging_on(kind, kinds)
    cut_off = {rule.kind for rule in rules}
    reading = _reading_of(kind, kinds) | {one for one, _, _ in (kind.lands.shown_by if kind.lands else ())}
    referring = {*reaching(kinds, kind)}
    places = places_told((kinds[one] for one in {name, *delivered_into(kind), *referring}), kinds.values())
    return (
        hangs_on_it | _emptied(kind, kinds) | cut_off | kinds_behind(rules, kind, kinds) | referring | reading | places
    )


def _reading_of(kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds whose objects may use what one of a kind delivers: those that refer to where it goes."""
    into = delivered_into(kind)
    return {name for name, other in kinds.items() if into and targets_of(other.fields) & into}


def kinds_to_index(kinds: Mapping[str, Kind], actions: Mapping[Address, Action]) -> set[str]:
    """The kinds whose referrers have to be known: of what goes, and of what narrows with all that reaches it."""
    targets = {action.address.kind for action in actions.values() if action.verb in GOING}
    targets = targets.union(*(delivered_into(kinds[name]) for name in targets | _drawing(kinds, actions)))
    backed = {rule.backs.kind for action in actions.values() for rule in may_back(action, kinds) if rule.backs}
    if backed:  # and what is closed, and whether that is in force
        targets |= backed | {name for name, kind in kinds.items() if kind.closes}
    narrowing = [action for action in actions.values() if may_narrow(action, kinds, actions)]
    for name in {action.address.kind for action in narrowing if cuts_off(action, kinds[action.address.kind])}:
        targets |= {name, *reaching(kinds, kinds[name])}
    # What closes something is in force only while another object puts it in force, and that one refers to it.
    return targets | {action.address.kind for action in narrowing if kinds[action.address.kind].closes}


def _drawing(kinds: Mapping[str, Kind], actions: Mapping[Address, Action]) -> set[str]:
    """The kinds of which a value is delivered anew: who uses it where it was has to be known."""
    return {
        action.address.kind
        for action in actions.values()
        if action.verb is Verb.UPDATE
        and (delivers := kinds[action.address.kind].delivers) is not None
        and any(change.path == delivers.to for change in action.changes)
    }
