"""`--all-or-nothing`: a plan of which a part is blocked or stale is refused as a whole; `plan` says its exit code in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lab import Lab
from vastplan.model.errors import Stale
from vastplan.model.outcome import State


def document(tmp_path: Path, sections: str) -> Path:
    file = tmp_path / "doc.yaml"
    file.write_text(f"version: 1\nname: whole\nsites: {{iad: {{sim: {{systems: [vast]}}}}}}\n{sections}\n")
    return file


def test_a_plan_that_is_blocked_in_part_is_refused(tmp_path: Path, vastplan: Run) -> None:
    file, saved = document(tmp_path, "tenants: {a: {}, b: {}}"), tmp_path / "plan.json"
    assert vastplan("apply", file, "--auto-approve", "--all-or-nothing").code == 0
    document(tmp_path, "tenants: {a: {trash_gid: 5}}")
    planned = vastplan("plan", file, "--out", saved)
    assert planned.code == 0, planned
    hint = "Exit code 0: 1 of 2 changes blocked; with --detailed-exitcode or --all-or-nothing it is 3."
    assert hint in planned.err, planned
    refused = vastplan("plan", file, "--all-or-nothing")
    assert refused.code == 3 and "Exit code 3: 1 of 2 changes blocked." in refused.err, refused
    for words in ((file, "--auto-approve"), (saved,)):
        ran = vastplan("apply", *words, "--all-or-nothing")
        assert ran.code == 3, ran
        assert "nothing was done: 1 of 2 changes are blocked, and --all-or-nothing applies all or none" in ran.err, ran
    ran = vastplan("apply", saved)
    assert ran.code == 3 and "Apply: 1 done, 1 skipped." in ran.out, ran


def test_a_plan_that_is_stale_in_part_is_refused(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {}, "b": {}}})
        lab.converge()
        lab.write({"tenants": {"a": {"trash_gid": 5}, "b": {"trash_gid": 5}}})
        plan = lab.plan()
        tenant = next(row for row in lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/") if row["name"] == "a")
        lab.by_hand("iad", "vast", "PATCH", f"/api/v5/tenants/{tenant['id']}/", {"trash_gid": 9})
        lab.clear_calls()
        with pytest.raises(
            Stale, match=r"nothing was done: iad/tenant/a: .*; --all-or-nothing applies all changes or none"
        ):
            lab.apply(plan, all_or_nothing=True)
        assert not [call for call in lab.calls() if call.method == "PATCH"]
        assert {outcome.state for outcome in lab.apply(plan).outcomes} == {State.STALE, State.DONE}
