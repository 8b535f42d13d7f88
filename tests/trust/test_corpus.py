"""Hostile plans, ledgers, approvals and snapshots (`corpus/`), each with what must happen.

name: what was done to the file
scene: bold                      # the plan that waits (`stage.py`); left out: bold
do:                              # edits, one after the other; the digest is made anew
  - at: [actions, ADDRESS]       # where: keys, indexes, and in a list of what has an address that, perhaps with a step; or "*"
    put: {id: $stranger}         # keys of the mapping there; or `value`, `append`, `remove: true`
code: 5                          # how the command ends
writes: none | fewer | same      # of what the plan does by itself
says: a text                     # that is in what it prints
$stranger, $tenant, $space are ids of a view policy, a tenant and a namespace of strangers; $outside is a folder elsewhere.

Beside that nothing is written that the plan does not write, no file elsewhere is opened, the ledger owns no more and no less.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.trust.mutations import Attack, carried_out, rewritten
from tests.trust.stage import Stage

CORPUS = Path(__file__).parent / "corpus"
CASES = [
    pytest.param(
        file.stem.removesuffix("s") if file.stem != "approvals" else file.stem,
        case,
        id=f"{file.stem}: {case['name']}",
        marks=[pytest.mark.slow] if place % 8 else [],  # all of them in CI
    )
    for file in sorted(CORPUS.glob("*.yaml"))
    for place, case in enumerate(yaml.safe_load(file.read_text(encoding="utf-8")))
]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as folder:
        yield Stage(Path(folder))


@pytest.mark.parametrize(("file", "case"), CASES)
def test_a_hostile_file(file: str, case: dict[str, Any], stage: Stage) -> None:
    assert case.keys() <= {"name", "scene", "do", "code", "writes", "says"}
    scene = case.get("scene", "bold")
    data = json.loads(stage.content(file, scene))
    for edit in case["do"]:
        edited(data, edit["at"], {key: value for key, value in edit.items() if key != "at"}, stage)
    ended = carried_out(Attack(0, file, scene, rewritten(file, data), ()), stage)
    assert ended.broken == [], ended.ran
    assert (ended.ran.code, ended.extent) == (case["code"], case["writes"]), ended.ran
    assert case.get("says", "") in ended.ran.out + ended.ran.err, ended.ran


def edited(data: Any, at: list[Any], change: dict[str, Any], stage: Stage) -> None:
    """Change what is there."""
    if not at:
        data |= filled(change["put"], stage)
        return
    step, *rest = at
    places = steps(data, step, new="value" in change and not rest)
    assert places or step == "*", f"nothing at {step}"
    for place in places:
        if rest:
            edited(data[place], rest, change, stage)
        elif "remove" in change:
            removed(data, place)
        elif "value" in change:
            data[place] = filled(change["value"], stage)
        elif "append" in change:
            data[place].append(filled(change["append"], stage))
        else:
            data[place] |= filled(change["put"], stage)


def steps(data: Any, step: Any, *, new: bool) -> list[Any]:
    """The keys or indexes that a step of a case means, the last first."""
    if isinstance(data, dict):
        return [step] if step in data or new else []
    if isinstance(step, int):
        return [step]
    called = [("*", one.get("address"), f"{one.get('address')} {one.get('step')}") for one in data]
    return [index for index, names in enumerate(called) if step in names][::-1]


def removed(data: Any, place: Any) -> None:
    """Take it out; operations that come after it in a list are counted from there."""
    del data[place]
    for one in data if isinstance(data, list) else ():
        if "after" in one:
            one["after"] = [index - (index > place) for index in one["after"] if index != place]


def filled(value: Any, stage: Stage) -> Any:
    """The value with the ids of strangers."""
    if isinstance(value, dict):
        return {key: filled(member, stage) for key, member in value.items()}
    if isinstance(value, list):
        return [filled(member, stage) for member in value]
    return stage.names().get(value, value) if isinstance(value, str) else value
