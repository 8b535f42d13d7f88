"""What could not be read is not said to be in order: in no format is `no changes` or `none` the headline of it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Run
from tests.force import by_force

DOCUMENT = """\
version: 1
name: doc
sites:
  iad:
    vast: {url: 'https://127.0.0.1:1', username: u, password: {file: password}}
{more}
tenants: {a: {}, b: {}}
"""
FALSE_COMFORT = ("no changes", "No changes", "othing to change", "Drift: none", "othing changed outside vastplan.")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A document with one site that does not answer."""
    (tmp_path / "password").write_text("p")
    (tmp_path / "doc.yaml").write_text(DOCUMENT.replace("{more}", ""))
    return tmp_path / "doc.yaml"


def half(document: Path, vastplan: Run) -> None:
    """A second site that is simulated, with all of it applied."""
    document.write_text(DOCUMENT.replace("{more}", "  pdx: {sim: {systems: [vast]}}"))
    assert vastplan("apply", document, "--site", "pdx", "--auto-approve").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", ["plan", "drift"])
@pytest.mark.parametrize("form", by_force(["text", "markdown", "html"]))
def test_nothing_could_be_read(form: str, command: str, document: Path, vastplan: Run) -> None:
    ran = vastplan(command, document, "--format", form)
    assert ran.code == 6, ran
    assert not any(words in ran.out for words in FALSE_COMFORT), ran.out
    assert "othing could be read" in ran.out and "annot determine" in ran.out
    if form == "text":
        assert ran.out.splitlines()[-1].startswith(f"{command.capitalize()}: incomplete. Nothing could be read")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["plan", "drift"])
def test_for_a_machine_it_is_unknown_and_an_error(command: str, document: Path, vastplan: Run) -> None:
    report = document.parent / "r.xml"
    ran = vastplan(command, document, "--format", "json", "--report", report)
    assert ran.code == 6 and [one["kind"] for one in json.loads(ran.out)["unknown"]] == ["tenant"]
    suite = ElementTree.parse(report).getroot()
    assert [case.get("name") for case in suite.iter("testcase") if case.find("error") is not None]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["plan", "drift"])
@pytest.mark.parametrize("form", by_force(["text", "markdown", "html"]))
def test_a_part_could_be_read(form: str, command: str, document: Path, vastplan: Run) -> None:
    half(document, vastplan)
    ran = vastplan(command, document, "--format", form)
    assert ran.code == 6, ran
    assert "in what could be read" in ran.out and "cannot be told what" not in ran.out, ran.out
    assert "1 collection unknown." in ran.out or "1 collection could not be read" in ran.out


@pytest.mark.parametrize("command", ["plan", "drift"])
def test_and_where_all_is_read_it_is_said_as_ever(command: str, document: Path, vastplan: Run) -> None:
    half(document, vastplan)
    ran = vastplan(command, document, "--site", "pdx")
    assert ran.code == 0 and any(words in ran.out for words in FALSE_COMFORT), ran.out
