"""`--report` and `--format` at the command line: which files, when, and what they say of a command that could not go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Run
from vastplan.app import reports
from vastplan.cli.request import Request
from vastplan.cli.requests import COMMANDS, request_of

GOOD = "version: 1\nname: good\nsites: {iad: {sim: {systems: [vast]}}}\ntenants: {a: {max_views: 3}}\n"


WRITTEN: dict[str, Callable[..., reports.Renderers]] = {
    "validate": reports.validation_renderers, "plan": reports.plan_renderers, "show": reports.plan_renderers, "apply": reports.receipt_renderers,
    "drift": reports.drift_renderers, "import": reports.of_import, "move plan": reports.of_move,
}  # fmt: skip
"""What writes the reports of a command."""


def _document(folder: Path, text: str = GOOD) -> Path:
    file = folder / "good.yaml"
    file.write_text(text)
    return file


def _reports(folder: Path, *endings: str) -> list[str]:
    return [word for ending in endings for word in ("--report", str(folder / "out" / f"r{ending}"))]


def _requests() -> dict[str, type[Request]]:
    """The requests of all commands that write reports, by what is typed."""
    each = [leaf for command in COMMANDS for leaf in (request_of(command).verbs or (request_of(command),))]
    return {request.typed_name(): request for request in each if "reports" in request.arguments}


def test_the_commands_that_write_reports() -> None:
    assert _requests().keys() == WRITTEN.keys()


@pytest.mark.parametrize("command", WRITTEN)
def test_every_ending_that_a_command_takes_is_written(command: str) -> None:
    write = WRITTEN[command]
    given = [None for parameter in signature(write).parameters.values() if parameter.default is Parameter.empty]
    argument = _requests()[command].arguments["reports"]
    assert set(argument.endings) == write(*given).keys()
    named = ", ".join(argument.endings).replace(".xml", ".xml (JUnit)")
    assert f"ending: {named}; repeatable" in argument.settings["help"]


def test_a_plan_in_every_format_and_the_same_from_its_file(tmp_path: Path, vastplan: Run) -> None:
    endings, saved = (".md", ".html", ".json", ".xml", ".sarif", ".prom"), tmp_path / "plan.json"
    ran = vastplan("plan", _document(tmp_path), "--out", saved, *_reports(tmp_path, *endings))
    assert ran.code == 0 and "1 to create" in ran.out
    files = {ending: (tmp_path / "out" / f"r{ending}").read_text() for ending in endings}
    assert "`r.html`, `r.json`, `plan.json`" in files[".md"]
    assert files[".json"] == saved.read_text()
    assert 'vastplan_changes{document="good",kind="tenant",site="iad",verb="create"} 1' in files[".prom"]
    for ending, word in ((".md", "markdown"), (".html", "html"), (".json", "json")):
        shown = vastplan("show", saved, "--format", word).out
        assert shown == files[ending].replace("`r.html`, `r.json`, `plan.json`", "`plan.json`")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == sorted(f"r{ending}" for ending in endings)


def test_an_apply_and_a_check_for_drift(tmp_path: Path, vastplan: Run) -> None:
    file = _document(tmp_path)
    assert vastplan("apply", file, "--auto-approve", *_reports(tmp_path, ".xml", ".sarif", ".json")).code == 0
    (suite,) = ElementTree.parse(tmp_path / "out" / "r.xml").getroot()
    assert [case.attrib["name"] for case in suite] == ["iad/tenant/a"]
    assert json.loads((tmp_path / "out" / "r.json").read_text())["outcomes"][0]["state"] == "done"
    assert json.loads((tmp_path / "out" / "r.sarif").read_text())["runs"][0]["results"] == []
    assert vastplan("drift", file, *_reports(tmp_path, ".prom", ".json", ".xml")).code == 0
    assert 'vastplan_site_drifted_objects{document="good",site="iad"} 0' in (tmp_path / "out" / "r.prom").read_text()


def test_what_is_blocked_is_a_result_and_a_failure(tmp_path: Path, vastplan: Run) -> None:
    file = _document(tmp_path)
    assert vastplan("apply", file, "--auto-approve").code == 0
    (tmp_path / "good.yaml").write_text(GOOD.replace("tenants: {a: {max_views: 3}}", "tenants: {}"))
    vastplan("plan", file, *_reports(tmp_path, ".sarif", ".xml"))
    (result,) = json.loads((tmp_path / "out" / "r.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "blocked" and "approval" in result["message"]["text"]
    assert ElementTree.parse(tmp_path / "out" / "r.xml").getroot().attrib["failures"] == "1"


def test_a_change_that_is_blocked_is_on_its_line(tmp_path: Path, vastplan: Run) -> None:
    file = _document(tmp_path)
    assert vastplan("apply", file, "--auto-approve").code == 0
    file.write_text(GOOD.replace("max_views: 3", "max_views: 4"))
    vastplan("plan", file, "--max-changes", "0", *_reports(tmp_path, ".sarif"))
    (result,) = json.loads((tmp_path / "out" / "r.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "blocked"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("good.yaml") and place["region"]["startLine"] == 4


def test_a_document_that_is_wrong_takes_the_place_of_its_report(tmp_path: Path, vastplan: Run) -> None:
    file = _document(tmp_path, GOOD.replace("max_views", "max_vews"))
    ran = vastplan("plan", file, "--format", "json", *_reports(tmp_path, ".md", ".html", ".sarif", ".xml", ".prom"))
    assert ran.code == 1 and json.loads(ran.out)["findings"]
    text = (tmp_path / "out" / "r.md").read_text()
    assert text.startswith("<!-- vastplan:plan:good -->\n") and "**No plan: 1 error in the document.**" in text
    (result,) = json.loads((tmp_path / "out" / "r.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("good.yaml")
    assert place["region"] == {"startLine": 4, "startColumn": 15}
    assert not (tmp_path / "out" / "r.prom").exists()


def test_a_valid_document_passes_one_case(tmp_path: Path, vastplan: Run) -> None:
    assert vastplan("validate", _document(tmp_path), *_reports(tmp_path, ".xml", ".sarif", ".json")).code == 0
    top = ElementTree.parse(tmp_path / "out" / "r.xml").getroot()
    assert (top.attrib["tests"], top.attrib["failures"]) == ("1", "0")


def test_an_unknown_ending_is_refused_before_anything_is_done(tmp_path: Path, vastplan: Run) -> None:
    file = _document(tmp_path)
    ran = vastplan("apply", file, "--auto-approve", "--report", tmp_path / "r.md")
    assert ran.code == 1 and "apply writes .json, .xml, .sarif" in ran.err
    assert not (tmp_path / ".vastplan").exists()


def test_a_report_that_cannot_be_written_is_an_error_without_a_trace(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    ran = vastplan("plan", _document(tmp_path), "--report", tmp_path / "taken" / "r.md")
    assert ran.code == 1 and "cannot be written" in ran.err
    assert "1 to create" in ran.out
