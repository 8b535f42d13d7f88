"""Lists whose order means nothing: which items one side has and the other has not, as people call them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from vastplan.model.address import kind_of
from vastplan.model.escaping import inert
from vastplan.model.plan import FieldChange
from vastplan.model.wording import some
from vastplan.report.values import kind_words, plain, target

_NO_UNITS: Mapping[str, str] = MappingProxyType({})
_SHOWN = 12
Show = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SetChange:
    """The items that only the one side has, and those that only the other has, each in its order there."""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)

    def planned(self, show: Show = str) -> str:
        """What a plan does to the list: `removes a, b; adds c`."""
        parts = (("removes", self.removed), ("adds", self.added))
        return "; ".join(f"{verb} {named(items, show)}" for verb, items in parts if items)

    def kept(self) -> str:
        """How the list stays where a plan leaves it alone."""
        parts = (("with", self.removed, "does not list"), ("without", self.added, "lists"))
        return "stays " + ", and ".join(
            f"{word} {named(items)}, which the document {says}" for word, items, says in parts if items
        )

    def found(self, other: str, show: Show = str) -> str:
        """How the list is now, against an `other` that is before it: `has c besides what was applied, and lacks a of it`."""
        more = f"has {named(self.added, show)} besides {other}" if self.added else ""
        less = f"lacks {named(self.removed, show)} of {'it' if more else other}" if self.removed else ""
        return ", and ".join(part for part in (more, less) if part)


NO_CHANGE = SetChange()


def set_change(before: Any, after: Any, unit: str = "", units: Mapping[str, str] = _NO_UNITS) -> SetChange:
    """Two values of an unordered list compared. Nothing where one side is no list: that is shown whole."""
    if not (isinstance(before, list) and isinstance(after, list)):
        return NO_CHANGE
    old, new = ({_key(item): item for item in side} for side in (before, after))
    removed = [item for key, item in old.items() if key not in new]
    added = [item for key, item in new.items() if key not in old]
    shown = _labels([*removed, *added], unit, units)
    return SetChange(tuple(shown[: len(removed)]), tuple(shown[len(removed) :]))


def items_changed(change: FieldChange) -> SetChange:
    """What a planned change does to the items of a list without an order; nothing for any other value."""
    if not change.unordered or change.sensitive:
        return NO_CHANGE
    return set_change(change.before, change.after, change.unit, change.units)


def named(items: tuple[str, ...], show: Show = str) -> str:
    """The items with commas between; of many the first, and how many more."""
    return some(items, _SHOWN, show)


def _key(item: Any) -> str:
    """A reference is the same whoever manages what it names."""
    return json.dumps({"$ref": target(item)} if target(item) else item, sort_keys=True)


def _labels(items: list[Any], unit: str, units: Mapping[str, str]) -> list[str]:
    """Each item by its name; where two are called alike, with what makes them two."""
    labels = [plain(item, unit, units) for item in items]
    for longer in (_with_kind, target):
        alike = _alike(labels)
        labels = [
            inert(longer(item)) if label in alike and target(item) else label
            for item, label in zip(items, labels, strict=True)
        ]
    return labels


def _alike(labels: Iterable[str]) -> set[str]:
    return {label for label, count in Counter(labels).items() if count > 1}


def _with_kind(item: Any) -> str:
    return f"{kind_words(kind_of(target(item)))} {plain(item)}"
