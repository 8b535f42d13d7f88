"""Lists whose order means nothing: which items are on one side only, by the names that people use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from vastplan.model.dataclass import dataclass
from vastplan.model.wording import some
from vastplan.report.differences import Part, Show, Sign, difference, part_values

_NO_UNITS: Mapping[str, str] = MappingProxyType({})
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class SetChange:
    """The items that only the old side has, and those that only the new side has, each in its order there."""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)

    def planned(self, show: Show = str) -> str:
        """What a plan does to the list: `removes a, b; adds c`. Shows only the first of many: the same report lists all elsewhere."""
        parts = (("removes", self.removed), ("adds", self.added))
        return "; ".join(f"{verb} {some(items, _SHOWN, show)}" for verb, items in parts if items)

    def kept(self) -> str:
        """How the list stays if a plan leaves it alone."""
        parts = (("with", self.removed, "does not list"), ("without", self.added, "lists"))
        return "stays " + ", and ".join(
            f"{word} {_listed(items)}, which the document {verb}" for word, items, verb in parts if items
        )

    def found(self, other: str, show: Show = str) -> str:
        """How the list is now, compared with `other`, the name of an earlier state: `has c besides what was applied, and lacks a`."""
        more = f"has {_listed(self.added, show)} besides {other}" if self.added else ""
        less = f"lacks {_listed(self.removed, show)}" + ("" if more else f" of {other}") if self.removed else ""
        return ", and ".join(part for part in (more, less) if part)


def _listed(items: tuple[str, ...], show: Show = str) -> str:
    return ", ".join(map(show, items))


NO_CHANGE = SetChange()


def set_change(before: Any, after: Any, unit: str = "", units: Mapping[str, str] = _NO_UNITS) -> SetChange:
    """Compare two values of an unordered list. No change if one side is not a list, because reports show that whole."""
    if not (isinstance(before, list) and isinstance(after, list)):
        return NO_CHANGE
    return of_parts(difference(before, after, unit, units, unordered=True).parts)


def of_parts(parts: tuple[Part, ...]) -> SetChange:
    """The parts of an unordered list, by the side that has them."""
    return SetChange(part_values(parts, Sign.REMOVED), part_values(parts, Sign.ADDED))
