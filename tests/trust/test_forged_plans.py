"""Plans whose digest somebody made anew: what can be read again is read again, whatever the file says of it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from vastplan.app.files.plan import PLAN_FILE

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {"systems": ["vast"]}}},
    "tenants": {"a": {}, "b": {}},
    "view_policies": {"p": {"tenant": "a", "flavor": "NFS"}, "q": {"tenant": "a", "flavor": "NFS"}},
}
CONSENT = ("--allow-delete", "iad/view_policy/p")


def write(folder: Path, **more: Any) -> Path:
    """The document, in a file."""
    file = folder / "doc.yaml"
    file.write_text(yaml.safe_dump({**DOCUMENT, **more}))
    return file


@pytest.fixture
def applied(tmp_path: Path, vastplan: Run) -> Path:
    """The document, as it is live."""
    file = write(tmp_path)
    assert vastplan("apply", file, "--auto-approve").code == 0
    return file


def saved(file: Path, vastplan: Run, *flags: str | Path) -> Path:
    """A plan of it."""
    ran = vastplan("plan", file, "--out", file.parent / "plan.json", *flags)
    assert ran.code == 0, ran
    return file.parent / "plan.json"


def forged(plan: Path, change: Any) -> Path:
    """The plan, changed, with the digest that belongs to it."""
    data = json.loads(plan.read_text())
    change(data)
    plan.write_text(json.dumps({**data, "id": PLAN_FILE.identity(data)}))
    return plan


def states(ran: Ran) -> dict[str, str]:
    """How each action ended."""
    return {one["address"]: one["state"] for one in json.loads(ran.out)["outcomes"]}


@pytest.mark.slow
def test_consent_is_weighed_again(applied: Path, vastplan: Run) -> None:
    """The plan carries what was typed: a delete that nobody consented to is one also where its block is gone."""
    write(applied.parent, view_policies={})
    plan = saved(applied, vastplan, *CONSENT)
    assert json.loads(plan.read_text())["consent"]["allow_delete"] == ["iad/view_policy/p"]

    def unblocked(data: Any) -> None:
        for action in data["actions"]:
            action["blocked"] = []

    ran = vastplan("apply", forged(plan, unblocked), "--format", "json")
    assert ran.code == 5, ran
    assert states(ran) == {"iad/view_policy/p": "done", "iad/view_policy/q": "stale"}


@pytest.mark.slow
def test_a_limit_holds_unless_the_file_says_that_somebody_typed_another(applied: Path, vastplan: Run) -> None:
    """`--max-changes` is a consent like `--allow-delete`. Without it, a block that is gone stands again."""
    many = {f"q{number}": {"tenant": "a", "flavor": "NFS"} for number in range(11)}
    write(applied.parent, view_policies={**DOCUMENT["view_policies"], **many})
    assert vastplan("apply", applied, "--auto-approve").code == 0
    write(applied.parent, view_policies=DOCUMENT["view_policies"] | {name: {**one, "nfs_no_squash": ["10.0.0.1"]} for name, one in many.items()})  # fmt: skip

    def unblocked(data: Any) -> None:
        assert [one["blocked"][0]["guard"] for one in data["actions"]] == ["mass-change"] * 11
        for action in data["actions"]:
            action["blocked"] = []
        data["operations"] = [{"address": one["address"], "step": "write", "after": []} for one in data["actions"]]

    plan = applied.parent / "plan.json"
    vastplan("plan", applied, "--out", plan)
    ran = vastplan("apply", forged(plan, unblocked), "--format", "json")
    assert ran.code == 5 and set(states(ran).values()) == {"stale"}, ran
    ran = vastplan("plan", applied, "--out", plan)

    def consented(data: Any) -> None:
        unblocked(data)
        data["consent"]["max_count"] = 500

    ran = vastplan("apply", forged(plan, consented), "--format", "json")
    assert ran.code == 0 and set(states(ran).values()) == {"done"}, ran


@pytest.mark.slow
def test_a_plan_of_before_consents_were_kept_deletes_nothing(applied: Path, vastplan: Run) -> None:
    write(applied.parent, view_policies={"q": DOCUMENT["view_policies"]["q"]})
    plan = forged(saved(applied, vastplan, *CONSENT), lambda data: data.pop("consent"))
    ran = vastplan("apply", plan)
    assert ran.code == 5 and "a delete needs consent; plan again" in ran.out, ran


def test_what_checks_forbid_is_forbidden_again(tmp_path: Path, vastplan: Run) -> None:
    pools = {"pools": {"x": {"tenant": "a", "subnet_cidr": 24, "ip_ranges": ["10.0.0.1 - 10.0.0.9"]}}}
    twice = {"y": {**pools["pools"]["x"], "tenant": "b"}, "x": pools["pools"]["x"]}
    file = write(tmp_path, vip_pools=twice)
    ran = vastplan("plan", file, "--out", tmp_path / "plan.json")
    wrong = [one for one in json.loads((tmp_path / "plan.json").read_text())["findings"] if one["severity"] == "error"]
    assert wrong, ran
    plan = forged(tmp_path / "plan.json", lambda data: data.update(findings=[]))
    ran = vastplan("apply", plan)
    assert ran.code == 3 and wrong[0]["code"] in ran.err, ran
    assert vastplan("ledger", "list", file).out == "the ledger is empty\n"


@pytest.mark.slow
def test_a_plan_that_was_applied_does_nothing_under_another_name(applied: Path, vastplan: Run) -> None:
    """With another time it has another id, and somebody who knows the ledger's serial writes that, too."""
    write(applied.parent, view_policies={"q": DOCUMENT["view_policies"]["q"]})
    plan = saved(applied, vastplan, *CONSENT)
    assert vastplan("apply", plan).code == 0
    part = json.loads((applied.parent / ".vastplan" / "ledger" / "iad.json").read_text())

    def again(data: Any) -> None:
        earlier = datetime.fromisoformat(data["created"]) - timedelta(minutes=1)
        data["created"], data["expires"] = earlier.isoformat(), (earlier + timedelta(hours=24)).isoformat()
        data["parts"][0]["serial"] = part["serial"]

    ran = vastplan("apply", forged(plan, again), "--format", "json")
    assert ran.code == 5 and states(ran) == {"iad/view_policy/p": "stale"}, ran


@pytest.mark.slow
def test_approvals_are_read_again(applied: Path, vastplan: Run) -> None:
    write(applied.parent, tenants={"a": {}})
    approvals = applied.parent / "approvals.yml"
    approval = {"address": "iad/tenant/b", "reason": "nobody uses it", "until": "2999-01-01"}
    (applied.parent / "signed").mkdir()
    approvals = applied.parent / "signed" / "approvals.yaml"
    approvals.write_text(yaml.safe_dump({"version": 1, "approvals": [approval]}))
    plan = saved(applied, vastplan, "--allow-delete", "iad/tenant/b", "--approvals", approvals)
    ran = vastplan("apply", plan)
    assert ran.code == 1, ran
    assert ran.err.endswith(f"apply reads approvals again: vastplan apply {plan} --approvals FILE\n"), ran
    approvals.write_text("version: 1\napprovals: []\n")
    withdrawn = vastplan("apply", plan, "--approvals", approvals)
    assert (
        withdrawn.code == 5
        and "a delete of a tenant needs an approval because data depends on it; plan again" in withdrawn.out
    ), withdrawn
    approvals.write_text(yaml.safe_dump({"version": 1, "approvals": [approval]}))
    plan = saved(applied, vastplan, "--allow-delete", "iad/tenant/b", "--approvals", approvals)
    assert vastplan("apply", plan, "--approvals", approvals).code == 0


@pytest.mark.slow
def test_a_document_elsewhere_is_not_opened_because_a_plan_says_so(
    applied: Path, tmp_path_factory: pytest.TempPathFactory, vastplan: Run
) -> None:
    other = write(tmp_path_factory.mktemp("elsewhere"), tenants={"a": {}, "b": {}, "c": {}})
    plan = forged(
        saved(write(applied.parent, tenants={"a": {}, "b": {}, "d": {}}), vastplan),
        lambda data: data.update(sources=[str(other)]),
    )
    ran = vastplan("apply", plan)
    assert ran.code == 1 and "which is not in this folder (" in ran.err, ran
    assert f"vastplan apply {plan} --document " in ran.err, ran
    assert vastplan("apply", plan, "--document", applied).code == 0


@pytest.mark.slow
def test_and_a_plan_that_is_kept_elsewhere_is_told_where_its_document_is(
    applied: Path, tmp_path_factory: pytest.TempPathFactory, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(applied.parent, tenants={"a": {}, "b": {}, "d": {}})
    plan = tmp_path_factory.mktemp("plans") / "plan.json"
    assert vastplan("plan", applied, "--out", plan).code == 0
    monkeypatch.chdir(plan.parent)
    assert vastplan("apply", plan).code == 1
    assert vastplan("apply", plan, "--document", applied).code == 0
