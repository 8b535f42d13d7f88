"""The own `dataclass` gives what the standard one gives, but for when its methods are written."""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from vastplan.model.dataclass import dataclass

Maker = Callable[..., Callable[[type], Any]]
MAKERS: tuple[Maker, ...] = (dataclasses.dataclass, dataclass)
WORDS: tuple[dict[str, bool], ...] = (
    {"frozen": True, "slots": True}, {"frozen": True}, {"slots": True}, {}, {"frozen": True, "slots": True, "order": True},
    {"frozen": True, "slots": True, "kw_only": True}, {"frozen": True, "eq": False}, {"frozen": True, "slots": True, "eq": False},
)  # fmt: skip
CALLS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((), {}), ((1,), {}), ((1, "b"), {}), ((1, "b", [3]), {}), ((), {"first": 1}), ((), {"first": 1, "third": [4], "second": "c"}),
    ((1, "b", [3], 4), {}), ((1,), {"unknown": 2}), ((1,), {"first": 2}),
)  # fmt: skip

SIGNS = (operator.lt, operator.le, operator.gt, operator.ge)


def _made(maker: Maker, words: dict[str, bool]) -> Any:
    class Thing:
        first: int
        second: str = "b"
        third: list[int] = field(default_factory=list)
        shown: int = field(default=7, init=False, repr=False, compare=False)
        total: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.first + len(self.third))

    return maker(**words)(Thing)


def _answer(work: Callable[..., object], *words: object) -> object:
    try:
        return work(*words)
    except Exception as problem:
        return type(problem), str(problem)


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_it_is_built_and_compared_as_the_standard_one(words: dict[str, bool]) -> None:
    told = []
    for maker in MAKERS:
        made = _made(maker, words)
        objects: list[Any] = []
        for positional, named in CALLS:
            try:
                objects.append(made(*positional, **named))
            except TypeError as problem:
                objects.append(str(problem))
        built = [one for one in objects if isinstance(one, made)]
        answers: list[object] = [repr(one) for one in objects]
        if words.get("eq", True):
            answers += [one == other for one in built for other in [*built, 1]]
            answers += [_answer(hash, one) for one in built]
        answers += [_answer(sign, one, other) for sign in SIGNS for one in built for other in [*built, 1]]
        answers += [(each.name, each.kw_only, each.init) for each in dataclasses.fields(made)]
        answers += [made.__match_args__, hasattr(built[0], "__dict__"), made.__hash__ is None]
        answers += [dataclasses.asdict(built[0]), repr(dataclasses.replace(built[0], second="z"))]
        told.append(answers)
    assert told[0] == told[1]


@pytest.mark.parametrize("words", [words for words in WORDS if words.get("frozen")], ids=str)
def test_a_frozen_one_cannot_be_changed_and_can_be_copied(words: dict[str, bool]) -> None:
    for maker in MAKERS:
        thing = _made(maker, words)(first=1)
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'first'"):
            thing.first = 2
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'first'"):
            del thing.first
        assert copy.copy(thing).total == copy.deepcopy(thing).total == 1 and thing.first == 1


@dataclass(frozen=True, slots=True)
class Base:
    """A base, as its heirs have it."""

    one: int
    two: tuple[int, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base) and self.one == other.one

    def __hash__(self) -> int:
        return 5


@dataclass(frozen=True, slots=True)
class Heir(Base):
    """An heir with a field more."""

    three: object = None


def test_an_heir_has_the_fields_of_its_base_and_methods_of_its_own() -> None:
    assert Heir(1, (2,), 3) == Heir(1, (2,), 3) != Heir(1, (2,), 4)
    assert hash(Heir(1)) != 5 == hash(Base(1)) and Base(1, (2,)) == Base(1)
    assert repr(Heir(1, three=[2])) == "Heir(one=1, two=(), three=[2])"
    assert pickle.loads(pickle.dumps(Heir(1, (2,), 3))) == Heir(1, (2,), 3)


def test_one_that_holds_itself_is_shown() -> None:
    held: list[object] = []
    heir = Heir(1, (), held)
    held.append(heir)
    assert repr(heir) == "Heir(one=1, two=(), three=[...])"


def test_methods_are_written_when_they_are_first_called() -> None:
    @dataclass(frozen=True, slots=True)
    class Late:
        one: int

    at_first = {name: getattr(Late, name) for name in ("__init__", "__eq__", "__hash__")}
    assert Late(1) == Late(1)
    assert [name for name, method in at_first.items() if getattr(Late, name) is not method] == ["__init__", "__eq__"]
