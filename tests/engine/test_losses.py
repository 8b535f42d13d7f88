"""How much data goes with what is deleted, over HTTP: empty, full, mounted, unread, and written to just before it is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.guards.stage import Nobody, kinds
from tests.lab import Lab
from vastplan.app.applying import carry_out
from vastplan.app.files.approvals import load_approvals
from vastplan.app.ledger_move import move_addresses, planned_moves
from vastplan.engine.applying.apply import apply_actions
from vastplan.engine.live.consent import Approval, Consent
from vastplan.engine.live.observe import Observed, live_of
from vastplan.engine.matching.holdings import Holdings, shown_data
from vastplan.engine.matching.links import Links
from vastplan.model.address import Address
from vastplan.model.outcome import State
from vastplan.model.plan import Action, Plan, loss
from vastplan.report.review import Topology, review_line
from vastplan.report.values import lost_text
from vastplan.sim.faults import Effect, Fault

TIB = 2**40
BY_ADDRESS = Consent(allow_delete=("*",), max_count=1000, allow_narrow=("*",))
CARRYING = (
    "view/home", "quota/home", "persistent_volume/team-home", "persistent_volume_claim/home",
    "persistent_volume_claim/scratch",
)  # fmt: skip


def document(**of_team: Any) -> dict[str, Any]:
    """A team with a directory, a volume of a class and a bucket."""
    team: dict[str, Any] = {
        "vip_pool": {
            "subnet_cidr": 24, "ip_ranges": ["10.20.1.10 - 10.20.1.25"], "s3_endpoint": "https://s3.team.example.com",
        },
        "view_policies": {"files": {"flavor": "MIXED_LAST_WINS"}, "buckets": {"flavor": "S3_NATIVE"}},
        "csi_user": {"endpoint": "vms.example.com"},
        "storage_class": {"driver": "file", "storage_path": "/k8s", "view_policy": "files", "vip_pool": "team"},
        "project": {"department": "research", "gpus": {"default": 8}},
        "users": {"jobs": {"uid": 31001}},
        "local_provider": "team",
        **of_team,
    }  # fmt: skip
    return {
        "namespaces": {"vast-csi": {}},
        "local_providers": {"team": {}},
        "departments": {"research": {"gpus": {"default": 8}}},
        "tenants": {"team": team},
    }


VOLUMES = {
    "volumes": {
        "home": {"path": "/home", "view_policy": "files", "size": "5 TiB", "mount": "/home"},
        "scratch": {"storage_class": "team", "size": "1 TiB", "mount": "/scratch"},
    },
    "buckets": {
        "sets": {"bucket": "sets", "size": "1 TiB", "owner": "jobs", "deliver": {"secret": "runai-team/s3"}, "mount": "/s"},
    },
}  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        one.write(document(**VOLUMES))
        one.converge()
        yield one


def tenant(lab: Lab) -> int:
    live = lab.live("iad/tenant/team")
    assert live is not None
    return int(live.id)


def write_data(lab: Lab, path: str, size: int = TIB, inodes: int = 1) -> None:
    """Somebody writes files."""
    lab.world.vast("iad").usage(path, tenant(lab), size, inodes)


def scratch_path(lab: Lab) -> str:
    return next(str(row["path"]) for row in lab.rows("iad", "view") if row["path"].startswith("/k8s/"))


def pod(lab: Lab, claim: str, namespace: str = "runai-team") -> None:
    """Somebody's pod mounts a claim."""
    body = {
        "metadata": {"name": f"trainer-{claim}", "namespace": namespace},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}],
        },
    }
    lab.by_hand("iad", "kubernetes", "POST", f"/api/v1/namespaces/{namespace}/pods", body)


def actions(plan: Plan) -> dict[str, Action]:
    return {f"{one.address.kind}/{one.address.name}": one for one in plan.actions}


def without_volumes(lab: Lab, consent: Consent = BY_ADDRESS) -> Plan:
    lab.write(document())
    return lab.plan(consent)


def test_what_is_empty_says_so_and_needs_its_address_alone(lab: Lab) -> None:
    plan = without_volumes(lab, Consent(max_count=1000))
    found = actions(plan)
    for name in CARRYING:
        assert lost_text(found[name]) == "used 0 B" and not found[name].holds_data, name
        assert [(one.guard, one.message) for one in found[name].blocked] == [("approval", "a delete needs consent")], (
            name
        )
    assert "data" not in review_line(plan)
    lab.write(document())
    lab.converge(BY_ADDRESS)
    assert lab.live("iad/view/home") is None and lab.live("iad/persistent_volume_claim/scratch") is None


def test_what_holds_data_says_how_much_and_needs_an_approval(lab: Lab) -> None:
    write_data(lab, "/home")
    write_data(lab, scratch_path(lab), 3 * TIB)
    plan = without_volumes(lab)
    found = actions(plan)
    sizes = dict(zip(CARRYING, (TIB, TIB, TIB, TIB, 3 * TIB), strict=True))
    for name, size in sizes.items():
        lost = loss(found[name])
        assert lost is not None and lost.value == size and found[name].holds_data, name
        assert found[name].blocked[0].message.endswith("needs an approval because data depends on it"), name
        assert f"(id {found[name].id})" in found[name].blocked[0].fix, name
    assert "5 hold data" in review_line(plan)


def unreadable(lab: Lab, system: str, path: str) -> None:
    lab.world.sites["iad"].servers[system].faults.arm(Fault(Effect.STATUS, "GET", path, status=403, times=1000))


def test_what_could_not_be_read_is_unknown_and_asked_for(lab: Lab) -> None:
    unreadable(lab, "kubernetes", "/persistentvolumes")
    claim = actions(without_volumes(lab))["persistent_volume_claim/scratch"]
    assert lost_text(claim).startswith("used unknown: ") and claim.holds_data
    assert "approval" in [block.guard for block in claim.blocked]


def test_pods_that_could_not_be_read_may_mount_it(lab: Lab) -> None:
    unreadable(lab, "kubernetes", "/pods")
    plan = without_volumes(lab)
    claim = actions(plan)["persistent_volume_claim/scratch"]
    assert lost_text(claim) == "used 0 B" and claim.holds_data
    assert claim.blocked[0].message.startswith(
        "a delete of a persistent_volume_claim needs an approval, although 0 B are reported: cannot determine pods that use it: "
    )
    assert "cannot determine pods: " in str(Topology(plan).affected(claim))
    assert not plan.unknown and "(1 holds data" not in review_line(plan) and "may hold data" in review_line(plan)


def test_an_empty_volume_that_a_pod_mounts_is_in_use(lab: Lab) -> None:
    pod(lab, "scratch")
    plan = without_volumes(lab)
    found = actions(plan)
    claim = found["persistent_volume_claim/scratch"]
    assert [block.guard for block in claim.blocked] == ["approval", "in-use"]
    assert claim.blocked[0].message.endswith("although 0 B are reported: pods use it: 1")
    assert "1 pod" in str(Topology(plan).affected(claim))
    home = str(Topology(plan).affected(found["persistent_volume_claim/home"]))
    assert "pod" not in home and "1 data source" in home


def test_who_uses_a_bucket_is_counted(lab: Lab) -> None:
    plan = without_volumes(lab, Consent(max_count=1000))
    view = str(Topology(plan).affected(actions(plan)["view/sets"]))
    assert view.endswith(
        "1 S3 key, 1 data source; cannot determine clients outside Kubernetes: VMS does not list them"
    ), view


def test_a_project_and_a_tenant_are_never_proven_empty(lab: Lab) -> None:
    without_volumes(lab)
    lab.converge(BY_ADDRESS)
    lab.write({name: part for name, part in document().items() if name != "tenants"})
    found = actions(lab.plan(BY_ADDRESS))
    assert lost_text(found["tenant/team"]).startswith("used unknown: VMS reports no use of a tenant")
    assert lost_text(found["project/team"]).startswith("used unknown: Run:AI reports no use of a project")
    for name in ("tenant/team", "project/team"):
        assert "approval" in [block.guard for block in found[name].blocked]


def outcomes(lab: Lab, plan: Plan) -> dict[str, tuple[State, str]]:
    return {one.address: (one.state, one.message) for one in lab.apply(plan).outcomes}


def test_data_that_was_written_since_the_plan_stops_the_delete(lab: Lab) -> None:
    plan = without_volumes(lab)
    write_data(lab, "/home")
    write_data(lab, scratch_path(lab))
    found = outcomes(lab, plan)
    for name in CARRYING:
        assert found[f"iad/{name}"][0] in (State.STALE, State.SKIPPED), (name, found[f"iad/{name}"])
    assert all(lab.live(f"iad/{name}") is not None for name in CARRYING)


def test_data_that_is_written_during_the_apply_stops_the_delete(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = without_volumes(lab)
    path = scratch_path(lab)

    def late(*given: Any, **named: Any) -> Any:
        write_data(lab, path)
        return apply_actions(*given, **named)

    monkeypatch.setattr(carry_out, "apply_actions", late)
    state, message = outcomes(lab, plan)["iad/persistent_volume_claim/scratch"]
    assert state is State.STALE, message
    assert message.startswith("it was empty when the plan was made, and ") and "shows 1 TiB now" in message
    assert lab.live("iad/persistent_volume_claim/scratch") is not None


def quotas(*names: str) -> dict[str, Any]:
    return {
        "tenants": {"team": {}},
        "quotas": {
            key: {"name": name, "tenant": "team", "path": f"/{name}", "hard_limit": "9 TiB", "create_dir": True}
            for key, name in (one.split("=") for one in names)
        },
    }


APPROVED = """version: 1
approvals:
  - address: "iad/quota/team-*"
    objects: {"iad/quota/team-1": "%s"}
    reason: agreed with the owners
    until: "2999-01-01"
    max_used: 2199023255552
"""


def test_an_object_that_was_renamed_onto_an_approved_address_is_not_covered(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(quotas("team-1=one", "other=two"))
        lab.converge()
        for path in ("/one", "/two"):
            write_data(lab, path)
        one = lab.live("iad/quota/team-1")
        assert one is not None
        (tmp_path / "approvals.yaml").write_text(APPROVED % one.id)
        approvals = load_approvals(tmp_path / "approvals.yaml")
        assert approvals == (Approval("iad/quota/team-1", "agreed with the owners", "2999-01-01", 2 * TIB, 0, one.id),)
        lab.write(quotas())
        for old, new in (("team-1", "gone"), ("other", "team-1")):
            workspace = lab.workspace()
            places = [Address("iad", "quota", name) for name in (old, new)]
            move_addresses(workspace, planned_moves(workspace, *places))
        plan = lab.plan(Consent(approvals=approvals, max_count=100))
        taken = actions(plan)["quota/team-1"]
        assert taken.id != one.id and taken.blocked[0].message == (
            f"its approval is of the object with id {one.id}, and this one has id {taken.id}"
        )
        lab.apply(plan)
        assert {row["name"] for row in lab.rows("iad", "quota")} == {"one", "two"}


@pytest.mark.parametrize(
    ("kind", "row", "shown"),
    [
        ("view", {"id": 1, "path": "/a", "logical_capacity": 0}, ""),
        ("view", {"id": 1, "path": "/a", "logical_capacity": 2**40}, "1 TiB"),
        ("view", {"id": 1, "path": "/a"}, "use that is unknown: the answer does not have it"),
        ("quota", {"id": 1, "path": "/a", "used_effective_capacity": 0, "used_inodes": 2}, "used_inodes: 2"),
        ("persistent_volume_claim", {"metadata": {"name": "c", "uid": "c"}, "status": {"phase": "Pending"}}, ""),
        ("persistent_volume_claim", {"metadata": {"name": "c", "uid": "c"}, "status": {"phase": "Bound"}}, "a volume"),
    ],
)
def test_what_a_second_read_shows(kind: str, row: dict[str, Any], shown: str) -> None:
    assert shown_data(live_of("iad", kinds()[kind], row, Nobody())) == shown  # type: ignore[arg-type]


def test_what_holds_no_data_by_its_kind_has_none_of_its_own() -> None:
    """A kind that says nothing of its data is unknown, never empty."""
    pool = live_of("iad", kinds()["vip_pool"], {"id": 1, "name": "p"}, Nobody())  # type: ignore[arg-type]
    found = Holdings(Links(Observed({})), kinds()).of(pool, {})
    assert str(found.used) == "unknown: no system reports it" and not found.empty
