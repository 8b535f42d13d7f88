"""Several of a thing are called as people call them."""

from __future__ import annotations

import pytest

from vastplan.model.wording import counted


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
