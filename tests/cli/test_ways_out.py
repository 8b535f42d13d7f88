"""Where output goes and what a typed line ends with: usage errors, closed streams, full disks, files that are something else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run
from vastplan.cli.screen import Screen

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
    assert ran.code == 1 and "unrecognized arguments: --bogus" in json.loads(ran.out)["error"]


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
    assert Screen(sys.stdout, sys.stderr, colour=False).ask("Carry out? ") is goes_on


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_a_document_is_never_written_over(option: str, document: Path, vastplan: Run) -> None:
    ran = vastplan("plan", document, option, document)
    assert ran.code == 1 and document.read_text() == DOCUMENT


@pytest.mark.parametrize(
    ("name", "why"),
    [(".", "Is a directory"), ("folder.json", "Is a directory"), ("pipe", "a device or a pipe is there")],
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


def test_a_link_is_followed(document: Path, vastplan: Run) -> None:
    real, link = document.parent / "real.json", document.parent / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    assert vastplan("plan", document, "--out", link).code == 0
    assert link.is_symlink() and json.loads(real.read_text())["document"] == "doc"


def test_a_name_that_no_file_can_have(vastplan: Run) -> None:
    ran = vastplan("validate", "x" * 5000)
    assert ran.code == 1 and "File name too long" in ran.err and len(ran.err) < 300


@pytest.mark.parametrize("words", [("validate",), ("plan",), ("plan", "--format", "json")])
def test_a_full_disk_is_said_in_a_line(words: tuple[str, ...], document: Path) -> None:
    command = [sys.executable, "-m", "vastplan", words[0], str(document), *words[1:]]
    with open("/dev/full", "w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1 and "No space left on device" in ran.stderr
    assert "Traceback" not in ran.stderr and "bug" not in ran.stderr


def test_nobody_listening_is_no_error(document: Path) -> None:
    command = f"{sys.executable} -m vastplan validate {document} >&-"
    ran = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
