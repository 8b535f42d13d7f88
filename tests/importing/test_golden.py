"""Worlds as they are written down, word for word, and what is left of them. After a change, `make golden` writes them anew.

Read the difference before you commit: every line of it is what an operator gets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.importing.recorded import FACTORY, HEAD, TEAM_B, documents
from tests.importing.remembered import brownfield_world, factory_world, odd_world
from vastplan.app.importer import Imported, ImportOptions, import_live
from vastplan.app.workspace import open_workspace
from vastplan.importing.model import Detail, Selection
from vastplan.model.import_result import LeftObject
from vastplan.model.snapshot import RecordedSnapshot

HERE = Path(__file__).parent / "golden"
WRITE = os.environ.get("VASTPLAN_GOLDEN") == "write"
_DRAWN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{1,12}|ids \d+, \d+|snapshot [0-9a-f]{12} of \S+")
"""What is drawn anew in every run; names may cut an id off."""
BESIDE = {"factory.yaml": FACTORY, "b.yaml": TEAM_B}
WORLDS: dict[str, tuple[Callable[[], RecordedSnapshot], dict[str, str], dict[str, Any]]] = {
    # what is there, the document that is there, and what is asked for
    "factory": (factory_world, {"head.yaml": HEAD}, {}),
    "factory-single": (factory_world, {"head.yaml": HEAD}, {"single": True, "defaults": True}),
    "factory-full": (factory_world, {"head.yaml": HEAD}, {"detail": Detail(full=("*",), labels=("*",))}),
    "factory-tenant": (
        factory_world,
        {"head.yaml": HEAD},
        {"selection": Selection(tenants=("team-b",), take=("*/secret/*", "*/namespace/vast*"), without=("*/quota/*",))},
    ),
    "factory-kinds": (factory_world, {"head.yaml": HEAD}, {"selection": Selection(kinds=("view", "tenant", "snap*"))}),
    "factory-odd": (odd_world, {"head.yaml": HEAD}, {}),
    "factory-odd-full": (odd_world, {"head.yaml": HEAD}, {"detail": Detail(full=("*",), labels=("*",)), "close": True}),
    "factory-odd-beside": (odd_world, BESIDE, {}),
    "factory-beside": (factory_world, BESIDE, {}),
    **{f"brownfield-{seed}": (partial(brownfield_world, seed), {"head.yaml": HEAD}, {}) for seed in (1, 3, 5)},
    "brownfield-close": (
        partial(brownfield_world, 3),
        {"head.yaml": HEAD},
        {"close": True, "detail": Detail(full=("*",))},
    ),
}


def told(done: Imported) -> Iterator[str]:
    """Every file, and then what was said of what."""
    for text in done.texts:
        yield f"=== {text.name}\n{text.written.text}"
    result = done.result
    yield f"=== adopts {result.adopts} in {result.rounds} rounds; {result.covered} % covered\n"
    for file in result.files:
        yield f"file {file.path}: {file.entries} entries, {file.lines} lines\n"
    for entry in result.taken:
        yield f"entry {entry.entry} {entry.file}:{entry.line}: {' '.join(entry.objects)}\n"
    for address in result.creates:
        yield f"creates {address}\n"
    for finding in result.findings:
        yield f"finding {finding.code} {finding.address} {finding.where}\n"
    yield from sorted(map(_left, result.left))
    for row in result.coverage:
        yield f"coverage {row.kind}: {row.managed} managed, {row.taken} taken, {row.left} left\n"
    yield f"{result.values}\n"
    for note in (*result.beyond, *result.unread, *result.terraform, *result.notes):
        yield f"note {note}\n"


def _left(left: LeftObject) -> str:
    said = " | ".join(filter(None, (left.field, left.why, left.fix)))
    counted = "" if left.counts else " uncounted"
    return _DRAWN.sub("DRAWN", f"left {left.site} {left.kind} {left.name!r} {left.code}{counted}: {said!r}\n")


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_as_it_is_written_down(name: str, tmp_path: Path) -> None:
    world, files, options = WORLDS[name]
    snapshot = world()
    documents(tmp_path, files)
    workspace = open_workspace([tmp_path], None, snapshot)
    now = _DRAWN.sub(
        "DRAWN", "".join(told(import_live(workspace, ImportOptions(("iad", "pdx"), snapshot, **options))))
    ).replace(str(tmp_path), "FOLDER")
    file = HERE / f"{name}.txt"
    if WRITE:
        file.parent.mkdir(exist_ok=True)
        file.write_text(now, encoding="utf-8")
    assert now == file.read_text(encoding="utf-8")
