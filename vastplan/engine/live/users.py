"""Who uses what, and in which room: the claims of a class by namespace, the pods of a claim. Pure.

Each kind declares the fields by which it is used (`UsedBy`). What could not be read is `Unknown`, never empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from vastplan.engine.live.observe import Live, Observed
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Reason, Unknown
from vastplan.schema.dependents import UsedBy
from vastplan.schema.kind import Kind

ByUsed = Mapping[str, tuple[Live, ...]]  # by what they use
_NOBODY: tuple[Live, ...] = ()


def by_used(observed: Observed, site: str, kind: str, user_field: str) -> ByUsed | Unknown:
    """The objects of a kind on a site by what their field `user_field` has, or lists; each once for each, in the order of the list."""
    problem = observed.error(site, kind)
    if problem:
        return {} if observed.absent(site, kind) else Unknown(problem, Reason.UNREAD)
    index: dict[str, dict[str, Live]] = {}
    for live in observed.objects(site, kind):
        for used in listed(live.values.get(user_field)):
            index.setdefault(str(used), {})[live.id] = live
    return {used: tuple(users.values()) for used, users in index.items()}


@dataclass(frozen=True, slots=True)
class Users:
    """The users of one object by one rule, by the room that each is in; rooms and users in order of name."""

    rule: UsedBy
    rooms: Mapping[str, tuple[Live, ...]] | Unknown

    @property
    def counts(self) -> Mapping[str, int] | Unknown:
        """The number of users in each room."""
        return (
            self.rooms if isinstance(self.rooms, Unknown) else {room: len(users) for room, users in self.rooms.items()}
        )


@dataclass(frozen=True, slots=True)
class UsersIndex:
    """The users of all live objects of some kinds. Created by `index_users`."""

    _by_rule: Mapping[tuple[str, UsedBy], ByUsed | Unknown] = field(default_factory=dict)

    def of(self, live: Live) -> tuple[Users, ...]:
        """The users of an object, for each rule of its kind that was indexed."""
        return tuple(
            Users(rule, _in_rooms(live, rule, self._by_rule[live.site, rule]))
            for rule in live.kind.used_by
            if (live.site, rule) in self._by_rule
        )


def index_users(observed: Observed, kinds: Iterable[Kind]) -> UsersIndex:
    """Index the users of these kinds in one pass over each kind that uses them, on every site where these were to be read."""
    return UsersIndex(
        {
            (site, rule): by_used(observed, site, rule.kind, rule.user_field)
            for kind in kinds
            for site in observed.sites(kind.name)
            for rule in kind.used_by
        }
    )


def _in_rooms(live: Live, rule: UsedBy, users: ByUsed | Unknown) -> Mapping[str, tuple[Live, ...]] | Unknown:
    if isinstance(users, Unknown):
        return users
    own_room = str(live.values.get(rule.room)) if rule.same_room else None
    rooms: dict[str, list[Live]] = {}
    for user in users.get(str(live.values.get(rule.field)), _NOBODY):
        room = str(user.values.get(rule.room))
        if own_room in (None, room):
            rooms.setdefault(room, []).append(user)
    return {room: tuple(sorted(rooms[room], key=lambda user: (user.name, user.id))) for room in sorted(rooms)}


def listed(value: Any) -> list[Any]:
    """The items of a field that has one, several or none."""
    return value if isinstance(value, list) else [] if value is None else [value]
