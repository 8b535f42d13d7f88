"""What a document says beside its objects is reviewed as they are: limits, rules, waivers, the ledger's place, its sites."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.force import by_force
from tests.lab import Lab
from vastplan.app.files.plan import plan_from_data, save, sealed

REPORTS = (".md", ".html", ".sarif", ".xml")
CHANGED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "limits": ({"limits": {"max_changes": 500}}, ["limits.max_changes", "10 → 500"]),
    "rules to ignore": (
        {"drift": {"ignore": [{"address": "*", "reason": "none of my business"}]}},
        ["drift.ignore", "+ {address: *, reason: none of my business}"],
    ),
    "waivers": (
        {"checks": {"waive": [{"code": "ISO-01", "address": "iad/*/*", "reason": "known", "until": "2999-01-01"}]}},
        ["checks.waive", "+ {code: ISO-01, address: iad/*/*, reason: known, until: 2999-01-01}"],
    ),
    "checks": ({"checks": {"raise": {"QTA-01": "error"}}}, ["checks.raise.QTA-01", "(none) → error"]),
    "a site": ({"sites": {"pdx": {"sim": {}}}}, ["sites.pdx.sim", "(none) → {}"]),
    "of a site": ({"sites": {"iad": {"csi": "2.6.4"}}}, ["sites.iad.csi", "(none) → 2.6.4"]),
}


def merged(below: Any, above: Any) -> Any:
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return {**below, **{key: merged(below.get(key), value) for key, value in above.items()}}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A tenant that is applied; the document then is also the base of what follows."""
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        one.write({"tenants": {"a": {"max_views": 3}}})
        one.converge()
        (tmp_path / "base.yaml").write_text((tmp_path / "lab.yaml").read_text())
        yield one


def edit(lab: Lab, head: dict[str, Any]) -> None:
    file = lab.folder / "lab.yaml"
    file.write_text(yaml.safe_dump(merged(yaml.safe_load(file.read_text()), head), sort_keys=False))


@pytest.mark.slow
@pytest.mark.parametrize("against", by_force(["base", "ledger", "snapshot"]))
@pytest.mark.parametrize("name", CHANGED)
def test_it_stands_before_all_else_in_every_report(name: str, against: str, lab: Lab, vastplan: Run) -> None:
    head, says = CHANGED[name]
    more: list[str | Path] = ["--base", lab.folder / "base.yaml"] if against == "base" else []
    if against == "snapshot":
        assert vastplan("record", lab.folder / "lab.yaml", "--out", lab.folder / "s.json").code == 0
        more = ["--snapshot", lab.folder / "s.json"]
    edit(lab, head)
    for ending in REPORTS:
        more += ["--report", lab.folder / f"r{ending}"]
    ran = vastplan("plan", lab.folder / "lab.yaml", *more)
    title = "differ from the base" if against == "base" else "differ from the last apply"
    lines = ran.out.splitlines()
    assert lines[0].startswith("Settings of the document that ") and title in lines[0], ran
    assert says[0] in lines[1] and says[1] in "\n".join(lines[:3])
    assert "1 setting of the document changed." in lines[-1]
    for ending in REPORTS:
        text = (lab.folder / f"r{ending}").read_text()
        told = json.dumps(json.loads(text), ensure_ascii=False) if ending == ".sarif" else text
        assert all(word in told.replace("\\", "") for word in says), (ending, text)
    assert "1 setting of the document changed." in (lab.folder / "r.md").read_text().replace("`", "")


@pytest.mark.slow
def test_nothing_is_said_where_nothing_differs_nor_after_it_was_applied(lab: Lab, vastplan: Run) -> None:
    plain: tuple[str | Path, ...] = ("plan", lab.folder / "lab.yaml")
    assert vastplan(*plain).out == vastplan(*plain, "--base", lab.folder / "base.yaml").out == (
        "Plan: no changes. 1 object in sync.\n"
    )  # fmt: skip
    edit(lab, {"drift": {"ignore": [{"address": "iad/tenant/b", "reason": "later"}]}})
    assert "drift.ignore" in vastplan(*plain).out
    assert vastplan("apply", lab.folder / "lab.yaml", "--auto-approve").code == 0
    assert "Settings" not in vastplan(*plain).out


@pytest.mark.slow
def test_a_change_of_a_setting_alone_is_a_change_of_the_review(lab: Lab, vastplan: Run) -> None:
    words: tuple[str | Path, ...] = (
        "plan", lab.folder / "lab.yaml", "--base", lab.folder / "base.yaml", "--detailed-exitcode",
    )  # fmt: skip
    assert vastplan(*words).code == 0
    edit(lab, {"limits": {"max_changes": 500}})
    assert vastplan(*words).code == 2


@pytest.mark.parametrize("name", CHANGED)
def test_a_saved_plan_is_not_applied_after_an_edit_of_it(name: str, lab: Lab, vastplan: Run) -> None:
    lab.write({"tenants": {"a": {"max_views": 4}}})
    assert vastplan("plan", lab.folder / "lab.yaml", "--out", lab.folder / "p.json").code == 0
    edit(lab, CHANGED[name][0])
    lab.clear_calls()
    ran = vastplan("apply", lab.folder / "p.json")
    assert ran.code == 5 and "the document has changed since the plan was made" in ran.err and lab.calls() == [], ran


def reviewed(lab: Lab, vastplan: Run, *more: str) -> Ran:
    words = ("--reviewed", lab.folder / "reviewed.json", "--auto-approve", *more)
    return vastplan("apply", lab.folder / "lab.yaml", *words)


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(CHANGED))
def test_what_was_reviewed_has_the_settings_that_are_applied(name: str, lab: Lab, vastplan: Run) -> None:
    lab.write({"tenants": {"a": {"max_views": 4}}})
    plan: tuple[str | Path, ...] = ("plan", lab.folder / "lab.yaml", "--out", lab.folder / "reviewed.json")
    assert vastplan(*plan).code == 0
    edit(lab, CHANGED[name][0])
    lab.clear_calls()
    ran = reviewed(lab, vastplan)
    assert ran.code == 5 and f"the document's {CHANGED[name][1][0]} is " in ran.err and lab.calls() == [], ran
    nowhere = 6 if name == "a site" else 0  # nobody serves the new one
    assert vastplan(*plan).code == nowhere
    ran = reviewed(lab, vastplan)
    assert ran.code == nowhere and lab.calls(), ran


@pytest.mark.slow
def test_a_review_without_settings_is_none(lab: Lab, vastplan: Run) -> None:
    lab.write({"tenants": {"a": {"max_views": 4}}})
    assert vastplan("plan", lab.folder / "lab.yaml", "--out", lab.folder / "reviewed.json").code == 0
    data = json.loads((lab.folder / "reviewed.json").read_text())
    del data["head"]
    save(sealed(plan_from_data(data)), lab.folder / "reviewed.json")
    ran = reviewed(lab, vastplan)
    assert ran.code == 5 and "does not say what the settings of the document were" in ran.err, ran


def test_a_ledger_that_is_moved_is_said_against_the_base(lab: Lab, vastplan: Run) -> None:
    edit(lab, {"ledger": {"local": "l2"}})
    ran = vastplan("plan", lab.folder / "lab.yaml", "--base", lab.folder / "base.yaml")
    assert "  ledger.local  .vastplan/ledger → l2\n" in ran.out, ran


@pytest.mark.slow
def test_another_name_than_in_the_base_is_said_and_nothing_counts_as_pending(lab: Lab, vastplan: Run) -> None:
    """With its name a document takes another part of the ledger for its own, and may delete what stands there."""
    file = lab.folder / "lab.yaml"
    assert vastplan("apply", file, "--auto-approve").code == 0
    (lab.folder / "other.yaml").write_text(file.read_text().replace("name: lab", "name: other"))
    file.write_text(file.read_text().replace("tenants:", "tenants: {}\nx-tenants:").partition("x-tenants:")[0])
    ran = vastplan("plan", file, "--base", lab.folder / "other.yaml", "--detailed-exitcode")
    assert "warning VP333: the document is named lab, and other in the base" in ran.out, ran
    assert "1 to delete" in ran.out or "1 blocked" in ran.out, ran
    assert "Pending before this change" not in ran.out and ran.code in (2, 3), ran
