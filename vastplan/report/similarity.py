"""Groups actions that do the same, so that a report shows once what many objects have in common. Pure; the work grows with the actions."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Evidence, FieldChange, Verb, loss, only_noted
from vastplan.model.units import BYTES
from vastplan.model.wording import plural
from vastplan.report.differences import before_after
from vastplan.report.values import fix_of_any, kind_words, of_any, other_evidence, plain_value
from vastplan.report.view import FieldView, inner_difference, of_change

_SAME, _OF_ONE_KIND, _SHARE = 3, 8, 10
"""The least size of a group: of actions that are the same, and of actions of which some values differ. Of very many actions, a group of
the same ones must also be at least a tenth (`_SHARE`): a hundred small groups are no shorter than their members."""
_ANY = "*"


@dataclass(frozen=True)
class SimilarActions:
    """Several actions of one kind. What the first one says is true of all, except for the values of the fields in `own`."""

    actions: tuple[Action, ...]
    own: frozenset[str] = frozenset()

    @property
    def first(self) -> Action:
        """The action that stands for all."""
        return self.actions[0]

    @cached_property
    def objects(self) -> str:
        """`340 quotas`."""
        return f"{len(self.actions):,} {plural(kind_words(self.first.address.kind))}"

    def shared(self) -> list[FieldView]:
        """The fields that change alike. The number of unchanged list items is left out: it may differ."""
        return [replace(of_change(change), unchanged=0) for change in self.first.changes if change.path not in self.own]

    def values(self, action: Action) -> str:
        """The values of one action in the fields of `own`, without a name that its address already shows."""
        return ", ".join(
            f"{change.path}: {_value(action, change)}"
            for change in action.changes
            if change.path in self.own and (change.path, change.after) != ("name", action.address.name)
        )

    def pattern(self) -> str:
        """A pattern that all their addresses match, with `*` where they differ."""
        sites = {action.address.site for action in self.actions}
        return f"{sites.pop() if len(sites) == 1 else _ANY}/{self.first.address.kind}/{_ANY}"

    def seen(self) -> list[tuple[str, str]]:
        """The evidence of all actions, each with a name and its values: from the least to the most, and for sizes also the sum."""
        return [_range(values) for values in zip(*(action.evidence for action in self.actions), strict=True)]

    def others(self) -> list[tuple[str, str]]:
        """The same without that of `lost`."""
        return [_range(values) for values in zip(*map(other_evidence, self.actions), strict=True)]

    def lost(self) -> str:
        """How much data goes with their objects: from the least to the most, and in all; "" where nothing is said of it."""
        values = [lost for action in self.actions if (lost := loss(action)) is not None]
        return " ".join(_range(values)) if values else ""


def _value(action: Action, change: FieldChange) -> str:
    if action.verb is Verb.CREATE:
        return before_after(change)[1]
    return of_change(change).planned()


def _range(values: Sequence[Evidence]) -> tuple[str, str]:
    first = values[0]
    if all(evidence.value == first.value for evidence in values):
        return first.name, plain_value(first.value, first.unit)
    figures = [evidence.value for evidence in values if isinstance(evidence.value, int | float)]
    if len(figures) < len(values):
        return first.name, "differs"
    least, most = plain_value(min(figures), first.unit), plain_value(max(figures), first.unit)
    # Nothing is decided by the last byte of a sum: where it is rounded (`≈`) the exact number is left out.
    total = f", {plain_value(sum(figures), first.unit).partition(' (')[0]} in all" if first.unit == BYTES else ""
    return first.name, f"{least} to {most}{total}"


def similar_actions(actions: Iterable[Action]) -> tuple[list[SimilarActions], list[Action]]:
    """The groups of similar actions, the largest first, and the other actions in their order."""
    kinds: dict[Hashable, list[Action]] = {}
    for action in actions:
        kinds.setdefault(_key(action, exact=False), []).append(action)
    together: list[SimilarActions] = []
    for of_one_kind in kinds.values():
        together += _together(of_one_kind)
    among = {id(action) for alike in together for action in alike.actions}
    together.sort(key=lambda alike: -len(alike.actions))
    return together, [action for of_one_kind in kinds.values() for action in of_one_kind if id(action) not in among]


def _together(of_one_kind: Sequence[Action]) -> Iterator[SimilarActions]:
    if len(of_one_kind) < _SAME:
        return
    same: dict[Hashable, list[Action]] = {}
    for action in of_one_kind:
        same.setdefault(_key(action, exact=True), []).append(action)
    enough = max(_SAME, len(of_one_kind) // _SHARE)
    rest = [action for actions in same.values() if len(actions) < enough for action in actions]
    if len(rest) < _OF_ONE_KIND:
        enough, rest = _SAME, []
    yield from (SimilarActions(tuple(actions)) for actions in same.values() if len(actions) >= enough)
    if rest:
        yield SimilarActions(tuple(rest), frozenset(_own(rest)))


def _own(actions: Sequence[Action]) -> Iterator[str]:
    for changes in zip(*(action.changes for action in actions), strict=True):
        if len({_sides(change) for change in changes}) > 1:
            yield changes[0].path


def _key(action: Action, *, exact: bool) -> Hashable:
    """What reports show of an action, except its name, whom it affects, when it happened, and the values of its evidence."""
    address = action.address
    return (
        address.kind, action.verb, action.standing, only_noted(action), action.holds_data, action.deleted_outside, bool(action.supersedes),
        of_any(action.reason, address), action.released, action.deletes, action.opens,
        tuple((block.guard, of_any(block.message, address), fix_of_any(block, action)) for block in action.blocked),
        tuple(of_any(note, address) for note in action.notes),
        tuple((seen.name, seen.unit) for seen in action.evidence),
        tuple(_field(change, exact=exact or change.admits) for change in action.changes),
    )  # fmt: skip


def _field(change: FieldChange, *, exact: bool) -> Hashable:
    """The key of a field: it includes the author of the change and, if `exact`, as for each field that lets somebody in, the values."""
    author = change.author.who if change.author is not None else ""
    return (
        change.path, change.cause, change.replaces, change.sensitive, change.already, change.admits, author,
        _sides(change) if exact else "",
    )  # fmt: skip


def _sides(change: FieldChange) -> str:
    """What a report shows of both sides: for an unordered list, the items that are added and removed."""
    if change.unordered and isinstance(change.before, list) and isinstance(change.after, list):
        parts = inner_difference(change).parts
        if parts:
            return json.dumps([part.line() for part in parts])
    sides = (change.shown_before, change.shown_after, change.unit, change.source_before, change.source_after)
    return json.dumps([*sides, change.known_after_apply], sort_keys=True)
