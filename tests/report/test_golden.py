"""Every format of every plan file, against what it was. `make golden` writes them anew: read the difference before you commit."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable

import pytest
from jsonschema import Draft202012Validator

from tests.report.estate import estate
from tests.report.reading import (
    DRIFT_FORMATS,
    DRIFTS,
    FORMATS,
    HERE,
    PLANS,
    data,
    drift,
    plan,
    without_style,
)  # fmt: skip
from vastplan.app.files import plan as plan_file
from vastplan.app.schemas import json_schema
from vastplan.report.html_script import FILTER

WRITE = os.environ.get("VASTPLAN_GOLDEN") == "write"
# How a page is drawn: of a plan, of a long one, of a check for drift. What every page says is held by `test_pages.py`.
PAGES = {"change", "estate-300", "drift-typical"}


def _cases(names: list[str], endings: Iterable[str], prefix: str = "") -> list[tuple[str, str]]:
    return [(name, ending) for name in names for ending in endings if ending != "html" or f"{prefix}{name}" in PAGES]


def test_the_plans_are_valid_by_the_published_schema() -> None:
    check = Draft202012Validator(json_schema("plan"))
    assert {name: [error.message for error in check.iter_errors(data(name))] for name in PLANS} == {
        name: [] for name in PLANS
    }


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_comes_back_from_its_file_as_it_was(name: str) -> None:
    assert plan_file.plan_from_data(json.loads(plan_file.dumps(plan(name)))) == plan(name)


@pytest.mark.parametrize(("name", "ending"), _cases(PLANS, FORMATS))
def test_golden(name: str, ending: str) -> None:
    text = FORMATS[ending](plan(name))
    assert text == FORMATS[ending](plan(name))  # the same every time
    if ending == "html":
        text = without_style(text).replace("><", ">\n<")
    file = HERE / "golden" / f"{name}.{ending}"
    if WRITE:
        file.write_bytes(text.encode())
    assert text == file.read_bytes().decode()


@pytest.mark.parametrize(
    ("count", "ending"),
    [(count, ending) for count in (1, 30, 300) for ending in ("txt", "md", "html")
     if ending != "html" or f"estate-{count}" in PAGES],
)  # fmt: skip
def test_golden_of_an_estate(count: int, ending: str) -> None:
    """One change, as many as are told one by one, and more; their pictures are those of the other plans."""
    text = FORMATS[ending](estate(count))
    if ending == "html":
        text = without_style(text).replace(FILTER, "(script)").replace("><", ">\n<")
        text = re.sub(r"<svg.*?</svg>", "(picture)", text, flags=re.DOTALL)
        text = re.sub(r"script-src &#x27;sha256-[^;]*;", "script-src (digest);", text)
    file = HERE / "golden" / f"estate-{count}.{ending}"
    if WRITE:
        file.write_bytes(text.encode())
    assert text == file.read_bytes().decode()


def test_the_checks_for_drift_are_valid_by_the_published_schema_and_come_back_as_they_were() -> None:
    check = Draft202012Validator(json_schema("drift"))
    for name in DRIFTS:
        written = json.loads((HERE / "drifts" / f"{name}.json").read_text())
        assert [error.message for error in check.iter_errors(written)] == [], name
        assert json.loads(DRIFT_FORMATS["json"](drift(name))) == written


@pytest.mark.parametrize(("name", "ending"), _cases(DRIFTS, DRIFT_FORMATS, "drift-"))
def test_golden_drift(name: str, ending: str) -> None:
    text = DRIFT_FORMATS[ending](drift(name))
    if ending == "html":
        text = without_style(text).replace("><", ">\n<")
    file = HERE / "golden" / f"drift-{name}.{ending}"
    if WRITE:
        file.write_bytes(text.encode())
    assert text == file.read_bytes().decode()
