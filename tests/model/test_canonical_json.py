"""Canonical JSON is what the standard library writes of the same data, and says of values what their fields hold."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastplan.model import canonical_json
from vastplan.model.address import Address
from vastplan.model.plan import Action, Cause, FieldChange, Verb

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.dictionaries(st.integers(), inner),
)


def _standard(data: Any) -> str:
    return json.dumps(data, sort_keys=True, indent=1) + "\n"


@pytest.mark.slow
@given(JSON)
def test_data_is_written_as_the_standard_library_writes_it(data: Any) -> None:
    assert canonical_json.json_file_text(data) == _standard(data)
    assert _standard(canonical_json.plain_json(data)) == _standard(data)


@dataclass(frozen=True, slots=True)
class Sample:
    zone: str
    values: tuple[Any, ...] = ()
    labels: dict[str, Any] = field(default_factory=dict)
    flag: bool = False
    inner: Sample | None = None


@pytest.mark.slow
@given(JSON, st.text(), st.booleans())
def test_a_dataclass_is_written_by_its_fields_defaults_or_not(data: Any, zone: str, flag: bool) -> None:
    sample = Sample(zone, (data,), {zone: data}, flag, Sample(zone))
    assert canonical_json.json_file_text(sample) == _standard(asdict(sample))
    assert _standard(canonical_json.plain_json(sample)) == _standard(asdict(sample))


def test_an_enum_is_its_value_and_an_address_its_text() -> None:
    change = FieldChange("size", 1, 2, Cause.DOCUMENT)
    data = canonical_json.plain_json(Action(Address("iad", "view", "a/b"), Verb.UPDATE, "why", (change,)))
    assert (data["address"], data["verb"], data["changes"][0]["cause"]) == ("iad/view/a/b", "update", "document")
    assert (
        json.loads(canonical_json.json_file_text(Action(Address("iad", "view", "a/b"), Verb.UPDATE, "why", (change,))))
        == data
    )


def test_what_is_not_json_is_refused() -> None:
    for write in (canonical_json.json_file_text, canonical_json.plain_json):
        with pytest.raises(TypeError, match="a set has no place in JSON"):
            write({"a": {1}})
