"""What a project could send to reach another one's data, tried on the simulated cluster: refused by whom, and what goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.checks.test_isolation_seen import teams
from tests.conftest import Run
from tests.engine.test_access import on_site
from tests.lab import Lab
from vastplan.app.drift import find_drift
from vastplan.app.drifting.trial import answer_to
from vastplan.checks.proof._trials import CLAIMS, TRIALS
from vastplan.checks.proof._ways import WAYS
from vastplan.kinds.kubernetes._rules import QUEUE, SOURCES
from vastplan.model.errors import NotAuthorised, Refused, Unreachable
from vastplan.model.isolation_trial import WayTried
from vastplan.report.drift_html import drift_page
from vastplan.report.drift_markdown import drift_comment
from vastplan.report.isolation_trial import trial_text
from vastplan.report.style import Style

API = "/apis/admissionregistration.k8s.io/v1"
INLINE, CLASS_A = (f"{API}/validatingadmissionpolicies/vastplan-{name}" for name in ("inline-volumes", "a"))
MERGE = {"Content-Type": "application/merge-patch+json"}
CLAIM = CLAIMS[0].way
OF_PODS = [trial.way for trial in TRIALS]
BY_INLINE = ("admission policy vastplan-inline-volumes",)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("tried"), {"iad": ["vast", "kubernetes", "runai"]}) as one:
        document = teams()
        document["tenants"]["a"]["vip_pool"]["domain_name"] = "a.nas"
        one.write(document)
        one.converge()
        yield one


def tried(lab: Lab) -> dict[str, WayTried]:
    return {one.way: one for one in find_drift(lab.workspace(), None, prove=True, trying=True).drift.tried}


def through(lab: Lab) -> tuple[set[str], set[str]]:
    """The ways that go through when they are tried, and those that the proof calls open."""
    drift = find_drift(lab.workspace(), None, prove=True, trying=True).drift
    return {one.way for one in drift.tried if one.through}, {
        one.way for proof in drift.isolation for one in proof.open_ways
    }


def test_all_of_it_is_refused_to_others_and_nothing_to_its_own_and_nothing_is_left(lab: Lab) -> None:
    lab.clear_calls()
    found = tried(lab)
    assert [*found] == [CLAIM, *OF_PODS]
    claim = found[CLAIM]
    assert (claim.refused, claim.by, claim.own) == (
        4,
        ("admission policy vastplan-a", "admission policy vastplan-b"),
        4,
    )
    for way in OF_PODS:
        assert (found[way].by, found[way].through) == (BY_INLINE, ()) and found[way].refused >= 2
    assert not [one for one in found.values() if one.own_refused or one.untried or one.site != "iad"]
    writes = [call for call in lab.calls() if call.method == "POST" and "/namespaces/" in call.path]
    assert len(writes) == sum(one.refused + one.own for one in found.values())
    for kind in ("pods", "persistentvolumeclaims"):
        assert lab.by_hand("iad", "kubernetes", "GET", f"/api/v1/namespaces/runai-a/{kind}")["items"] == []


def _weaker(lab: Lab, path: str, weaken: Callable[[dict[str, Any]], None]) -> tuple[set[str], set[str]]:
    """The ways that go through, and those that the proof calls open, while a policy is weakened by hand."""
    spec = lab.by_hand("iad", "kubernetes", "GET", path)["spec"]
    weak = {"validations": [dict(one) for one in spec["validations"]]}
    weaken(weak)
    lab.by_hand("iad", "kubernetes", "PATCH", path, {"spec": weak}, **MERGE)
    try:
        return through(lab)
    finally:
        lab.by_hand("iad", "kubernetes", "PATCH", path, {"spec": {"validations": spec["validations"]}}, **MERGE)


@pytest.mark.parametrize("way", [way for way in OF_PODS if way in SOURCES])
def test_a_type_of_volume_that_the_policy_lost_goes_through(lab: Lab, way: str) -> None:
    def lose(weak: dict[str, Any]) -> None:
        rule = weak["validations"][1]
        rule["expression"] = rule["expression"].replace(f"!(has(v.{way})", "!(false")

    tried_through, said_open = _weaker(lab, INLINE, lose)
    assert tried_through == {way} and way in said_open


def test_a_driver_or_a_class_that_a_policy_lost_goes_through(lab: Lab) -> None:
    def lose(weak: dict[str, Any]) -> None:
        weak["validations"][0]["expression"] = "true"

    tried_through, said_open = _weaker(lab, INLINE, lose)
    assert tried_through == {"inline CSI", "inline CSI of others"} and tried_through <= said_open
    tried_through, said_open = _weaker(lab, CLASS_A, lose)
    assert tried_through == {CLAIM} and CLAIM in said_open
    assert through(lab) == (set(), set())


def test_a_namespace_that_lost_the_label_of_its_project_goes_through(lab: Lab) -> None:
    path = "/api/v1/namespaces/runai-b"
    lab.by_hand("iad", "kubernetes", "PATCH", path, {"metadata": {"labels": {QUEUE: None}}}, **MERGE)
    drift = find_drift(lab.workspace(), None, prove=True, trying=True).drift
    of_projects = {trial.way for trial in TRIALS if trial.way in SOURCES}
    went = {(one.way, project) for one in drift.tried for project, *_ in one.through}
    assert went == {(way, "b") for way in of_projects}
    said = {one.way: (one.to, one.fix) for proof in drift.isolation for one in proof.open_ways}
    assert said == dict.fromkeys(of_projects, (("b",), f"kubectl label namespace runai-b {QUEUE}=b"))
    lab.by_hand("iad", "kubernetes", "PATCH", path, {"metadata": {"labels": {QUEUE: "b"}}}, **MERGE)
    assert through(lab) == (set(), set())


def test_every_way_that_is_tried_is_one_of_the_table() -> None:
    assert {trial.way for trial in (*CLAIMS, *TRIALS)} <= {way.name for way in WAYS}


def test_an_audit_and_a_quota_are_what_they_are(tmp_path: Path) -> None:
    for isolation, claims in (
        ("audit", ()),
        ("resource_quota", ("resource quota vastplan-a", "resource quota vastplan-b")),
    ):
        folder = tmp_path / isolation
        folder.mkdir()
        with Lab(folder, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
            on_site(lab, teams(), {"isolation": isolation})
            lab.converge()
            found = tried(lab)
            assert {way for way, one in found.items() if one.through} == {*OF_PODS, *(() if claims else (CLAIM,))}
            assert found[CLAIM].by == claims


class _Cluster:
    def __init__(self, problem: Exception | None) -> None:
        self._problem = problem

    def attempt(self, namespace: str, collection: str, body: dict[str, Any]) -> None:
        if self._problem is not None:
            raise self._problem


@pytest.mark.parametrize(
    ("problem", "by", "why"),
    [
        (None, "", ""),
        (Refused("422 pods \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"), "admission policy p", ""),
        (NotAuthorised("403 exceeded quota: q, requested: a=1"), "resource quota q", ""),
        (NotAuthorised('403 violates PodSecurity "baseline:latest": hostPath volumes'), "Pod Security baseline:latest", ""),
        (NotAuthorised('403 User "u" cannot create resource "pods"'), "", '403 User "u" cannot create resource "pods"'),
        (Refused("404 no such namespace"), "", "404 no such namespace"),
        (Unreachable("down"), "", "down"),
    ],
)  # fmt: skip
def test_who_refuses_is_told_from_what_could_not_be_tried(problem: Exception | None, by: str, why: str) -> None:
    assert answer_to(_Cluster(problem), "a", CLAIMS[0], "gold") == (by, why)


def test_what_went_through_is_said_first() -> None:
    ways = (
        WayTried("iad", "nfs", refused=2, by=("admission policy p",)),
        WayTried("iad", CLAIM, refused=1, by=("admission policy q",), own=2, own_refused=(("a", "ns-a", "gold"),)),
        WayTried("iad", "iscsi", untried="down"),
        WayTried("iad", "hostPath", through=(("b", "ns-b", ""), ("c", "ns-c", "x"))),
        WayTried("pdx", CLAIM, own=1),
    )
    assert trial_text(ways, Style(colour=False)).splitlines() == [
        "",
        "Tried on iad, as each project; the servers answered and carried nothing out",
        "  ! hostPath: not refused: b, c to x",
        "  ? iscsi: not all could be tried: down",
        "  nfs: 2 requests refused by admission policy p",
        "  claim: 1 request refused by admission policy q; 2 requests for the project's own accepted",
        "  ! claim: refused to those whose it is: a to gold",
        "",
        "Tried on pdx, as each project; the servers answered and carried nothing out",
        "  claim: no other project to try it; 1 request for the project's own accepted",
    ]


def test_every_report_of_drift_says_it(lab: Lab) -> None:
    found = find_drift(lab.workspace(), None, prove=True, trying=True).drift
    hole = WayTried("iad", "nfs", through=(("b", "runai-b", "10.0.1.1"),))
    for report in (drift_comment, drift_page):
        text = report(replace(found, tried=(*found.tried, hole)))
        for words in (
            "Isolation",
            "no two of 2 projects meet",
            "refused by admission policy vastplan-inline-volumes",
            "not refused: b to 10.0.1.1",
        ):
            assert words in text.replace("`", ""), (report, words)
        assert "Isolation" not in report(replace(found, isolation=(), tried=()))


def test_it_is_a_part_of_the_proof(tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan("drift", tmp_path, "--try")
    assert ran.code == 1 and "add --isolation" in ran.err, ran


def _volume(name: str, **spec: Any) -> dict[str, Any]:
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteMany"],
        "persistentVolumeReclaimPolicy": "Retain",
        **spec,
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def _csi(handle: str, driver: str = "csi.vastdata.com", **attributes: str) -> dict[str, Any]:
    return {"driver": driver, "volumeHandle": handle, "volumeAttributes": attributes}


def _bound(name: str) -> dict[str, str]:
    return {"namespace": f"runai-{name}", "name": "copy"}


@pytest.mark.parametrize(
    ("volumes", "said"),
    [
        ([_volume("x", nfs={"server": "10.0.1.1", "path": "/a/home"})], "  open: volumes of others: volumes or classes of other drivers name its server,"
         " or the directory of volumes on a node (iad/persistent_volume/x): from every project to a"),
        ([_volume("x", csi=_csi("anything", "nfs.csi.k8s.io", server="10.0.1.1"), claimRef=_bound("b"))], "  open: volumes of others: volumes or"
         " classes of other drivers name its server, or the directory of volumes on a node (iad/persistent_volume/x): from b to a"),
        ([_volume("x", csi=_csi("pvc-1"), claimRef=_bound("a")), _volume("y", csi=_csi("pvc-1"), claimRef=_bound("b"))],
         "  meet in volume pvc-1: a, b"),
        ([_volume("x", csi=_csi("pvc-1"), claimRef=_bound("a")), _volume("y", csi=_csi("pvc-1"))], "  meet in volume pvc-1: all projects"),
        ([_volume("x", csi=_csi("pvc-1"), claimRef=_bound("a"))], ""),
        ([_volume("x", nfs={"server": "10.7.7.7", "path": "/"})], ""),
        ([_volume("x", csi=_csi("home", root_export="/a", vip_pool_name="a"), claimRef=_bound("b"))], "  meet in VIP pool a: a, b"),
        ([_volume("x", csi=_csi("k8s", root_export="/a", vip_pool_name="a"), claimRef=_bound("a"))], ""),
        ([_volume("x", csi=_csi("c", root_export="/b", vip_pool_name="b"), storageClassName="b", claimRef=_bound("b"))], ""),
        ([_volume("x", csi=_csi("c", root_export="/a", vip_pool_name="a"), storageClassName="b", claimRef=_bound("b"))],
         "  meet in VIP pool a: a, b"),
        *([([_volume("x", nfs={"server": server, "path": "/a/home"})], "  open: volumes of others: ")
           for server in ("::ffff:10.0.1.1", "167772417", "10.0.257", "A.nas.")]),
        ([_volume("x", nfs={"server": "10.0.1.1.", "path": "/"})], ""),
        ([_volume("x", hostPath={"path": "/var/lib/kubelet/pods"}, claimRef=_bound("b"))], "  open: volumes of others: "),
        ([_volume("x", local={"path": "/"}, claimRef=_bound("b"))], "  open: volumes of others: "),
        ([_volume("x", hostPath={"path": "/srv/scratch"}, claimRef=_bound("b"))], ""),
    ],
)  # fmt: skip
def test_a_volume_that_an_administrator_made_for_data_of_a_project_is_said(
    lab: Lab, vastplan: Run, volumes: list[dict[str, Any]], said: str
) -> None:
    path = "/api/v1/persistentvolumes"
    for body in volumes:
        lab.by_hand("iad", "kubernetes", "POST", path, body)
    try:
        ran = vastplan("drift", lab.folder / "lab.yaml", "--isolation")
    finally:
        for body in volumes:
            lab.by_hand("iad", "kubernetes", "DELETE", f"{path}/{body['metadata']['name']}")
        while lab.by_hand("iad", "kubernetes", "GET", path)["items"]:
            pass  # a volume stays for some reads
    found = [line for line in ran.out.splitlines() if line.startswith(("  open: ", "  meet in "))]
    assert any(line.startswith(said) for line in found) if said else not found, ran
    assert ran.code == (3 if said else 0), ran


def test_the_label_of_pod_security_is_read(lab: Lab, vastplan: Run) -> None:
    def said() -> str:
        out = vastplan("drift", lab.folder / "lab.yaml", "--isolation").out
        return next(line for line in out.splitlines() if "privileged pods" in line)

    assert "something else than Pod Security refuses them in runai-a, runai-b: no label" in said()
    for name in ("a", "b"):
        body = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}
        lab.by_hand("iad", "kubernetes", "PATCH", f"/api/v1/namespaces/runai-{name}", body, **MERGE)
    assert "privileged pods: Pod Security, by the label of each namespace" in said()
