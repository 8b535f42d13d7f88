"""Who may use a class now, by its policy and binding or by quotas, and in which tenant it stands so that nobody gains or loses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import Said, answer, live, pieces, said, short, unread
from vastplan.kinds.compose._class_access import ClassAccess, class_access
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Sight

CLASS = {"driver": "file", "view_policy": "@view_policy/nlp", "vip_pool": "@vip_pool/nlp"}
OBJECTS: dict[str, Any] = {
    "tenant/nlp": {}, "tenant/cv": {}, "view_policy/nlp": {"tenant": "@tenant/nlp"}, "vip_pool/nlp": {"tenant": "@tenant/nlp"},
    "project/nlp": {"name": "nlp", "tenant": "@tenant/nlp"}, "project/cv": {"name": "cv", "tenant": "@tenant/cv"},
    "pdx:project/far": {"name": "far", "tenant": "@tenant/nlp"},
    "project/unnamed": {"tenant": "@tenant/nlp"},
    "storage_class/key": {**CLASS, "name": "fast"},
}  # fmt: skip
POLICY = {"namespaces": ["runai-nlp"], "rule": "as vastplan writes it", "storage_class": "fast", "open": False}
BINDING = {"policy": "vastplan-fast", "validation_actions": ["Deny"], "only": None}
SPACES: dict[str, Said] = {f"namespace/{name}": {} for name in ("runai-nlp", "runai-cv", "batch", "web")}
BY_HAND = "write in its entry who may use it: a plan shows what that changes"
NOBODY: dict[str, int] = {}


def tenant_of(project: Entry) -> Ref | None:
    """The tenant that a project says."""
    tenant = project.values.get("tenant")
    return tenant if isinstance(tenant, Ref) else None


def access(
    policy: Said | None = None,
    binding: Said | None = None,
    objects: dict[str, Any] | None = None,
    known: dict[str, Any] | None = None,
    isolation: str = "",
    users: dict[str, int] | None = NOBODY,
    close: bool = False,
    cannot: Any = lambda *_: "",
) -> Said:
    """Who may use the class: the tenant that it is to stand in, and the others."""
    there: dict[str, Said] = dict(SPACES)
    there |= {} if policy is None else {"admission_policy/vastplan-fast": {**POLICY, **policy}}
    there |= {} if binding is None else {"admission_binding/vastplan-fast": {**BINDING, **binding}}
    sight = Sight(lambda _: users, live(there), close, cannot)
    settings: dict[str, Any] = {"isolation": isolation} if isolation else {}
    of = pieces({**OBJECTS, **(objects or {})}, known=known, sight=sight, **settings)
    found = {short(address): what for address, what in class_access(of, tenant_of).items()}["storage_class/key"]
    if not isinstance(found, ClassAccess):
        return answer(found)
    whole = {
        "tenant": said(found.tenant), "open": found.open, "members": list(found.members),
        "listing": [short(one) for one in found.listing], "others": list(found.others),
    }  # fmt: skip
    return {name: what for name, what in whole.items() if what}


IN_NLP = {"tenant": "@tenant/nlp", "members": ["nlp"]}


@pytest.mark.parametrize(
    ("namespaces", "found"),
    [
        (["runai-nlp"], IN_NLP),
        (["runai-nlp", "runai-cv"], {**IN_NLP, "listing": ["project/cv"]}),
        (["runai-cv"], {"listing": ["project/cv"]}),
        (["runai-cv", "batch"], {"listing": ["project/cv"], "others": ["batch"]}),
        (["web", "runai-nlp", "batch"], {**IN_NLP, "others": ["batch", "web"]}),
        ([], {}),
        (None, {}),
    ],
)
def test_a_closed_class_stands_in_its_tenant_where_all_of_that_may_use_it(namespaces: Any, found: Said) -> None:
    assert access({"namespaces": namespaces}, {}) == found


@pytest.mark.parametrize(
    ("namespaces", "found"),
    [
        (["runai-nlp"], IN_NLP),
        (["runai-cv"], {"listing": ["project/cv"]}),
        (["runai-cv", "runai-nlp"], {**IN_NLP, "listing": ["project/cv"]}),
        ([], {}),
    ],
)
def test_an_open_class_is_open_and_keeps_its_list(namespaces: Any, found: Said) -> None:
    assert access({"namespaces": namespaces, "open": True}, {}) == {**found, "open": True}
    assert access({"namespaces": namespaces, "open": True}) == {**found, "open": True}


def test_no_entry_says_both_open_and_whom_it_names_beside() -> None:
    why = "its policy is open, and lists namespaces of no project: batch, web"
    assert access({"namespaces": ["web", "batch", "runai-nlp"], "open": True}, {}) == {
        "left": "storage_class/key", "why": why, "fix": BY_HAND,
    }  # fmt: skip


def test_a_project_that_the_document_has_is_not_said_anew() -> None:
    there = {"project/cv": {"name": "cv", "tenant": "@tenant/cv"}}
    found = access({"namespaces": ["runai-nlp", "runai-cv"]}, {}, objects={"project/cv": None}, known=there)
    assert found == {**IN_NLP, "others": ["runai-cv"]}


def test_a_class_that_nothing_closes_is_open() -> None:
    assert access() == {**IN_NLP, "open": True}
    assert access(users={"runai-cv": 1}) == {**IN_NLP, "open": True}


@pytest.mark.parametrize(
    ("users", "found"),
    [
        (NOBODY, IN_NLP),
        ({"runai-cv": 2}, {**IN_NLP, "listing": ["project/cv"]}),
        ({"runai-nlp": 1}, IN_NLP),
        ({"runai-nlp": 1, "runai-cv": 1}, {**IN_NLP, "listing": ["project/cv"]}),
        ({"runai-cv": 1, "batch": 1}, {**IN_NLP, "open": True}),
        (None, {**IN_NLP, "open": True}),
    ],
)
def test_it_is_closed_on_request_where_all_who_use_it_are_in_projects(users: Any, found: Said) -> None:
    assert access(users=users, close=True) == found


def test_a_class_that_would_be_open_to_nobody_is_not_closed() -> None:
    alone = {"storage_class/key": {"driver": "file", "name": "fast"}}
    assert access(objects=alone, close=True) == {"open": True}
    assert access(objects=alone, close=True, users={"runai-cv": 1}) == {"listing": ["project/cv"]}


LISTS = "the policy lists runai-nlp, and projects of its tenant are in runai-nlp"
NAME = "vastplan-fast"


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ({"rule": "validations changed"}, f"its policy {NAME} is not as vastplan writes it: validations changed; {LISTS}"),
        ({"storage_class": "slow"}, f"its policy {NAME} is not as vastplan writes it: it is for another class; {LISTS}"),
        ({"rule": None, "namespaces": []},
         f"its policy {NAME} is not as vastplan writes it: None; the policy lists none, and projects of its tenant are in runai-nlp"),
    ],
)  # fmt: skip
def test_a_policy_of_somebody_else_is_told(policy: Said, why: str) -> None:
    assert access(policy, {}) == {"left": "storage_class/key", "why": why, "fix": BY_HAND}


def test_a_list_with_namespaces_that_are_not_there_is_told() -> None:
    lists = "the policy lists gone, lost, runai-nlp, and projects of its tenant are in runai-nlp"
    why = f"its policy {NAME} lists namespaces that do not exist: gone, lost; {lists}"
    found = access({"namespaces": ["runai-nlp", "lost", "gone"]}, {})
    assert found == {"left": "storage_class/key", "why": why, "fix": "remove them from that list"}


@pytest.mark.parametrize(
    ("isolation", "binding", "why", "fix"),
    [
        ("", {"policy": "other"}, "binds another policy", BY_HAND),
        ("", {"policy": "other", "validation_actions": []}, "binds another policy", BY_HAND),
        ("", {"only": {"namespaceSelector": {}}}, "applies to a part of the cluster only", BY_HAND),
        ("", {"validation_actions": ["Deny", "Audit"]}, "says Audit, Deny, and an entry says Deny", BY_HAND),
        ("", {"validation_actions": ["Warn", "Audit"]}, "says Audit, Warn, which refuses nobody", "write isolation: audit on the site"),
        ("", {"validation_actions": None}, "says none, which refuses nobody", "write isolation: audit on the site"),
        ("audit", {}, "says Deny, and the site says isolation: audit", "remove isolation: audit from the site"),
        ("audit", {"validation_actions": ["Audit"]}, "says Audit, and the site says isolation: audit",
         "remove isolation: audit from the site"),
    ],
)  # fmt: skip
def test_a_binding_that_is_in_force_otherwise_is_told(isolation: str, binding: Said, why: str, fix: str) -> None:
    found = access({}, binding, isolation=isolation)
    assert found == {"left": "storage_class/key", "why": f"its binding {NAME} {why}; {LISTS}", "fix": fix}


def test_where_a_site_only_audits_a_class_is_as_its_policy_says() -> None:
    assert access({}, {"validation_actions": ["Warn", "Audit"]}, isolation="audit") == IN_NLP
    assert access({}, isolation="audit") == IN_NLP


@pytest.mark.parametrize(
    ("close", "users", "closes"),
    [
        (False, NOBODY, False), (True, NOBODY, True), (True, {"runai-nlp": 1}, True), (True, {"runai-cv": 1}, False),
        (True, {"runai-nlp": 1, "batch": 1}, False), (True, None, False),
    ],
)  # fmt: skip
def test_a_policy_that_nothing_binds_closes_only_on_request_and_refuses_nobody(
    close: bool, users: dict[str, int] | None, closes: bool
) -> None:
    why = f"its policy {NAME} has no effect without a binding, and an entry would create one; {LISTS}"
    told = {"left": "storage_class/key", "why": why, "fix": "write isolation: audit on the site, or delete that policy"}
    assert access({}, close=close, users=users) == (IN_NLP if closes else told)


@pytest.mark.parametrize("field", ["view_policy", "vip_pool", "qos_policy", "subsystem", "tenant_name"])
@pytest.mark.parametrize("driver", ["file", "block"])
def test_whatever_a_class_names_says_its_tenant(field: str, driver: str) -> None:
    target = "tenant/nlp" if field == "tenant_name" else f"{field}/x"
    objects = {
        f"{field}/x": {"tenant": "@tenant/nlp"},
        "storage_class/key": {"name": "fast", "driver": driver, field: f"@{target}"},
    }
    found = access({}, {}, objects=objects)
    # a block class that stands in a tenant says so
    stands = driver == "file" or field == "tenant_name"
    assert found == (IN_NLP if stands else {"listing": ["project/nlp"]})


def quota(namespace: str, name: str = "vastplan-fast") -> Said:
    """A zero quota of the class in a namespace."""
    return {"name": name, "namespace": namespace}


@pytest.mark.parametrize(
    ("quotas", "found"),
    [
        ({}, {**IN_NLP, "open": True}),
        ({"1": quota("@namespace/batch")}, {**IN_NLP, "listing": ["project/cv"]}),
        ({"1": quota("@project/cv"), "2": quota("batch")}, IN_NLP),
        ({"1": quota("@project/cv")}, {**IN_NLP, "others": ["batch"]}),
        ({"1": quota("@?namespace/runai-nlp")}, {"listing": ["project/cv"], "others": ["batch"]}),
        ({"1": quota("@?project/gone")}, {**IN_NLP, "listing": ["project/cv"], "others": ["batch"]}),
        ({"1": quota("@project/cv", "vastplan-slow")}, {**IN_NLP, "open": True}),
    ],
)
def test_by_quota_a_class_is_open_where_there_is_no_zero(quotas: dict[str, Said], found: Said) -> None:
    spaces: dict[str, Said] = {"namespace/batch": {}, "pdx:namespace/web": {}}
    objects = {**spaces, **{f"resource_quota/{name}": says for name, says in quotas.items()}}
    assert access({"namespaces": ["x"]}, {}, objects=objects, isolation="resource_quota") == found


def test_quotas_of_another_site_close_nothing() -> None:
    objects = {"pdx:resource_quota/1": quota("@project/cv")}
    assert access(objects=objects, isolation="resource_quota") == {**IN_NLP, "open": True}


def test_namespaces_are_called_as_they_are() -> None:
    objects = {
        "namespace/b": {"name": "batch"},
        "resource_quota/1": quota("@namespace/b"),
        "resource_quota/2": quota("@project/cv"),
    }
    assert access(objects=objects, isolation="resource_quota") == IN_NLP


@pytest.mark.parametrize(
    ("isolation", "kind", "matters"),
    [
        ("", "admission_policy", True), ("", "admission_binding", True), ("", "namespace", True),
        ("", "resource_quota", False), ("resource_quota", "resource_quota", True), ("resource_quota", "namespace", True),
        ("resource_quota", "admission_policy", False),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_nothing_of_who_may(isolation: str, kind: str, matters: bool) -> None:
    found = access({}, {}, isolation=isolation, cannot=unread(kind))
    assert ("unread" in found) is matters
    if matters:
        assert found == {"left": "storage_class/key", "unread": kind}
