"""`plan --approvals-template`: what it writes is what the guards wait for, once somebody gives the reasons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.guards.stage import NOW, Case, cases, consent, planned
from vastplan.app.files import approvals_template
from vastplan.app.files.approvals import load_approvals
from vastplan.engine.live.consent import Consent
from vastplan.model.errors import Invalid
from vastplan.model.plan import Plan

LARGE = {"rows": {"quota": [{"id": 3, "path": "/a", "tenant_id": 1, "used_effective_capacity": 1319413953331, "used_inodes": 7}]},
         "owned": {"quota/a": 3}}  # fmt: skip
WAITING = [
    case
    for case in cases()
    if any("approval" in fix for blocks in case.get("blocks", {}).values() for _, _, fix in blocks)
] + [LARGE]


def written(plan: Plan, folder: Path) -> Path:
    """The template of a plan."""
    file = folder / "approvals.yml"
    assert approvals_template.write_approvals(file, plan, NOW.date()) == len(approvals_template.to_approve(plan))
    return file


def signed(file: Path) -> None:
    """Somebody gives the reasons, and changes nothing else."""
    file.write_text(file.read_text().replace('reason: ""', 'reason: "agreed with the owners"'))


def approved(case: Case, file: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The plan with this file, too."""
    before = consent(case.get("consent", {}))
    given: Consent = replace(before, approvals=(*load_approvals(file), *before.approvals))
    monkeypatch.setattr("tests.guards.stage.consent", lambda _: given)
    return planned(case)[0]


def test_the_cases_that_wait_for_an_approval_are_those_that_say_so() -> None:
    assert [case for case in (*cases(), LARGE) if approvals_template.to_approve(planned(case)[0])] == WAITING
    assert len(WAITING) > 15


@pytest.mark.parametrize("case", WAITING, ids=lambda case: str(case.get("name")))
def test_with_the_reasons_it_is_what_the_plan_waits_for(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(planned(case)[0], tmp_path)
    signed(file)
    after = approved(case, file, monkeypatch)
    assert approvals_template.to_approve(after) == [], file.read_text()


def test_what_it_says(tmp_path: Path) -> None:
    plan, _ = planned(LARGE)
    text = written(plan, tmp_path).read_text()
    assert text.splitlines()[3:] == [
        "version: 1",
        "approvals:",
        "  # delete: no longer in the document",
        "  # seen: used ≈ 1.2 TiB (1319413953331 B)",
        "  # seen: used_inodes 7",
        "  # blocked (approval): a delete of a quota needs an approval because data depends on it",
        "  # blocked (in-use): used: ≈ 1.2 TiB (1319413953331 B); used_inodes: 7",
        '  - address: "iad/quota/a"',
        '    id: "3"',
        '    reason: ""',
        '    until: "2026-05-08"',
        "    max_used: 1319413953331",
    ]


@pytest.mark.parametrize(
    ("reason", "wrong"),
    [
        ('""', "is empty"),
        ('"  "', "is empty"),
        ("", "is empty"),
        ('"x "', "'x' is too short"),
        ('"ok"', "'ok' is too short"),
    ],
)
def test_without_a_reason_it_is_refused_where_that_stands(reason: str, wrong: str, tmp_path: Path) -> None:
    file = written(planned(LARGE)[0], tmp_path)
    file.write_text(file.read_text().replace('reason: ""', f"reason: {reason}"))
    with pytest.raises(Invalid) as refused:
        load_approvals(file)
    (found,) = refused.value.findings
    assert (found.code, found.message) == (
        "VP240",
        f"approvals.0.reason: {wrong}; write why it may be deleted, in 3 characters or more, for whoever reviews this",
    )
    line = file.read_text().splitlines().index(f"    reason: {reason}") + 1
    assert found.where is not None and found.where.line == line


@pytest.mark.parametrize(
    ("until", "wrong"),
    [
        ("tomorrow", "'tomorrow' is not a date, such as 2026-12-31"),
        ("20261231", "is a number; write a day, such as 2026-12-31"),
    ],
)
def test_an_end_that_is_no_day_is_refused_with_one(until: str, wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "approvals.yaml"
    file.write_text(f"version: 1\napprovals: [{{address: iad/quota/a, reason: agreed, until: {until}}}]\n")
    with pytest.raises(Invalid) as refused:
        load_approvals(file)
    assert [one.message for one in refused.value.findings] == [f"approvals.0.until: {wrong}"]


@pytest.mark.parametrize(
    "name", ['a"b: {c}', "a\n- address: iad/quota/z", "a\u2028b\u202ec", "a # b", "'a'", "a\x07b", "*all", "ü 🦖"]
)
def test_names_stay_inside(name: str, tmp_path: Path) -> None:
    case = {"rows": {"tenant": [{"id": 3, "name": name}]}, "owned": {f"tenant/{name}": 3}}
    file = written(planned(case)[0], tmp_path)
    signed(file)
    found = [approval.address for approval in load_approvals(file)]
    assert found == ([] if "*" in name else [f"iad/tenant/{name}"])
    assert set(yaml.safe_load(file.read_text())) == {"version", "approvals"}
