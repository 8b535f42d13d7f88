"""The published JSON Schemas are those of the models, and what vastplan writes and reads fits them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.conftest import Run
from vastplan.app.schemas import schema

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("desired-state", "plan", "ledger", "approvals", "connections")
EXAMPLES = sorted(ROOT.glob("examples/**/*.yaml"))


def published(name: str) -> Any:
    return json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(published(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_not_stale(name: str) -> None:
    assert published(name) == schema(name), "run make schemas"


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(published(name))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda one: str(one.relative_to(ROOT)))
def test_the_examples_fit(file: Path) -> None:
    tree = yaml.safe_load(file.read_text())
    which = (
        "approvals" if "approvals" in tree else "connections" if set(tree) == {"version", "sites"} else "desired-state"
    )
    problems = [f"{'.'.join(map(str, one.absolute_path))}: {one.message}" for one in validator(which).iter_errors(tree)]
    assert problems == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"tenats": {}},
        {"tenants": {"a": {"max_view": 1}}},
        {"tenants": {"a": {"max_views": "one"}}},
        {"tenants": {"a": {"vip_pool": {"vlann": 3}}}},
        {"qos_policies": {"q": {"policy_type": "BOTH"}}},
        {"sites": {"iad": {"vast": {"url": "http://plain"}}}},
    ],
    ids=json.dumps,
)
def test_mistakes_do_not_fit(wrong: Any) -> None:
    assert not validator("desired-state").is_valid(wrong)


def test_what_is_written_fits(tmp_path: Path, vastplan: Run) -> None:
    shutil.copy(ROOT / "examples" / "minimal.yaml", tmp_path / "doc.yaml")
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    saved = tmp_path / "plan.json"
    assert vastplan("plan", tmp_path / "doc.yaml", "--out", saved).code == 0
    validator("plan").validate(json.loads(saved.read_text()))
    assert vastplan("apply", saved).code == 0
    ledger = tmp_path / ".vastplan" / "ledger" / "lab.json"
    validator("ledger").validate(json.loads(ledger.read_text()))
