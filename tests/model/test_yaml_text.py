"""What somebody is told to write is read as what it was."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vastplan.model.yaml_text import yaml_scalar


@pytest.mark.parametrize("name", ["team-a", "vast-csi/vast-mgmt", "a.b@c"])
def test_what_is_plain_has_no_quotes(name: str) -> None:
    assert yaml_scalar(name) == name


@pytest.mark.parametrize(
    "name", ["", "on", "Null", "1e3", "~", "- x", "a: b", "a #b", "{a}", "it's", '"', "\\", " a", "a, b", "a b"]
)
def test_what_yaml_reads_otherwise_is_quoted(name: str) -> None:
    assert yaml_scalar(name).startswith('"')


SEEN = st.characters(exclude_categories=["Cs", "Cc", "Cn"], exclude_characters="\u2028\u2029\ufeff")


@given(st.text(alphabet=SEEN, max_size=40))
def test_it_comes_back_alone_and_between_braces(name: str) -> None:
    assert yaml.safe_load(f"name: {yaml_scalar(name)}") == {"name": name}
    assert yaml.safe_load(f"{{existing: {yaml_scalar(name)}}}") == {"existing": name}
