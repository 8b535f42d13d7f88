"""Where output goes and what a typed line ends with: usage errors, closed streams, full disks, files that are something else."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.force import by_force
from vastplan.cli.screen import Screen
from vastplan.model.errors import VastplanError

DOCUMENT = "version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast]}}}\ntenants: {a: {}}\n"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A small document."""
    file = tmp_path / "doc.yaml"
    file.write_text(DOCUMENT)
    return file


@pytest.mark.parametrize(
    "words",
    [
        ("drift", "--bogus"),
        ("plan", "--format", "xml"),
        ("frobnicate",),
        ("plan", "--max-changes", "x"),
        ("validate", "--no"),
    ],
)
def test_what_cannot_be_understood_is_an_error_and_not_drift(words: tuple[str, ...], vastplan: Run) -> None:
    ran = vastplan(*words)
    assert ran.code == 1 and "error: " in ran.err and ran.out == ""


@pytest.mark.parametrize("how", [("--format", "json"), ("--format=json",)])
def test_and_is_json_where_that_was_asked_for(how: tuple[str, ...], vastplan: Run) -> None:
    ran = vastplan("drift", "x.yaml", "--bogus", *how)
    assert ran.code == 1 and "vastplan drift: no option --bogus" in json.loads(ran.out)["error"]


@pytest.mark.parametrize("port", ["99999", "-1", "x"])
def test_a_port_is_one(port: str, vastplan: Run) -> None:
    ran = vastplan("sim", "vast", "--port", port)
    assert ran.code == 1 and "--port" in ran.err


@pytest.mark.parametrize(
    ("answer", "goes_on"), [("yes", True), ("y", False), ("Yes", False), ("", False), ("no", False)]
)
def test_only_yes_is_yes(answer: str, goes_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdin, "readline", lambda: f"{answer}\n", raising=False)
    refused = (
        contextlib.nullcontext()
        if goes_on
        else pytest.raises(VastplanError, match=r"not approved \(use --auto-approve")
    )
    with refused:
        Screen(sys.stdout, sys.stderr, colour=False).require_yes("Carry out? ", "--auto-approve")


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_document_is_never_written_over(option: str, document: Path, vastplan: Run) -> None:
    ran = vastplan("plan", document, option, document)
    assert ran.code == 1 and document.read_text() == DOCUMENT


@pytest.mark.parametrize(
    ("name", "why"),
    [(".", "Is a directory"), ("folder.json", "Is a directory"), ("pipe", "it is a device or a pipe")],
)
def test_what_is_no_file_is_left_as_it_is(
    name: str, why: str, document: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(document.parent)
    os.mkfifo("pipe")
    Path("folder.json").mkdir()
    ran = vastplan("plan", document, "--out", name)
    assert ran.code == 1 and why in ran.err
    assert Path("pipe").is_fifo() and Path("folder.json").is_dir()


@pytest.mark.slow
def test_what_is_open_is_written_by_its_name(document: Path) -> None:
    """`/dev/stdout` is a link of the system's, not of a folder: what it stands for is written, and it stays."""
    out = document.parent / "out.json"
    words = [sys.executable, "-m", "vastplan", "plan", str(document), "--out", "/dev/stdout", "--format", "json"]
    with out.open("w") as opened:
        ran = subprocess.run(words, stdout=opened, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 0 and json.loads(out.read_text())["document"] == "doc", ran
    assert Path("/dev/stdout").is_symlink()
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "the plan /dev/stdout cannot be written" in ran.stderr, ran


def test_a_name_that_no_file_can_have(vastplan: Run) -> None:
    ran = vastplan("validate", "x" * 5000)
    assert ran.code == 1 and "File name too long" in ran.err and len(ran.err) < 300


@pytest.mark.slow
@pytest.mark.parametrize("words", by_force([("validate",), ("plan",), ("plan", "--format", "json")]))
def test_a_full_disk_is_said_in_a_line(words: tuple[str, ...], document: Path) -> None:
    command = [sys.executable, "-m", "vastplan", words[0], str(document), *words[1:]]
    with open("/dev/full", "w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1 and "No space left on device" in ran.stderr
    assert "Traceback" not in ran.stderr and "bug" not in ran.stderr


@pytest.mark.slow
def test_nobody_listening_is_no_error(document: Path) -> None:
    command = f"{sys.executable} -m vastplan validate {document} >&-"
    ran = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("words", [("plan",), ("apply", "--auto-approve"), ("drift",)], ids=" ".join)
@pytest.mark.parametrize("how", ["a folder is there", "it is damaged"])
def test_simulators_that_cannot_keep_their_objects_say_so(
    how: str, words: tuple[str, ...], document: Path, vastplan: Run
) -> None:
    kept = document.parent / ".vastplan" / "sim" / "iad.vast.sqlite"
    kept.parent.mkdir(parents=True)
    if how == "it is damaged":
        kept.write_bytes(b"no database" * 500)
    else:
        kept.mkdir()
    ran = vastplan(words[0], document, *words[1:])
    assert ran.code == 1 and f"the simulators cannot keep their objects in {kept.parent}: " in ran.err, ran
    ran = vastplan("sim", document)
    assert ran.code == 1 and "cannot keep their objects in " in ran.err, ran


def test_a_folder_without_locks_is_said_too(document: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr("filelock.FileLock._acquire", refuse)
    ran = vastplan("plan", document)
    assert ran.code == 1 and "FileSystem does not appear to support flock; make it writable" in ran.err


def test_a_plane_that_cannot_keep_its_objects_says_so(tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan("sim", "vast", "--state", tmp_path)
    assert ran.code == 1 and f"the simulators cannot keep their objects in {tmp_path}: " in ran.err, ran


@pytest.mark.parametrize("words", [("plan",), ("apply", "--auto-approve"), ("drift",), ("validate",)], ids=" ".join)
def test_one_value_is_printed_where_a_report_cannot_be_written(
    words: tuple[str, ...], document: Path, vastplan: Run
) -> None:
    (document.parent / "folder.json").mkdir()
    ran = vastplan(words[0], document, *words[1:], "--format", "json", "--report", document.parent / "folder.json")
    printed = json.loads(ran.out)
    assert ran.code == 1 and "folder.json cannot be written: Is a directory" in ran.err
    assert printed[
        "document" if words[0] != "apply" else "plan"
    ]  # what was found is told, whatever becomes of a report
    assert ran.err.count("cannot be written") == 1


def test_a_base_that_is_not_there_is_an_error(document: Path, vastplan: Run) -> None:
    ran = vastplan("plan", document, "--base", document.parent / "nofile.yaml")
    assert ran.code == 1 and "nofile.yaml does not exist" in ran.err and "leave out --base" in ran.err


def test_a_problem_is_no_check(vastplan: Run) -> None:
    ran = vastplan("validate", "--explain", "VP251")
    assert ran.code == 1 and "VP251 is a problem and not a check: its own message says" in ran.err


def test_a_path_is_no_drift_to_keep(document: Path, vastplan: Run) -> None:
    ran = vastplan("plan", "--keep-drift", document)
    assert ran.code == 1 and "is a path, not an address; to keep all drift type: --keep-drift '*'" in ran.err
    assert vastplan("plan", "--keep-drift", "*", document).code == 0
