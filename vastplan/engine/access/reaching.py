"""Whom an action lets in through an object that it refers to: by another target, or by one more item (a protocol) of a list. Pure.

A view is reached by the hosts that its policy lists for the view's protocols: of a view that gets another policy, or one more protocol,
only both together say who gets in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from vastplan.engine.access.admission import referred_now, values_after
from vastplan.engine.access.opening import keeps_closed
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.referrers import Referrers
from vastplan.model.address import Address
from vastplan.model.plan import Action, Door, FieldChange, Opening, Verb
from vastplan.model.value import Ref, from_json, json_text, to_json
from vastplan.model.wording import some
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Through
from vastplan.schema.opening import EVERYBODY, admitted_items, let_in, opens

_NAMED = 12  # clients of a field


def through_targets(action: Action, matches: Matches, actions: Mapping[Address, Action]) -> Action:
    """The action with whom it lets in through its targets. A change by which nobody gets in opens nothing; what cannot be determined
    stays an opening."""
    kind = matches.kinds[action.address.kind]
    fields = kind.fields.by_name
    changes: list[FieldChange] = []
    openings: dict[Address, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    moved: list[tuple[Address, str]] = []
    closes = action.verb is Verb.CREATE and keeps_closed(kind) and not _of_new(action, kind, actions)
    sides = _Sides(action, matches, actions)
    for change in action.changes:
        field = fields.get(change.path) if change.admits else None
        if closes or (field is not None and _left_to_target(field, change, action, actions)):
            changes.append(replace(change, admits=False, whom=()))
            continue
        found = sides.let_in_by(field, change) if field is not None else None
        if field is None or found is None:
            changes.append(change)
            continue
        target, whom = found
        changes.append(replace(change, admits=bool(whom)))
        if whom and _moves(field, action):
            moved.append((target, change.path))
        elif whom:
            openings[target] = (change.path,), whom
    for target, path in moved:
        if target in openings:
            openings[target] = (*openings[target][0], path), openings[target][1]
    opens = (
        Opening(Door.REFERRED, (target.kind, target.name, *paths), whom) for target, (paths, whom) in openings.items()
    )
    return replace(action, changes=tuple(changes), opens=(*action.opens, *opens)) if changes else action


def with_reductions(action: Action, matches: Matches, actions: Mapping[Address, Action]) -> Action:
    """The action with `fewer` at each reference to another target whose values take something away: a schedule that keeps less."""
    if action.verb is not Verb.UPDATE:
        return action
    sides = _Sides(action, matches, actions)
    changes = (replace(change, fewer=change.fewer or sides.reduced_by(change.path)) for change in action.changes)
    return replace(action, changes=tuple(changes))


def idle_fields(live: Live, matches: Matches, referrers: Referrers) -> set[str]:
    """The fields of an object that list clients only of items (protocols) which nothing has that refers to it; none where that is unknown."""
    rules = {
        (kind.name, rule.refers): (field, rule)
        for kind in matches.kinds.values()
        for field in kind.fields
        if (rule := _through(field)) is not None
    }
    used: set[str] = set()
    for referrer in referrers.of(live):
        key, refers = (referrer.live.kind.name, referrer.field.name), referrer.field.refers
        items = referrer.live.values.get(rules[key][0].name) if key in rules else list(refers.uses) if refers else None
        if not items:
            return set()
        used |= {*admitted_items(items)}
    if any(matches.observed.error(live.site, kind) for kind, _ in rules):
        return set()
    return {
        field.name
        for _, rule in rules.values()
        for field in live.kind.fields
        if (of := rule.items(field.name)) and not of & used
    }


def _created(value: object, actions: Mapping[Address, Action]) -> bool:
    """Whether a value refers to an object that the plan creates."""
    ref = from_json(value)
    target = actions.get(ref.target) if isinstance(ref, Ref) else None
    return target is not None and target.verb is Verb.CREATE


def _left_to_target(field: Field, change: FieldChange, action: Action, actions: Mapping[Address, Action]) -> bool:
    """Whether the new object only refers to an object that the plan creates too, whose own fields say whom they let in."""
    existing_only = field.opens is not None and field.opens.existing_only
    return existing_only and action.verb is Verb.CREATE and _created(change.after, actions)


def _of_new(action: Action, kind: Kind, actions: Mapping[Address, Action]) -> bool:
    """Whether what the new object keeps closed is new too: what exists was open to everybody without it."""
    shielded = (field.name for field in kind.fields if field.refers is not None and field.refers.shields)
    return any(_created(action.desired.get(name), actions) for name in shielded)


def _through(field: Field) -> Through | None:
    return field.admits.through if field.admits is not None else None


def _moves(field: Field, action: Action) -> bool:
    """Whether the target, by whose lists the items of the field let in, is another one: that change says whom it lets in."""
    through = _through(field)
    return through is not None and any(change.path == through.refers for change in action.changes)


class _Sides:
    """An action's object before and after."""

    def __init__(self, action: Action, matches: Matches, actions: Mapping[Address, Action]) -> None:
        self._action, self._matches, self._actions = action, matches, actions
        self._kind: Kind = matches.kinds[action.address.kind]
        self._live = matches.match(action.address).live

    @cached_property
    def _before(self) -> Values:
        return to_json(self._matches.symbolic(self._kind, self._live)) if self._live is not None else {}

    @cached_property
    def _after(self) -> Values:
        return {**self._before, **self._action.desired}

    def let_in_by(self, field: Field, change: FieldChange) -> tuple[Address, tuple[str, ...]] | None:
        """The target and whom it lets in, by its fields; `None` if the change lets in nobody through a target, or it is not known whom."""
        if field.refers is not None and field.refers.admits:
            return self._by_target(field, change)
        through = _through(field)
        return self._by_items(through, change) if through is not None else None

    def reduced_by(self, path: str) -> bool:
        """Whether the field refers to a target that takes something away by its values, compared with those of the target before."""
        field = self._kind.fields.by_name.get(path)
        before = (
            referred_now(self._live, field, self._matches) if field is not None and self._live is not None else None
        )
        then = self._then(self._after.get(path)) if before is not None else None
        if before is None or then is None:
            return False
        was, values = to_json(self._matches.symbolic(before.kind, before)), then[2]
        return any(
            field.reduces is not None and field.reduces.less(was.get(field.name), values.get(field.name))
            for field in before.kind.fields
        )

    def _by_target(self, field: Field, change: FieldChange) -> tuple[Address, tuple[str, ...]] | None:
        then = self._then(change.after)
        if then is None:
            return None
        address, kind, values = then
        was: Values = {}
        if self._live is not None:
            before = referred_now(self._live, field, self._matches)
            if before is None:
                return None
            was = to_json(self._matches.symbolic(before.kind, before))
        return address, tuple(self._gains(field.name, kind, was, values))

    def _gains(self, name: str, kind: Kind, was: Values, then: Values) -> Iterator[str]:
        had, has, rule = self._items(name)
        for field in kind.fields:
            of = rule.items(field.name)
            if of and not of & has:
                continue  # no item of the object uses the list
            new = not was or bool(of and not of & had)
            if new and rule.lists and field.name not in rule.access:
                continue  # of whom nobody was let in before, the lists of clients decide alone
            if field.admits is not None:
                whom = let_in(field, {} if new else was, then)
                if whom and not (field.admits.also and whom == [EVERYBODY]):  # the wider field says that
                    yield f"{field.name} {some(whom, _NAMED)}"
                continue
            before, after = was.get(field.name), then.get(field.name)
            if field.refers is None and before != after and opens(field, before, after):
                yield f"{field.name} {after if isinstance(after, str) else json_text(after)}"

    def _items(self, name: str) -> tuple[set[str], set[str], Through]:
        """The items before and after of the field that depends on the target of field `name`, and how it does."""
        field, rule = next(
            (field, rule)
            for field in self._kind.fields
            if (rule := _through(field)) is not None and rule.refers == name
        )
        unsaid = field.admits.unsaid if field.admits is not None else ()
        had, has = ({*(admitted_items(values.get(field.name)) or unsaid)} for values in (self._before, self._after))
        return had if self._live is not None else set(), has, rule

    def _by_items(self, through: Through, change: FieldChange) -> tuple[Address, tuple[str, ...]] | None:
        added = [item for item in admitted_items(change.after) if item not in admitted_items(change.before)]
        then = self._then(self._after.get(through.refers))
        if then is None or any(item not in through.lists for item in added):
            return None
        address, _, values = then
        lists = dict.fromkeys([*(name for item in added for name in through.lists[item]), *through.always])
        whom = {name: admitted_items(values.get(name)) for name in lists}
        return address, tuple(f"{name} {some(clients, _NAMED)}" for name, clients in whom.items() if clients)

    def _then(self, value: object) -> tuple[Address, Kind, Values] | None:
        """The target that a value names, with its values after this plan; `None` if they are not known."""
        ref = from_json(value)
        if not isinstance(ref, Ref):
            return None
        values = values_after(ref, self._matches, self._actions)
        return (ref.target, self._matches.kinds[ref.target.kind], values) if values is not None else None
