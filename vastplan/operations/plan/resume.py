"""How workloads go on from their last checkpoint where they are submitted, by the document: for the record of a move, and its plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Facts
from vastplan.model.operation_plan import Fact, OperationPlan
from vastplan.model.shell import word
from vastplan.operations.ends import DIRECTORY, RESUME
from vastplan.operations.plan.checkpoints import is_complete, resume_of
from vastplan.operations.plan.pair import Pair
from vastplan.schema.checkpoint import CHECKPOINT
from vastplan.schema.entries import Entry

GIVEN = "checkpoints"
"""In the consent to a run: the checkpoints that it was given."""
_NAME = re.compile(r"[A-Za-z0-9._@:+=,~-]{1,255}")


def with_resume(jobs: tuple[Facts, ...], written: Iterable[Entry], pair: Pair, mode: str) -> tuple[Facts, ...]:
    """The workloads that mount the data of a pair, each with what the document says of its volume; `written` are its entries."""
    how = resume_of(written, pair, mode)
    return tuple({**fact, RESUME: {str(fact["claim"]): how}} for fact in jobs) if how else jobs


def with_checkpoints(jobs: Iterable[Facts], given: Iterable[str]) -> list[Facts]:
    """The workloads with the checkpoints that a person gives: `DIR` for the only one that starts with one, `WORKLOAD=DIR` for one of several.

    Raises `VastplanError` for something else.
    """
    facts = tuple(jobs)
    waiting, directories = _waiting(facts), dict[str, str]()
    for text in given:
        name, equals, directory = text.partition("=")
        if name not in waiting:
            if equals and waiting and not _is_directory(text, waiting):
                every = ", ".join(inert(one, 80) for one in waiting)
                way = "".join(
                    f"; a directory of that name is {word(f'{one}={text}')}" for one in waiting if len(waiting) == 1
                )
                raise VastplanError(
                    f"--checkpoint: {inert(text, 80)}: no workload {inert(name, 80)} in this move (it has {every}){way}"
                )
            name, directory = next(iter(waiting), ""), text
        if name not in waiting or (directory == text and len(waiting) > 1):
            values = " ".join(f"--checkpoint {value}" for value in to_give(facts))
            why = (
                f"give one for each workload: {values}"
                if values
                else f"no workload of the plan starts with {CHECKPOINT}"
            )
            raise VastplanError(f"--checkpoint: {inert(text, 80)}: {why}")
        if not _NAME.fullmatch(directory) or not directory.strip("."):
            raise VastplanError(
                f"--checkpoint: {inert(directory, 80)} is not the name of a directory directly below that of the volume: one name, of "
                "letters, digits and ._@:+=,~-, without /"
            )
        pattern, find = waiting[name]["name"], inert(waiting[name]["find"], None)
        if pattern and not is_complete(directory, pattern):
            raise VastplanError(
                f"--checkpoint: {directory} is not complete by the document (complete: {pattern}); this prints the newest one that "
                f"is, {find}"
            )
        if directories.setdefault(name, directory) != directory:
            raise VastplanError(
                f"--checkpoint: workload {inert(name, 80)} has two: {directories[name]} and {directory} (give one)"
            )
    return [{**fact, DIRECTORY: directories[fact["name"]]} if fact["name"] in directories else fact for fact in facts]


def of_given(jobs: Iterable[Facts]) -> Iterator[str]:
    """A line for each workload that was given a checkpoint."""
    for fact in jobs:
        if DIRECTORY in fact:
            yield f"workload {inert(fact['name'], 80)} starts from checkpoint {inert(fact[DIRECTORY], 255)}"


def to_record(plan: OperationPlan, jobs: tuple[Facts, ...], consent: Mapping[str, Any]) -> list[Facts]:
    """The workloads of a plan for its record. Raises `VastplanError` if one starts with a checkpoint that nobody gave, `Stale` if one
    would start with something else than the plan shows: no object of the document changes with that."""
    planned = {job["id"]: job.get(RESUME) for job in plan.jobs}
    for fact in jobs:
        if fact["id"] in planned and fact.get(RESUME) != planned[fact["id"]]:
            raise Stale(
                f"{plan.path}: checkpoint.resume has changed since the {plan.kind} was planned, for workload "
                f"{inert(fact['name'], 80)}; plan it again"
            )
    facts = with_checkpoints(jobs, consent.get(GIVEN, ()))
    given = {fact["name"] for fact in facts if DIRECTORY in fact}
    for (name, how), value in zip(_waiting(jobs).items(), to_give(jobs), strict=True):
        if name not in given:
            raise VastplanError(
                f"{plan.path}: workload {inert(name, 80)} starts with {CHECKPOINT}: add --checkpoint {value}, the name of the directory that "
                f"this prints, {how['find']}"
            )
    return facts


def of_resume(jobs: tuple[Facts, ...]) -> Iterator[Fact]:
    """What each workload starts with, where it is submitted to go on from its last checkpoint."""
    for fact in jobs:
        texts = [text for how in fact.get(RESUME, {}).values() for text in _texts(how)]
        if texts and fact["to_claim"]:
            yield Fact(f"workload {fact['name']} starts", f"with {', '.join(texts)}")
    for name, value in zip(_waiting(jobs), to_give(jobs), strict=True):
        text = f"give it to the run (--checkpoint {value}); vastplan does not read whether it is complete at the target"
        yield Fact(f"checkpoint of workload {name}", f"unknown: {text}")


def to_give(jobs: Iterable[Facts]) -> list[str]:
    """What a run has to be given for the workloads of a plan, as the values of `--checkpoint`."""
    waiting = _waiting(jobs)
    return [f"{inert(name, 80)}=DIR" for name in waiting] if len(waiting) > 1 else ["DIR"] * len(waiting)


def refuse_two_values(jobs: tuple[Facts, ...]) -> tuple[Facts, ...]:
    """The workloads as they are. Raises `VastplanError` if two volumes of one set the same variable to two values."""
    for fact in jobs:
        said: dict[str, tuple[str, str]] = {}
        for claim, how in fact.get(RESUME, {}).items() if fact["to_claim"] else ():
            for name, value in how.get("env", {}).items():
                first, before = said.setdefault(name, (claim, value))
                if claim != first and (value != before or CHECKPOINT in value):
                    raise VastplanError(
                        f"workload {inert(fact['name'], 80)}: the volumes of its claims {first} and {claim} both set {name} in checkpoint.resume "
                        f"({inert(before, 200)} and {inert(value, 200)}): leave it out of one, or give the variable another name there"
                    )
    return jobs


def left_to_give(jobs: tuple[Facts, ...], given: Iterable[str]) -> list[str]:
    """What a run has to be given besides what it was: a value without a workload is for the only one."""
    names = {text.partition("=")[0] for text in given}
    return [value for value in to_give(jobs) if value.partition("=")[0] not in names and (value != "DIR" or not names)]


def _waiting(jobs: Iterable[Facts]) -> dict[str, Mapping[str, Any]]:
    """The workloads that start with the path of a checkpoint: by name, how."""
    return {
        str(fact["name"]): how
        for fact in jobs
        for how in fact.get(RESUME, {}).values()
        if fact["to_claim"] and "find" in how
    }


def _is_directory(text: str, waiting: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a value with a `=` is a directory by the pattern of the only workload: epoch=3-step=400 by epoch=*."""
    patterns = [how["name"] for how in waiting.values()]
    return len(patterns) == 1 and bool(patterns[0]) and is_complete(text, patterns[0])


def _texts(how: Mapping[str, Any]) -> Iterator[str]:
    yield from (inert(f"{name}={value}", 200) for name, value in how.get("env", {}).items())
    if how.get("args"):
        yield inert(how["args"], 200)
