"""Names that want to be more than names: each is read back as itself, or left and said so, and nowhere anything but text."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.force import by_force
from tests.importing.recorded import HEAD, Done, changed, composed, documents, imported, taken_objects
from tests.importing.terraform_states import HOSTILE_KEYS
from tests.importing.worlds import NAMES
from tests.report.test_hostile import check_inert
from tests.trust.test_hostile_answers import HOSTILE
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.reports import of_import
from vastplan.importing.model import Selection, pattern_of
from vastplan.model.address import fits
from vastplan.model.escaping import inert
from vastplan.model.look_alikes import is_invisible, taken_for_others
from vastplan.model.shell import word
from vastplan.model.snapshot import RecordedSnapshot, SeenCollection, SeenObject
from vastplan.report.import_result import import_text

EVERY = [
    *dict.fromkeys([*HOSTILE.values(), *HOSTILE_KEYS, *NAMES, "team[1]", "*", "a?b", " ", "::", "con", "tenant\n# x"])
]
REASONS = {"VALUE", "FORM", "REFERENCE", "TWINS", "UNASKED", "MADE", "MEANING"}


def _renamed(world: RecordedSnapshot, name: str) -> tuple[RecordedSnapshot, dict[tuple[str, str, str], SeenObject]]:
    """The first object of each kind on iad that has a name, called so."""
    struck: dict[tuple[str, str, str], SeenObject] = {}

    def change(collection: SeenCollection) -> SeenCollection:
        objects = list(collection.objects)
        if not name and collection.kind == "secret":
            return collection  # it is told by its name, and has one
        for place, seen in enumerate(objects):
            old = seen.attributes.get("name")
            if not old or seen.system_owned or seen.controller:
                continue
            values = {**seen.values, "name": name} if seen.values.get("name") == old else seen.values
            path = seen.attributes.get("path")
            attributes = {**seen.attributes, "name": name}
            attributes |= {"path": path.replace(str(old), name)} if isinstance(path, str) else {}
            objects[place] = replace(
                seen, values=values, attributes=attributes, locator=seen.locator.replace(str(old), name)
            )
            struck[collection.site, collection.kind, seen.id] = objects[place]
            break
        return replace(collection, objects=tuple(objects))

    return changed(world, change, site="iad"), struck


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def _only_text(text: str) -> None:
    """Nothing in it moves a cursor, hides, or is taken for something else."""
    assert not [char for char in text if char != "\n" and is_invisible(char)]
    assert not taken_for_others(text)


def _first(folder: Path, world: RecordedSnapshot, selection: Selection | None = None) -> Done:
    folder.mkdir()
    documents(folder, {"head.yaml": HEAD})
    return imported(folder, world, selection)


@pytest.mark.parametrize("name", by_force(EVERY, *EVERY[:2], "R&D", "team[1]", ""))
def test_each_is_read_back_or_left(name: str, factory: RecordedSnapshot, tmp_path: Path) -> None:
    world, struck = _renamed(factory, name)
    done = _first(tmp_path / "named", world)
    taken = taken_objects(done, world)
    left = {(one.site, one.kind, one.id): one for one in done.imported.result.left if not one.field}
    for key in struck.keys() - taken:
        assert key not in left or left[key].code in REASONS, left[key]
    assert {key for key in taken if key[0] == "pdx"} == {
        key for key in taken_objects(_first(tmp_path / "whole", factory), factory) if key[0] == "pdx"
    }
    read = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in done.folder.glob("*.yaml")]
    said = {text for data in read for text in _texts(data)}
    for key in taken & struck.keys():  # what the plan takes is called as it is, under any key
        named = {entry[0].get("name") for at, entry in composed(done.folder, world).items() if at.kind == key[1]}
        assert name in said or name in named, key
    _only_text(done.text)
    for path in done.folder.glob("*.yaml"):
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,200}", path.name) and path.parent == done.folder


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(EVERY, *EVERY[:2]))
def test_reports_hold_no_mark_up_and_no_command(name: str, factory: RecordedSnapshot, tmp_path: Path) -> None:
    world, _ = _renamed(factory, name)
    result = _first(tmp_path / "named", world).imported.result
    _only_text(import_text(result))
    check_inert(of_import(result)[".md"]())
    assert json.loads(of_import(result)[".json"]())["document"] == "ai-factory"
    for line in import_text(result).splitlines():
        assert not line.lstrip().startswith(("::", "# ", "<")) and not re.search(r"##[a-z]*\[", line)


def _split(line: str) -> list[str]:
    """The words of a line as a shell has them."""
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    return [part.decode("utf-8", "surrogateescape") for part in done.stdout.split(b"\0")[:-1]]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
@pytest.mark.parametrize("name", by_force([name for name in EVERY if "\0" not in name], *EVERY[:4], "b\udcffy"))
def test_a_word_of_a_command_is_that_word_to_a_shell_and_inert_to_a_terminal(name: str) -> None:
    assert _split(f"{word(name)} {word('b' + name + '7')}") == [name, f"b{name}7"]
    assert inert(word(name), None) == word(name)


@pytest.mark.parametrize("name", by_force(EVERY, *EVERY[:3]))
def test_what_somebody_is_told_to_take_is_taken(name: str, factory: RecordedSnapshot, tmp_path: Path) -> None:
    pattern = pattern_of(f"space/{name}")
    assert fits(f"space/{name}", pattern) and inert(pattern) == pattern
    assert shlex.split(inert(word(f"*/secret/{pattern}"))) == [f"*/secret/{pattern}"]


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(["team[1]", "a b", "'q' $x", "\x1b[2J", "a\u202eb"], "'q' $x"))
def test_the_line_of_the_report_takes_it(name: str, factory: RecordedSnapshot, tmp_path: Path) -> None:
    def change(collection: SeenCollection) -> SeenCollection:
        one = next(seen for seen in collection.objects if not seen.system_owned and not seen.controller)
        called = replace(
            one, locator=name, values={**one.values, "name": name}, attributes={**one.attributes, "name": name}
        )
        return replace(collection, objects=tuple(called if seen is one else seen for seen in collection.objects))

    world = changed(factory, change, "namespace", "iad")
    done = _first(tmp_path / "first", world)
    (left,) = [one for one in done.imported.result.left if one.kind == "namespace" and one.name == name]
    option, pattern = shlex.split(inert(left.fix))
    assert (left.code, option) == ("UNASKED", "--take")
    again = _first(tmp_path / "again", world, Selection(take=(pattern,)))
    codes = [one.code for one in again.imported.result.left if one.kind == "namespace" and one.name == name]
    assert codes == ["VALUE"]  # it is asked for; that no entry can have such a name is another matter


def test_a_bracket_of_a_pattern_is_a_bracket() -> None:
    assert fits("iad/view//data/[x]", "iad/view/*[x]") and not fits("iad/view//data/x", "iad/view/*[x]")
    assert fits("team[1]", "team[1]") and fits("team[1]", "team*") and not fits("team1", "team[1]")


FOLDERS = ("a b", "'q' $(x) `y`", "-x", "\x1b[2J", "l1\nl2", "##vso[task.x]", "gr\u00f6\u00dfe", "\u0430\u202eb")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
@pytest.mark.parametrize("name", by_force(FOLDERS, "l1\nl2"))
def test_next_is_a_line_that_can_be_pasted(name: str, factory: RecordedSnapshot, tmp_path: Path, vastplan: Run) -> None:
    folder = tmp_path / name
    folder.mkdir()
    documents(folder, {"head.yaml": HEAD})
    snapshot_file.save(factory, tmp_path / "seen.json")
    ran = vastplan("import", folder, "--snapshot", tmp_path / "seen.json", "--report", tmp_path / "import.md")
    assert ran.code == 0, ran
    _only_text(ran.out)
    (line,) = [line for line in ran.out.splitlines() if line.startswith("Next: ")]
    words = _split(line.removeprefix("Next: "))
    assert words[0] == "vastplan" and str(folder) in words and "--adopt" in words
    check_inert((tmp_path / "import.md").read_text())
