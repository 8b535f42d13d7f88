"""The object of a create without an answer, among those that a system has now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vastplan.engine.live.body import unmet_leaves
from vastplan.engine.live.observe import Live
from vastplan.model.errors import ObjectNotFound, Unclear
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.provider import Provider


def has_identity(kind: Kind, desired: Mapping[str, Any], current: Values) -> bool:
    """Whether the identity of an object is the desired one."""
    return not unmet_leaves(tuple(kind.field(name) for name in kind.identity), desired, current)


def find_created(
    kind: Kind,
    provider: Provider,
    pages: Iterable[list[Row]],
    desired: Mapping[str, Any],
    current: Callable[[Row], Values],
    live: Callable[[Row], Live],
    problem: Unclear,
) -> Live | None:
    """The object, by its identity and all other values that were sent; `None` if none has its identity.

    Raises `Unclear` for one that has its identity and other values: it may be half created, or somebody else's.
    """
    other = False
    try:
        for page in pages:
            for row in page:
                if not has_identity(kind, desired, current(row)):
                    continue
                if kind.endpoint.listed:  # a list shows only a part of each object
                    row = provider.read(kind, provider.locator(kind, row)) or row
                candidate = live(row)
                if not candidate.system_owned and not unmet_leaves(kind.fields, desired, current(row)):
                    return candidate
                other = True
    except ObjectNotFound:
        return None
    if other:
        raise Unclear(f"{problem}; an object with its identity exists, and has other values")
    return None
