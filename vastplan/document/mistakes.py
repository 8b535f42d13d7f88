"""What a model has against a part of a document, in plain words: where it stands, what is wrong, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from vastplan.document.yaml import Mapping as Located
from vastplan.document.yaml import Sequence as LocatedList
from vastplan.model.finding import Where
from vastplan.model.nearest import asked, known_ones
from vastplan.schema.allowed import example, form, keys_at, models_at
from vastplan.schema.problem_words import is_of_another_type, misfit, said, wanted

Path = tuple[Any, ...]
Near = Callable[[str, Collection[str]], str]
UNKNOWN, MISSING_KEY, WRONG = "VP206", "VP211", "VP212"
_OF_TYPES_ALONE = ("dict_type", "string_type", "too_short")
_AMOUNT = re.compile(r"\d{1,6} ?[A-Za-z][A-Za-z/]{0,4}")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: `path` is where it is in what was written, `said` what is wrong there, `fix` what was probably meant.

    Of what is missing, and of a key that nobody knows, `path` has that key at its end.
    """

    code: str
    path: Path
    said: str
    where: Where | None
    fix: str = ""
    meant: str = ""
    """Of a key that nobody knows: the one that was probably meant."""
    of_type_alone: bool = False
    """Whether it tells only which type is wanted, not what to write there."""

    def about(self, whole: str = "") -> str:
        """It as a sentence; `whole` is what to call all of what was written, where it is about that."""
        dotted = ".".join(map(str, self.path))
        if self.code == MISSING_KEY:
            return f"{whole}: {dotted} {self.said}" if whole else f"{dotted} {self.said}"
        inside = dotted if self.code == WRONG else ".".join(map(str, self.path[:-1]))
        subject = inside or (whole if self.code == WRONG else "")
        return f"{subject}: {self.said}" if subject else self.said


@dataclass(frozen=True, slots=True)
class _Problem:
    """What the library says, with the arms of unions that led to it: by the path of each union the arm's label."""

    error: ErrorDetails
    path: Path
    where: Where | None
    arms: tuple[tuple[Path, str], ...]

    @property
    def is_misfit(self) -> bool:
        """Whether a key is too many or missing."""
        return self.error["type"] in ("extra_forbidden", "missing")


def mistakes(
    model: type[BaseModel],
    values: Any,
    invalid: ValidationError,
    near: Near,
    beside: Collection[str] = (),
    elsewhere: Callable[[str, bool], str] = lambda _key, _near: "",
) -> Iterator[Mistake]:
    """Each mistake once, as it is asked for. Of the forms that a value may have it is held against the one probably meant.

    `beside` are keys that may stand among those of the whole and are not the model's; `elsewhere` says where a key belongs that
    may not: around it or inside it, or anywhere.
    """
    problems = (_placed(values, error) for error in invalid.errors(include_url=False))
    missing: dict[Path, Where | None] = {}
    unknown: dict[Path, list[str]] = {}
    before: dict[Path, dict[str, str]] = {}
    found: set[tuple[str, Path, str]] = set()
    for problem in _of_one_form(model, values, problems):
        path, last = problem.path, str(problem.path[-1]) if problem.path else ""
        if problem.error["type"] == "missing":
            missing.setdefault(path, problem.where)
            continue
        if problem.error["type"] == "extra_forbidden":
            unknown.setdefault(path[:-1], []).append(last)
            keys = keys_at(model, path[:-1]) if path[:-1] else [*keys_at(model, ()), *beside]
            at_the_top = len(path) == 1
            belongs = elsewhere(last, True) if at_the_top else ""
            meant = "" if belongs else near(last, keys)
            glued = last.partition(":")[0] in keys
            fix = (
                belongs
                or ("write a space after the colon" if glued else "")
                or (_with_a_point(values, path, before) if _AMOUNT.fullmatch(last) else "")
                or asked(meant)
                or (elsewhere(last, False) if at_the_top else "")
                or known_ones(keys)
            )
            mistake = Mistake(UNKNOWN, path, f"unknown key {last}", problem.where, fix, meant)
        else:
            text, choices = said(problem.error, models_at(model, path))
            written = problem.error["input"]
            fix = asked(near(written, choices)) if isinstance(written, str) and choices else ""
            bare = problem.error["type"] in _OF_TYPES_ALONE and not isinstance(written, int | float)
            mistake = Mistake(WRONG, path, text, problem.where, fix, of_type_alone=bare)
        key = (mistake.code, mistake.path, mistake.said)
        if key not in found:
            found.add(key)
            yield mistake
    for path, where in missing.items():
        last = str(path[-1])
        if not any(near(other, [last]) for other in unknown.get(path[:-1], ())):  # else it is there, misspelt
            yield Mistake(MISSING_KEY, path, "is missing", where, f"write {last}: {example(model, path)}")


def _with_a_point(values: Any, path: Path, before: dict[Path, dict[str, str]]) -> str:
    """Of `limit: 1,5 TiB`, of which YAML makes the keys `limit` and `5 TiB`: how it is written; "" where nothing was meant so.

    `before` has the key before each, of the mappings that were looked at.
    """
    within, key = path[:-1], str(path[-1])
    holder = _value_at(values, within)
    if within not in before:
        before[within] = {here: there for there, here in pairwise(holder)}
    limit = before[within].get(key, "")
    whole = holder.get(limit)
    return f"a comma begins another key; write a decimal point: {limit}: {whole}.{key}" if type(whole) is int else ""


def _placed(values: Any, error: ErrorDetails) -> _Problem:
    """Where it is in what was written: of the library's path, labels of arms are not, and what is missing should be."""
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
        elif step != "[key]":  # so it says that a key is wrong, which is in the path already
            arms.append((tuple(path), str(step)))
    return _Problem(error, tuple(path), where, tuple(arms))


def _of_one_form(model: type[BaseModel], values: Any, problems: Iterable[_Problem]) -> Iterator[_Problem]:
    """The problems, of each union those of one arm, or one for all where none is nearer than the others."""
    unions: dict[Path, dict[str, list[_Problem]]] = {}
    for problem in problems:
        if problem.arms:
            (path, arm), *rest = problem.arms
            unions.setdefault(path, {}).setdefault(arm, []).append(replace(problem, arms=tuple(rest)))
        else:
            yield problem
    for path, arms in unions.items():
        meant = [
            arm
            for arm in arms.values()
            if not any(one.path == path and not one.arms and is_of_another_type(one.error) for one in arm)
        ]
        ranked = sorted((_distance(path, arm), index) for index, arm in enumerate(meant))
        nearest = [meant[index] for distance, index in ranked if distance == ranked[0][0]]
        if len(nearest) == 1:
            yield from _of_one_form(model, values, nearest[0])
            continue
        every = [one for arm in arms.values() for one in arm]
        unknown = [one for arm in nearest for one in arm if one.error["type"] == "extra_forbidden"]
        if unknown:
            yield from unknown
        else:
            yield _for_all(model, values, path, every)


def _distance(path: Path, arm: list[_Problem]) -> tuple[int, int]:
    """How far what was written is from an arm: first by its keys, then by what is in them."""
    return sum(one.is_misfit and one.path[:-1] == path for one in arm), len(arm)


def _for_all(model: type[BaseModel], values: Any, path: Path, every: list[_Problem]) -> _Problem:
    """One problem for all arms: what may be written instead."""
    models = models_at(model, path)
    of_types = [wanted(one.error, models) for one in every if one.path == path]
    forms = [*of_types, *map(form, models)]
    first = next((one for one in every if one.path == path), every[0])
    where = first.where if first.path == path else _where(values, path)
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
