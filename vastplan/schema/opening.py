"""Whether a change of a field lets somebody in, or gives more access than before. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.model.ip_ranges import entering, lost_within, subnets
from vastplan.model.plan import Access
from vastplan.model.value import Ref, json_text
from vastplan.schema.field import Field
from vastplan.schema.markers import Admits, Opens

EVERYBODY = "everybody"
_Values = Mapping[str, Any]
_NOTHING: _Values = {}


def may_open(field: Field) -> bool:
    """Whether any change of a field could give access."""
    return field.admits is not None or field.opens is not None or (field.refers is not None and field.refers.admits)


def opens(
    field: Field, before: Any, after: Any, *, at_create: bool = False, was: _Values = _NOTHING, now: _Values = _NOTHING
) -> bool:
    """Whether a change gives more access than before. With `at_create` the field belongs to an object that is created.

    `was` and `now` are the other values of the object before and after, as far as they are known.
    """
    if field.refers is not None and field.refers.admits and after is not None:
        return True
    if field.admits is not None:
        return bool(let_in(field, {} if at_create else {**was, field.name: before}, {**now, field.name: after}))
    rule = field.opens
    if rule is None or (at_create and not rule.at_create):
        return False
    return _opens(rule, before, after) and _gains(rule, before, after) != []


def gains(field: Field, before: Any, after: Any) -> tuple[str, ...]:
    """Who gets in by a change of a field that `opens`, or at what, where its value does not show it."""
    return tuple((_gains(field.opens, before, after) if field.opens is not None else None) or ())


def _gains(rule: Opens, before: Any, after: Any) -> list[str] | None:
    return rule.whom(before, after) if callable(rule.whom) else [rule.whom] if rule.whom else None


def access_by(field: Field, before: Any, after: Any, now: _Values = _NOTHING) -> Access:
    """By what a change of a field that `opens` lets somebody in."""
    if field.opens is not None and field.opens.lost:
        return Access.LOSS
    if field.admits is None:
        return Access.CLIENTS
    kept_out = _no_longer_kept_out(field.admits, admitted_items(before), admitted_items(after), now)
    return Access.LOSS if any(kept_out) else Access.ADDRESSES if field.admits.addresses else Access.CLIENTS


def let_in(field: Field, was: _Values, now: _Values) -> list[str]:
    """Whom a field that `admits` lets in who could not before, from the values of its object before (empty for a new one) and after;
    in part unknown values count as missing ones."""
    rule, name = field.admits, field.name
    assert rule is not None
    if open_to_all(rule, name, now):
        return [] if was and open_to_all(rule, name, was) else [EVERYBODY]
    if was and open_to_all(rule, name, was):
        return []
    if any(was.get(wider) is True for wider in (name, *rule.also)):
        return []
    before, after = admitted_items(was.get(name)), admitted_items(now.get(name))
    if rule.addresses:
        return entering(after, [*before, *subnets(before, [was.get(size) for size in rule.addresses])])
    had = [*before, *(text for wider in rule.also for text in admitted_items(was.get(wider)))]
    return list(dict.fromkeys([*entering(after, had), *_no_longer_kept_out(rule, before, after, now)]))


def _no_longer_kept_out(rule: Admits, before: list[str], after: list[str], now: _Values) -> Iterator[str]:
    """Those to whom a removal from the field may give more access: it refused them, or a wider field lists them too."""
    if rule.refuses:
        left = (text for text in before if text.startswith(rule.refuses) and text not in after)
        yield from (text.removeprefix(rule.refuses) for text in left)
    if rule.restricts:
        yield from lost_within(before, after, [text for name in rule.also for text in admitted_items(now.get(name))])


def open_to_all(rule: Admits, name: str, values: _Values) -> bool:
    """Whether a field lets everybody in because it is empty."""
    return rule.open_when_empty and not values.get(name) and not any(values.get(other) for other in rule.beside)


def _opens(rule: Opens, before: Any, after: Any) -> bool:
    if rule.either:
        return _items(before) != _items(after)
    if rule.lost and rule.to:
        return bool((_items(before) - _items(after)) & {*map(json_text, rule.to)})
    if rule.lost:
        return not after or _new(after, before)
    if isinstance(after, list):
        return _new(before, after)
    json_value = json_text(after)  # compared as text, because in Python 0 equals False
    return json_value in map(json_text, rule.to) if rule.to else json_value not in map(json_text, rule.shut)


def _new(before: Any, after: Any) -> bool:
    """Whether a list has an item that the other one does not have, nor covers."""
    return bool(entering(admitted_items(after), admitted_items(before)))


def _items(value: Any) -> set[str]:
    return {*map(_text, value if isinstance(value, list) else [])}


def admitted_items(value: Any) -> list[str]:
    """The items of a list as texts, a reference as its address; `everybody` for a switch that is on."""
    if value is True:
        return [EVERYBODY]
    return [item if isinstance(item, str) else _text(item) for item in value] if isinstance(value, list) else []


def _text(item: Any) -> str:
    if isinstance(item, Ref):
        return str(item.target)
    if isinstance(item, dict) and len(item) == 1 and next(iter(item)) in ("$ref", "$existing"):
        return str(next(iter(item.values())))
    return json_text(item)
