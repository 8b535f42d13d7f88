"""Who moved what and since when, asked only where something moved; what cannot be seen is said, and never a failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.drift.stage import TIB, Hands
from vastplan.sim.faults import Effect, Fault

RECORDS = ("/api/v5/events/", "/api/v1/audit/log")


def drift(vastplan: Run, folder: Path, *words: str | Path, code: int = 2) -> dict[str, Any]:
    ran = vastplan("drift", folder / "hand.yaml", "--format", "json", *words)
    assert ran.code == code, ran
    found: dict[str, Any] = json.loads(ran.out)
    return found


def asked(hands: Hands) -> list[str]:
    return [
        call.path
        for site in hands.world.sites.values()
        for server in site.servers.values()
        for call in server.calls
        if call.path.startswith(RECORDS)
    ]


def test_each_system_tells_who_changed_a_field_and_when(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB)
    hands.label("other")
    (project,) = hands.call("iad", "runai", "GET", "/api/v1/org-unit/projects?limit=10")["projects"]
    fixed = ("nodePool", "gpu", "cpu", "memory", "priority")
    pools = [{name: one[name] for name in fixed if name in one} for one in project["resources"]]
    pools[0]["gpu"] = {**pools[0]["gpu"], "deserved": 7}
    hands.call("iad", "runai", "PUT", f"/api/v1/org-unit/projects/{project['id']}", {"resources": pools})
    found = {one["address"]: one for one in drift(vastplan, tmp_path)["drift"]}
    assert set(found) == {"iad/quota/q", "iad/namespace/tools", "iad/project/team-a"}
    authors = {address: one["fields"][0]["author"] for address, one in found.items()}
    assert authors["iad/quota/q"]["who"] == "dana" and "modified" in authors["iad/quota/q"]["how"]
    assert authors["iad/namespace/tools"]["who"] == "kubectl-edit"
    assert (authors["iad/project/team-a"]["who"], authors["iad/project/team-a"]["how"]) == ("dana", "update PUT")
    for address, one in found.items():
        assert one["since"] and one["since"] < authors[address]["when"], one


@pytest.mark.slow
def test_an_object_that_is_gone_was_deleted_by_somebody(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    key = hands.row("iad", "quotas", path="/q")["id"]
    hands.call("iad", "vast", "DELETE", f"/api/v5/quotas/{key}/")
    (one,) = drift(vastplan, tmp_path)["drift"]
    assert one["what"] == "gone" and one["author"]["who"] == "dana" and "deleted" in one["author"]["how"]
    text = vastplan("plan", tmp_path / "hand.yaml").out
    assert "Undoes changes made outside vastplan (1)" in text and "iad/quota/q is gone, by dana at " in text


@pytest.mark.slow
def test_an_object_that_was_made_again_is_another_that_nobody_here_made(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    file, row = tmp_path / "hand.yaml", hands.row("iad", "quotas", path="/q")
    hands.call("iad", "vast", "DELETE", f"/api/v5/quotas/{row['id']}/")
    again = {name: row[name] for name in ("name", "path", "tenant_id", "hard_limit", "soft_limit", "enable_alarms")}
    hands.call("iad", "vast", "POST", "/api/v5/quotas/", again)
    found = drift(vastplan, tmp_path)
    (one,) = found["drift"]
    assert (one["address"], one["what"], one["fields"]) == ("iad/quota/q", "replaced", [])
    assert one["author"]["who"] == "dana" and found["pending"] == 0 and found["format_version"] == "1.1"
    said = vastplan("drift", file).out
    assert (
        "replaced iad/quota/q" in said
        and "deleted and recreated outside vastplan: the live object is not in the ledger; apply --adopt adopts it"
        in said
    )
    plan = vastplan("plan", file).out
    assert "deleted and recreated outside vastplan" in plan and "Undoes" not in plan
    refused = vastplan("drift", file, "--accept", "iad/quota/q")
    assert refused.code == 1 and "adopt the live object with vastplan apply --adopt" in refused.err
    assert vastplan("apply", file, "--auto-approve", "--adopt").code == 0
    drift(vastplan, tmp_path, code=0)


@pytest.mark.slow
def test_a_pool_that_was_renamed_by_hand_is_all_that_moved(tmp_path: Path, hands: Hands, vastplan: Run) -> None:
    """What names it finds it again once it has its name back; until then nobody changed that, nor the document."""
    file = tmp_path / "hand.yaml"
    (tmp_path / "u").write_text("x")
    pool = "    vip_pool: {subnet_cidr: 24, ip_ranges: [10.20.3.10 - 10.20.3.25], sites: [iad]}\n"
    class_ = "    storage_class: {driver: file, storage_path: /k, secret: s, sites: [iad]}\n"
    secret = "secrets: {s: {namespace: tools, sites: [iad], data: {username: {file: u}, password: {file: u}, endpoint: {file: u}}}}\n"
    volume = "    volumes: {v: {path: /v, size: 1 TiB, sites: [iad]}}\n"
    file.write_text(file.read_text().replace("    project:", f"{pool}{class_}{volume}    project:") + secret)
    assert vastplan("apply", file, "--auto-approve").code == 0
    row = hands.row("iad", "vippools", name="team-a")
    hands.call("iad", "vast", "PATCH", f"/api/v5/vippools/{row['id']}/", {"name": "x"})
    found = drift(vastplan, tmp_path)
    assert ([one["address"] for one in found["drift"]], found["pending"]) == (["iad/vip_pool/team-a"], 0)
    assert [field["path"] for field in found["drift"][0]["fields"]] == ["name"]
    plan = json.loads(vastplan("plan", file, "--format", "json").out)
    assert [(one["address"], one["verb"]) for one in plan["actions"]] == [("iad/vip_pool/team-a", "update")]
    kept = json.loads(vastplan("plan", file, "--format", "json", "--keep-drift", "iad/vip_pool/*").out)
    assert kept["actions"] == []
    assert vastplan("apply", file, "--auto-approve").code == 0
    drift(vastplan, tmp_path, code=0)


@pytest.mark.slow
def test_records_are_asked_once_a_system_and_only_where_something_moved(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    drift(vastplan, tmp_path, code=0)
    assert asked(hands) == []
    hands.quota(3 * TIB)
    hands.quota(3 * TIB, "/a")
    drift(vastplan, tmp_path)
    assert asked(hands) == ["/api/v5/events/"]


@pytest.mark.slow
def test_records_that_may_not_be_seen_are_said_and_are_no_error(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB)
    server = hands.world.sites["iad"].servers["vast"]
    server.faults.arm(Fault(Effect.STATUS, path="/events/", status=400, times=10))
    (one,) = drift(vastplan, tmp_path)["drift"]
    author = one["fields"][0]["author"]
    assert author["who"] == "" and "/events/" in author["untold"]
    assert "author unknown: " in vastplan("drift", tmp_path / "hand.yaml").out


@pytest.mark.slow
def test_what_a_driver_or_runai_made_is_nobodys_task_and_the_rest_is_counted(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    owner = hands.row("iad", "tenants", name="team-a")["id"]
    volume = "/k8s/pvc-0b1c2d3e-1111-2222-3333-444455556666"
    for path in (volume, "/pvc-of-somebody"):
        hands.call("iad", "vast", "POST", "/api/v5/quotas/", {
            "name": path[-30:], "path": path, "tenant_id": owner, "hard_limit": TIB, "create_dir": True,
        })  # fmt: skip
    found = drift(vastplan, tmp_path, code=0)
    assert [one["name"] for one in found["unmanaged"] if one["kind"] == "quota"] == ["/pvc-of-somebody"]
    assert {"site": "iad", "kind": "quota", "by": "the CSI driver", "count": 1} in found["made"]
    assert any(one["by"] == "Run:AI" and one["kind"] == "namespace" for one in found["made"])
    assert {"site": "iad", "kind": "quota", "managed": 2, "unmanaged": 1, "percent": 66} in found["coverage"]
