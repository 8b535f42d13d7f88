"""Whether a change of a field lets somebody in, or gives more access than before. Pure."""

from __future__ import annotations

from typing import Any

from vastplan.model.value import Ref, json_text
from vastplan.schema.field import Field
from vastplan.schema.markers import Opens


def may_open(field: Field) -> bool:
    """Whether any change of a field could give access."""
    return field.admits is not None or field.opens is not None or (field.refers is not None and field.refers.admits)


def opens(field: Field, before: Any, after: Any, *, at_create: bool = False) -> bool:
    """Whether a change gives more access than before. With `at_create` the field belongs to an object that is created."""
    if field.refers is not None and field.refers.admits and after is not None:
        return True
    if field.admits is not None:
        if field.admits.open_when_empty and not after:
            return True
        everybody = field.admits.open_when_empty and not before and not at_create  # a list now keeps some out
        return not everybody and _comes(before, after)
    rule = field.opens
    return rule is not None and (rule.at_create or not at_create) and _opens(rule, before, after)


def _opens(rule: Opens, before: Any, after: Any) -> bool:
    if rule.either:
        return _items(before) != _items(after)
    if rule.lost and rule.to:
        return bool((_items(before) - _items(after)) & {*map(json_text, rule.to)})
    if rule.lost:
        return not after or _comes(after, before)
    if isinstance(after, list):
        return _comes(before, after)
    json_value = json_text(after)  # compared as text, because in Python 0 equals False
    return json_value in map(json_text, rule.to) if rule.to else json_value not in map(json_text, rule.shut)


def _comes(before: Any, after: Any) -> bool:
    """Whether a list has a new item, or a switch that was off is on."""
    return not _items(after) <= _items(before)


def _items(value: Any) -> set[Any]:
    values = value if isinstance(value, list) else [value] if value is True else []
    return {item if isinstance(item, Ref) else json_text(item) for item in values}
