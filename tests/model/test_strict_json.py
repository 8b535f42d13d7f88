"""How deep JSON from outside may be nested, told by its text where that can be, and else by its value."""

import json
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


@given(_VALUES)
def test_what_is_shallow_is_read_whatever_its_strings_hold(value: Any) -> None:
    assert strict_json.parse(json.dumps(value).encode()) == value


@pytest.mark.parametrize("innermost", ["", "]", "]]]]", "a\\b", []], ids=repr)
def test_what_is_nested_too_deep_is_refused_whatever_its_strings_hold(innermost: Any) -> None:
    strict_json.parse(json.dumps(_nested(MAX_DEPTH, 0)).encode())
    with pytest.raises(ValueError, match="nested deeper"):
        strict_json.parse(json.dumps(_nested(MAX_DEPTH + 2, innermost)).encode())
    with pytest.raises(ValueError, match="nested deeper"):
        strict_json.parse(b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2))
