"""Where two lists or two mappings differ: which items were added, removed, changed or moved, and how many stay.

Lists are compared by their items, so that an item inserted in front does not make the others look changed; mappings by their keys. What
is equal on both sides is counted and not shown. A reference is one value. The work grows with the items.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any

from vastplan.model.address import kind_of
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.plan import FieldChange
from vastplan.report.alignment import aligned, of_one_gap
from vastplan.report.nested_changes import ABSENT, nested_changes
from vastplan.report.values import full_value, kind_words, plain_value, reference_target, sensitive

_NO_UNITS: Mapping[str, str] = MappingProxyType({})
Show = Callable[[str], str]


class Sign(Enum):
    """What happened to a part; a report writes the value in front of it."""

    REMOVED = "-"
    ADDED = "+"
    CHANGED = "~"
    MOVED = ">"


@dataclass(frozen=True, slots=True)
class Part:
    """A place inside a value (`[2].keep_local`, "" in an unordered list), and what it holds before and after.

    A part that moved is the same on both sides; its `path` has the old place and the new one.
    """

    sign: Sign
    path: str
    before: str = ""
    after: str = ""

    def value(self, show: Show = str) -> str:
        """The value that is added or removed, or both sides."""
        if self.sign is Sign.CHANGED:
            return f"{show(self.before)} → {show(self.after)}"
        return show(self.before if self.sign is Sign.REMOVED else self.after)

    def line(self, show: Show = str) -> str:
        """`+ 10.0.0.0/8`, `- [3]: a`, `~ [0].every: 1h → 2h`."""
        place = f"{show(self.path)}: " if self.path else ""
        return f"{self.sign.value} {place}{self.value(show)}"


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """The parts in which two values differ, and the number of items or keys that do not differ."""

    parts: tuple[Part, ...] = ()
    unchanged: int = 0


NO_DIFFERENCE = ValueDifference()


def difference(
    before: Any, after: Any, unit: str = "", units: Mapping[str, str] = _NO_UNITS, *, unordered: bool = False
) -> ValueDifference:
    """Compare two lists or two mappings; other values have no inner difference, and reports show them whole."""
    listing = _Listing(unit, units)
    if isinstance(before, list) and isinstance(after, list):
        parts = tuple(listing.unordered(before, after) if unordered else listing.lists(before, after, ""))
        common = Counter(map(_key, before)) & Counter(map(_key, after))
        return ValueDifference(parts, len(common) if unordered else common.total()) if parts else NO_DIFFERENCE
    if _is_mapping(before) and _is_mapping(after):
        same = sum(1 for key in before.keys() & after.keys() if _key(before[key]) == _key(after[key]))
        parts = tuple(listing.mappings(before, after, ""))
        return ValueDifference(parts, same) if parts else NO_DIFFERENCE
    return NO_DIFFERENCE


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict) and not reference_target(value) and value.keys() != {"$secret"}


class _Listing:
    """Differences as people read them; `units` are those of the inner values, by their keys."""

    def __init__(self, unit: str, units: Mapping[str, str]) -> None:
        self._unit, self._units = unit, units

    def unordered(self, before: Sequence[Any], after: Sequence[Any]) -> Iterator[Part]:
        old, new = ({_key(item): item for item in side} for side in (before, after))
        removed = [item for key, item in old.items() if key not in new]
        added = [item for key, item in new.items() if key not in old]
        labels = self._labels([*removed, *added])
        yield from (Part(Sign.REMOVED, "", before=label) for label in labels[: len(removed)])
        yield from (Part(Sign.ADDED, "", after=label) for label in labels[len(removed) :])

    def lists(self, before: Sequence[Any], after: Sequence[Any], path: str) -> Iterator[Part]:
        sides = aligned([_key(item) for item in before], [_key(item) for item in after])
        pairs = [
            (old, new)
            for old, new in of_one_gap(sides)
            if _nested(before[old], after[new])  # edited in place
        ]
        edited = {old for old, _ in pairs}, {new for _, new in pairs}
        removed = [old for old in sides.removed if old not in edited[0]]
        added = [new for new in sides.added if new not in edited[1]]
        labels = self._labels([*(before[old] for old in removed), *(after[new] for new in added)])
        for old, label in zip(removed, labels, strict=False):
            yield Part(Sign.REMOVED, f"{path}[{old}]", before=label)
        for old, new in pairs:
            yield from self.values(before[old], after[new], f"{path}[{new}]", "")
        for old, new in sides.moved:
            value = plain_value(after[new], self._unit, self._units)
            yield Part(Sign.MOVED, f"{path}[{old}] to [{new}]", value, value)
        for new, label in zip(added, labels[len(removed) :], strict=True):
            yield Part(Sign.ADDED, f"{path}[{new}]", after=label)

    def mappings(self, before: Mapping[str, Any], after: Mapping[str, Any], path: str) -> Iterator[Part]:
        for keys, old, new in nested_changes(before, after, _is_mapping, _key):
            if (old is None and new is ABSENT) or (old is ABSENT and new is None):
                continue  # a value that is not set, written or left out
            place = inert(".".join((path, *keys) if path else keys), None)
            if old is ABSENT:
                yield Part(Sign.ADDED, place, after=self._shown(new, keys[-1]))
            elif new is ABSENT:
                yield Part(Sign.REMOVED, place, before=self._shown(old, keys[-1]))
            else:
                yield from self.values(old, new, place, keys[-1])

    def values(self, before: Any, after: Any, path: str, key: str) -> Iterator[Part]:
        if _key(before) == _key(after):
            return
        if isinstance(before, list) and isinstance(after, list):
            yield from self.lists(before, after, path)
        elif _is_mapping(before) and _is_mapping(after):
            yield from self.mappings(before, after, path)
        else:
            yield Part(Sign.CHANGED, path, *distinguished(before, after, lambda value: self._shown(value, key)))

    def _shown(self, value: Any, key: str) -> str:
        return plain_value(value, self._units.get(key, self._unit), self._units)

    def _labels(self, items: list[Any]) -> list[str]:
        """The label of each item: its name, or, where two labels are equal, its name with the kind, or its whole address."""
        labels = [plain_value(item, self._unit, self._units) for item in items]
        for longer in (_with_kind, reference_target):
            alike = {label for label, count in Counter(labels).items() if count > 1}
            labels = [
                inert(longer(item)) if label in alike and reference_target(item) else label
                for item, label in zip(items, labels, strict=True)
            ]
        return labels


def before_after(change: FieldChange) -> tuple[str, str]:
    """Both sides of a change, each in full."""
    if change.sensitive:
        return sensitive(change.source_before), sensitive(change.source_after)
    if change.known_after_apply:
        return plain_value(change.shown_before, change.unit, change.units), "(known after apply)"
    return distinguished(
        change.shown_before, change.shown_after, lambda value: plain_value(value, change.unit, change.units)
    )


def distinguished(before: Any, after: Any, show: Callable[[Any], str]) -> tuple[str, str]:
    """Both sides as texts that differ where the values do: as `show` writes them, else with whole addresses, else as JSON."""
    for style in (show, lambda value: show(full_value(value)), lambda value: inert(json.dumps(value), None)):
        old, new = style(before), style(after)
        if old != new:
            break
    return old, new


def _nested(before: Any, after: Any) -> bool:
    return (_is_mapping(before) and _is_mapping(after)) or (isinstance(before, list) and isinstance(after, list))


def _key(item: Any) -> str:
    """The key to compare an item by; a reference is the same whoever manages the object that it names."""
    if isinstance(item, str):
        return f'"{item}'
    return json.dumps({"$ref": reference_target(item)} if reference_target(item) else item, sort_keys=True)


def _with_kind(item: Any) -> str:
    return f"{kind_words(kind_of(reference_target(item)))} {plain_value(item)}"


def part_values(parts: Iterable[Part], sign: Sign) -> tuple[str, ...]:
    """The values of the parts with a sign."""
    return tuple(part.value() for part in parts if part.sign is sign)
