"""`vastplan show PATH --rights`: what is given out, as a person pastes it and as data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.test_schemas import ROOT, fits
from vastplan.model.rights import DocumentRights, NamedObjects, Right, SystemRights
from vastplan.report.rights import rights_text

NASTY = "a'b\n---\nkind: \x1b[31m\"x\u202e"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "examples" / "minimal.yaml", tmp_path / "doc.yaml")
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    return tmp_path / "doc.yaml"


def objects(text: str) -> list[Any]:
    return [one for one in yaml.safe_load_all(text) if one is not None]


def test_it_prints_what_each_system_is_given(document: Path, vastplan: Run) -> None:
    ran = vastplan("show", document, "--rights")
    assert ran.code == 0 and "# lab vast: for plan, drift, show, import, record, then for apply" in ran.out
    found = objects(ran.out)
    roles = next(one["roles"] for one in found if "roles" in one)
    assert roles.keys() == {"vastplan-read", "vastplan-apply"}
    assert {one.partition("_")[0] for one in roles["vastplan-read"]["permissions_list"]} == {"view"}
    assert {*roles["vastplan-read"]["permissions_list"]} < {*roles["vastplan-apply"]["permissions_list"]}
    cluster = {one["metadata"]["name"]: one["rules"] for one in found if one.get("kind") == "ClusterRole"}
    assert {verb for rule in cluster["vastplan-read"] for verb in rule["verbs"]} == {"get", "list"}
    assert {verb for rule in cluster["vastplan-apply"] for verb in rule["verbs"]} == {
        "get", "list", "create", "patch", "delete",
    }  # fmt: skip
    assert not any("secrets" in rule["resources"] for rules in cluster.values() for rule in rules)
    places = [one for one in found if one.get("kind") == "Role"]
    assert all(one["metadata"]["namespace"] for one in places)
    assert [rule for one in places for rule in one["rules"] if "resourceNames" not in rule] == [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]}
    ]


def test_the_role_is_one_that_a_document_takes(document: Path, vastplan: Run) -> None:
    roles = next(one for one in objects(vastplan("show", document, "--rights").out) if "roles" in one)
    document.write_text(yaml.safe_dump({**yaml.safe_load(document.read_text()), **roles}, sort_keys=False))
    assert vastplan("validate", document).code == 0


def test_as_data_it_fits_its_schema(document: Path, vastplan: Run) -> None:
    printed = fits("rights", vastplan("show", document, "--rights", "--format", "json"))
    assert [one["system"] for one in printed["systems"]] == ["kubernetes", "runai", "vast"]
    assert {"on": "logical", "verb": "view"} in printed["systems"][2]["read"]


@pytest.mark.parametrize(
    "words",
    [
        ("lab/tenant/team-a", "--rights"),
        ("--rights", "--format", "html"),
        ("--rights", "--report", "rights.md"),
    ],
)
def test_it_is_of_a_whole_document_and_text_or_json(document: Path, vastplan: Run, words: tuple[str, ...]) -> None:
    ran = vastplan("show", document, *words)
    assert (
        ran.code == 1
        and "show PATH --rights prints text or JSON of a whole document, without ADDRESS or --report" in ran.err
    )


def test_a_saved_plan_has_none_of_its_own(document: Path, vastplan: Run, tmp_path: Path) -> None:
    assert vastplan("plan", document, "--out", tmp_path / "plan.json").code == 0
    ran = vastplan("show", tmp_path / "plan.json", "--rights")
    assert ran.code == 1 and "show --rights needs a document" in ran.err


def test_a_name_does_not_leave_its_place() -> None:
    named = NamedObjects("/secrets", NASTY, (NASTY, "null"), ("null",), ("get",), ("create", "delete"))
    part = SystemRights("iad", "kubernetes", (Right("/pods", "list"),), (), (Right("/x", "list"),), (named,))
    text = rights_text(DocumentRights("lab", (part,)))
    found = objects(text)
    assert [one["kind"] for one in found] == ["ClusterRole", "ClusterRole", "Role", "Role"]
    assert found[2]["metadata"]["namespace"] == NASTY and found[2]["rules"][0]["resourceNames"] == [NASTY, "null"]
    assert [rule.get("resourceNames") for rule in found[3]["rules"]] == [[NASTY, "null"], ["null"], None]
    assert "optional: vastplan works without these: list /x" in text and "\x1b" not in text


def test_a_site_and_a_system_of_any_name_are_one_comment() -> None:
    text = rights_text(DocumentRights("lab", (SystemRights(NASTY, "runai", (Right("project", "read"),), ()),)))
    assert objects(text) == [{"vastplan-read": {"project": ["read"]}, "vastplan-apply": {"project": ["read"]}}]
    assert json.dumps(text).count("\\n---") == 1
