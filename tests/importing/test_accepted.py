"""What a model takes of a live object: what it does not take falls alone, or nothing can be said."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import field_validator, model_validator

from tests.importing.made_up import made_up
from vastplan.importing.acceptance import accepted_values, is_required, rejected_field
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.markers import IDENTITY, IMMUTABLE, NAMED, Refers
from vastplan.schema.types import MISSING, Existing, Name, ReferenceName, Spec

HALF = "a\ud800"  # half a character: no file can hold it
AT = Address("iad", "disk", "x")


class Part(Spec):
    """A part with two fields."""

    size: int | MISSING = MISSING
    speed: int | MISSING = MISSING


class Disk(Spec):
    """One with every sort of field."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    room: Annotated[Name, IDENTITY] = "hall"
    size: int
    speed: int | None | MISSING = MISSING
    weight: float | MISSING = MISSING
    words: list[str] | MISSING = MISSING
    part: Part | MISSING = MISSING
    labels: dict[str, int | str] | MISSING = MISSING
    few: dict[str, int] | MISSING = MISSING
    ours: Annotated[str | MISSING, Refers("disk")] = MISSING
    others: Annotated[Existing | MISSING, Refers("disk")] = MISSING
    shelf: Annotated[ReferenceName | MISSING, Refers("disk")] = MISSING
    title: Annotated[Name | MISSING, NAMED] = MISSING

    @field_validator("speed")
    @classmethod
    def _even(cls, value: Any) -> Any:
        if value == 13:
            raise ValueError("thirteen is unlucky")
        return value

    @model_validator(mode="after")
    def _at_most_one(self) -> Disk:
        if isinstance(self.few, dict) and len(self.few) > 1:
            raise ValueError("few is one at most")
        if self.weight == 1 and self.words is not MISSING:
            raise ValueError("weight and words are not for both")
        if self.weight == 2 and self.title == "heavy":
            raise ValueError("what is heavy weighs more")
        if self.weight == 3:
            raise ValueError("nothing weighs three") if self.size > 3 else ValueError("three of little")
        return self


class Card(Spec):
    """One whose name tells nothing."""

    number: Annotated[int, IDENTITY]
    name: Annotated[Name | MISSING, IMMUTABLE] = MISSING


DISK, CARD = made_up(Disk), made_up(Card)


def accepted(**values: Any) -> tuple[dict[str, Any], dict[str, str], str]:
    return accepted_values(DISK, AT, {"size": 1, **values})


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"name": "y", "room": "cellar", "title": "t", "speed": None, "part": {"size": 2}, "labels": {"a": 1, "b": "x"}},
        {
            "weight": -(10.0**16),
            "words": ["Größe", "日本"],
            "labels": {"Größe": 1, "k" * 400: 2, "n": 10**19},
            "few": {},
        },
        {"ours": Ref(Address("iad", "disk", "b")), "others": Ref(Address("iad", "disk", "Größe"), managed=False)},
        {"shelf": Ref(Address("iad", "disk", "c"))},
        {"shelf": Ref(Address("iad", "disk", "c"), managed=False)},
    ],
)
def test_what_is_all_in_order_stays_as_it_is(values: dict[str, Any]) -> None:
    assert accepted(**values) == ({"size": 1, **values}, {}, "")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("speed", 13, "thirteen is unlucky"),
        ("speed", "fast", "is text; write a whole number"),
        ("words", ["a", HALF], "half a character"),
        ("words", HALF, "half a character"),
        ("labels", {"a": {"b": HALF}}, "half a character"),
        ("labels", {HALF: "b"}, "half a character"),
        ("labels", {"<<": "b"}, "merge key"),
        ("labels", {"k" * 1001: "b"}, "longer"),
        ("labels", {"a": 10**20}, "digits"),
        ("labels", {"a": -(10**20)}, "digits"),
        ("weight", float("inf"), "float"),
        ("weight", float("nan"), "float"),
        ("others", Ref(Address("iad", "disk", HALF), managed=False), "half a character"),
        ("part", {"size": "much", "speed": 1}, "is text; write a whole number"),
        ("few", {"a": 1, "b": 2}, "few is one at most"),
        ("ours", Ref(Address("iad", "disk", "b"), managed=False), "is a mapping; write text"),
        ("others", Ref(Address("iad", "disk", "b")), "is text; write {existing: NAME}"),
    ],
)
def test_a_value_that_nobody_can_write_falls_with_its_reason(field: str, value: Any, words: str) -> None:
    values, fell, why = accepted(**{"title": "t", field: value})
    assert (values, why) == ({"size": 1, "title": "t"}, "")
    assert fell.keys() == {field} and words in fell[field]


def test_a_reason_is_told_without_the_words_of_the_library() -> None:
    assert accepted(speed=13)[1] == {"speed": "thirteen is unlucky"}


def test_several_fall_one_by_one() -> None:
    values, fell, why = accepted(speed=13, weight="heavy", words=[HALF], labels={"<<": 1}, title="t")
    assert (values, why) == ({"size": 1, "title": "t"}, "")
    assert fell.keys() == {"speed", "weight", "words", "labels"}


@pytest.mark.parametrize("field", ["name", "room", "title", "size"])
@pytest.mark.parametrize("value", [HALF, "  ", ["?"]])
def test_without_what_an_entry_needs_nothing_is_said(field: str, value: Any) -> None:
    values, _, why = accepted(**{field: value, "speed": 13})
    assert why.startswith(f"{field}: ") and len(why) > len(field) + 2
    assert values[field] == value


def test_why_nothing_is_said_is_told_with_its_field() -> None:
    _, fell, _ = accepted(words=HALF)
    assert accepted(room=HALF)[2] == f"room: {fell['words']}"
    _, fell, _ = accepted(speed="fast")
    assert accepted(size="fast")[2] == f"size: {fell['speed']}"


def test_what_is_missing_is_said_and_not_left_out() -> None:
    _, fell, why = accepted_values(DISK, AT, {"speed": 3})
    assert why.startswith("size: ") and not fell


def test_that_nothing_is_there_is_not_lost_where_it_cannot_be_said() -> None:
    assert accepted(weight=None) == ({"size": 1}, {}, "")


def test_keys_of_a_mapping_fall_for_themselves() -> None:
    values, fell, why = accepted(labels={"a": 1, "b": [1], "c": "x", "d": None})
    assert (values, why) == ({"size": 1, "labels": {"a": 1, "c": "x"}}, "")
    assert fell == {"labels.b": "is a list; write a whole number", "labels.d": "is empty; write a whole number"}
    assert accepted(labels={"b": [1]})[0] == {"size": 1}, "nothing is left of it"
    values, fell, why = accepted(labels={"a": 1, "b": [1]}, few={"a": "x"}, ours=5)
    assert (values, why) == ({"size": 1, "labels": {"a": 1}}, "")
    assert fell.keys() == {"labels.b", "few.a", "ours"}, "one key is not at fault for another, nor for other fields"
    values, fell, why = accepted(labels={"a": 1, "b": [1]}, weight=1.0, words=["a"])
    assert (values, why) == ({"size": 1, "labels": {"a": 1}, "weight": 1.0}, "")
    assert fell.keys() == {"labels.b", "words"}


def test_of_those_that_do_not_go_together_the_last_falls() -> None:
    values, fell, why = accepted(weight=1.0, words=["a"], labels={"a": 1})
    assert (values, why) == ({"size": 1, "weight": 1.0, "labels": {"a": 1}}, "")
    assert fell.keys() == {"words"} and "not for both" in fell["words"]


def test_what_an_entry_needs_does_not_fall_for_what_it_does_not_go_with() -> None:
    values, fell, why = accepted(weight=2.0, title="heavy", labels={"a": 1})
    assert (values, why) == ({"size": 1, "title": "heavy", "labels": {"a": 1}}, "")
    assert fell.keys() == {"weight"}


def test_where_no_single_field_is_wrong_the_model_says_why() -> None:
    values, fell, why = accepted(weight=3.0, few={"a": 1, "b": 2}, size=9)
    assert (fell, why) == ({}, "few is one at most")
    assert values["weight"] == 3.0


def test_the_first_that_is_wrong_is_named() -> None:
    assert rejected_field(DISK, AT, {"size": 1}) is None
    found = rejected_field(DISK, AT, {"speed": 13, "size": 1, "part": {"size": "x", "speed": "y"}})
    assert found == ("speed", "thirteen is unlucky")
    assert (rejected_field(DISK, AT, {"size": 1, "unknown": 1}) or ("",))[0] == "unknown"
    assert rejected_field(DISK, AT, {"size": 1, "few": {"a": 1, "b": 2}}) == ("", "few is one at most")


def test_what_is_not_named_otherwise_is_called_as_its_entry() -> None:
    wrong = Address("iad", "disk", "/no/name")
    assert (rejected_field(DISK, wrong, {"size": 1}) or ("",))[0] == "name"
    assert (rejected_field(DISK, wrong, {"size": 1, "name": "x"}) or ("",))[0] == "title"
    assert rejected_field(DISK, wrong, {"size": 1, "name": "x", "title": "y"}) is None
    assert rejected_field(CARD, wrong, {"number": 1}) is None


def test_a_reference_may_be_written_already() -> None:
    assert rejected_field(DISK, AT, {"size": 1, "shelf": "c"}) is None
    assert rejected_field(DISK, AT, {"size": 1, "shelf": {"existing": "c"}}) is None


def test_an_entry_needs_what_it_is_told_by_and_what_its_model_asks_for() -> None:
    assert {field.name for field in DISK.fields if is_required(DISK, field)} == {"name", "room", "title", "size"}
