"""What closes a class to other namespaces, made with it; and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import Said, back, entry, live, made, objects_of, pieces, unread, without
from vastplan.kinds.compose.isolation import COMPOSITION
from vastplan.schema.recovery import Sight

CLASS = {"driver": "file", "storage_path": "/nlp/k8s", "tenant": "@tenant/nlp"}
WORLD: dict[str, Said | None] = {
    "tenant/nlp": {}, "tenant/cv": {}, "view_policy/nlp": {"tenant": "@tenant/nlp"}, "vip_pool/nlp": {"tenant": "@tenant/nlp"},
    "project/nlp": {"name": "nlp", "tenant": "@tenant/nlp"}, "project/cv": {"name": "cv", "tenant": "@tenant/cv"},
    "project/free": {"name": "free", "namespace": "team-free"},
    "namespace/web": {"name": "web"}, "namespace/b": {"name": "batch"}, "namespace/plain": {},
}  # fmt: skip
CHOSEN = ["vip_pool nlp, the only one of tenant nlp", "view_policy nlp, the only one of tenant nlp"]
FILLED = {"driver": "file", "storage_path": "/nlp/k8s", "vip_pool": "@vip_pool/nlp", "view_policy": "@view_policy/nlp"}
DRIVERS = ["block.csi.vastdata.com", "csi.vastdata.com", "nfs.csi.k8s.io", "smb.csi.k8s.io"]
SOURCES = ["flexVolume", "hostPath", "iscsi", "nfs"]
RULE = "as vastplan writes it"


def composed(says: Said, world: dict[str, Any] | None = None, **settings: Any) -> Said:
    """What a class called `fast` is composed to; the test fails where something is wrong with it."""
    found, wrong = made(COMPOSITION, entry("storage_class/fast", says), {**WORLD, **(world or {})}, **settings)
    assert wrong == []
    return found


def binding(name: str, *actions: str, **more: Any) -> Said:
    """A binding that holds everywhere."""
    return {
        "name": name,
        "policy": f"@admission_policy/{name}",
        "validation_actions": list(actions),
        "only": None,
        **more,
    }


def policy(name: str, *namespaces: str, open: bool = False) -> Said:
    """The policy of the class `fast`."""
    return {
        "name": name,
        "storage_class": "@storage_class/fast",
        "namespaces": list(namespaces),
        "open": open,
        "rule": RULE,
    }


def expected(*namespaces: str, who: str, open: bool = False, actions: tuple[str, ...] = ("Deny",)) -> Said:
    """A class in the tenant nlp with all that closes it."""
    inline = {"(common)": True, "(origin)": "site iad"}
    name, all_inline = "vastplan-fast", "vastplan-inline-volumes"
    return {
        f"admission_policy/{name}": policy(name, *namespaces, open=open),
        f"admission_binding/{name}": binding(name, *actions, storage_class="@storage_class/fast"),
        f"admission_policy/{all_inline}": {
            "name": all_inline,
            "drivers": DRIVERS,
            "sources": SOURCES,
            "rule": RULE,
            **inline,
        },
        f"admission_binding/{all_inline}": {**binding(all_inline, *actions), **inline},
        "storage_class/fast": {
            **FILLED,
            "(chosen)": [*CHOSEN, f"open to {who}"],
            "(after)": [f"admission_binding/{name}", f"admission_binding/{all_inline}"],
        },
    }


def test_a_class_is_open_to_the_projects_of_its_tenant() -> None:
    assert composed(CLASS) == expected("@project/nlp", who="nlp")


def test_and_to_those_that_list_it() -> None:
    listing = {"name": "cv", "tenant": "@tenant/cv", "storage_classes": ["@storage_class/fast"]}
    found = composed(
        CLASS, {"project/a": listing, "project/cv": {**listing, "storage_classes": ["@storage_class/other"]}}
    )
    assert found == expected("@project/a", "@project/nlp", who="a, nlp")


def test_and_to_namespaces_that_it_names_by_what_the_document_calls_them() -> None:
    found = composed({**CLASS, "open_to": ["web", "team-free", "batch", "strange", "plain"]})
    who = "nlp, batch, plain, strange, team-free, web"
    refs = [
        "@namespace/b",
        "@project/free",
        "@project/nlp",
        "@namespace/plain",
        "@?namespace/strange",
        "@namespace/web",
    ]
    assert found == expected(*refs, who=who)
    # what is a namespace of the document is that, though it is a project's too
    both = composed({**CLASS, "open_to": ["team-free"]}, {"namespace/team-free": {}})
    assert both["admission_policy/vastplan-fast"]["namespaces"] == ["@project/nlp", "@namespace/team-free"]


def test_a_shared_class_is_open_to_everybody() -> None:
    assert composed({**CLASS, "shared": True}) == expected("@project/nlp", who="everybody", open=True)
    assert composed({**CLASS, "shared": False}) == expected("@project/nlp", who="nlp")


def test_a_class_of_nobody_is_open_to_nobody() -> None:
    assert composed(CLASS, {"project/nlp": None}) == expected(who="nobody")
    whole = {**without(CLASS, "tenant"), "view_policy": "@view_policy/nlp", "vip_pool": "@vip_pool/nlp"}
    found = composed(whole)
    assert found["admission_policy/vastplan-fast"]["namespaces"] == []
    assert found["storage_class/fast"]["(chosen)"] == ["open to nobody"]


def test_where_a_site_audits_nobody_is_refused() -> None:
    seen = expected("@project/nlp", who="everybody; reported, not enforced: nlp", actions=("Audit", "Warn"))
    assert composed(CLASS, isolation="audit") == seen
    shared = expected("@project/nlp", who="everybody", open=True, actions=("Audit", "Warn"))
    assert composed({**CLASS, "shared": True}, isolation="audit") == shared


def test_where_a_site_allows_inline_volumes_no_policy_refuses_them() -> None:
    found = composed(CLASS, inline_volumes={"allow": True})
    assert [name for name in found if "inline" in name] == []
    assert found["storage_class/fast"]["(after)"] == ["admission_binding/vastplan-fast"]


def test_objects_are_called_as_the_class_is() -> None:
    found = composed({**CLASS, "name": "renamed"})
    for kind in ("admission_policy", "admission_binding"):
        assert found[f"{kind}/vastplan-fast"]["name"] == "vastplan-renamed"
        assert found[f"{kind}/vastplan-fast"]["(defaults)"] == ["name"]


def test_a_block_class_names_its_tenant_and_no_view_policy() -> None:
    found = composed({**CLASS, "driver": "block"})
    assert without(found["storage_class/fast"], "(after)") == {
        "driver": "block", "storage_path": "/nlp/k8s", "vip_pool": "@vip_pool/nlp", "tenant_name": "@tenant/nlp",
        "(chosen)": [CHOSEN[0], "open to nlp"],
    }  # fmt: skip
    assert (
        "tenant_name"
        not in composed({**without(CLASS, "tenant"), "driver": "block", "vip_pool": "@vip_pool/nlp"})[
            "storage_class/fast"
        ]
    )


def test_what_a_class_says_itself_is_not_chosen() -> None:
    says = {**CLASS, "vip_pool_fqdn": "nlp.example.com", "view_policy": "@view_policy/other"}
    own = composed(says)["storage_class/fast"]
    assert own["(chosen)"] == ["open to nlp"] and own["view_policy"] == "@view_policy/other" and "vip_pool" not in own
    own = composed({**CLASS, "vip_pool": "@vip_pool/other"})["storage_class/fast"]
    assert own["(chosen)"] == [CHOSEN[1], "open to nlp"] and own["vip_pool"] == "@vip_pool/other"


def test_what_nobody_can_choose_is_refused() -> None:
    _, wrong = made(COMPOSITION, entry("storage_class/fast", without(CLASS, "tenant")), WORLD)
    text = "is left out, and none can be chosen without a tenant"
    assert wrong == [("VP232", f"{field} {text}", f"write {field}: NAME") for field in ("vip_pool", "view_policy")]


HARD = {
    "fast.storageclass.storage.k8s.io/requests.storage": "0",
    "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "0",
}
WEAKER = "isolation by resource quota, which is weaker: it does not cover namespaces created later"


def test_by_quota_every_namespace_that_may_not_use_it_has_none_of_it() -> None:
    found = composed({**CLASS, "open_to": ["batch"]}, isolation="resource_quota")
    names = ["cv", "free", "web", "plain"]
    holders = {"cv": "@project/cv", "free": "@project/free", "web": "@namespace/web", "plain": "@namespace/plain"}
    quotas = {
        f"resource_quota/vastplan-fast-{name}": {
            "name": "vastplan-fast", "namespace": holders[name], "storage_class": "@storage_class/fast", "hard": HARD,
        }
        for name in names
    }  # fmt: skip
    own = {**FILLED, "(chosen)": [*CHOSEN, WEAKER], "(after)": list(quotas)}
    assert found == {**quotas, "storage_class/fast": own}


def test_by_quota_a_shared_class_has_none_and_names_are_as_they_are() -> None:
    found = composed({**CLASS, "shared": True}, isolation="resource_quota")
    assert found == {"storage_class/fast": {**FILLED, "(chosen)": [*CHOSEN, WEAKER]}}
    renamed = composed({**CLASS, "name": "renamed"}, isolation="resource_quota")["resource_quota/vastplan-fast-cv"]
    assert renamed["name"] == "vastplan-renamed"
    assert set(renamed["hard"]) == {name.replace("fast", "renamed", 1) for name in HARD}


NAMESPACES = {"@project/nlp": "runai-nlp", "@project/cv": "runai-cv", "@namespace/web": "web"}


def sight(found: Said, **more: Any) -> Sight:
    """What a way back may look up of what was composed: the policy as the API server shows it."""
    own, bound = found["admission_policy/vastplan-fast"], found["admission_binding/vastplan-fast"]
    shown = {**own, "storage_class": "fast", "namespaces": [NAMESPACES[name] for name in own["namespaces"]]}
    there = {
        "admission_policy/vastplan-fast": shown,
        "admission_binding/vastplan-fast": {**bound, "policy": "vastplan-fast"},
    }
    return Sight(live=live({**there, **{f"namespace/{name}": {} for name in NAMESPACES.values()}}), **more)


PARTS = ["storage_class/fast", "admission_policy/vastplan-fast", "admission_binding/vastplan-fast"]
AFTER_ALL = {"left": "storage_class/fast"}  # where no answer before it is believed


def again(found: Said, **settings: Any) -> list[Said]:
    """What the objects of a class are put together to, in the world that they were composed in."""
    world = {name: says for name, says in WORLD.items() if name not in found}
    return back(COMPOSITION, pieces(objects_of(found, world), sight=sight(found), **settings))


def test_a_class_and_what_closes_it_are_one_entry_again() -> None:
    written = {**FILLED, "tenant": "@tenant/nlp"}
    assert again(composed(CLASS)) == [{"entry": "storage_class/fast", "says": written, "of": PARTS}, AFTER_ALL]
    named = again(composed({**CLASS, "open_to": ["web"]}))
    assert named == [{"entry": "storage_class/fast", "says": {**written, "open_to": ["web"]}, "of": PARTS}, AFTER_ALL]
    shared = again(composed({**CLASS, "shared": True}))
    note = "without shared it is open to nlp"
    assert shared == [
        {"entry": "storage_class/fast", "says": {**written, "shared": True}, "of": PARTS, "note": note},
        AFTER_ALL,
    ]


def test_a_class_of_nobody_is_told_to_be_open_to_nobody() -> None:
    found = back(COMPOSITION, pieces({"storage_class/fast": {"driver": "file"}}))
    note = "without shared it is open to nobody"
    says = {"driver": "file", "shared": True}
    assert found == [
        {"entry": "storage_class/fast", "says": says, "of": ["storage_class/fast"], "note": note},
        AFTER_ALL,
    ]


def test_a_block_class_is_in_the_tenant_that_it_names() -> None:
    found = again(composed({**CLASS, "driver": "block"}))
    says = {"driver": "block", "storage_path": "/nlp/k8s", "vip_pool": "@vip_pool/nlp", "tenant": "@tenant/nlp"}
    assert found[0]["says"] == says
    # one that stands in no tenant, for not all of that may use it, goes on naming it
    composed_of_others = composed({**CLASS, "driver": "block"}, {"project/nlp": None})
    composed_of_others["project/nlp"] = {"name": "nlp", "tenant": "@tenant/nlp"}
    assert again(composed_of_others)[0]["says"] == {**without(says, "tenant"), "tenant_name": "@tenant/nlp"}
    # a field of that name of another driver is not its tenant
    odd = again(composed({**CLASS, "tenant_name": "@tenant/nlp"}))
    assert odd[0]["says"]["tenant_name"] == "@tenant/nlp"


def test_quotas_of_a_class_are_part_of_it() -> None:
    found = composed({**CLASS, "open_to": ["web"]}, {"project/free": None, "namespace/b": None, "namespace/plain": None},
                     isolation="resource_quota")  # fmt: skip
    world = {
        name: says
        for name, says in WORLD.items()
        if name not in (*found, "project/free", "namespace/b", "namespace/plain")
    }
    [one, last] = back(COMPOSITION, pieces(objects_of(found, world), isolation="resource_quota"))
    assert one["of"] == ["storage_class/fast", "resource_quota/vastplan-fast-cv"] and last == AFTER_ALL
    assert one["says"] == {**FILLED, "tenant": "@tenant/nlp", "open_to": ["web"]}


def test_what_cannot_be_said_is_said_alone_and_the_next_class_is_written() -> None:
    objects = {"storage_class/a": {"driver": "file"}, "storage_class/b": {"driver": "file"}}
    closed = {"namespaces": [], "rule": "validations changed", "storage_class": "a"}
    found = back(COMPOSITION, pieces(objects, sight=Sight(live=live({"admission_policy/vastplan-a": closed}))))
    assert [one.get("left") or one["entry"] for one in found] == [
        "storage_class/a",
        "storage_class/b",
        "storage_class/b",
    ]
    assert found[0]["why"]
    found = back(COMPOSITION, pieces(objects, sight=Sight(unread=unread("namespace"))))
    assert found == [{"left": f"storage_class/{name}", "unread": "namespace"} for name in ("a", "b")]


@pytest.mark.parametrize("kind", ["admission_policy", "admission_binding", "resource_quota"])
def test_objects_of_other_classes_are_no_part_of_it(kind: str) -> None:
    found = composed(CLASS)
    world = {name: says for name, says in WORLD.items() if name not in found}
    others = {f"{kind}/vastplan-other": {"name": "vastplan-other"}, f"pdx:{kind}/x": {"name": "vastplan-fast"}}
    [one, _] = back(COMPOSITION, pieces(objects_of(found, world, others), sight=sight(found)))
    assert one["of"] == PARTS
