"""Where two mappings differ, however deep. `deepdiff` walks them; a value that is not a mapping counts as one value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Final

ABSENT: Final = object()  # a side without the key; no real value can be equal to it
_UNEQUAL = "unequal"

Change = tuple[tuple[str, ...], Any, Any]


def nested_changes(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    is_mapping: Callable[[Any], bool],
    key: Callable[[Any], Hashable],
) -> Iterator[Change]:
    """The keys down to each place that differs, sorted, and the values on both sides, `ABSENT` where a side has none.

    Only values that are mappings by `is_mapping` are walked; others are equal if their `key` is.
    """
    from deepdiff import (
        DeepDiff,
    )  # with its dependencies a tenth of a second: only who needs it waits for it

    class Values:
        """Ends the walk at whatever is not a mapping on both sides."""

        def match(self, level: Any) -> bool:
            return not (is_mapping(level.t1) and is_mapping(level.t2))

        def give_up_diffing(self, level: Any, diff_instance: Any) -> bool:
            if key(level.t1) != key(level.t2):
                diff_instance.custom_report_result(_UNEQUAL, level, None)
            return True

    levels_by_sort = DeepDiff(before, after, view="tree", custom_operators=[Values()], cache_size=0)
    changes: list[Change] = []
    for sort, levels in levels_by_sort.items():
        for level in levels:
            keys = tuple(level.path(output_format="list"))
            old = ABSENT if sort == "dictionary_item_added" else level.t1
            new = ABSENT if sort == "dictionary_item_removed" else level.t2
            changes.append((keys, old, new))
    yield from sorted(changes, key=lambda change: change[0])
