"""SARIF by the fields of the official 2.1.0 schema that we write: names, types and limits as that has them, nothing besides."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.report.reading import FORMATS, PLANS, plan
from vastplan.model.finding import Severity, Where
from vastplan.report.results import Level, Result, Results
from vastplan.report.sarif import sarif

ROOT = PurePath("/work/repo")


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def _list(item: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": item, **more}


TEXT = {"type": "string"}
MESSAGE = _object(["text"], text={"type": "string", "minLength": 1})
LEVEL = {"enum": ["none", "note", "warning", "error"]}
# oasis-tcs/sarif-spec, Schemata/sarif-schema-2.1.0.json: definitions of the same names.
ARTIFACT = _object(["uri"], uri={"type": "string", "pattern": r"^[A-Za-z0-9%._~/:@!$&'()*+,;=-]+$"}, uriBaseId=TEXT)
REGION = _object(
    ["startLine", "startColumn"],
    startLine={"type": "integer", "minimum": 1},
    startColumn={"type": "integer", "minimum": 1},
)
LOCATION = _object(
    [],
    physicalLocation=_object(["artifactLocation"], artifactLocation=ARTIFACT, region=REGION),
    logicalLocations=_list(_object([], fullyQualifiedName=TEXT, kind=TEXT), uniqueItems=True),
)
RESULT = _object(
    ["message", "ruleId"],
    ruleId=TEXT, ruleIndex={"type": "integer", "minimum": -1}, level=LEVEL, message=MESSAGE,
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
    locations=_list(LOCATION), partialFingerprints={"type": "object", "additionalProperties": TEXT},
)  # fmt: skip
DRIVER = _object(
    ["name"], name=TEXT, semanticVersion=TEXT,
    rules=_list(_object(["id"], id=TEXT, shortDescription=MESSAGE), uniqueItems=True),
)  # fmt: skip
INVOCATION = _object(
    ["executionSuccessful"], executionSuccessful={"type": "boolean"},
    toolExecutionNotifications=_list(_object(["message"], message=MESSAGE, level=LEVEL)),
)  # fmt: skip
RUN = _object(
    ["tool", "results"], tool=_object(["driver"], driver=DRIVER), results=_list(RESULT), invocations=_list(INVOCATION),
    automationDetails=_object([], id=TEXT), columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
)  # fmt: skip
LOG = _object(
    ["version", "runs"], **{"$schema": {"type": "string", "format": "uri"}}, version={"const": "2.1.0"}, runs=_list(RUN)
)


def _valid(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    Draft202012Validator(LOG).validate(log)
    (run,) = log["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    markers = [result["partialFingerprints"]["vastplan/v1"] for result in run["results"]]
    assert len(markers) == len(set(markers))
    checked: dict[str, Any] = run
    return checked


@pytest.mark.parametrize("name", PLANS)
def test_the_log_has_the_official_form(name: str) -> None:
    _valid(FORMATS["sarif"](plan(name)))


def _place(file: str) -> dict[str, Any]:
    wrong = Result("VP101", Level.ERROR, "wrong", where=Where(file, 3, 7))
    (result,) = _valid(sarif(Results("validate", "d", (wrong,)), "0", ROOT))["results"]
    place: dict[str, Any] = result["locations"][0]["physicalLocation"]
    return place


def test_a_file_is_named_as_the_review_knows_it() -> None:
    inside = {"uri": "sites/a%20b.yaml", "uriBaseId": "%SRCROOT%"}
    assert _place("sites/a b.yaml") == {"artifactLocation": inside, "region": {"startLine": 3, "startColumn": 7}}
    assert _place("/work/repo/sites/a b.yaml")["artifactLocation"] == inside
    assert _place("x/../sites/a b.yaml")["artifactLocation"] == inside
    assert _place("../other/a.yaml")["artifactLocation"] == {"uri": "file:///work/other/a.yaml"}


def test_levels_are_those_of_the_findings() -> None:
    results = _valid(FORMATS["sarif"](plan("blocked")))["results"]
    assert [result["level"] for result in results if result["ruleId"].startswith("VP")] == [
        Severity.ERROR.value, Severity.WARNING.value, Severity.NOTE.value,
    ]  # fmt: skip


@pytest.mark.slow
def test_more_than_a_host_shows_is_said() -> None:
    many = tuple(Result("blocked", Level.WARNING, "stopped", f"iad/view/{number}") for number in range(5_003))
    run = _valid(sarif(Results("plan", "d", many), "0", ROOT))
    assert len(run["results"]) == 5_000
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].startswith("3 more results")
