"""Every line of an import says something.

Without it something is no longer asked for; with another value a plan shows just what was moved. Or the document is refused.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.importing.factory import SITES, applied, desk_with_snapshot
from tests.importing.worlds import Brownfield, Yard
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.plan import PlanOptions, weigh
from vastplan.app.planning.source import RecordedSystems
from vastplan.app.workspace import open_workspace
from vastplan.model.address import Address
from vastplan.model.errors import Invalid
from vastplan.model.plan import Verb
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.model.value import from_json, references, to_json
from vastplan.schema.walk import leaves

Node = tuple[str | int, ...]
SHARE = 1 if "VASTPLAN_EXAMPLES" in os.environ else 12
"""Every so many-th line is tried in an ordinary run."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a document asks for, and what a plan of it would do, by address."""

    wanted: dict[Address, Any]
    planned: dict[Address, Any]
    refers: dict[Address, frozenset[Address]]

    def behind(self, moved: set[Address]) -> set[Address]:
        """What refers to these, and to what does."""
        behind: set[Address] = set()
        while more := {one for one, targets in self.refers.items() if targets & (moved | behind)} - behind:
            behind |= more
        return behind


@dataclass(frozen=True, slots=True)
class Written:
    """An import, and what it was made from."""

    folder: Path
    snapshot: RecordedSnapshot
    base: Weighed

    def files(self) -> list[Path]:
        """The new files."""
        return sorted(one for one in self.folder.glob("*.yaml") if one.name != "brownfield.yaml")


def weighed(folder: Path, snapshot: RecordedSnapshot) -> Weighed:
    """Plan against a snapshot; raises `Invalid`."""
    workspace = open_workspace([folder], snapshot=snapshot)
    planned = weigh(
        workspace, PlanOptions(SITES, snapshot=snapshot), RecordedSystems(workspace, snapshot), workspace.composed()
    )
    kinds = workspace.registry.kinds
    wanted = {
        entry.address: {
            leaf.path: to_json(leaf.value) for leaf in leaves(kinds[entry.address.kind].fields, entry.values)
        }
        for entry in planned.everything
    }
    acts: dict[Address, Any] = {
        action.address: (action.verb, [(change.path, change.before, change.after) for change in action.changes])
        for action in planned.plan.actions
    }
    made = {action.address for action in planned.plan.actions if not action.id}
    for action in planned.plan.actions:
        if action.address in made:  # of what is made all values count, not only those that are compared
            wanted[action.address] = to_json(from_json(dict(action.desired)))
            acts[action.address] = (action.verb, wanted[action.address])
    refers = {entry.address: frozenset(ref.target for ref in references(entry.values)) for entry in planned.everything}
    return Weighed(wanted, acts, refers)


@pytest.fixture(scope="module", params=["the reference", "a brownfield"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("lines")
    yard = Yard(folder / "yard", SITES)
    with yard.running():
        if request.param == "the reference":
            applied(yard, folder / "old")
        else:
            Brownfield(yard, 3)
        desk, file = desk_with_snapshot(yard, folder)
        desk.imports("--snapshot", file)
    snapshot = snapshot_file.load(file)
    return Written(desk.folder, snapshot, weighed(desk.folder, snapshot))


def nodes(tree: Any, at: Node = ()) -> Iterator[Node]:
    """Every key of every mapping and every item of every list, however deep."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, value in inner:
        yield (*at, step)
        yield from nodes(value, (*at, step))


def at(tree: Any, node: Node) -> Any:
    for step in node:
        tree = tree[step]
    return tree


def other(value: Any) -> Any:
    """Another value that somebody might type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    number, space, unit = str(value).partition(" ")
    if space and number.isdigit():
        return f"{int(number) + 1} {unit}"
    return f"{value}x" if value is not None else "x"


def edits(tree: Any) -> Iterator[tuple[str, Any, bool, bool]]:
    """The tree without each of its nodes, and with each of its scalars another; whether that renames what others refer to, and whether it is without."""
    for node in nodes(tree):
        renames = node[-1] == "name"
        trial = copy.deepcopy(tree)
        del at(trial, node[:-1])[node[-1]]
        yield f"without {node}", trial, renames, True
        value = at(tree, node)
        if not isinstance(value, dict | list):
            trial = copy.deepcopy(tree)
            at(trial, node[:-1])[node[-1]] = other(value)
            yield f"{node}: {other(value)!r}", trial, renames, False


def told(written: Written, renames: bool, less: bool) -> str:
    """Whether the document as it stands now is `refused`, or its plan shows just what `moved`; else what is wrong.

    With `less` said, a plan need not show it: what is live stays as it is. What refers to another object is another one, too.
    """
    try:
        trial = weighed(written.folder, written.snapshot)
    except Invalid:
        return "refused"
    moved = {
        address
        for address in trial.wanted.keys() | written.base.wanted.keys()
        if trial.wanted.get(address) != written.base.wanted.get(address)
    }
    shown = {
        address
        for address in trial.planned.keys() | written.base.planned.keys()
        if trial.planned.get(address) != written.base.planned.get(address)
    }
    if not moved:
        return "nothing moves"
    if renames:
        shown -= written.base.behind(moved)
    return (
        "moved"
        if moved == shown or ((less or renames) and shown <= moved)
        else f"moved {sorted(moved - shown)} unseen, shows {sorted(shown - moved)}"
    )


def test_every_line_tells(written: Written) -> None:
    silent, tried = [], 0
    changes = [
        address for address, (verb, fields) in written.base.planned.items() if verb is not Verb.CREATE and fields
    ]
    assert changes == [], "as it was written nothing is changed"
    for file in written.files():
        text = file.read_text(encoding="utf-8")
        try:
            for number, (what, trial, renames, less) in enumerate(edits(yaml.safe_load(text))):
                if number % SHARE:
                    continue
                tried += 1
                file.write_text(yaml.safe_dump(trial, sort_keys=False, allow_unicode=True), encoding="utf-8")
                verdict = told(written, renames, less)
                if verdict not in ("refused", "moved"):
                    silent.append(f"{file.name}, {what}: {verdict}")
        finally:
            file.write_text(text, encoding="utf-8")
    assert tried > 10
    assert silent == [], "\n".join(silent)
