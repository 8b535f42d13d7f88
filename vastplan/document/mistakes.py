"""Turns a model's validation errors into mistakes for users: where they are, what is wrong, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from vastplan.document.belonging import KeyPlace, belongs, key_places
from vastplan.document.yaml import Mapping as Located
from vastplan.document.yaml import Sequence as LocatedList
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Where
from vastplan.model.nearest import known_ones, suggestion
from vastplan.schema.choices import field_example, form, keys_at, models_at
from vastplan.schema.problem_words import expected_text, is_of_another_type, misfit, problem_text

Path = tuple[Any, ...]
Near = Callable[[str, Collection[str]], str]
UNKNOWN, MISSING_KEY, WRONG = "VP206", "VP211", "VP212"
_OF_TYPES_ALONE = ("dict_type", "string_type", "too_short")
_AMOUNT = re.compile(r"\d{1,6} ?[A-Za-z][A-Za-z/]{0,4}")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: `path` is its place in the written values, `text` what is wrong, `fix` what was probably meant.

    For a missing or unknown key, `path` ends in that key.
    """

    code: str
    path: Path
    text: str
    where: Where | None
    fix: str = ""
    meant: str = ""
    """For an unknown key: the key that was probably meant."""
    of_type_alone: bool = False
    """Whether the message only names the required type, and not what to write."""

    def about(self, whole: str = "") -> str:
        """The mistake as a sentence; `whole` is the name of everything that was validated, for mistakes about all of it."""
        dotted = ".".join(map(str, self.path))
        if self.code == MISSING_KEY:
            return f"{whole}: {dotted} {self.text}" if whole else f"{dotted} {self.text}"
        path_text = dotted if self.code == WRONG else ".".join(map(str, self.path[:-1]))
        subject = path_text or (whole if self.code == WRONG else "")
        return f"{subject}: {self.text}" if subject else self.text


@dataclass(frozen=True, slots=True)
class _Problem:
    """An error of pydantic, with the arms of unions that led to it: for each the path of the union, and the arm's label."""

    error: ErrorDetails
    path: Path
    where: Where | None
    arms: tuple[tuple[Path, str], ...]

    @property
    def is_misfit(self) -> bool:
        """Whether the error is an unknown or a missing key."""
        return self.error["type"] in ("extra_forbidden", "missing")


def mistakes(
    model: type[BaseModel],
    values: Any,
    invalid: ValidationError,
    near: Near,
    beside: Collection[str] = (),
    known_at: Callable[[Path], list[KeyPlace]] | None = None,
) -> Iterator[Mistake]:
    """Yields each mistake once, lazily. A value with several allowed forms is compared with the form that was probably meant.

    `beside` are keys that are allowed at the top although the model does not have them. `known_at(path)` are where the key at the end
    of a path is known, which is not allowed there; left out, in the model.
    """
    known_at = known_at or partial(key_places, model, base="", whole="the file")
    problems = (_placed(values, error) for error in invalid.errors(include_url=False))
    missing_keys: dict[Path, Where | None] = {}
    unknown_keys: dict[Path, list[str]] = {}
    before: dict[Path, dict[str, str]] = {}
    yielded: set[tuple[str, Path, str]] = set()
    for problem in _of_one_form(model, values, problems):
        path, last_step = problem.path, str(problem.path[-1]) if problem.path else ""
        if problem.error["type"] == "missing":
            missing_keys.setdefault(path, problem.where)
            continue
        if problem.error["type"] == "extra_forbidden":
            unknown_keys.setdefault(path[:-1], []).append(last_step)
            keys = keys_at(model, path[:-1]) if path[:-1] else [*keys_at(model, ()), *beside]
            known = known_at(path)
            is_meant = any(place.sure for place in known)
            nearest = "" if is_meant else near(last_step, keys)
            glued = last_step.partition(":")[0] in keys
            fix = (
                (belongs(known) if is_meant else "")
                or ("write a space after the colon" if glued else "")
                or (_with_a_point(values, path, before) if _AMOUNT.fullmatch(last_step) else "")
                or suggestion(nearest)
                or belongs(known)
                or known_ones(keys)
            )
            mistake = Mistake(UNKNOWN, path, f"unknown key {last_step}", problem.where, fix, nearest)
        else:
            text, choices = problem_text(problem.error, models_at(model, path))
            input_value = problem.error["input"]
            fix = suggestion(near(input_value, choices)) if isinstance(input_value, str) and choices else ""
            bare = problem.error["type"] in _OF_TYPES_ALONE and not isinstance(input_value, int | float)
            mistake = Mistake(WRONG, path, text, problem.where, fix, of_type_alone=bare)
        key = (mistake.code, mistake.path, mistake.text)
        if key not in yielded:
            yielded.add(key)
            yield mistake
    for path, where in missing_keys.items():
        last_step = str(path[-1])
        # otherwise the key is there, misspelt
        if not any(near(other, [last_step]) for other in unknown_keys.get(path[:-1], ())):
            yield Mistake(MISSING_KEY, path, "is missing", where, f"write {last_step}: {field_example(model, path)}")


def _with_a_point(values: Any, path: Path, before: dict[Path, dict[str, str]]) -> str:
    """The fix for `limit: 1,5 TiB`, which YAML in braces reads as the keys `limit` and `5 TiB`; "" where that was not meant.

    `before` caches, for each mapping, the key before each key.
    """
    holder_path, key = path[:-1], str(path[-1])
    holder = _value_at(values, holder_path)
    if holder_path not in before:
        before[holder_path] = {current: previous for previous, current in pairwise(holder)}
    limit = before[holder_path].get(key, "")
    whole = holder.get(limit)
    return f"a comma begins another key; write a decimal point: {limit}: {whole}.{key}" if type(whole) is int else ""


def _placed(values: Any, error: ErrorDetails) -> _Problem:
    """The error with its place in the written values. Labels of arms in pydantic's path are not part of it; a missing key is."""
    path: list[Any] = []
    arms: list[tuple[Path, str]] = []
    where: Where | None = None
    for index, step in enumerate(error["loc"]):
        if isinstance(values, Mapping) and step in values:
            where = values.where(str(step)) if isinstance(values, Located) else None
            values = values[step]
            path.append(step)
        elif isinstance(values, list | LocatedList) and isinstance(step, int) and step < len(values):
            where = values.items_at[step] if isinstance(values, LocatedList) else None
            values = values[step]
            path.append(step)
        elif error["type"] == "missing" and index == len(error["loc"]) - 1:
            where = where or (values.at if isinstance(values, Located) else None)
            path.append(step)
        elif step != "[key]":  # pydantic's mark for a wrong key, which is in the path already
            arms.append((tuple(path), str(step)))
    return _Problem(error, tuple(path), where, tuple(arms))


def _of_one_form(model: type[BaseModel], values: Any, problems: Iterable[_Problem]) -> Iterator[_Problem]:
    """The problems; for each union only those of the nearest arm, or one for all arms where no arm is nearest."""
    unions: dict[Path, dict[str, list[_Problem]]] = {}
    for problem in problems:
        if problem.arms:
            (path, arm), *inner_arms = problem.arms
            unions.setdefault(path, {}).setdefault(arm, []).append(replace(problem, arms=tuple(inner_arms)))
        else:
            yield problem
    for path, arms in unions.items():
        fitting = [
            arm
            for arm in arms.values()
            if not any(
                problem.path == path and not problem.arms and is_of_another_type(problem.error) for problem in arm
            )
        ]
        ranked = sorted((_distance(path, arm), index) for index, arm in enumerate(fitting))
        nearest = [fitting[index] for distance, index in ranked if distance == ranked[0][0]]
        if len(nearest) == 1:
            yield from _of_one_form(model, values, nearest[0])
            continue
        all_problems = [problem for arm in arms.values() for problem in arm]
        key_problems = [problem for arm in nearest for problem in arm if problem.error["type"] == "extra_forbidden"]
        if key_problems:
            yield from key_problems
        else:
            yield _for_all(model, values, path, all_problems)


def _distance(path: Path, arm: list[_Problem]) -> tuple[int, int]:
    """The distance between the written value and an arm: first by keys, then by the values in them."""
    return sum(problem.is_misfit and problem.path[:-1] == path for problem in arm), len(arm)


def _for_all(model: type[BaseModel], values: Any, path: Path, every: list[_Problem]) -> _Problem:
    """One problem for all arms, which lists the forms that may be written."""
    models = models_at(model, path)
    of_types = [expected_text(problem.error, models) for problem in every if problem.path == path]
    forms = [*of_types, *map(form, models)]
    first_problem = next((problem for problem in every if problem.path == path), every[0])
    where = first_problem.where if first_problem.path == path else _where(values, path)
    return _Problem(misfit(_value_at(values, path), forms), path, where, ())


def _value_at(values: Any, path: Path) -> Any:
    for step in path:
        values = values[step]
    return values


def _where(values: Any, path: Path) -> Where | None:
    holder = _value_at(values, path[:-1])
    if isinstance(holder, Located):
        return holder.where(path[-1])
    return holder.items_at[path[-1]] if isinstance(holder, LocatedList) else None
