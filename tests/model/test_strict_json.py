"""How deep JSON from outside may be nested, told by its text where that can be, and else by its value."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastplan.model import strict_json
from vastplan.model.strict_json import MAX_DEPTH

_STRINGS = st.text(st.sampled_from('[]{}",\\a'), max_size=4)
_VALUES = st.recursive(
    _STRINGS | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_STRINGS, inner, max_size=4),
)


def _nested(levels: int, innermost: Any) -> Any:
    value = innermost
    for level in range(levels):
        value = [value] if level % 2 else {"]": value, "[": "{", "plain": ""}
    return value


@pytest.mark.slow
@given(_VALUES)
def test_what_is_shallow_is_read_whatever_its_strings_hold(value: Any) -> None:
    assert strict_json.parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize("innermost", ["", "]", "]]]]", "a\\b", []], ids=repr)
def test_what_is_nested_too_deep_is_refused_whatever_its_strings_hold(innermost: Any) -> None:
    strict_json.parse_json(json.dumps(_nested(MAX_DEPTH, 0)).encode())
    with pytest.raises(ValueError, match="nested deeper"):
        strict_json.parse_json(json.dumps(_nested(MAX_DEPTH + 2, innermost)).encode())
    with pytest.raises(ValueError, match="nested deeper"):
        strict_json.parse_json(b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2))


@given(_VALUES)
def test_what_values_take_is_told_by_parts_as_by_the_whole(value: Any) -> None:
    raw = json.dumps(value).encode()
    assert sum(strict_json.json_memory(raw[at : at + 3]) for at in range(0, len(raw), 3)) == strict_json.json_memory(
        raw
    )


@pytest.mark.parametrize("item", [b"{}", b"[]", b"[1]", b"1.5", b'{"a":1}', b'{"a":{"b":{}}}', b'"xy"', b'"\xc4\x80"'])
def test_what_values_take_is_not_told_too_low(item: bytes) -> None:
    raw = b"[" + b",".join([item] * 10_000) + b"]"
    tracemalloc.start()
    value = strict_json.parse_json(raw)
    took = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert value
    assert took <= strict_json.json_memory(raw) * 1.1


@pytest.mark.slow
@given(_VALUES)
def test_of_objects_the_other_keys_are_dropped_at_every_level(value: Any) -> None:
    def pruned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: pruned(inner) for key, inner in value.items() if key in kept}
        return [pruned(inner) for inner in value] if isinstance(value, list) else value

    kept = {"", "a", "[", "]]"}
    assert strict_json.parse_json(json.dumps(value).encode(), kept) == pruned(value)


def test_what_is_dropped_has_to_be_json_too() -> None:
    for text in (b'{"x": NaN}', b'{"x": ', b'{"x": tru}', b"[" * 100_000):
        with pytest.raises(ValueError, match=r"."):
            strict_json.parse_json(text, {"a"})
