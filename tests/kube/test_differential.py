"""The simulator against a real API server: the same random calls, good and bad, and answers that must not differ.

`recordings/sequences` holds what the real one answered; live, it is asked again. Where the simulator may differ, and
why, stands in `differences.yaml`. Compared are the status, the reason and what causes it by field, and all of an object
or a list; not the prose of a refusal. A sequence ends where one accepted a write that the other refused: from then on
they no longer hold the same objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kube.backends import play, real, simulated
from tests.kube.conftest import MODE
from tests.kube.hands import Hands
from tests.kube.recording import FOLDER
from tests.kube.sequences import SEQUENCES, Step, digest_of, written
from tests.kube.server import ApiServer

LISTED = Path(__file__).parent / "differences.yaml"


@dataclass(frozen=True)
class Difference:
    """One place where the two answer differently; `at` is the path within the answer."""

    sequence: str
    index: int
    step: Step
    at: str
    simulator: Any
    server: Any

    def __str__(self) -> str:
        sent = json.dumps(self.step.body)
        return (
            f"{self.sequence}#{self.index} {self.step.method} {self.step.path} {self.step.query} {sent}\n"
            f"    at {self.at}\n    simulator: {self.simulator!r}\n    server:    {self.server!r}"
        )


def recorded(name: str, live: tuple[ApiServer, Hands] | None) -> list[list[Any]]:
    """What the real server answers to a sequence; live, it is asked, and must still say what was recorded."""
    file, steps = FOLDER / "sequences" / f"{name}.json", written(name)
    if live is not None:
        with real(*live) as send:
            answers = json.loads(json.dumps(play(steps, send)))
        if MODE == "record":
            file.parent.mkdir(exist_ok=True)
            lines = ",\n".join(json.dumps(one) for one in answers)
            file.write_text(f'{{"steps": "{digest_of(steps)}", "answers": [\n{lines}\n]}}\n', encoding="utf-8")
    assert file.is_file(), f"{file.name} is not recorded yet: make record-kube"
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["steps"] == digest_of(steps), f"{name} is another sequence than was recorded: make record-kube"
    if live is not None:
        for index, (now, then) in enumerate(zip(answers, kept["answers"], strict=True)):
            assert now == then, f"{name}#{index} {steps[index]}: make record-kube refreshes the recording"
    found: list[list[Any]] = kept["answers"]
    return found


def departures(before: Any, after: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The places where two answers differ; in lists of different length, the list itself."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from departures(before.get(key), after.get(key), f"{at}.{key}" if at else key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from departures(one, other, f"{at}[{index}]")
    elif before != after:
        yield at, before, after


def differing(name: str, server: list[list[Any]], folder: Path) -> list[Difference]:
    """Where the simulator departs from the server's answers."""
    steps = written(name)
    with simulated(folder) as send:
        mine = json.loads(json.dumps(play(steps, send)))
    found = []
    for index, (one, other) in enumerate(zip(mine, server, strict=True)):
        for at, simulator, answer in departures(_compared(one), _compared(other)):
            found.append(Difference(name, index, steps[index], at, simulator, answer))
        if steps[index].method != "GET" and (one[0] < 300) != (other[0] < 300):
            break
    return found


def _compared(answer: list[Any]) -> dict[str, Any]:
    status, body, warnings = answer
    if status < 300:
        return {"status": status, "body": body, "warnings": warnings}
    if not isinstance(body, dict):
        return {"status": status}
    details = body.get("details") or {}
    causes = sorted({(str(one.get("reason")), str(one.get("field"))) for one in details.get("causes") or []})
    about = {name: details.get(name) for name in ("name", "kind", "group")}
    return {"status": status, "reason": body.get("reason"), "details": about, "causes": [list(one) for one in causes]}


def listed() -> list[dict[str, str]]:
    """The differences that are known, each with its reason."""
    found: list[dict[str, str]] = yaml.safe_load(LISTED.read_text(encoding="utf-8"))
    return found


def covers(entry: dict[str, str], one: Difference) -> bool:
    """Whether an entry of the list speaks of a difference: all patterns that it gives are found."""
    where = {
        "sequence": one.sequence, "method": one.step.method, "at": one.at, "simulator": json.dumps(one.simulator),
        "server": json.dumps(one.server), "sent": json.dumps(one.step.body),
    }  # fmt: skip
    return all(re.search(pattern, where[name]) for name, pattern in entry.items() if name != "reason")


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_simulator_answers_as_the_server_does(
    name: str, live: tuple[ApiServer, Hands] | None, tmp_path: Path
) -> None:
    found = differing(name, recorded(name, live), tmp_path)
    known = listed()
    unexplained = [one for one in found if not any(covers(entry, one) for entry in known)]
    assert not unexplained, "\n".join(map(str, unexplained))


@pytest.mark.slow
def test_every_listed_difference_is_still_there_and_has_a_reason(tmp_path: Path) -> None:
    found: list[Difference] = []
    for name in SEQUENCES:
        folder = tmp_path / name
        folder.mkdir()
        kept = json.loads((FOLDER / "sequences" / f"{name}.json").read_text(encoding="utf-8"))
        found += differing(name, kept["answers"], folder)
    for entry in listed():
        assert entry["reason"], entry
        assert any(covers(entry, one) for one in found), f"no longer a difference: {entry}"
