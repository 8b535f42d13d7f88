"""The example manifests on a real API server: accepted by a dry run without a warning, and rights that are enough and no more."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kube.conftest import Open
from tests.kube.lab import KubeLab
from tests.lab import REGISTRY_KINDS

FILE = Path(__file__).resolve().parents[2] / "examples" / "ci" / "kubernetes" / "vastplan.yaml"
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all(FILE.read_text()))
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/{namespace}/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings",
    "Deployment": "/apis/apps/v1/namespaces/{namespace}/deployments",
    "CronJob": "/apis/batch/v1/namespaces/{namespace}/cronjobs",
    "Job": "/apis/batch/v1/namespaces/{namespace}/jobs",
}
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
RIGHTS = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")


@pytest.fixture
def lab(open_lab: Open, request: pytest.FixtureRequest) -> Iterator[KubeLab]:
    with open_lab(f"manifests.{request.node.name.removeprefix('test_')}", []) as one:
        yield one


def path(body: dict[str, Any]) -> str:
    return PATHS[body["kind"]].format(namespace=body["metadata"].get("namespace"))


def create(lab: KubeLab, body: dict[str, Any], query: str = "") -> None:
    response = lab.send("POST", f"{path(body)}?fieldValidation=Strict{query}", body)
    assert response.status_code == 201, f"{body['kind']}: {response.text}"
    assert "warning" not in {name.lower() for name in response.headers}, response.headers  # of pod security, for one


def csi(lab: KubeLab) -> None:
    """The namespace of the CSI driver, which is there before."""
    create(lab, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vast-csi"}})


def test_a_dry_run_takes_them_all(lab: KubeLab) -> None:
    csi(lab)
    for body in MANIFESTS:
        if "generateName" in body["metadata"]:  # a name that is the same in every recording
            body = {**body, "metadata": {**body["metadata"], "name": "vastplan-apply-1"}}
        create(lab, body, "" if body["kind"] == "Namespace" else "&dryRun=All")


def allowed(
    lab: KubeLab, account: str, verb: str, group: str, resource: str, namespace: str = "", name: str = ""
) -> bool:
    asked = {"verb": verb, "group": group, "resource": resource, "namespace": namespace}
    asked |= {"name": name} if name else {}
    groups = ["system:serviceaccounts", "system:serviceaccounts:vastplan", "system:authenticated"]
    body = {
        "spec": {"user": f"system:serviceaccount:vastplan:{account}", "groups": groups, "resourceAttributes": asked}
    }
    response = lab.send("POST", REVIEWS, body)
    assert response.status_code == 201, response.text
    return bool(response.json()["status"]["allowed"])


def resources() -> list[tuple[str, str]]:
    """Group and plural of every Kubernetes kind that vastplan lists."""
    found = []
    for kind in REGISTRY_KINDS.values():
        if kind.system == "kubernetes" and kind.name != "pod" and not kind.read_by_name:
            parts = kind.endpoint.path.strip("/").split("/")
            found.append(("" if parts[0] == "api" else parts[1], parts[-1]))
    return sorted(set(found))


def test_rights_are_enough_and_no_more(lab: KubeLab) -> None:
    made = [one for one in MANIFESTS if one["kind"] in ("Namespace", *RIGHTS)]
    csi(lab)
    for body in made:
        create(lab, body)
    try:
        if lab.real:
            time.sleep(3)  # the authorizer hears of new roles by and by
        for group, resource in resources():
            for verb in ("get", "list", "create", "patch", "delete"):
                reads = verb in ("get", "list")
                assert allowed(lab, "vastplan-read", verb, group, resource) is reads, (verb, resource)
                assert allowed(lab, "vastplan-apply", verb, group, resource), (verb, resource)
            for verb in ("update", "deletecollection", "watch"):
                assert not allowed(lab, "vastplan-apply", verb, group, resource), (verb, resource)
        for verb in ("get", "list", "create", "patch", "delete"):  # Secrets, but for the one of the document
            secrets = (verb, "", "secrets", "vast-csi")
            assert allowed(lab, "vastplan-read", *secrets, "vast-mgmt") is (verb == "get"), verb
            assert allowed(lab, "vastplan-apply", *secrets, "vast-mgmt") is (verb != "list"), verb
            assert not allowed(lab, "vastplan-read", *secrets) and not allowed(
                lab, "vastplan-read", verb, "", "secrets"
            )
            assert allowed(lab, "vastplan-apply", *secrets, "another") is (verb == "create"), verb
            assert not allowed(lab, "vastplan-apply", verb, "", "secrets")
        for verb in ("get", "list", "create", "patch", "delete"):  # pods are looked at, and nothing else
            assert allowed(lab, "vastplan-apply", verb, "", "pods") is (verb in ("get", "list")), verb
        lease = ("coordination.k8s.io", "leases", "vastplan")
        assert all(allowed(lab, "vastplan-apply", verb, *lease) for verb in ("get", "create", "update"))
        assert allowed(lab, "vastplan-apply", "update", "", "secrets", "vastplan")
        assert not allowed(lab, "vastplan-read", "update", "", "secrets", "vastplan")
        assert allowed(lab, "vastplan-read", "get", "", "secrets", "vastplan")  # the ledger
        assert allowed(lab, "vastplan-read", "list", *lease)
        assert not allowed(lab, "vastplan-read", "list", "", "secrets", "vastplan")
        assert not allowed(lab, "vastplan-read", "create", *lease)
        for group, resource in (
            ("", "nodes"),
            ("rbac.authorization.k8s.io", "clusterroles"),
            ("apps", "deployments"),
        ):
            for verb in ("get", "list", "create"):
                assert not allowed(lab, "vastplan-apply", verb, group, resource), (verb, resource)
    finally:
        for body in made:
            if body["kind"] in ("ClusterRole", "ClusterRoleBinding"):
                lab.send("DELETE", f"{path(body)}/{body['metadata']['name']}")


def test_the_index_picks_the_site() -> None:
    (job,) = [one for one in MANIFESTS if one["kind"] == "Job"]
    (container,) = job["spec"]["template"]["spec"]["containers"]
    (sites,) = [one["value"] for one in container["env"] if one["name"] == "SITES"]
    assert len(sites.split()) == job["spec"]["completions"]
    script = container["args"][0].replace("exec vastplan", "echo vastplan")
    for index, site in enumerate(sites.split()):
        env = {"SITES": sites, "JOB_COMPLETION_INDEX": str(index), "PATH": "/usr/bin:/bin"}
        done = subprocess.run([*container["command"], script], env=env, capture_output=True, text=True, check=True)
        words = done.stdout.split()
        assert words[words.index("--site") + 1] == site
        assert words[words.index("--reviewed") + 1] == "/reviewed/plan.json"  # and that is mounted
    assert {"name": "reviewed", "mountPath": "/reviewed", "readOnly": True} in container["volumeMounts"]


def test_nobody_reads_all_secrets() -> None:
    """Only those of the document are named, and what lists all of a namespace is the ledger's own."""
    named = {"vast-csi": ["vast-mgmt"], "vastplan": None}
    for body in MANIFESTS:
        for rule in body.get("rules", []) if body["kind"] in RIGHTS else []:
            if "secrets" in rule["resources"] and rule["verbs"] != ["create"]:
                assert body["kind"] == "Role", body["metadata"]
                assert rule.get("resourceNames") == named[body["metadata"]["namespace"]], body["metadata"]
                assert "list" not in rule["verbs"] or body["metadata"]["name"] == "vastplan-ledger"
