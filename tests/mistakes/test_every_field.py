"""Whatever is written into whichever field, the library that reads it never speaks: no pattern, no type of Python's, no word of its own."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union

import pytest
from pydantic import BaseModel, ValidationError

from tests.document.test_mistakes import _located
from tests.lab import SYSTEMS, full_registry
from vastplan.app.files.approvals import ApprovalsFile
from vastplan.document import specs
from vastplan.document.mistakes import mistakes
from vastplan.model.nearest import closest

WRONG: tuple[Any, ...] = (
    None, 5, -1, 0, 1.5, 10**30, True, "", "x y\x00", "-", "9" * 300, "50T", "1 hour", "2026-13-45", "2026-13-45T99:00:00Z", "10.0.0.0/33",
    "10.0.0.9 - 10.0.0.1", "::1 - 10.0.0.1", "http://x", "https://[", "0999", "a/b/c/d", "é" * 5, [], [5], [[]], ["", ""], [{}], {}, {"a": 5}, {"": {}},
    {"existing": None}, {"env": "a b"}, {"file": 5},
)  # fmt: skip
LIBRARY = re.compile(
    r"Input|should (be|have|match|end|start)|valid (string|integer|number|boolean|list|dictionary|tuple|set|date)|instance of|pattern|permitted"
    r"|function-|constrained-|custom-error|pydantic|[Ff]ield required|\^\[|\(\?|isoformat|must be in \d|invalid literal|does not appear|NoneType"
    r"|'?(int|str|dict|list|tuple|float)'? (object|type)|unhashable|has no attribute|cannot be used here|value_error|Value error|octet|Expected \d"
)
DEEPEST = 4


def structs(annotation: Any) -> Iterator[tuple[tuple[Any, ...], type[BaseModel]]]:
    """The structs that may stand somewhere, each with the steps to it."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield (), annotation
    elif origin is Annotated:
        yield from structs(arguments[0])
    elif origin in (Union, UnionType):
        for arm in arguments:
            yield from structs(arm)
    elif origin in (list, dict):
        for steps, model in structs(arguments[-1]):
            yield (0 if origin is list else "a", *steps), model


def fields(model: type[BaseModel], depth: int = 0) -> Iterator[tuple[Any, ...]]:
    """All fields of a struct and of those in it, as steps: an index for a list, a key for a mapping."""
    for name, info in model.model_fields.items():
        at = info.alias or name
        yield (at,)
        for steps, inner in structs(info.annotation) if depth < DEEPEST else ():
            yield from ((at, *steps, *below) for below in fields(inner, depth + 1))


def nested(steps: tuple[Any, ...], value: Any) -> Any:
    """The value at the end of the steps, and nothing else."""
    for step in reversed(steps):
        value = [value] if step == 0 else {step: value}
    return value


def models() -> Iterator[tuple[str, type[BaseModel]]]:
    """All that somebody writes."""
    for section, type_ in full_registry().sections.items():
        yield section, type_.model
    head = specs.models(SYSTEMS)
    yield "the head", head.head
    yield "connections", head.connections_file
    yield "approvals", ApprovalsFile


@pytest.mark.parametrize(("name", "model"), list(models()), ids=lambda value: value if isinstance(value, str) else "")
def test_no_field_answers_in_words_of_the_library(name: str, model: type[BaseModel]) -> None:
    told = 0
    for steps in dict.fromkeys(fields(model)):
        for wrong in WRONG:
            tree = _located(nested(steps, wrong))
            try:
                model.model_validate(tree)
            except ValidationError as invalid:
                found = list(mistakes(model, tree, invalid, closest))
                assert found, (steps, wrong)
                for one in found:
                    told += 1
                    text = f"{one.about('it')} ({one.fix})"
                    assert not LIBRARY.search(text) and len(text) < 1000, (steps, wrong, text)
    assert told > len(model.model_fields)
