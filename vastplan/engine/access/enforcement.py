"""Whether an object that keeps something closed is enforced by another one: an audit denies nothing. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.referrers import Referrer, Referrers
from vastplan.model.address import Address
from vastplan.model.plan import Action, Verb
from vastplan.model.value import from_json, references
from vastplan.schema.access import Enforces

_AS_DESIRED = (Verb.CREATE, Verb.UPDATE, Verb.ADOPT, Verb.REPLACE)


def keeps_closed_now(live: Live, referrers: Referrers) -> bool:
    """Whether a live object keeps something closed, as far as known: not while every object that enforces it only audits."""
    if live.kind.enforces is not None:
        return live.kind.enforces.enforced(live.values)
    if not live.kind.closes:
        return True
    enforced = [rule.enforced(referrer.live.values) for referrer, rule in enforcing(live, referrers)]
    return not enforced or any(enforced)


def enforcing(live: Live, referrers: Referrers) -> Iterator[tuple[Referrer, Enforces]]:
    """The live objects that enforce an object, whoever owns them, each with the rule by which it does."""
    for referrer in referrers.of(live):
        rule = referrer.live.kind.enforces
        if rule is not None and referrer.field.name == rule.field:
            yield referrer, rule


class EnforcedByPlan:
    """What is enforced once a plan is applied. The actions on objects that enforce something are indexed once."""

    def __init__(self, matches: Matches, actions: Mapping[Address, Action], referrers: Referrers) -> None:
        self._matches, self._actions, self._referrers = matches, actions, referrers
        self._enforced: dict[Address, list[bool]] = {}
        for action in actions.values():
            rule = matches.kinds[action.address.kind].enforces
            if rule is not None and action.verb in _AS_DESIRED:
                for policy in references(from_json(action.desired.get(rule.field))):
                    self._enforced.setdefault(policy.target, []).append(rule.enforced(action.desired))

    def after(self, address: Address, live: Live | None) -> bool:
        """Whether an object will be enforced. Assumed also where no object is known that enforces it or only audits it."""
        enforced = [*self._enforced.get(address, ()), *(self._left(live) if live is not None else ())]
        return not enforced or any(enforced)

    def _left(self, live: Live) -> Iterable[bool]:
        """For each object that enforces it now and that the plan leaves unchanged: whether it does more than audit."""
        for referrer, rule in enforcing(live, self._referrers):
            at = self._matches.address_of(referrer.live)
            action = self._actions.get(at) if at is not None else None
            if action is None or action.verb is Verb.RELEASE:
                yield rule.enforced(referrer.live.values)
