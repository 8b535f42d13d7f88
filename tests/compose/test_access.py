"""Access of projects and departments as Run:AI rules, where a project's claims are; and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import LEAVE_OUT, Said, back, entry, live, made, pieces
from vastplan.kinds.compose.access import OF_DEPARTMENT, OF_PROJECT, OF_RULE
from vastplan.schema.recovery import Sight

ACCESS = {"Viewer": ["ana@x.com", {"group": "ops@x.com"}, {"service_account": "ci"}], "Editor": ["grp"]}
SUBJECTS = [
    ("grp", "group", "Editor"), ("ops@x.com", "group", "Viewer"), ("ci", "service-account", "Viewer"),
    ("ana@x.com", "user", "Viewer"),
]  # fmt: skip


def rule(scope: str, subject: str, type_: str, role: str) -> Said:
    """An access rule of a project or a department."""
    kind, _, _ = scope.partition("/")
    return {
        "subject": subject,
        "subject_type": type_,
        "role": f"@?role/{role}",
        "scope": f"@{scope}",
        "scope_type": kind,
    }


def rules(scope: str) -> dict[str, Said]:
    """Those that the access above stands for."""
    return {f"access_rule/{scope}/{one[1]}/{one[0]}/{one[2]}": rule(scope, *one) for one in SUBJECTS}


@pytest.mark.parametrize("kind", ["project", "department"])
def test_every_subject_in_a_role_is_a_rule(kind: str) -> None:
    composition, name = OF_PROJECT if kind == "project" else OF_DEPARTMENT, f"{kind}/nlp"
    says = {
        "name": "nlp",
        "gpus": 1,
        "tenant": "@tenant/nlp",
        "storage_classes": ["@storage_class/x"],
        "access": ACCESS,
    }
    own = {"name": "nlp", "gpus": 1}
    assert made(composition, entry(name, says), {}) == ({name: own, **rules(name)}, [])
    assert made(composition, entry(name, {"name": "nlp", "access": None}), {}) == ({name: {"name": "nlp"}}, [])
    [found] = back(composition, pieces({name: own, **rules(name)}))
    assert found["entry"] == name and set(found["of"]) == {name, *rules(name)} and found["of"][0] == name
    ordered = {"Editor": ["grp"], "Viewer": ["ana@x.com", {"group": "ops@x.com"}, {"service_account": "ci"}]}
    assert found["says"] == {**own, "access": ordered}
    assert list(found["says"]["access"]) == ["Editor", "Viewer"]


def test_rules_of_others_and_of_types_without_a_word_stay_apart() -> None:
    objects: dict[str, Any] = {
        "project/nlp": {"name": "nlp"},
        "access_rule/1": rule("project/nlp", "old", "app", "Viewer"),
        "access_rule/2": rule("project/cv", "grp", "group", "Viewer"),
        "access_rule/3": {**rule("project/nlp", "grp", "group", "Viewer"), "scope_type": "department"},
        "access_rule/4": {**rule("project/nlp", "grp", "group", "Viewer"), "scope": "@?project/other"},
    }
    assert back(OF_PROJECT, pieces(objects)) == []
    objects["access_rule/5"] = rule("project/nlp", "grp", "group", "Viewer")
    [found] = back(OF_PROJECT, pieces(objects))
    assert found == {"entry": "project/nlp", "says": {"name": "nlp", "access": {"Viewer": ["grp"]}},
                     "of": ["project/nlp", "access_rule/5"]}  # fmt: skip


@pytest.mark.parametrize(
    ("says", "scope", "wrong"),
    [
        ({"scope": "@project/nlp", "scope_type": "project"}, "@project/nlp", []),
        ({"scope": "nlp", "scope_type": "project"}, "@project/nlp", []),
        ({"scope": {"existing": "nlp"}, "scope_type": "project"}, "@project/nlp", []),
        ({"scope": {"existing": "x"}, "scope_type": "project"}, "@?project/x", []),
        ({"scope": {"existing": "east"}, "scope_type": "cluster"}, "@?runai_cluster/east", []),
        ({"scope": "x", "scope_type": "department"}, "@?department/x",
         [("VP209", "no department x", "for one outside this document write {existing: x}")]),
    ],
)  # fmt: skip
def test_the_scope_of_a_rule_is_of_the_document_or_there(says: Said, scope: str, wrong: list[Any]) -> None:
    found, refused = made(OF_RULE, entry("access_rule/x", {**says, "role": "Viewer"}), {"project/nlp": {}})
    assert found["access_rule/x"] == {**says, "scope": scope, "role": "Viewer"}
    assert refused == wrong


TENANTS: dict[str, Any] = {
    "tenant/nlp": {}, "tenant/cv": {},
    **{f"{kind}/{name}": {"tenant": f"@tenant/{name}"} for kind in ("view_policy", "vip_pool") for name in ("nlp", "cv")},
    "storage_class/of-nlp": {"view_policy": "@view_policy/nlp"},
    "storage_class/of-cv": {"vip_pool": "@vip_pool/cv"},
    "storage_class/of-nobody": {},
    "persistent_volume/of-cv": {"vip_pool": "@vip_pool/cv"},
}  # fmt: skip


def claim(of: str, namespace: str = "@?namespace/runai-team") -> Said:
    """A claim in a namespace, of a class or of a volume."""
    return {"namespace": namespace, of.partition("/")[0].replace("persistent_", ""): f"@{of}"}


@pytest.mark.parametrize(
    ("claims", "tenant"),
    [
        ([claim("storage_class/of-nlp")], "@tenant/nlp"),
        ([claim("storage_class/of-nlp", "@project/team")], "@tenant/nlp"),
        ([claim("persistent_volume/of-cv")], "@tenant/cv"),
        ([claim("persistent_volume/of-cv"), claim("storage_class/of-cv", "@project/team")], "@tenant/cv"),
        ([claim("storage_class/of-nobody"), claim("storage_class/of-nlp")], "@tenant/nlp"),
        ([claim("storage_class/of-cv"), claim("storage_class/of-nlp")], LEAVE_OUT),
        ([claim("storage_class/of-nobody")], LEAVE_OUT),
        ([claim("storage_class/unknown")], LEAVE_OUT),
        ([claim("storage_class/of-nlp", "@?namespace/other")], LEAVE_OUT),
    ],
)
@pytest.mark.parametrize("close", [False, True])
def test_a_project_is_in_the_tenant_of_its_claims(claims: list[Said], tenant: str, close: bool) -> None:
    objects = {**TENANTS, "project/team": {}, **{f"persistent_volume_claim/{n}": one for n, one in enumerate(claims)}}
    found = back(OF_PROJECT, pieces(objects, full={"project/team": {"name": "team"}}, sight=Sight(close=close)))
    expected = {"entry": "project/team", "says": {"tenant": tenant}, "of": ["project/team"]}
    assert found == ([] if tenant == LEAVE_OUT else [expected])


@pytest.mark.parametrize("field", ["view_policy", "vip_pool", "tenant_name", "subsystem"])
def test_what_a_class_names_says_in_which_tenant_its_claims_are(field: str) -> None:
    target = {
        "view_policy": "view_policy/nlp",
        "vip_pool": "vip_pool/nlp",
        "tenant_name": "tenant/nlp",
        "subsystem": "view/blocks",
    }
    objects = {
        **TENANTS, "view/blocks": {"tenant": "@tenant/nlp"}, "storage_class/c": {field: f"@{target[field]}"},
        "project/team": {}, "persistent_volume_claim/1": claim("storage_class/c"),
    }  # fmt: skip
    found = back(OF_PROJECT, pieces(objects, full={"project/team": {"name": "team"}}))
    assert [one["says"] for one in found] == [{"tenant": "@tenant/nlp"}]


def test_a_project_without_claims_is_in_the_tenant_of_its_name_unless_that_lets_somebody_in() -> None:
    objects, full = {**TENANTS, "project/nlp": {}}, {"project/nlp": {"name": "nlp"}}
    [found] = back(OF_PROJECT, pieces(objects, full=full))
    assert found["says"] == {"tenant": "@tenant/nlp"}
    assert back(OF_PROJECT, pieces(objects, full=full, sight=Sight(close=True))) == []
    assert back(OF_PROJECT, pieces({**TENANTS, "project/team": {}}, full={"project/team": {"name": "team"}})) == []
    # one that the system did not name is in none
    assert back(OF_PROJECT, pieces(objects)) == []


def test_a_project_lists_the_classes_of_others_that_it_may_use() -> None:
    policies = {
        f"admission_policy/vastplan-of-{name}": {
            "namespaces": ["runai-nlp"], "rule": "as vastplan writes it", "storage_class": f"of-{name}", "open": False,
        }
        for name in ("cv", "nobody")
    }  # fmt: skip
    bindings = {
        f"admission_binding/vastplan-of-{name}": {"policy": f"vastplan-of-{name}", "validation_actions": ["Deny"]}
        for name in ("cv", "nobody")
    }
    objects = {**TENANTS, "storage_class/of-nlp": None, "project/nlp": {}, "project/cv": {}}
    full = {f"project/{name}": {"name": name} for name in ("nlp", "cv")}
    sight = Sight(live=live({**policies, **bindings, "namespace/runai-nlp": {}}), close=True)
    found = back(OF_PROJECT, pieces(dict(sorted(objects.items(), reverse=True)), full=full, sight=sight))
    listing = ["@storage_class/of-cv", "@storage_class/of-nobody"]
    assert found == [{"entry": "project/nlp", "says": {"storage_classes": listing}, "of": ["project/nlp"]}]
    # what its tenant holds it need not list
    own = {**objects, "persistent_volume_claim/1": claim("storage_class/of-cv", "@?namespace/runai-nlp")}
    [found_there] = back(OF_PROJECT, pieces(own, full=full, sight=sight))
    assert found_there["says"] == {"tenant": "@tenant/cv", "storage_classes": ["@storage_class/of-nobody"]}
    # where the document has one in that tenant which is kept out, the class stands in none, and is listed
    kept_out = {"project/nlp": {"name": "nlp", "tenant": "@tenant/cv"}}
    narrower = live({**policies, **bindings, "admission_policy/vastplan-of-cv": {**policies["admission_policy/vastplan-of-cv"],
                     "namespaces": ["runai-cv"]}, "namespace/runai-cv": {}, "namespace/runai-nlp": {}})  # fmt: skip
    there = pieces({**objects, "project/nlp": None}, known=kept_out, full=full, sight=Sight(live=narrower))
    [found_beside] = back(OF_PROJECT, there)
    assert found_beside["says"] == {"tenant": "@tenant/cv", "storage_classes": ["@storage_class/of-cv"]}
