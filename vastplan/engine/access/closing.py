"""What a plan would close to clients that use it now: the rooms (namespaces, say), with the number of users in each. Pure.

Such an object closes something only while another one enforces it (an admission policy and its binding). So something is newly
closed when the policy is created or repaired, and when its binding is; before that, it was open to every room. A policy that is
only audited closes nothing until it is enforced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from vastplan.engine.access.enforcement import EnforcedByPlan, enforcing
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.live.users import ByUsed, by_used, listed
from vastplan.engine.matching.referrers import Referrers
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Verb
from vastplan.model.value import Reason, Ref, Unknown, from_json, references
from vastplan.schema.access import Closes, Enforces
from vastplan.schema.kind import Kind, Values


@dataclass(frozen=True, slots=True)
class Closed:
    """What would be closed, as text; the rooms to which it is closed, with the number of users in each; and users the plan deletes.

    `users` are the names of those that stay, where the rule wants them named.
    """

    rule: Closes
    text: str
    rooms: Mapping[str, int] | Unknown
    leaving: tuple[Address, ...] = ()
    users: tuple[str, ...] = ()


def may_close(action: Action, kind: Kind, actions: Mapping[Address, Action]) -> bool:
    """Whether an action may close something, decided without live objects."""
    if kind.closes:
        return _writes(action)
    if kind.enforces is None or not _mends(action, kind.enforces) or not kind.enforces.enforced(action.desired):
        return False
    # where the plan also writes what it enforces, that action is judged for both; a policy adopted unchanged closes nothing by itself
    policies = references(from_json(action.desired.get(kind.enforces.field)))
    return not any((policy := actions.get(ref.target)) is not None and _writes(policy) for ref in policies)


def closing_rules(action: Action, kinds: Mapping[str, Kind]) -> tuple[Closes, ...]:
    """The rules by which an action may close something: those of its kind, or of the kinds that it enforces."""
    kind = kinds[action.address.kind]
    if kind.enforces is None:
        return tuple(rule for rule in kind.closes if action.desired.get(rule.field) is not None)
    return rules_of(kind, kinds)


def rules_of(kind: Kind, kinds: Mapping[str, Kind]) -> tuple[Closes, ...]:
    """The rules of a kind, or those of the kinds that it enforces."""
    if kind.enforces is None:
        return kind.closes
    refers = kind.field(kind.enforces.field).refers
    return tuple(rule for target, _ in (refers.targets if refers else ()) for rule in kinds[target].closes)


def _writes(action: Action) -> bool:
    return action.verb in (Verb.CREATE, Verb.REPLACE) or (
        action.verb in (Verb.UPDATE, Verb.ADOPT) and bool(_changed(action))
    )


def _changed(action: Action) -> set[str]:
    return {change.path.partition(".")[0] for change in action.changes}


def _mends(action: Action, rule: Enforces) -> bool:
    """Whether an object enforced nothing before this action: it is created, replaced, or a wrong value in `by` is corrected."""
    return action.verb in (Verb.CREATE, Verb.REPLACE) or (
        action.verb in (Verb.UPDATE, Verb.ADOPT) and bool(_changed(action) & {*rule.by})
    )


class ClosedRooms:
    """The data for judging what a plan closes. The users of each kind are indexed once, on first use."""

    def __init__(self, matches: Matches, actions: Mapping[Address, Action], referrers: Referrers) -> None:
        self.matches, self.actions, self.referrers = matches, actions, referrers
        self._users: dict[tuple[str, Closes], ByUsed | Unknown] = {}
        self._by_plan: EnforcedByPlan | None = None

    def enforced(self, address: Address, live: Live | None) -> bool:
        """Whether the object at an address is enforced once the plan is applied."""
        if self._by_plan is None:
            self._by_plan = EnforcedByPlan(self.matches, self.actions, self.referrers)
        return self._by_plan.after(address, live)

    def users(self, site: str, rule: Closes) -> ByUsed | Unknown:
        """The live objects by what they use."""
        if (site, rule) not in self._users:
            self._users[site, rule] = by_used(self.matches.observed, site, rule.kind, rule.user_field)
        return self._users[site, rule]

    def within(self, site: str, rule: Closes) -> Set[str] | Unknown | None:
        """The rooms that a rule is about; `None` for all."""
        of, attribute = rule.within
        if not of:
            return None
        problem = self.matches.observed.error(site, of)
        if problem and not self.matches.observed.absent(site, of):
            return Unknown(problem, Reason.UNREAD)
        return {str(live.attributes.get(attribute)) for live in self.matches.observed.objects(site, of)}

    def names(self, site: str, kind: Kind, values: Values, name: str) -> tuple[str, ...]:
        """The values of a field as the system writes them, without references that cannot be resolved."""
        names, refers = [], kind.field(name).refers
        for item in listed(values.get(name)):
            if isinstance(item, Ref):
                item = self.matches.resolve(item, refers.attribute(item.target.kind)) if refers else item
            if not isinstance(item, Unknown):
                names.append(str(item))
        return tuple(names)

    def exists(self, site: str, kind: Kind, rule: Closes, name: str) -> bool:
        """Whether what would be closed exists: nobody can be kept out of what is yet to be created."""
        refers, observed = kind.field(rule.field).refers, self.matches.observed
        return refers is None or any(
            observed.error(site, target) or observed.find(site, target, attribute, name) is not None
            for target, attribute in refers.targets
        )

    def in_force(self, live: Live) -> bool:
        """Whether a live object is enforced already, and not only by this plan."""
        for referrer, rule in enforcing(live, self.referrers):
            address = self.matches.address_of(referrer.live)
            if address is None or not rule.enforced(referrer.live.values):
                continue  # an object outside the ledger is not known in full
            action = self.actions.get(address)
            if action is None or not _mends(action, rule):
                return True
        return False


def closed_by(action: Action, rooms: ClosedRooms) -> Closed | None:
    """What an action closes to rooms that use it now; `None` if nothing."""
    matches, site = rooms.matches, action.address.site
    kind, values = matches.kinds[action.address.kind], from_json(dict(action.desired))
    live = matches.match(action.address).live
    changed: set[str] | None = _changed(action)
    if kind.enforces is not None:  # the policy that it enforces does not change, and closed nothing until now
        (policy,) = references(values.get(kind.enforces.field)) or (None,)
        live = _of(policy, matches) if policy is not None else None
        if live is None:
            return None
        kind, values, changed = live.kind, live.values, None
    elif not rooms.enforced(action.address, live):
        return None
    found: list[Closed] = []
    for rule in kind.closes:
        names = rooms.names(site, kind, values, rule.field)
        names = tuple(name for name in names if rooms.exists(site, kind, rule, name))
        if names and not _open(rule, values):
            held = live is not None and changed is not None and not changed & {*rule.by} and rooms.in_force(live)
            before = live.values if held and live is not None else None
            closed = _closed(rule, kind, names, before, values, site, rooms)
            found += [closed] if closed is not None else []
    return _together(found) if len(found) > 1 else next(iter(found), None)


def _together(found: Sequence[Closed]) -> Closed:
    """What rules with the same users close, each user counted once."""
    unknown = [one for one in found if isinstance(one.rooms, Unknown)]
    if unknown:
        return unknown[0]
    users = sorted({user for one in found for user in one.users})
    rooms = Counter(user.partition("/")[0] for user in users)
    leaving = dict.fromkeys(address for one in found for address in one.leaving)
    return Closed(found[0].rule, ", ".join(one.text for one in found), rooms, tuple(leaving), tuple(users))


def _open(rule: Closes, values: Values) -> bool:
    return values.get(rule.unless) is True  # a rule without `unless` has "", which names no field


def _of(ref: Ref, matches: Matches) -> Live | None:
    live = matches.match(ref.target).live
    if live is None:
        named = matches.observed.named(ref.target.site, matches.kinds[ref.target.kind], ref.target.name)
        (live,) = named if len(named) == 1 else (None,)
    return live


def _closed(
    rule: Closes,
    kind: Kind,
    names: tuple[str, ...],
    before: Values | None,
    after: Values,
    site: str,
    rooms: ClosedRooms,
) -> Closed | None:
    refers, text = kind.field(rule.field).refers, ", ".join(names)
    if refers is not None:
        text = f"{next(iter(refers.attributes))} {text}"
    was_in: set[str] | None = None  # everybody
    if before is not None and not _open(rule, before):
        was_in = {str(room) for room in listed(before.get(rule.but))}
    still_in = {*rooms.names(site, kind, after, rule.but)} if rule.but else set()
    if was_in is not None and was_in <= still_in:
        return None
    users = rooms.users(site, rule)
    if isinstance(users, Unknown):
        return Closed(rule, text, users)
    counts: dict[str, int] = {}
    leaving: list[Address] = []
    staying: list[str] = []
    found = {user.id: user for name in names for user in users.get(name, ())}
    within = rooms.within(site, rule) if found else None
    if isinstance(within, Unknown):
        return Closed(rule, text, within)
    for live in found.values():
        room = str(live.values.get(rule.room))
        if (
            room in still_in
            or (was_in is not None and room not in was_in)
            or (within is not None and room not in within)
        ):
            continue
        address = rooms.matches.address_of(live)
        going = rooms.actions.get(address) if address is not None else None
        if going is not None and going.verb is Verb.DELETE:
            leaving.append(going.address)
        else:
            counts[room] = counts.get(room, 0) + 1
            staying.append(f"{room}/{live.name}")
    named = tuple(sorted(staying)) if rule.named else ()
    return Closed(rule, text, counts, tuple(leaving), named) if counts or leaving else None
