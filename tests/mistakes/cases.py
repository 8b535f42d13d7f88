"""Mistakes that people make: what was written, what they are told, word for word, and what they type next.

A file is a list of cases:

    mistake: TITLE
    edit: [[OLD, NEW], ...]      what was written in `document.yaml` instead; each OLD stands there once
    write: {FILE: TEXT}          files beside it, or in its place; `null` for one that is not there
    env: {NAME: VALUE}           variables; `null` for one that is not set
    before: [COMMAND, ...]       what went well before the mistake was made, with the document as it is
    run: COMMAND                 what is typed; `vastplan validate doc.yaml` where nothing is said
    code: N                      how that ends, 1 where nothing is said
    message: TEXT                all that is told on standard error
    says: TEXT                   lines of standard output, where the message is there
    next:                        what the reader types then, of what the message says
      edit, write, env, before   as above, on what is there now
      run: COMMAND               where it is another
      code: N                    0 where nothing is said

After `next` the message is gone. `{server}` is the address of a simulated VMS, `{closed}` one that nobody listens at, `{today}` and
`{folder}` are what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
DOCUMENT = "doc.yaml"
_STEP = {"edit", "write", "env", "before", "run", "code"}
_KEYS = _STEP | {"mistake", "message", "says", "next"}


@dataclass(frozen=True, slots=True)
class Step:
    """What is written, and what is typed."""

    edit: tuple[tuple[str, str], ...] = ()
    write: Mapping[str, str | None] = field(default_factory=dict)
    env: Mapping[str, str | None] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    run: str = ""
    code: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One mistake."""

    file: Path
    title: str
    step: Step
    message: str
    says: str
    next: Step


def cases() -> Iterator[Case]:
    """All cases of all files."""
    for file in sorted(HERE.glob("cases/*.yaml")):
        for case in yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader):
            unknown = set(case) - _KEYS | set(case["next"]) - _STEP
            assert not unknown, (file.name, case["mistake"], unknown)
            step = _step({"run": f"validate {DOCUMENT}", "code": 1, **case})
            then = _step({"run": step.run, **case["next"]})
            yield Case(file, case["mistake"], step, case.get("message", ""), case.get("says", ""), then)


def _step(told: Mapping[str, Any]) -> Step:
    return Step(
        tuple((old, new) for old, new in told.get("edit", ())),
        told.get("write", {}),
        told.get("env", {}),
        tuple(told.get("before", ())),
        told["run"],
        told.get("code", 0),
    )
