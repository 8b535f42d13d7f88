"""A first document: from options, from questions at a terminal, and never over anything."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.conftest import Run
from vastplan.model.shell import word

NAMES = ("--site", "iad", "--tenant", "team-a", "--project", "vision")
REAL = ("--vast-url", "https://vms.iad.example.com", "--context", "iad", "--runai-url", "https://acme.run.ai")


def to_no_changes(vastplan: Run, *path: str | Path) -> None:
    """The document is validated, planned and applied, and then there is nothing left to do."""
    assert "is valid" in vastplan("validate", *path).out
    assert vastplan("plan", *path, "--detailed-exitcode").code == 2
    assert vastplan("apply", *path, "--auto-approve").code == 0
    ran = vastplan("plan", *path, "--detailed-exitcode")
    assert ran.code == 0 and "no changes" in ran.out, ran


@pytest.mark.slow
@pytest.mark.parametrize("path", [(), ("a b",), ("x.yml",)], ids=str)
def test_by_options_on_simulators(path: tuple[str, ...], tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan("init", *path, *NAMES, "--sim")
    file = {(): "iad.yaml", ("a b",): "a b/iad.yaml", ("x.yml",): "x.yml"}[path]
    assert ran.code == 0 and ran.out.splitlines()[-2:] == [
        f"  vastplan validate {word(file)}",
        f"  vastplan plan {word(file)}",
    ]
    text = (tmp_path / file).read_text()
    assert text.startswith("# yaml-language-server: $schema=") and "# change: " in text
    to_no_changes(vastplan, *([file] if path == ("a b",) else []))


def test_of_a_real_site_no_secret_is_written(tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan("init", *NAMES, *REAL)
    assert ran.code == 0 and "export VASTPLAN_ALLOW_ENV=VAST_IAD_TOKEN,RUNAI_IAD_SECRET" in ran.out, ran
    text = (tmp_path / "iad.yaml").read_text()
    assert "token: {env: VAST_IAD_TOKEN}" in text and "client_secret: {env: RUNAI_IAD_SECRET}" in text
    assert "kubernetes: {context: iad}" in text
    assert vastplan("validate").code == 0


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ((), "--site --vast-url --kubeconfig or --context --runai-url --tenant --project (or --sim, for a site on simulators)"),
        (("--sim", "--site", "iad"), "--tenant --project"),
        (("--site", "iad", *REAL), "--tenant --project"),
    ],
)  # fmt: skip
def test_without_a_terminal_it_says_what_is_missing(
    words: tuple[str, ...], missing: str, tmp_path: Path, vastplan: Run
) -> None:
    ran = vastplan("init", *words)
    assert (
        ran.code == 1
        and ran.err == f"error: options are missing, and there is no terminal to ask for them: {missing}\n"
    )
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--site", "B b"), "--site 'B b': 'B b' is not a name of lowercase letters and digits"),
        (("--vast-url", "http://x"), "--vast-url http://x: is not encrypted; write https:// "),
        (("--runai-url", "https://me:secret@x"), "there is a user or a password in it"),
        (("--vips", "10.0.0.9 - 10.0.0.1"), "--vips '10.0.0.9 - 10.0.0.1': "),
        (("--clients", "nowhere!"), "--clients 'nowhere!': "),
        (("--kubeconfig", "/nowhere/config"), "put it beside the document"),
        (("--sim", "--context", "iad"), "--sim makes a site without addresses: leave --context out, or --sim"),
    ],
)
def test_what_no_document_can_say_is_refused(words: tuple[str, ...], said: str, tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan("init", *words)
    assert ran.code == 1 and said in ran.err, ran
    assert not any(tmp_path.iterdir())


def test_nothing_is_written_over_and_no_document_gets_a_second_one(tmp_path: Path, vastplan: Run) -> None:
    typed = (*NAMES, "--sim")
    (tmp_path / "notes.yaml").write_text("version: 1\napprovals: []\n")  # of another sort
    assert vastplan("init", *typed).code == 0
    before = (tmp_path / "iad.yaml").read_bytes()
    for path, said in (
        ((), "this folder has a document already: iad.yaml; use that (vastplan plan iad.yaml)"),
        (("pdx.yaml",), "this folder has a document already: iad.yaml"),
        (("iad.yaml",), "iad.yaml exists already, and init overwrites nothing"),
        (("iad.yaml/x",), "iad.yaml/x"),
    ):
        ran = vastplan("init", *path, *typed)
        assert ran.code == 1 and said in ran.err, ran
    assert (tmp_path / "iad.yaml").read_bytes() == before
    (tmp_path / "link.yaml").symlink_to("elsewhere.yaml")
    assert vastplan("init", "link.yaml", *typed).code == 1
    assert {file.name for file in tmp_path.iterdir()} == {"notes.yaml", "iad.yaml", "link.yaml"}


@pytest.mark.slow
def test_at_a_terminal_it_asks_until_it_is_answered(tmp_path: Path, vastplan: Run) -> None:
    main, terminal = pty.openpty()
    typed = [sys.executable, "-c", "import sys; from vastplan.cli import main; sys.exit(main())", "init"]
    running = subprocess.Popen(typed, cwd=tmp_path, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    os.write(main, b"maybe\nyes\nI A D\niad\n\nteam-a\n\n\n10.12.0.0/99\n\n")
    said: list[bytes] = []

    def read() -> None:
        try:
            while part := os.read(main, 4096):
                said.append(part)
        except OSError:
            return  # nobody is at the other end any more

    reader = threading.Thread(target=read)
    reader.start()
    assert running.wait(60) == 0, b"".join(said).decode()
    reader.join(10)
    os.close(main)
    text = b"".join(said).decode()
    assert "yes or no\r\n" in text and "an answer is needed" in text
    assert "'I A D' is not a name of lowercase letters and digits" in text
    assert (
        text.count("Name of the site, such as iad?") == 2
        and text.count("Tenant of the first team, such as team-a?") == 2
    )
    assert text.count("Addresses of the nodes that mount?") == 2 and "VMS" not in text
    assert "Its Run:AI project? [team-a]" in text
    to_no_changes(vastplan)


def test_a_site_without_runai_has_a_tenant_and_its_storage_class(tmp_path: Path, vastplan: Run) -> None:
    names = ("--site", "iad", "--tenant", "team-a", *REAL[:-1], "none")
    ran = vastplan("init", *names, "--project", "vision")
    assert ran.code == 1 and "a project needs Run:AI: leave out --project, or give" in ran.err
    ran = vastplan("init", *names)
    assert ran.code == 0 and "export VASTPLAN_ALLOW_ENV=VAST_IAD_TOKEN\n" in ran.out, ran
    text = (tmp_path / "iad.yaml").read_text()
    assert "runai" not in text and "projects" not in text and "storage_class:" in text
    ran = vastplan("validate")
    assert ran.code == 0 and not ran.err, ran


def test_a_yaml_file_that_is_no_document_is_not_called_one(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "values.yaml").write_text("image: {tag: '1.2'}\n")
    ran = vastplan("init", *NAMES, "--sim")
    said = "values.yaml is in this folder, and all YAML files of a folder are one document; name another folder"
    assert ran.code == 1 and said in ran.err, ran
