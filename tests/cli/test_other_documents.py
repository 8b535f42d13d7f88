"""Two documents on one system: what another one owns is refused by name, however much it is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.conftest import Run
from vastplan.sim.world import World

SHARED = {"tenants": {"shared": {}}, "namespaces": {"shared": {"labels": {"who": "x"}}}}
TENANT: dict[str, Any] = {"tenants": {"shared": {}}}
SIM = {"iad": {"sim": {"systems": ["vast", "kubernetes"]}}}
IN_CLUSTER = {"kubernetes": {"namespace": "ledgers", "site": "iad"}}


def document(folder: Path, name: str, sections: dict[str, Any], **head: Any) -> Path:
    file = folder / f"{name}.yaml"
    whole = {"version": 1, "name": name, "sites": SIM, "ledger": IN_CLUSTER, **head, **sections}
    file.write_text(yaml.safe_dump({key: value for key, value in whole.items() if value is not None}, sort_keys=False))
    return file


def blocks(ran: Any) -> dict[str, list[str]]:
    """The guards that stop each action of a plan as JSON."""
    plan = json.loads(ran.out)
    return {one["address"]: [block["guard"] for block in one["blocked"]] for one in plan["actions"]}


def by_hand(folder: Path, query: str, patch: dict[str, Any]) -> None:
    """Somebody changes the namespace."""
    world = World(folder / ".vastplan" / "sim", {"iad": ["vast", "kubernetes"]}).start()
    try:
        (cluster,) = (one for one in world.endpoints() if one.system == "kubernetes")
        answer = requests.patch(
            f"{cluster.url}/api/v1/namespaces/shared{query}", data=json.dumps(patch), verify=cluster.ca_file, timeout=30,
            headers={"Authorization": f"Bearer {cluster.password}", "Content-Type": "application/merge-patch+json"},
        )  # fmt: skip
        assert answer.status_code == 200
    finally:
        world.stop()


@pytest.mark.slow
def test_what_another_ledger_owns_is_refused_by_name(tmp_path: Path, vastplan: Run) -> None:
    first, second = document(tmp_path, "first", SHARED), document(tmp_path, "second", SHARED)
    assert vastplan("apply", first, "--auto-approve").code == 0
    snapshot = tmp_path / "seen.json"
    vastplan("record", second, "--out", snapshot)
    for extra in ((), ("--adopt",), ("--adopt", "--snapshot", snapshot)):
        ran = vastplan("plan", second, *extra)
        for address in ("iad/namespace/shared", "iad/tenant/shared"):
            says = f"blocked (other-document): owned by document first as {address}; its ledger is at kubernetes:ledgers at iad"
            assert says in ran.out, ran
            assert f"vastplan ledger forget DOCUMENT {address}" in ran.out
        assert "(adopt)" not in ran.out
    ran = vastplan("apply", second, "--adopt", "--auto-approve")
    assert ran.code == 3 and vastplan("ledger", "list", second).out.count("iad/") == 0
    assert vastplan("plan", first).out.count("VP311") == 0


@pytest.mark.slow
def test_what_was_let_go_of_there_may_be_taken_over_here(tmp_path: Path, vastplan: Run) -> None:
    first, second = document(tmp_path, "first", SHARED), document(tmp_path, "second", SHARED)
    vastplan("apply", first, "--auto-approve")
    for kind in ("tenant", "namespace"):
        vastplan("ledger", "forget", first, f"iad/{kind}/shared")
    assert "(adopt)" in vastplan("plan", second).out  # the mark is still on the namespace: its ledger knows better
    assert vastplan("apply", second, "--adopt", "--auto-approve").code == 0
    ran = vastplan("plan", second)
    assert ran.code == 0 and "VP311" not in ran.out and "2 objects in sync" in ran.out
    assert "owned by document second as iad/tenant/shared" in vastplan("plan", first, "--adopt").out


@pytest.mark.slow
def test_without_its_ledger_an_object_in_kubernetes_says_whose_it_is(tmp_path: Path, vastplan: Run) -> None:
    first = document(tmp_path, "first", SHARED)
    second = document(tmp_path, "second", SHARED, ledger=None)
    vastplan("apply", first, "--auto-approve")
    snapshot = tmp_path / "seen.json"
    vastplan("record", second, "--out", snapshot)
    for extra in ((), ("--snapshot", snapshot)):
        found = blocks(vastplan("plan", second, "--adopt", "--format", "json", *extra))
        assert found == {"iad/namespace/shared": ["other-document"], "iad/tenant/shared": []}
    ran = vastplan("plan", second, "--adopt")
    assert "marked as owned by document first, whose ledger is elsewhere" in ran.out


def test_a_mark_that_nobody_stands_for_any_more_is_taken_off(tmp_path: Path, vastplan: Run) -> None:
    first = document(tmp_path, "first", SHARED)
    second = document(tmp_path, "second", SHARED, ledger=None)
    vastplan("apply", first, "--auto-approve")
    by_hand(tmp_path, "", {"metadata": {"managedFields": [{}]}})  # as docs/ledger.md says
    assert blocks(vastplan("plan", second, "--adopt", "--format", "json")) == {
        "iad/namespace/shared": [], "iad/tenant/shared": [],
    }  # fmt: skip


@pytest.mark.slow
def test_a_label_says_whose_an_object_is_that_was_taken_over_as_it_was(tmp_path: Path, vastplan: Run) -> None:
    unsaid: dict[str, Any] = {"namespaces": {"shared": {}}}
    first = document(tmp_path, "first", SHARED)
    second = document(tmp_path, "second", unsaid, ledger=None)
    vastplan("apply", first, "--auto-approve")
    by_hand(tmp_path, "", {"metadata": {"managedFields": [{}], "labels": {"vastplan.io/document": "third"}}})
    assert vastplan("plan", first, "--detailed-exitcode").code == 0, "a label of somebody else's is no drift of ours"
    assert blocks(vastplan("plan", second, "--adopt", "--format", "json")) == {
        "iad/namespace/shared": ["other-document"]
    }
    assert "marked as owned by document third" in vastplan("plan", second, "--adopt").out
    by_hand(
        tmp_path, "", {"metadata": {"managedFields": [{}], "labels": {"vastplan.io/document": None}}}
    )  # as docs/ledger.md says
    assert blocks(vastplan("plan", second, "--adopt", "--format", "json")) == {"iad/namespace/shared": []}


def test_a_lost_ledger_is_adopted_anew(tmp_path: Path, vastplan: Run) -> None:
    file = document(tmp_path, "first", SHARED, ledger=None)
    vastplan("apply", file, "--auto-approve")
    (tmp_path / ".vastplan" / "ledger" / "iad.json").unlink()
    ran = vastplan("apply", file, "--adopt", "--auto-approve")
    assert ran.code == 0 and "Apply: 2 done" in ran.out


@pytest.mark.slow
def test_what_is_ours_stays_ours_whoever_writes_on_it(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = document(tmp_path, "first", SHARED, ledger=None)
    with monkeypatch.context() as earlier:  # times are whole seconds
        earlier.setenv("SOURCE_DATE_EPOCH", "1700000000")
        vastplan("apply", file, "--auto-approve")
    by_hand(tmp_path, "?fieldManager=vastplan:second", {"metadata": {"labels": {"who": "z"}}})
    ran = vastplan("drift", file)
    assert ran.code == 2
    says = "note VP311: document second has written these since they were last applied here: iad/namespace/shared"
    assert says in ran.out, ran
    assert "by vastplan:second" in ran.out
    ran = vastplan("apply", file, "--auto-approve")
    assert ran.code == 0 and "1 done" in ran.out  # and our own write is the last again, within the same second or not
    assert "VP311" not in vastplan("plan", file).out


@pytest.mark.slow
def test_what_was_handed_over_bears_the_former_mark_without_a_word(tmp_path: Path, vastplan: Run) -> None:
    first = document(tmp_path, "first", SHARED, ledger={"local": "of-first"})
    second = document(tmp_path, "second", SHARED, ledger={"local": "of-second"})
    handed, snapshot = tmp_path / "handed.json", tmp_path / "seen.json"
    vastplan("apply", first, "--auto-approve")
    assert vastplan("ledger", "export", first, "--out", handed, "--forget").code == 0
    assert vastplan("ledger", "import", second, handed).code == 0
    assert "VP311" not in vastplan("plan", second).out
    assert vastplan("apply", second, "--auto-approve").code == 0
    vastplan("record", second, "--out", snapshot)
    for extra in ((), ("--snapshot", snapshot)):
        assert "VP311" not in vastplan("plan", second, *extra).out


@pytest.fixture
def real(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """A site at an address of its own, as a document says it."""
    world = World(tmp_path / "world", {"one": ["vast"]}).start()
    (endpoint,) = world.endpoints()
    (tmp_path / "password").write_text(endpoint.password)
    vast = {"url": endpoint.url, "ca_file": endpoint.ca_file, "username": endpoint.username}
    yield {"vast": {**vast, "password": {"file": "password"}}}
    world.stop()


def test_a_site_may_have_another_name_in_each_document(tmp_path: Path, real: dict[str, Any], vastplan: Run) -> None:
    first = document(tmp_path, "first", TENANT, sites={"iad": real}, ledger=None)
    second = document(tmp_path, "second", TENANT, sites={"east": real}, ledger=None)
    assert vastplan("apply", first, "--auto-approve").code == 0
    assert json.loads((tmp_path / ".vastplan" / "ledger" / "iad.json").read_text())["systems"].keys() == {"vast"}
    ran = vastplan("plan", second, "--adopt")
    assert (
        "blocked (other-document): owned by document first as iad/tenant/shared; its ledger is at file:" in ran.out
    ), ran


def test_an_object_of_that_id_in_another_system_is_another(tmp_path: Path, real: dict[str, Any], vastplan: Run) -> None:
    first = document(tmp_path, "first", TENANT, sites={"iad": real}, ledger=None)
    simulated = {"east": {"sim": {"systems": ["vast"]}}}
    other = document(tmp_path, "other", TENANT, sites=simulated, ledger={"local": "elsewhere"})
    second = document(tmp_path, "second", TENANT, sites=simulated, ledger=None)
    vastplan("apply", first, "--auto-approve")
    vastplan("apply", other, "--auto-approve")  # both are the first tenant of their system
    assert blocks(vastplan("plan", second, "--adopt", "--format", "json")) == {
        "iad/tenant/shared".replace("iad", "east"): []
    }


def test_where_the_other_ledger_cannot_be_read_nothing_is_taken_over(
    tmp_path: Path, real: dict[str, Any], vastplan: Run
) -> None:
    first = document(tmp_path, "first", TENANT, sites={"iad": real}, ledger=None)
    second = document(tmp_path, "second", TENANT, sites={"east": real}, ledger=None)
    vastplan("apply", first, "--auto-approve")
    part = tmp_path / ".vastplan" / "ledger" / "iad.json"
    part.write_text(part.read_text()[:-40])
    ran = vastplan("plan", second, "--adopt")
    assert "blocked (other-document): cannot determine whether document first owns it" in ran.out, ran
    (tmp_path / ".vastplan" / "ledger" / "notes.json").write_text("[]")  # what is no ledger is in nobody's way
    part.unlink()
    assert blocks(vastplan("plan", second, "--adopt", "--format", "json")) == {"east/tenant/shared": []}


def test_what_another_document_took_over_since_the_plan_is_stale(
    tmp_path: Path, real: dict[str, Any], vastplan: Run
) -> None:
    made = document(tmp_path, "made", TENANT, sites={"iad": real}, ledger={"local": "elsewhere"})
    first = document(tmp_path, "first", TENANT, sites={"iad": real}, ledger=None)
    second = document(tmp_path, "second", TENANT, sites={"east": real}, ledger=None)
    vastplan("apply", made, "--auto-approve")
    plan = tmp_path / "plan.json"
    assert vastplan("plan", second, "--adopt", "--out", plan).code == 0
    vastplan("apply", first, "--adopt", "--auto-approve")
    ran = vastplan("apply", plan, "--auto-approve")
    assert ran.code == 5 and "owned by document first as iad/tenant/shared" in ran.out + ran.err, ran


@pytest.mark.slow
def test_drift_counts_what_another_document_owns_as_managed_there(tmp_path: Path, vastplan: Run) -> None:
    document(tmp_path, "first", SHARED)
    mine = document(tmp_path, "mine", {"tenants": {"own": {}}, "namespaces": {"own": {}}}, ledger={"local": "mine"})
    near = document(tmp_path, "near", {"tenants": {"own": {}}, "namespaces": {"own": {}}})
    vastplan("apply", tmp_path / "first.yaml", "--auto-approve")
    alike = {"site": "iad", "document": "first", "count": 1}
    reports = ("--report", tmp_path / "d.md", "--report", tmp_path / "d.html", "--report", tmp_path / "d.prom")
    ran = vastplan("drift", near, *reports)
    assert ran.code == 0 and "iad/namespace ledgers" in ran.out and "shared" not in ran.out, ran
    assert "Managed by the document first, and not counted: 2 objects." in ran.out
    assert "Managed by the document `first`, and not counted: 2 objects" in (tmp_path / "d.md").read_text()
    assert "Managed by another document" in (tmp_path / "d.html").read_text()
    sample = 'vastplan_elsewhere_objects{document="near",by="first",kind="tenant",site="iad"} 1'
    assert sample in (tmp_path / "d.prom").read_text()
    found = json.loads(vastplan("drift", near, "--format", "json").out)
    assert [stranger["name"] for stranger in found["unmanaged"]] == ["ledgers"]
    assert found["elsewhere"] == [
        {**alike, "kind": "namespace"}, {**alike, "kind": "tenant"},
    ]  # fmt: skip
    found = json.loads(vastplan("drift", mine, "--format", "json").out)  # another ledger: only marks tell
    assert {(stranger["kind"], stranger["name"]) for stranger in found["unmanaged"]} == {
        ("namespace", "ledgers"), ("tenant", "shared"),
    }  # fmt: skip
    assert found["elsewhere"] == [{**alike, "kind": "namespace"}]
