"""Objects without which others would be closed in vain, because clients could bypass them. Several documents share them. Pure.

An admission policy keeps pods from declaring VAST volumes of their own and so bypassing every class: each class that is kept
closed relies on it, also the classes of other documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.engine.access.enforcement import keeps_closed_now
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.referrers import Referrers
from vastplan.model.address import Address
from vastplan.model.plan import Action, Verb
from vastplan.model.value import Reason, Unknown
from vastplan.schema.access import Backs, Closes
from vastplan.schema.field import scalar_reader
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts
from vastplan.schema.references import raw_references


def may_back(action: Action, kinds: Mapping[str, Kind]) -> tuple[Closes, ...]:
    """The rules by which other objects may rely on what an action deletes or stops enforcing, or on what that object enforces.

    Decided without live objects.
    """
    kind = kinds[action.address.kind]
    if action.verb is not Verb.DELETE and not _lapses(action, kind):
        return ()
    closing = (kind, *(kinds[name] for name in _enforced(kind)))
    return tuple(rule for closer in closing for rule in closer.closes if rule.backs is not None)


def _lapses(action: Action, kind: Kind) -> bool:
    """Whether the object of an action stops enforcing something and only reports it from then on."""
    rule, lost = kind.enforces, {change.path.partition(".")[0] for change in action.changes}
    return rule is not None and rule.when is not None and rule.when[0] in lost and not rule.enforced(action.desired)


def kinds_to_read(action: Action, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds to read to determine what relies on the object that an action deletes or that stops enforcing, see `kinds_behind`."""
    return kinds_behind(may_back(action, kinds), kinds[action.address.kind], kinds)


def kinds_behind(rules: Iterable[Closes], kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds to read for these rules of a kind: those that they back, those that shield these, and those that the kind enforces."""
    backed = {rule.backs.kind for rule in rules if rule.backs is not None}
    if not backed:
        return set()
    shields = {name for name, kind_facts in facts(kinds).items() if kind_facts.shields & backed}
    return backed | shields | {*_enforced(kind)}


def relying(
    action: Action, matches: Matches, referrers: Referrers, actions: Mapping[Address, Action]
) -> list[Live] | Unknown:
    """The live objects that would be closed in vain without what an action deletes or stops enforcing.

    Without those that the plan deletes too, and without those of the document itself: for them it would have kept this object.
    `Unknown` where a kind that decides could not be read.
    """
    live = matches.match(action.address).live
    if live is None or not may_back(action, matches.kinds) or not keeps_closed_now(live, referrers):
        return []
    objects: list[Live] = []
    for name in _enforced(live.kind):
        if problem := _unread(matches, live.site, name):
            return Unknown(problem, Reason.UNREAD)
    for closing in (live, *_puts_in_force(live, matches)):
        for rule in closing.kind.closes:
            values = closing.values.get(rule.field)
            if rule.backs is None or not values:
                continue
            if problem := _unread(matches, live.site, rule.backs.kind):
                return Unknown(problem, Reason.UNREAD)
            objects += _closed(rule.backs, values, live.site, matches, referrers)
    return [other for other in objects if not matches.desires(other) and not _goes(other, matches, actions)]


def _closed(rule: Backs, values: Iterable[Any], site: str, matches: Matches, referrers: Referrers) -> Iterator[Live]:
    field = matches.kinds[rule.kind].field(rule.field)
    read = scalar_reader(field.codec) or str
    wanted = {read(item) for item in values}
    for live in matches.observed.objects(site, rule.kind):
        shielding = (referrer.live for referrer in referrers.of(live) if referrer.shields)
        if live.values.get(field.name) in wanted and any(keeps_closed_now(shield, referrers) for shield in shielding):
            yield live


def _unread(matches: Matches, site: str, kind: str) -> str:
    return "" if matches.observed.absent(site, kind) else matches.observed.error(site, kind)


def _enforced(kind: Kind) -> tuple[str, ...]:
    refers = kind.field(kind.enforces.field).refers if kind.enforces is not None else None
    return tuple(target for target, _ in refers.targets) if refers is not None else ()


def _puts_in_force(live: Live, matches: Matches) -> Iterator[Live]:
    rule = live.kind.enforces
    if rule is None:
        return
    for field, refers, raw in raw_references(live.kind.fields, live.values):
        for kind, attribute in refers.targets if field.name == rule.field else ():
            target = matches.observed.find(live.site, kind, attribute, raw)
            if target is not None:
                yield target


def _goes(live: Live, matches: Matches, actions: Mapping[Address, Action]) -> bool:
    address = matches.address_of(live)
    action = actions.get(address) if address is not None else None
    return action is not None and action.verb is Verb.DELETE
