"""Probes as they stand in `tables/*.yaml`: steps to send and what must come back, or why a fact is left alone.

A file names its `system`, may keep step lists that several probes begin with under `given`, and maps ids to

- `{because: WHY}`: the fact cannot be exercised safely;
- `{steps: [...]}`, with `needs: [WHAT]` when only some systems can be asked, and `leaves_out: WHAT` for the part of a
  fact that the steps do not show.

A step is the name of a `given`, or a request: `METHOD: path` with `body`, `raw`, `form`, `query`, `headers`; `login:
none` sends no credentials, `at: peer` sends it to the other one of two clusters that replicate to each other.
`as: NAME` keeps the answer for `${NAME.field}`; `for: [...]` repeats the step with `${it}`.
`is` (a status or several), `has` (see `match.py`) and `headed` (headers) are what is expected; a step without them is
preparation and must go well. `until` repeats the request until its body is so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent / "tables"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
KEYS = {"body", "raw", "form", "query", "headers", "login", "as", "for", "is", "has", "headed", "until", "at"}


@dataclass(frozen=True, slots=True)
class Step:
    """One request, or one for each of `items`."""

    method: str
    path: str
    options: Mapping[str, Any]

    @property
    def expects(self) -> bool:
        """Whether an answer can differ from what is assumed; what does not expect is preparation."""
        return any(key in self.options for key in ("is", "has", "headed", "until"))


@dataclass(frozen=True, slots=True)
class Probe:
    """How a fact is exercised, or (without steps) why not."""

    id: str
    system: str
    steps: tuple[Step, ...] = ()
    because: str = ""
    needs: tuple[str, ...] = ()
    leaves_out: str = ""


def step(raw: Any) -> Step:
    """A step; raises `ValueError` when it has not exactly one method or a key that means nothing."""
    methods = [key for key in raw if key in METHODS]
    rest = {key: value for key, value in raw.items() if key not in METHODS}
    if len(methods) != 1 or not set(rest) <= KEYS or rest.get("at", "peer") != "peer":
        raise ValueError(f"not a step: {raw}")
    return Step(methods[0], raw[methods[0]], rest)


def read(text: str) -> dict[str, Probe]:
    """The probes of one file."""
    content = yaml.safe_load(text)
    system, given = content.pop("system"), content.pop("given", {})
    found = {}
    for key, entry in content.items():
        if set(entry) - {"steps", "because", "needs", "leaves_out"} or ("steps" in entry) == ("because" in entry):
            raise ValueError(f"{key}: has either steps or because")
        steps: list[Step] = []
        for raw in entry.get("steps", ()):
            steps += [step(one) for one in (given[raw] if isinstance(raw, str) else [raw])]
        if steps and not any(one.expects for one in steps):
            raise ValueError(f"{key}: expects nothing")
        needs, leaves_out = tuple(entry.get("needs", ())), entry.get("leaves_out", "")
        found[key] = Probe(key, system, tuple(steps), entry.get("because", ""), needs, leaves_out)
    return found


def probes(folder: Path = FOLDER) -> dict[str, Probe]:
    """All probes by id; raises `ValueError` for an id in two files."""
    found: dict[str, Probe] = {}
    for file in sorted(folder.glob("*.yaml")):
        more = read(file.read_text(encoding="utf-8"))
        if both := found.keys() & more.keys():
            raise ValueError(f"{file.name}: {', '.join(sorted(both))} is in another file, too")
        found |= more
    return found
