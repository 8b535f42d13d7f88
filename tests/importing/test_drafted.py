"""What is drafted of small worlds: how things are named, what stands on what, and what is asked of a site that has no such system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.importing.small import HEAD, Objects, imported, reasons, seen, text_of, world
from vastplan.importing.model import Detail, Selection
from vastplan.model.snapshot import SeenObject

LIMIT = 10**12
TENANT = seen("2", "nlp", {"guid": "g"})
POLICY = seen("5", "p", tenant=2, flavor="NFS")
VIEW = seen("7", path="/nlp/data", tenant=2, view_policy=5, protocols=["NFS"])
QUOTA = seen("8", "nlp-data", path="/nlp/data", tenant=2, hard_limit=LIMIT)
NLP = {"tenant": [TENANT], "view_policy": [POLICY], "view": [VIEW], "quota": [QUOTA]}
PROJECT = seen("5", "nlp", {"namespace": "runai-nlp"}, namespace="runai-nlp")
FAST = seen("s", "fast", driver="file", storage_path="/k8s", view_policy="p", vip_pool="v")
CLUSTER: Objects = {
    "tenant": [TENANT], "view_policy": [POLICY], "vip_pool": [seen("90", "v", tenant=2)], "storage_class": [FAST],
    "namespace": [seen("team", "team"), seen("runai-nlp", "runai-nlp")],
}  # fmt: skip
CLOSED = (
    "tenants: {nlp: {storage_classes: {fast: {driver: file, storage_path: /k8s, view_policy: {existing: p}, "
    "vip_pool: {existing: v}, open_to: [runai-nlp]}}}}\n"
)


def claim(namespace: str) -> SeenObject:
    return seen("c1", "one", namespace=namespace, storage_class="fast", access_modes=["ReadWriteMany"], size=LIMIT)


def test_parts_are_found_by_what_the_document_has_and_by_what_is_there(tmp_path: Path) -> None:
    beside = imported(tmp_path, world(NLP, owned={"iad/tenant/nlp": "2"}), HEAD + "tenants: {nlp: {}}\n")
    assert text_of(beside).splitlines() == [
        "views: {nlp-data: {path: /nlp/data, tenant: nlp, protocols: [NFS], quota: {hard_limit: 1 TB}}}",
        "view_policies: {p: {tenant: nlp, flavor: NFS}}",
    ]
    left = imported(tmp_path, world({**NLP, "view_policy": [seen("5", "p", tenant=4711, flavor="NFS")]}))
    assert text_of(left).splitlines()[-1].strip() == (
        "views: {nlp-data: {path: /nlp/data, view_policy: {existing: p}, protocols: [NFS], quota: {hard_limit: 1 TB}}}"
    )


def test_what_an_old_line_would_have_to_say_first_is_left(tmp_path: Path) -> None:
    old = HEAD + "tenants: {nlp: {view_policies: {p: {flavor: NFS}}, views: {a: {path: /a, protocols: [NFS]}}}}\n"
    objects = {**NLP, "view_policy": [POLICY, seen("6", "q", tenant=2, flavor="NFS")]}
    done = imported(tmp_path, world(objects), old)
    assert reasons(done) == {
        "iad/tenant/nlp": "MANAGED", "iad/view_policy/p": "MANAGED", "iad/view_policy/q": "MEANING",
    }  # fmt: skip
    (left,) = (each for each in done.result.left if each.name == "q")
    assert left.fix == f"{tmp_path / 'head.yaml'}:4: write view_policy: p"


def test_a_class_whose_pods_would_be_refused_is_left(tmp_path: Path) -> None:
    pod = seen("p1", "pod", namespace="team", inline_drivers=["csi.vastdata.com"])
    done = imported(tmp_path, world({**CLUSTER, "pod": [pod]}))
    assert reasons(done)["iad/storage_class/fast"] == "FORM" and "storage_classes" not in text_of(done)
    assert done.result.creates == () and done.result.rounds == 2
    (left,) = (each for each in done.result.left if each.kind == "storage_class")
    assert left.why.startswith("an apply would narrow access: ") and "team/pod" in left.why
    assert "iad/view_policy/p" not in reasons(done)


@pytest.mark.parametrize("is_open", [True, False])
def test_who_may_use_a_class_is_read_from_its_policy(is_open: bool, tmp_path: Path) -> None:
    words: dict[str, Any] = {
        "storage_class": "fast",
        "namespaces": [],
        "open": is_open,
        "rule": "as vastplan writes it",
    }
    policy = seen("vastplan-fast", "vastplan-fast", **words)
    bound: dict[str, Any] = {
        "policy": "vastplan-fast",
        "validation_actions": ["Deny"],
        "only": None,
        "storage_class": "fast",
    }
    binding = seen("vastplan-fast", "vastplan-fast", **bound)
    done = imported(tmp_path, world({**CLUSTER, "admission_policy": [policy], "admission_binding": [binding]}))
    assert ("shared: true" in text_of(done)) is is_open
    assert done.result.creates == (
        "iad/admission_policy/vastplan-inline-volumes", "iad/admission_binding/vastplan-inline-volumes",
    )  # fmt: skip
    assert "iad/admission_policy/vastplan-fast" not in reasons(done) and done.result.adopts == 5


def test_a_namespace_that_an_old_line_names_may_be_a_new_projects(tmp_path: Path) -> None:
    objects = {**CLUSTER, "project": [PROJECT], "persistent_volume_claim": [claim("runai-nlp")]}
    done = imported(tmp_path, world(objects), HEAD + CLOSED)
    assert text_of(done).splitlines() == [
        "volumes: {one: {tenant: nlp, size: 1 TB, storage_class: fast}}",
        "projects: {nlp: {tenant: nlp, namespace: runai-nlp}}",
        "view_policies: {p: {tenant: nlp, flavor: NFS}}",
    ]
    assert "MEANING" not in reasons(done).values()


@pytest.mark.parametrize(
    ("systems", "unread", "code"),
    [
        ("vast, kubernetes, runai", {}, "UNASKED"),
        ("vast, kubernetes, runai", {("iad", "project"): "403 Forbidden"}, "UNREAD"),
        ("vast, kubernetes", {}, "UNASKED"),
    ],
)
def test_a_claim_of_no_project_is_not_asked_for_where_projects_are_none(
    systems: str, unread: dict[tuple[str, str], str], code: str, tmp_path: Path
) -> None:
    head = f"version: 1\nname: small\nsites: {{iad: {{sim: {{systems: [{systems}]}}}}}}\n"
    done = imported(tmp_path, world({**CLUSTER, "persistent_volume_claim": [claim("team")]}, unread=unread), head)
    assert reasons(done)["iad/persistent_volume_claim/team/one"] == code
    assert "shared: true" in text_of(done)


@pytest.mark.parametrize(("version", "unconfirmed"), [("2.24.0", 0), ("2.21.0", 1)])
def test_a_default_is_as_sure_as_the_version_of_the_site_says(version: str, unconfirmed: int, tmp_path: Path) -> None:
    project = seen("5", "nlp", {"namespace": "runai-nlp"}, namespace="runai-nlp", enforce_runai_scheduler=True)
    done = imported(tmp_path, world({"project": [project]}, facts={"runai_version": version}))
    assert done.result.values.unconfirmed == unconfirmed and "enforce" not in text_of(done)


def test_in_full_the_documents_own_defaults_are_written(tmp_path: Path) -> None:
    ranges: dict[str, Any] = {"subnet_cidr": 24, "ip_ranges": ["10.0.0.1 - 10.0.0.9"], "role": "PROTOCOLS"}
    objects = {"vip_pool": [seen("4", "v", tenant=None, **ranges)]}
    assert "role" not in text_of(imported(tmp_path, world(objects)))
    assert "role: PROTOCOLS" in text_of(imported(tmp_path, world(objects), detail=Detail(full=("vip_pool",))))


def test_of_a_tenant_what_is_in_its_projects_too(tmp_path: Path) -> None:
    def mounting(name: str, project: str) -> SeenObject:
        return seen(name, name, project=project, claim="one", mount=f"/{name}", existing_claim=True)

    objects = {
        **CLUSTER,
        "namespace": [seen("runai-nlp", "runai-nlp"), seen("runai-cv", "runai-cv")],
        "project": [PROJECT, seen("6", "cv", {"namespace": "runai-cv"}, namespace="runai-cv")],
        "persistent_volume_claim": [claim("runai-nlp")],
        "data_source": [mounting("a", "5"), mounting("b", "5"), mounting("c", "6")],
    }
    done = imported(tmp_path, world(objects), HEAD + CLOSED, selection=Selection(tenants=("nlp",)))
    assert text_of(done).splitlines()[1:4] == [
        "data_sources:",
        "  a: {project: nlp, mount: /a, claim: {existing: runai-nlp/one}}",
        "  b: {project: nlp, mount: /b, claim: {existing: runai-nlp/one}}",
    ]
    assert reasons(done)["iad/data_source/c"] == reasons(done)["iad/project/cv"] == "UNSELECTED"
    assert {each.why for each in done.result.left if each.code == "UNSELECTED"} == {"--tenant leaves it out"}
