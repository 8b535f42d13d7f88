"""Who may not list Secrets plans and applies all the same: those that matter are read by name, and no others are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab
from vastplan.app.connect import connected
from vastplan.app.planning.source import LiveSystems
from vastplan.app.workspace import open_workspace
from vastplan.engine.live.names import Named
from vastplan.engine.live.read import Names
from vastplan.model.value import REDACTED
from vastplan.sim.kubernetes.plane import KubernetesPlane

DOCUMENT = """\
version: 1
name: lab
sites: {iad: {sim: {systems: [vast, kubernetes]}}}
namespaces: {vast-csi: {}}
secrets: {vast-mgmt: {namespace: vast-csi, data: {endpoint: vms.example.com, username: csi}}}
tenants:
  team:
    vip_pool: {subnet_cidr: 24, ip_ranges: [10.20.1.10 - 10.20.1.13]}
    view_policy: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}
    storage_class: {driver: file, storage_path: /team/k8s, secret: vast-mgmt}
storage_classes:
  theirs: {driver: file, tenant: team, storage_path: /team/x, secret: {existing: ops/vast-login}, open_to: [ops],
           vip_pool: team, view_policy: team}
"""
MINE, SECRETS = "iad/secret/vast-mgmt", "/api/v1/secrets"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A cluster with Secrets of others, whose lists its user may not have."""
    (tmp_path / "lab.yaml").write_text(DOCUMENT)
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as made:
        made.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", {"metadata": {"name": "ops"}})
        for name in ("vast-login", "bank"):
            body = {"metadata": {"name": name}, "stringData": {"username": "somebody"}}
            made.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/ops/secrets", body)
        cluster(made).deny("list", "secrets")
        made.clear_calls()
        yield made


def cluster(lab: Lab) -> KubernetesPlane:
    plane = lab.world.sites["iad"].planes["kubernetes"]
    assert isinstance(plane, KubernetesPlane)
    return plane


def secrets_read(lab: Lab) -> set[str]:
    """What of Secrets was read: paths that were answered."""
    return {
        call.path.split("?")[0]
        for call in lab.all_calls()
        if "secrets" in call.path and call.method == "GET" and call.status == 200
    }


def edit(lab: Lab, before: str, after: str) -> None:
    file = lab.folder / "lab.yaml"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))


def applied(lab: Lab, vastplan: Run) -> None:
    ran = vastplan("apply", lab.folder / "lab.yaml", "--auto-approve")
    assert ran.code == 0, ran


def test_only_those_of_the_document_are_read(lab: Lab, vastplan: Run) -> None:
    applied(lab, vastplan)
    assert secrets_read(lab) == {
        "/api/v1/namespaces/vast-csi/secrets/vast-mgmt",
        "/api/v1/namespaces/ops/secrets/vast-login",
    }
    ran = vastplan("plan", lab.folder / "lab.yaml")
    assert ran.code == 0 and "no changes" in ran.out and "unknown" not in ran.out, ran


@pytest.mark.slow
def test_what_hands_did_is_seen(lab: Lab, vastplan: Run) -> None:
    applied(lab, vastplan)
    path = "/api/v1/namespaces/vast-csi/secrets/vast-mgmt"
    found = lab.by_hand("iad", "kubernetes", "GET", path)
    lab.by_hand("iad", "kubernetes", "PUT", path, {**found, "type": "Opaque", "data": {"endpoint": "eA=="}})
    ran = vastplan("drift", lab.folder / "lab.yaml")
    assert ran.code == 2 and MINE in ran.out and "Unknown" not in ran.out and "? iad" not in ran.out, ran
    lab.by_hand("iad", "kubernetes", "DELETE", path)
    ran = vastplan("drift", lab.folder / "lab.yaml")
    assert ran.code == 2 and MINE in ran.out and "Unknown" not in ran.out and "? iad" not in ran.out, ran


@pytest.mark.slow
def test_one_that_leaves_the_document_goes(lab: Lab, vastplan: Run) -> None:
    edit(lab, "secrets: {", "secrets: {old: {namespace: vast-csi, data: {username: x}}, ")
    applied(lab, vastplan)
    edit(lab, "old: {namespace: vast-csi, data: {username: x}}, ", "")
    ran = vastplan("apply", lab.folder / "lab.yaml", "--auto-approve", "--allow-delete", "iad/secret/old")
    assert (ran.code == 0 and "1 destroyed" in ran.out) or "1 done" in ran.out, ran
    assert "old" not in str(lab.by_hand("iad", "kubernetes", "GET", "/api/v1/namespaces/vast-csi/secrets/vast-mgmt"))


def test_one_that_may_not_be_read_is_unknown_with_what_names_it(lab: Lab, vastplan: Run) -> None:
    cluster(lab).deny("get", "secrets", namespace="vast-csi", name="vast-mgmt")
    ran = vastplan("plan", lab.folder / "lab.yaml", "--format", "json")
    plan = json.loads(ran.out)
    assert ran.code == 6 and "secret" in {unknown["kind"] for unknown in plan["unknown"]}, ran
    made = {action["address"] for action in plan["actions"] if action["verb"] == "create"}
    assert "iad/vip_pool/team" in made and not made & {MINE, "iad/storage_class/team"}, made


@pytest.mark.slow
def test_what_else_is_in_a_namespace_that_goes_cannot_be_told(lab: Lab, vastplan: Run) -> None:
    edit(lab, "namespaces: {vast-csi: {}}", "namespaces: {vast-csi: {}, old: {}}")
    applied(lab, vastplan)
    edit(lab, ", old: {}", "")
    plan = json.loads(
        vastplan("plan", lab.folder / "lab.yaml", "--allow-delete", "iad/namespace/old", "--format", "json").out
    )
    (action,) = [action for action in plan["actions"] if action["address"] == "iad/namespace/old"]
    assert action["verb"] == "delete" and "secret" in str(action["blocked"]), action


@pytest.mark.slow
def test_a_snapshot_has_what_was_asked_for(lab: Lab, vastplan: Run) -> None:
    applied(lab, vastplan)
    snapshot = lab.folder / "s.json"
    assert vastplan("record", lab.folder / "lab.yaml", "--out", snapshot).code == 0
    assert "bank" not in snapshot.read_text()
    ran = vastplan("plan", lab.folder / "lab.yaml", "--snapshot", snapshot)
    assert ran.code == 0 and "no changes" in ran.out, ran
    edit(lab, "secrets: {", "secrets: {new: {namespace: vast-csi, data: {username: x}}, ")
    ran = vastplan("plan", lab.folder / "lab.yaml", "--snapshot", snapshot)
    assert ran.code == 6 and "secret" in ran.out and "+ secret" not in ran.out, ran


@pytest.mark.slow
def test_a_name_that_rests_on_a_project_is_known_from_the_document(lab: Lab, vastplan: Run) -> None:
    document = yaml.safe_load((lab.folder / "lab.yaml").read_text())
    document["namespaces"]["elsewhere"] = {"name": "else"}
    document["secrets"]["vast-mgmt"]["namespace"] = "elsewhere"
    (lab.folder / "lab.yaml").write_text(yaml.safe_dump(document))
    applied(lab, vastplan)
    assert "/api/v1/namespaces/else/secrets/vast-mgmt" in secrets_read(lab)
    assert "no changes" in vastplan("plan", lab.folder / "lab.yaml").out


@pytest.fixture
def listed(lab: Lab, vastplan: Run) -> Lab:
    """The same cluster, whose user may list Secrets; the document is applied."""
    cluster(lab).allow_all()
    applied(lab, vastplan)
    lab.clear_calls()
    return lab


@pytest.mark.slow
def test_who_may_list_them_is_shown_names_and_reads_what_the_document_manages(listed: Lab, vastplan: Run) -> None:
    ran = vastplan("plan", listed.folder / "lab.yaml")
    assert ran.code == 0 and "no changes" in ran.out, ran
    assert secrets_read(listed) == {SECRETS, "/api/v1/namespaces/vast-csi/secrets/vast-mgmt"}
    listed.clear_calls()
    ran = vastplan("drift", listed.folder / "lab.yaml")
    assert "bank" in ran.out and "vast-login" in ran.out, ran
    assert secrets_read(listed) == {SECRETS, "/api/v1/namespaces/vast-csi/secrets/vast-mgmt"}


def test_what_others_made_for_themselves_is_told_by_what_a_list_shows(listed: Lab, vastplan: Run) -> None:
    token = {"metadata": {"name": "robot", "annotations": {"kubernetes.io/service-account.name": "default"}}}
    release = {"metadata": {"name": "sh.helm.release.v1.vast.v1", "labels": {"owner": "helm"}}}
    for body, made_as in ((token, "kubernetes.io/service-account-token"), (release, "helm.sh/release.v1")):
        listed.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/ops/secrets", {**body, "type": made_as})
    drift = json.loads(vastplan("drift", listed.folder / "lab.yaml", "--format", "json").out)
    made = {one["by"]: one["count"] for one in drift["made"] if one["kind"] == "secret"}
    assert made == {"Helm": 1, "Kubernetes": 1}
    assert {one["name"] for one in drift["unmanaged"] if one["kind"] == "secret"} == {"bank", "vast-login"}


@pytest.mark.slow
def test_a_snapshot_names_those_of_others_and_says_nothing_of_what_is_in_them(listed: Lab, vastplan: Run) -> None:
    snapshot = listed.folder / "s.json"
    assert vastplan("record", listed.folder / "lab.yaml", "--out", snapshot).code == 0
    (secrets,) = [one for one in json.loads(snapshot.read_text())["collections"] if one["kind"] == "secret"]
    (bank,) = [one for one in secrets["objects"] if one["values"]["name"] == "bank"]
    assert {*map(tuple, bank["withheld"])} == {("data",), ("type",), ("immutable",)} and bank["values"][
        "namespace"
    ] == "ops"
    edit(listed, "secrets: {", "secrets: {bank: {namespace: {existing: ops}, type: Opaque, data: {username: x}}, ")
    plan = json.loads(
        vastplan("plan", listed.folder / "lab.yaml", "--snapshot", snapshot, "--adopt", "--format", "json").out
    )
    (action,) = [action for action in plan["actions"] if action["address"] == "iad/secret/bank"]
    assert (action["verb"], action["changes"]) == ("adopt", []), action
    (untold,) = [
        one["message"] for one in plan["findings"] if one["code"] == "VP330" and one["address"] == "iad/secret/bank"
    ]
    assert untold.startswith("type, data.username: not in the snapshot"), untold
    live = json.loads(vastplan("plan", listed.folder / "lab.yaml", "--adopt", "--format", "json").out)
    (action,) = [action for action in live["actions"] if action["address"] == "iad/secret/bank"]
    assert [change["path"] for change in action["changes"]] == ["data.username"], action


def test_another_document_that_manages_more_reads_more(listed: Lab) -> None:
    """Two documents are held against one observation: what only the second manages is read for it, and stays read."""
    workspace, key = open_workspace([listed.folder / "lab.yaml"]), ("iad", "secret")

    def data(source: LiveSystems, names: Names) -> object:
        (bank,) = source.observe([key], {}, names).named("iad", workspace.registry.kinds["secret"], "ops/bank")
        return bank.values["data"]

    with connected(workspace.document, sites=("iad",), writable=False) as providers:
        source = LiveSystems(workspace, providers)
        assert data(source, {}) is REDACTED
        whole = {key: Named(frozenset({"ops/bank"}), frozenset({"ops/bank"}))}
        assert data(source, whole) == {"username": "somebody"}
        listed.clear_calls()
        assert data(source, {}) == {"username": "somebody"} and not secrets_read(listed)
