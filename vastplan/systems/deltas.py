"""Lists that are changed by calls of their own. Additions are sent before removals, so what both the old and the new list
cover is never missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vastplan.schema.endpoint import Delta
from vastplan.schema.kind import Row


def calls(delta: Delta, before: Sequence[Any], after: Sequence[Any]) -> Iterator[tuple[str, Row]]:
    """The calls that turn `before` into `after`: for each the path below the object's, and the body."""
    old, new = ([_normalized(delta, item) for item in items] for items in (before, after))
    added = [item for item in new if item not in old]
    removed = [item for item in old if item not in new]
    for (path, name), items in ((delta.add, added), (delta.remove, removed)):
        for start in range(0, len(items), delta.most or 1):
            yield path, {name: items[start : start + delta.most] if delta.most else items[start]}


def without_deltas(deltas: Sequence[Delta], body: Row) -> Row:
    """The part of an update's body that the object's own call sends."""
    own_calls = {delta.field for delta in deltas}
    return {name: value for name, value in body.items() if name not in own_calls}


def _normalized(delta: Delta, item: Any) -> Any:
    return {name: item.get(name) for name in delta.says} if isinstance(item, Mapping) else item
