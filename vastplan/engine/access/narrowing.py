"""Clients that an action cuts off, and what they use now: the message of the guard, and its evidence. Pure.

Five changes let fewer in: a field loses clients, a field refers to what lets in others, a field loses access rights
(`Revokes`), an object that gives access is deleted, and an object that closes something is created or enforced. All but the
third are judged by what is in use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.access.admission import (
    lost_by_moves,
    lost_clients,
    lost_rights,
    retargeted_fields,
    taken_away,
    taken_by_moves,
)
from vastplan.engine.access.closing import ClosedRooms, closed_by, may_close
from vastplan.engine.access.reaching import idle_fields
from vastplan.engine.live.floors import Figure
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.new_names import names_of
from vastplan.engine.live.observe import Live
from vastplan.engine.matching import usage
from vastplan.engine.matching.dependents import DependentsIndex
from vastplan.engine.matching.referrers import Referrers
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.plan import GOING, Action, Evidence, Verb
from vastplan.model.shell import word
from vastplan.model.value import Unknown, json_text
from vastplan.model.wording import counted, plural, some
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.kind import Kind
from vastplan.schema.references import raw_references


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What an action closes to whom. `evidence` counts what is in use there; `leaving` is what the same plan deletes."""

    message: str
    fix: str
    evidence: tuple[Evidence, ...]
    leaving: tuple[Address, ...] = ()


def may_narrow(action: Action, kinds: Mapping[str, Kind], actions: Mapping[Address, Action]) -> bool:
    """Whether an action may let fewer in, decided without live objects: only these actions are examined."""
    kind = kinds[action.address.kind]
    return may_close(action, kind, actions) or cuts_off(action, kind) or bool(taken_away(action, kind))


def cuts_off(action: Action, kind: Kind) -> bool:
    """Whether an action may cut off clients that have access through its object, or refer to it by name; decided in the same way."""
    return (
        takes_away(action, kind)
        or may_rename(action, kind)
        or bool(lost_clients(action, kind, None) or retargeted_fields(action, kind))
    )


def may_rename(action: Action, kind: Kind) -> bool:
    """Whether an action may give an object another name, decided without live objects."""
    names = names_of(kind)
    return action.verb in (Verb.UPDATE, Verb.ADOPT, Verb.REPLACE) and any(
        change.path in names for change in action.changes
    )


def takes_away(action: Action, kind: Kind) -> bool:
    """Whether an action deletes what gives clients access, replaces it where the gap would cut them off, or switches it off or over."""
    rule = kind.lets_in
    if rule is None or action.verb in GOING:
        return rule is not None and not (action.verb is Verb.REPLACE and rule.replaceable)
    return action.verb in (Verb.UPDATE, Verb.ADOPT) and bool(_switched(action, kind))


def _switched(action: Action, kind: Kind) -> dict[str, str]:
    """The fields by whose change an object that gives access no longer gives it to those who have it, with the new values."""
    by = () if kind.lets_in is None or action.verb in GOING else kind.lets_in.by
    return {
        change.path: json_text(change.after)
        for change in action.changes
        if change.path in by and change.after is not True
    }


def narrowings(
    matches: Matches, actions: Mapping[Address, Action], referrers: Referrers, dependents: DependentsIndex
) -> dict[Address, Narrowing]:
    """By address, what each action cuts off that is or may be in use or that the plan deletes too, and the rights that it removes.

    The indexes must be complete.
    """
    rooms = ClosedRooms(matches, actions, referrers)
    by_address = {}
    for address, action in actions.items():
        if may_narrow(action, matches.kinds, actions):
            narrowing = _narrowing(action, matches, actions, referrers, dependents, rooms)
            used = narrowing if narrowing is not None and (narrowing.evidence or narrowing.leaving) else None
            revoked = _revoked(action, matches, actions, used)
            if revoked is not None:
                by_address[address] = revoked
    return by_address


def _revoked(
    action: Action, matches: Matches, actions: Mapping[Address, Action], besides: Narrowing | None
) -> Narrowing | None:
    """The access rights that an action removes, whatever is in use, added to what else it cuts off (`besides`)."""
    kind, live = matches.kinds[action.address.kind], matches.match(action.address).live
    gone = {
        path: (kind.field(path).revokes, texts) for path, texts in lost_rights(action, kind, matches, actions).items()
    }
    if live is not None:
        gone |= taken_by_moves(action, kind, live, matches, actions)
    if not gone:
        return besides
    lost = {path: some([inert(text, 200) for text in texts]) for path, (_, texts) in gone.items()}
    losses: dict[str, list[str]] = {}
    for path, (rule, _) in gone.items():
        assert rule is not None
        losses.setdefault(rule.without, []).append(f"{path} would lose {lost[path]}")
    message = "; ".join(f"{', '.join(changed)}: {without}" for without, changed in losses.items())
    figures = tuple(Evidence(f"{path} removed", texts) for path, texts in lost.items())
    if besides is None:
        kept = dict.fromkeys(path.partition(" ")[0] for path in lost)
        fix = f"--allow-narrow {word(action.address)}, or leave {' and '.join(kept)} as before"
        return Narrowing(message, fix, figures)
    return replace(besides, message=f"{besides.message}; {message}", evidence=(*besides.evidence, *figures))


def _narrowing(
    action: Action,
    matches: Matches,
    actions: Mapping[Address, Action],
    referrers: Referrers,
    dependents: DependentsIndex,
    rooms: ClosedRooms,
) -> Narrowing | None:
    live, kind = matches.match(action.address).live, matches.kinds[action.address.kind]
    if may_close(action, kind, actions):
        return _of_rooms(action, rooms)
    if live is None:
        return None
    idle = idle_fields(live, matches, referrers)
    own = {path: clients for path, clients in lost_clients(action, kind, live).items() if path not in idle}
    lost = own | lost_by_moves(action, kind, live, matches, actions)
    renamed = None
    if not lost and (not takes_away(action, kind) or goes_with(action, live, matches, actions)):
        renamed = matches.coming.get(action.address)
        if renamed is None:
            return None
    users = usage.usage_of(live, matches, referrers, actions, renamed)
    counts = list(users.counts)
    figures = [Evidence(f"{plural(user.name)} in use through it", _value(number)) for user, number in counts]
    seen = [counted(int(number), user.name) for user, number in counts if not isinstance(number, Unknown)]
    undetermined = [
        f"cannot determine whether a {user.name} is in use through it: {number.why}"
        for user, number in counts
        if isinstance(number, Unknown)
    ]
    uses = [f"in use through it: {', '.join(seen)}"] if seen else []
    for rule in kind.dependents if not lost and renamed is None else ():
        number = dependents.count(live, rule)
        if number != 0:
            figures.append(Evidence(rule.name, _value(number)))
            uses.append(
                f"cannot determine whether there are {rule.name}: {number.why}"
                if isinstance(number, Unknown)
                else f"{rule.name}: {number}"
            )
    uses += undetermined
    if lost:
        places = {field.name for field in kind.fields if field.admits is not None and field.admits.addresses}
        gone = "; ".join(
            f"{path} would no longer {'have' if path in places else 'let in'} {some(texts)}"
            for path, texts in lost.items()
        )
        kept = "addresses" if lost.keys() <= places else "clients"
        fix = f"--allow-narrow {word(action.address)}, or keep these {kept} until nobody has it mounted"
        return Narrowing(f"{gone}; {'; '.join(uses)}", fix, tuple(figures), users.leaving)
    if renamed is not None:
        fix = f"--allow-narrow {word(action.address)}, or keep its name: name: {yaml_scalar(live.name)} in its entry"
        text = f"what refers to it by name would not find it as {live.name} any more"
        return Narrowing("; ".join([*uses, text]), fix, tuple(figures), users.leaving)
    assert kind.lets_in is not None
    switched = _switched(action, kind)
    fix = f"--allow-narrow {word(action.address)}, or keep {' and '.join(switched) or 'it'} until nobody uses it"
    changed = [f"{path} would become {value}" for path, value in switched.items()]
    return Narrowing(
        "; ".join([*changed, *uses, *([] if changed else [kind.lets_in.without])]), fix, tuple(figures), users.leaving
    )


def goes_with(action: Action, live: Live, matches: Matches, actions: Mapping[Address, Action]) -> Address | None:
    """The target to which a deleted object gives access, if the plan deletes it too: its users are checked there."""
    rule = live.kind.lets_in
    if rule is None or action.verb is not Verb.DELETE:
        return None
    for field, refers, raw in raw_references(live.kind.fields, live.values):
        for kind, attribute in refers.targets if field.name == rule.into else ():
            target = matches.observed.find(live.site, kind, attribute, raw)
            address = matches.address_of(target) if target is not None else None
            other = actions.get(address) if address is not None else None
            if other is not None and other.verb is Verb.DELETE:
                return other.address
    return None


def _of_rooms(action: Action, rooms: ClosedRooms) -> Narrowing | None:
    closed = closed_by(action, rooms)
    if closed is None:
        return None
    name, fix = closed.rule.name, f"--allow-narrow {word(action.address)}, or {closed.rule.fix}"
    if isinstance(closed.rooms, Unknown):
        text = (
            f"{closed.text} would close; cannot determine whether there are {plural(name)} in use: {closed.rooms.why}"
        )
        return Narrowing(text, fix, (Evidence(plural(name), str(closed.rooms)),))
    counts = sorted(closed.rooms.items())
    listed = some([f"{room}: {counted(number, name)}" for room, number in counts])
    text = f"{closed.text} would close to {counted(len(counts), closed.rule.room)} in use: {listed}"
    text += f" ({some(closed.users)})" if closed.users else ""
    figures = tuple(Evidence(f"{plural(name)} in {room}", number) for room, number in counts)
    return Narrowing(text, fix, figures, closed.leaving)


def _value(number: Figure) -> Any:
    return str(number) if isinstance(number, Unknown) else number


def dropped_references(
    action: Action, matches: Matches, actions: Mapping[Address, Action]
) -> Iterator[tuple[Address, bool]]:
    """The objects that an action stops letting in and the plan deletes, and whether the reference blocks their delete."""
    live, kind = matches.match(action.address).live, matches.kinds[action.address.kind]
    if live is None or action.verb not in (Verb.UPDATE, Verb.ADOPT):
        return
    lists = {rule.but for rule in kind.closes}
    narrowed = {
        change.path
        for change in action.changes
        if change.path in lists or ((field := kind.fields.by_name.get(change.path)) and field.admits)
    }
    for field, refers, raw in raw_references(kind.fields, live.values) if narrowed else ():
        for target_kind, attribute in refers.targets if field.name in narrowed else ():
            target = matches.observed.find(live.site, target_kind, attribute, raw)
            address = matches.address_of(target) if target is not None else None
            other = actions.get(address) if address is not None else None
            if other is not None and other.verb is Verb.DELETE:
                yield other.address, refers.blocks_delete
