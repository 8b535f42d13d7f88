"""Storage classes that are imported: nobody who may use one today may not afterwards, and nobody else may."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.force import by_force
from tests.importing.class_world import (
    BINDINGS,
    BLOCK,
    CLASSES,
    FILE,
    POLICIES,
    ClassWorld,
    Row,
    Run,
    refused_since,
    team,
)

OPEN = {"tenants": {"nlp": team("nlp", 1), "cv": team("cv", 2)}}
CLOSED = {"tenants": {"nlp": team("nlp", 1, shared=False), "cv": team("cv", 2, shared=False)}}
ALLOWED = {"allow": True, "reason": "a job of the old cluster"}


@pytest.fixture
def world(tmp_path: Path, vastplan: Run) -> ClassWorld:
    """A cluster without anything of vastplan."""
    return ClassWorld(tmp_path, vastplan)


def left(report: Row, kind: str = "storage_class", field: str | None = None) -> dict[str, Row]:
    """What is left of a kind by name, or with `field` the fields that are left, by name and path."""
    return {
        one["name"] if field is None else f"{one['name']} {one['field']}": one
        for one in report["left"]
        if one["kind"] == kind and bool(one["field"]) == (field is not None) and one["code"] != "MANAGED"
    }


def applied(world: ClassWorld) -> None:
    """Take over what was written; then nothing is left to do, and nothing is new."""
    world.run("apply", "--adopt", "--auto-approve")
    world.run("plan", "--detailed-exitcode")
    world.run("import", "--detailed-exitcode")


# what nobody has closed


def test_a_class_without_a_policy_is_written_as_open_as_it_is(world: ClassWorld) -> None:
    world.lost(OPEN)
    for namespace, name in (("monitoring", "prom"), ("runai-nlp", "a"), ("runai-nlp", "b")):
        world.claim(namespace, name, "nlp")
    before = world.may()
    text, report = world.imported()
    assert "# claims: monitoring 1, runai-nlp 2; without shared it is open to nlp\n" in text
    assert "# claims: none; without shared it is open to cv\n" in text
    assert world.entry("nlp")["shared"] is True and world.entry("cv")["shared"] is True
    made = {"vastplan-nlp", "vastplan-cv", "vastplan-inline-volumes"}
    kinds = ("admission_policy", "admission_binding")
    assert {*report["creates"]} == {f"iad/{kind}/{name}" for kind in kinds for name in made}
    applied(world)
    assert refused_since(before, world.may()) == []
    assert world.imported("--dry-run")[1]["files"] == []


def test_of_many_namespaces_some_are_named_and_the_rest_counted(world: ClassWorld) -> None:
    world.lost(OPEN)
    for number in range(10):
        world.post("/api/v1/namespaces", {"metadata": {"name": f"team-{number}"}})
        world.claim(f"team-{number}", "data", "nlp")
    text, _ = world.imported()
    said = " ".join(line.strip(" #") for line in text.splitlines() if line.lstrip().startswith("#"))
    assert "team-7 1 and 2 more; without shared it is open to nlp" in said and "team-8" not in said


def test_who_uses_a_class_is_not_known_where_claims_cannot_be_read(world: ClassWorld) -> None:
    world.lost(OPEN)
    world.unreadable("persistentvolumeclaims")
    text, _ = world.imported("--close", code=6)
    assert "# claims: not known, they could not be read; without shared it is open to" in text
    assert world.entry("nlp")["shared"] is True


# what is closed already


def exact(*, monitoring: bool = False, listed: bool = False, outside: bool = False) -> Mapping[str, Any]:
    """A document whose classes are closed, to others than the tenant's project, too."""
    nlp = team("nlp", 1, shared=False, **({"open_to": ["monitoring"]} if monitoring else {}))
    cv = team("cv", 2, shared=False)
    if listed:
        cv["project"]["storage_classes"] = ["nlp"]
    flat: Row = {}
    if outside:  # open to another tenant's project, and not to its own
        flat = {"storage_classes": {"nlp": {**nlp.pop("storage_class"), "view_policy": "nlp", "vip_pool": "nlp"}}}
    return {"tenants": {"nlp": nlp, "cv": cv}, **flat}


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    by_force(
        [
            exact(monitoring=True, listed=True),
            CLOSED,
            OPEN,
            exact(monitoring=True),
            exact(listed=True),
            exact(outside=True),
            exact(listed=True, outside=True),
            exact(monitoring=True, outside=True),
        ]
    ),
)
def test_what_its_own_policy_says_is_read_back(world: ClassWorld, document: Mapping[str, Any]) -> None:
    world.lost(document, policies=True)
    for namespace in ("monitoring", "runai-nlp", "runai-cv"):  # who has claims is another question
        if world.may()[namespace, "nlp", "spec"]:
            world.claim(namespace, "data", "nlp")
    before, rules = world.may(), world.isolation()
    _, report = world.imported()
    assert report["creates"] == [] and not {*left(report)} & {"nlp", "cv"}
    applied(world)
    assert (world.may(), world.isolation()) == (before, rules)


def test_a_project_lists_the_classes_of_others_that_it_may_use(world: ClassWorld) -> None:
    world.lost(exact(monitoring=True, listed=True), policies=True)
    world.imported()
    tenants = yaml.safe_load((world.folder / "tenant-cv.yaml").read_text())["tenants"]
    assert tenants["cv"]["project"]["storage_classes"] == ["nlp"]
    assert world.entry("nlp")["open_to"] == ["monitoring"]


RULE = {"spec": {"validations": [{"expression": "true"}]}}
DEVIATIONS: dict[str, tuple[str, Row | str | None, str]] = {
    "another rule": (POLICIES, RULE, "its policy vastplan-nlp is not as vastplan writes it: validations changed"),
    "another class": (POLICIES, "storageClass", "its policy vastplan-nlp is not as vastplan writes it: "),
    "a namespace that is gone": (POLICIES, "namespaces", "lists namespaces that do not exist: gone"),
    "nothing binds it": (BINDINGS, None, "its policy vastplan-nlp has no effect without a binding"),
    "warns": (BINDINGS, {"spec": {"validationActions": ["Warn"]}}, "its binding vastplan-nlp says Warn, which refuses"),
    "audits": (BINDINGS, {"spec": {"validationActions": ["Audit"]}}, "its binding vastplan-nlp says Audit, which"),
    "both": (BINDINGS, {"spec": {"validationActions": ["Deny", "Audit"]}}, "says Audit, Deny, and an entry says Deny"),
    "in part": (
        BINDINGS,
        {"spec": {"matchResources": {"namespaceSelector": {"matchLabels": {"a": "b"}}}}},
        "its binding vastplan-nlp applies to a part of the cluster only",
    ),
}


@pytest.mark.parametrize("case", by_force(DEVIATIONS, "warns"))
def test_a_class_whose_own_policy_says_something_else_is_left_with_both_lists(world: ClassWorld, case: str) -> None:
    path, change, said = DEVIATIONS[case]
    world.lost(CLOSED, policies=True)
    world.claim("runai-nlp", "data", "nlp")
    address = f"{path}/vastplan-nlp"
    if change is None:
        world.delete(address)
    elif isinstance(change, str):
        (row,) = (row for row in world.rows(POLICIES) if row["metadata"]["name"] == "vastplan-nlp")
        values = {"storageClass": '"cv"', "namespaces": '["gone", "runai-nlp"]'}
        variables = [
            {**one, "expression": values[change]} if one["name"] == change else one for one in row["spec"]["variables"]
        ]
        world.patch(address, {"spec": {"variables": variables}})
    else:
        world.patch(address, change)
    before, rules = world.may(), world.isolation()
    text, report = world.imported()
    one = left(report)["nlp"]
    listed = "gone, runai-nlp" if change == "namespaces" else "runai-nlp"
    assert one["code"] == "FORM" and said in one["why"], one
    assert f"the policy lists {listed}, and projects of its tenant are in runai-nlp" in one["why"] and one["fix"]
    assert "storage_class: {existing: nlp}" in text and "cv" not in left(report)
    world.run("apply", "--adopt", "--auto-approve")
    assert (world.may(), world.isolation()) == (before, rules)


@pytest.mark.slow
def test_where_a_site_only_audits_what_audits_is_read_back(world: ClassWorld) -> None:
    world.lost(CLOSED, policies=True, isolation="audit")
    rules = world.isolation()
    _, report = world.imported()
    assert report["creates"] == [] and left(report) == {}
    applied(world)
    assert world.isolation() == rules


@pytest.mark.slow
def test_what_denies_is_not_written_where_the_site_only_audits(world: ClassWorld) -> None:
    world.lost(CLOSED, policies=True)
    world.document({}, isolation="audit")
    rules = world.isolation()
    _, report = world.imported()
    assert {name: one["code"] for name, one in left(report).items()} == {"nlp": "FORM", "cv": "FORM"}
    assert "says Deny, and the site says isolation: audit" in left(report)["nlp"]["why"]
    world.run("apply", "--adopt", "--auto-approve")
    assert world.isolation() == rules


@pytest.mark.slow
def test_what_somebody_else_wrote_for_a_class_is_no_part_of_it(world: ClassWorld) -> None:
    """A policy by hand keeps on refusing whom it refuses; the class is as open as the rest lets it be."""
    world.lost(CLOSED, policies=True)
    for path, kind in ((POLICIES, "policy"), (BINDINGS, "binding")):
        (row,) = (row for row in world.rows(path) if row["metadata"]["name"] == "vastplan-nlp")
        world.delete(f"{path}/vastplan-nlp")
        spec = row["spec"] | ({"policyName": "by-hand"} if kind == "binding" else {})
        world.post(path, {"metadata": {"name": "by-hand"}, "spec": spec})
    before = world.may()
    _, report = world.imported()
    assert world.entry("nlp")["shared"] is True
    assert "by-hand" in left(report, "admission_policy") and "by-hand" in left(report, "admission_binding")
    applied(world)
    assert world.may() == before


# quotas


@pytest.mark.slow
@pytest.mark.parametrize("listed", by_force([False, True]))
def test_quotas_that_close_a_class_are_read_back(world: ClassWorld, listed: bool) -> None:
    world.lost(exact(listed=listed), policies=True, isolation="resource_quota")
    before, rules = world.may(), world.isolation()
    _, report = world.imported()
    assert left(report) == {} and left(report, "resource_quota") == {}
    assert ("shared" in world.entry("nlp")) is listed  # then there is nobody else to close it to
    applied(world)
    assert (world.may(), world.isolation()) == (before, rules)


@pytest.mark.slow
def test_a_strange_quota_is_told_and_stays(world: ClassWorld) -> None:
    world.lost(CLOSED, policies=True, isolation="resource_quota")
    key = "nlp.storageclass.storage.k8s.io/requests.storage"
    world.patch("/api/v1/namespaces/runai-cv/resourcequotas/vastplan-nlp", {"spec": {"hard": {key: "5Gi"}}})
    before, rules = world.may(), world.isolation()
    _, report = world.imported()
    assert left(report)["nlp"]["code"] == "FORM" and "runai-cv/vastplan-nlp" in left(report, "resource_quota")
    world.run("apply", "--adopt", "--auto-approve")
    assert (world.may(), world.isolation()) == (before, rules)


# --close


@pytest.mark.slow
def test_a_class_is_closed_where_that_refuses_nobody_who_is_seen(world: ClassWorld) -> None:
    world.lost(OPEN)
    world.claim("runai-nlp", "data", "nlp")
    world.claim("runai-cv", "data", "nlp")
    world.claim("runai-cv", "own", "cv")
    world.claim("monitoring", "prom", "cv")
    before, seen = world.may(), world.seen()
    text, report = world.imported("--close")
    assert "shared" not in world.entry("nlp") and "open_to" not in world.entry("nlp")
    tenants = yaml.safe_load((world.folder / "shared.yaml").read_text())
    assert tenants["projects"]["cv"]["storage_classes"] == ["nlp"], text
    assert (
        world.entry("cv")["shared"] is True
        and "# claims: monitoring 1, runai-cv 1; without shared it is open to nobody" in text
    )
    (note,) = (one for one in report["notes"] if "vastplan-nlp" in one)
    assert note == (
        "iad/admission_policy/vastplan-nlp refuses no claim that exists; vastplan cannot see claims that StatefulSets, Jobs and workloads "
        "of Run:AI have yet to create, and those of the default class (open_to: [NAMESPACE] on the storage class)"
    )
    applied(world)
    after = world.may()
    assert not {*refused_since(before, after)} & seen
    assert not after["monitoring", "nlp", "spec"] and after["monitoring", "cv", "spec"]


def test_no_name_is_taken_for_who_may_use_a_class(world: ClassWorld) -> None:
    """Nobody has claims: that project and tenant are called alike says nothing of who is to be let in."""
    world.lost(OPEN)
    text, _ = world.imported("--close")
    assert world.entry("nlp")["shared"] is True and world.entry("cv")["shared"] is True
    assert "# claims: none; without shared it is open to nobody" in text


# inline volumes


def test_classes_are_left_while_a_pod_brings_a_volume_of_its_own(world: ClassWorld) -> None:
    world.lost(OPEN)
    world.claim("runai-nlp", "data", "nlp")
    world.pod("batch", "scratch", FILE)
    world.pod("monitoring", "other", "other.example.com")
    before = world.may()
    text, report = world.imported()
    for name in ("nlp", "cv"):
        one = left(report)[name]
        assert one["code"] == "FORM" and "batch: 1 pod" in one["why"] and "batch/scratch" in one["why"], one
        assert "monitoring" not in one["why"] and "isolation: audit" in one["why"]
    assert "storage_class: {existing: nlp}" in text and report["creates"] == []
    world.run("apply", "--adopt", "--auto-approve")
    assert refused_since(before, world.may()) == [] and world.rows(POLICIES) == []


@pytest.mark.parametrize("site", by_force([{"isolation": "audit"}, {"inline_volumes": ALLOWED}]))
@pytest.mark.slow
def test_with_a_word_of_the_site_they_are_written_all_the_same(world: ClassWorld, site: Row) -> None:
    world.lost(OPEN, **site)
    world.pod("batch", "scratch", BLOCK)
    before = world.may()
    _, report = world.imported()
    assert left(report) == {} and report["notes"] == []
    applied(world)
    assert refused_since(before, world.may()) == []


@pytest.mark.slow
def test_what_no_pod_shows_is_said(world: ClassWorld) -> None:
    world.lost(OPEN)
    _, report = world.imported()
    (note,) = report["notes"]
    assert note.startswith(
        "iad/admission_policy/vastplan-inline-volumes refuses no pod that exists; vastplan cannot see pods that"
    )
    assert "(isolation: audit on the site, or inline_volumes: {allow: true, reason: ...} there)" in note
    world.run("apply", "--adopt", "--auto-approve")
    assert world.may_bring(FILE) == {False} and world.may_bring("other.example.com") == {True}


def test_pods_that_cannot_be_read_may_bring_volumes(world: ClassWorld) -> None:
    world.lost(OPEN)
    world.unreadable("pods")
    _, report = world.imported(code=6)
    assert {name: one["code"] for name, one in left(report).items()} == {"nlp": "UNREAD", "cv": "UNREAD"}
    assert report["creates"] == []


@pytest.mark.parametrize("how", by_force(["drivers", "warns"], "warns"))
@pytest.mark.slow
def test_the_rule_against_inline_volumes_is_not_changed(world: ClassWorld, how: str) -> None:
    world.lost(CLOSED, policies=True)
    if how == "drivers":
        variables = [{"name": "drivers", "expression": f'["{FILE}"]'}]
        world.patch(f"{POLICIES}/vastplan-inline-volumes", {"spec": {"variables": variables}})
    else:
        world.patch(f"{BINDINGS}/vastplan-inline-volumes", {"spec": {"validationActions": ["Warn"]}})
    rules = world.isolation()
    _, report = world.imported()
    assert {name: one["code"] for name, one in left(report).items()} == {"nlp": "FORM", "cv": "FORM"}
    assert "vastplan-inline-volumes would change: " in left(report)["nlp"]["why"]
    world.run("apply", "--adopt", "--auto-approve")
    assert world.isolation() == rules


# what a class may be


@pytest.mark.slow
def test_a_class_of_another_driver_is_left_and_named(world: ClassWorld) -> None:
    world.lost(OPEN)
    world.storage_class("ebs", {"type": "gp3"}, "ebs.csi.aws.com")
    own = {"root_export": "/nlp/k8s", "view_policy": "nlp", "vip_pool_name": "nlp"}
    world.storage_class("nlp.v2", own)
    for name in ("ebs", "nlp.v2"):
        world.claim("runai-nlp", name.replace(".", "-"), name)
    text, report = world.imported()
    assert {name: one["code"] for name, one in left(report).items()} == {"ebs": "VALUE", "nlp.v2": "VALUE"}
    assert "ebs: {project: nlp, size: 1 GiB, storage_class: {existing: ebs}}" in text
    assert "nlp-v2: {project: nlp, size: 1 GiB, storage_class: {existing: nlp.v2}}" in text
    applied(world)


@pytest.mark.slow
def test_only_the_parameter_that_is_not_known_is_left(world: ClassWorld) -> None:
    world.lost(OPEN)
    own = {
        "root_export": "/nlp/k8s", "view_policy": "nlp", "vip_pool_name": "nlp", "lb_strategy": "random", "flux": "7",
        "subsystem": "nlp-block", "restuserkey": "key-of-a-user",
    }  # fmt: skip
    world.storage_class("odd", own)
    text, report = world.imported()
    assert world.entry("odd")["parameters"] == {"lb_strategy": "random"}
    assert {path for path in left(report, field="") if path.startswith("odd ")} == {
        "odd parameters.flux", "odd parameters.restuserkey", "odd subsystem",
    }  # fmt: skip
    assert "key-of-a-user" not in text + json.dumps(report)
    before = world.rows(CLASSES)
    applied(world)
    assert world.rows(CLASSES) == before


PAIR = "csi.storage.k8s.io/{}-secret-{}"


def secret(name: str, *purposes: str) -> dict[str, str]:
    """The pairs of parameters that name a secret in `vast-csi`."""
    return {
        PAIR.format(purpose, part): value
        for purpose in purposes
        for part, value in (("name", name), ("namespace", "vast-csi"))
    }


ALL = ("provisioner", "controller-publish", "node-publish", "controller-expand")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pairs", "said"),
    by_force(
        [
            (secret("vast-mgmt", *ALL), {"secret": {"existing": "vast-csi/vast-mgmt"}}),
            (
                secret("vast-mgmt", "provisioner"),
                {"secrets": {"provisioner": {"existing": "vast-csi/vast-mgmt"}}},
            ),
            (
                secret("vast-mgmt", *ALL[:3]) | secret("other", *ALL[3:], "node-expand"),
                {
                    "secrets": {
                        **{one.replace("-", "_"): {"existing": "vast-csi/vast-mgmt"} for one in ALL[:3]},
                        "controller_expand": {"existing": "vast-csi/other"},
                        "node_expand": {"existing": "vast-csi/other"},
                    }
                },
            ),
            (
                secret("vast-mgmt", *ALL, "node-expand"),
                {
                    "secret": {"existing": "vast-csi/vast-mgmt"},
                    "parameters": secret("vast-mgmt", "node-expand"),
                },
            ),
        ],
        several=True,
    ),
)
def test_secrets_that_differ_by_purpose_are_written_by_purpose(
    world: ClassWorld, pairs: dict[str, str], said: Row
) -> None:
    world.lost(OPEN)
    world.post("/api/v1/namespaces/vast-csi/secrets", {"metadata": {"name": "other"}, "data": {}})
    world.storage_class("own", {"root_export": "/nlp/k8s", "view_policy": "nlp", "vip_pool_name": "nlp"} | pairs)
    _, report = world.imported()
    entry = world.entry("own")
    assert {name: entry[name] for name in ("secret", "secrets", "parameters") if name in entry} == said
    assert left(report, field="") == {}
    before = world.rows(CLASSES)
    applied(world)
    assert world.rows(CLASSES) == before
