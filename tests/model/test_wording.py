"""Several of a thing are called as people call them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vastplan.model import units
from vastplan.model.address import Address
from vastplan.model.wording import counted, quoted, shortened


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("object", "objects"),
        ("storage_class", "storage_classes"),
        ("admission_policy", "admission_policies"),
        ("gateway", "gateways"),
    ],
)
def test_several(noun: str, several: str) -> None:
    assert (counted(1, noun), counted(2, noun), counted(0, noun)) == (f"1 {noun}", f"2 {several}", f"0 {several}")


def test_what_is_quoted_has_a_bound() -> None:
    """A model quotes all that is wrong in it before any of that is a finding."""
    assert (shortened("x" * 500), quoted("a'b")) == ("x" * 500, '"a\'b"')
    for most in (200, 500):
        text = shortened("a" * 300_000 + "b" * 300_000, most)
        between = int(text.split("(")[1].split()[0])
        begins, ends = text.split(f"… ({between} more characters) …")
        assert len(text) <= most and set(begins) == {"a"} and set(ends) == {"b"}
        assert len(begins) + between + len(ends) == 600_000
    assert len(quoted("x" * 10_000)) <= 200


@pytest.mark.parametrize("read", [units.parse_bytes, units.parse_bandwidth, units.parse_span, Address.parse])
@pytest.mark.parametrize(
    "text", ["x" * 10_000, "1." + "3" * 10_000 + " MB", "1." + "3" * 10_000 + "d", "9" * 3000 + " Gb/s"]
)
def test_what_is_no_value_is_quoted_so(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(ValueError, match=" more characters\\) ") as refused:
        read(text)
    assert len(str(refused.value)) < 400
