"""The newest complete checkpoint: by the rule of the document, as commands that somebody types on each side."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from vastplan.model.address import Address
from vastplan.operations.plan.checkpoints import by_rule, of_lost_work
from vastplan.operations.plan.pair import Pair
from vastplan.schema.checkpoint import Complete
from vastplan.schema.entries import Entry

PATH = Address("iad", "protected_path", "home")


def pair() -> Pair:
    return Pair(PATH, "home", "iad", "pdx", "/team/home", "/team/home", (), ())


def volume(site: str, mount: str, **checkpoint: Any) -> Entry:
    values: dict[str, Any] = {"path": "/team/home", "mount": mount}
    if checkpoint:
        values["checkpoint"] = checkpoint
    return Entry(Address(site, "volume", "home"), values, None)


def typed(lines: tuple[str, ...], site: str) -> str:
    (line,) = (one for one in lines if f"on a client at {site}" in one)
    command = line[line.index("find ") :]
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.partition(" ")[2].strip()


def directory(root: Path, name: str, age: int, *files: str) -> None:
    made = root / name
    made.mkdir(parents=True)
    for file in files:
        (made / file).write_text("")
        os.utime(made / file, (10**9 - age, 10**9 - age))
    os.utime(made, (10**9 - age, 10**9 - age))


@pytest.mark.parametrize(
    ("checkpoint", "age", "said"),
    [
        ({"interval": 900}, 600.0, "at most 25 min and the time to write a checkpoint: the restore point is 10 min old, and a"
         " checkpoint comes every 15 min"),
        ({"steps": {"every": 100, "takes": 9}}, 95.0, "at most 111 steps (16.6 min) and the time to write a checkpoint: the restore"
         " point is 95 s old, and a checkpoint comes every 15 min"),
        ({"steps": {"every": 100}}, 600.0, None),
        ({"event": "end of an epoch"}, 600.0, None),
        ({"interval": 900}, None, None),
        ({}, 600.0, None),
    ],
)  # fmt: skip
def test_the_training_that_is_done_again_is_told_in_time_and_steps(
    checkpoint: dict[str, Any], age: float | None, said: str | None
) -> None:
    found = of_lost_work([volume("iad", "/home", **checkpoint)], pair(), age)
    assert [fact.value for fact in found] == ([said] if said else [])


@pytest.mark.parametrize("rule", [{"marker": "COMPLETE"}, {"name": "step-*"}])
def test_what_is_typed_prints_the_newest_that_is_whole(tmp_path: Path, rule: dict[str, str]) -> None:
    for site in ("iad", "pdx"):
        root = tmp_path / f"{site}'s; $(touch gone)"
        directory(root, "run/step-100", 300, "COMPLETE")
        directory(root, "run/step-200", 200, "COMPLETE")
        directory(root, "run/tmp-step-300", 100, "shard-0")
        directory(root, "run/step-400.tmp", 50, "shard-0")
        directory(root, "run/step-400.tmp/step-7", 20, "shard-0")
        directory(root, "run/step-200/step-9", 10, "shard-0")
        os.utime(root / "run/step-200", (10**9 - 200, 10**9 - 200))
        directory(root, ".snapshot/step-900", 1, "COMPLETE")
    here, there = (str(tmp_path / f"{site}'s; $(touch gone)") for site in ("iad", "pdx"))
    entries = (volume("iad", here, complete=rule), volume("pdx", there))
    lines = by_rule(entries, pair(), "planned")
    assert typed(lines, "iad") == f"{here}/run/step-200"
    assert typed(lines, "pdx") == f"{there}/run/step-200"
    assert "both have to print the same directory" in lines[-1]
    (one,) = by_rule(entries, pair(), "unplanned")
    assert typed((one,), "pdx") == f"{there}/run/step-200" and "at iad" not in one


def test_without_a_rule_nothing_is_guessed() -> None:
    assert by_rule((volume("iad", "/home", interval=60), volume("pdx", "/home")), pair(), "planned") == ()
    assert by_rule((), pair(), "planned") == ()


def test_where_nothing_says_where_it_is_mounted_its_directory_is_taken() -> None:
    entry = Entry(
        Address("pdx", "volume", "home"), {"path": "/team/home", "checkpoint": {"complete": {"name": "step-*"}}}, None
    )
    (line,) = by_rule((entry,), pair(), "unplanned")
    assert "find /team/home \\( -name .snapshot -o -name 'step-*.*' \\) -prune -o -type d -name 'step-*' -prune" in line


@pytest.mark.parametrize(
    "wrong",
    [
        {}, {"marker": "DONE", "name": "step-*"}, {"marker": "*"}, {"marker": "a/b"}, {"marker": ".."}, {"marker": "a b"},
        {"marker": "$(x)"}, {"marker": "a\nb"}, {"name": "*"}, {"name": "step"}, {"name": "a/step-*"}, {"name": "step-[0-9]*"},
        {"name": "..*"},
    ],
)  # fmt: skip
def test_a_rule_that_says_nothing_or_too_much_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Complete.model_validate(wrong)


def test_a_rule_that_is_taken() -> None:
    assert Complete(marker=".metadata").marker == ".metadata"
    assert Complete(name="global_step*").name == "global_step*"
