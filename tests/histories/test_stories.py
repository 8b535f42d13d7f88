"""Stories of operators, each told through the command line: what they typed, and what must not happen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from tests.force import by_force
from tests.histories import ledgers
from tests.histories.hands import Hands
from tests.histories.history import Ran, ran
from tests.histories.plant import Plant

EVERYTHING = ("--adopt", "--allow-delete", "*", "--allow-narrow", "*", "--believe-gone", "*", "--max-changes", "1000")
APPS = "nlp-apps"
GIB = 2**30


class Desk:
    """An operator: a folder, simulated sites, and hands on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "lab"
        self.folder.mkdir()
        self.plant = Plant(folder, ("iad", "pdx"))
        self.hands = Hands(self.plant, [0])
        (self.folder / "csi-password").write_text("a-password\n")

    def write(self, sections: dict[str, Any], sites: tuple[str, ...] = ("iad",), document: str = "lab") -> None:
        """Make this the document."""
        head = {"version": 1, "name": document, "sites": {site: {"sim": {}} for site in sites}}
        (self.folder / "lab.yaml").write_text(yaml.safe_dump({**head, **sections}, sort_keys=False))

    def types(self, *arguments: str | Path) -> Ran:
        """Run a command."""
        return ran(*arguments)

    def apply(self, *flags: str) -> Ran:
        """Apply the document."""
        return ran("apply", self.folder, "--auto-approve", "--format", "json", *flags)

    def applied(self, *flags: str) -> None:
        """Apply it, which must go well."""
        done = self.apply(*flags)
        assert done.code == 0, done.err

    def struck(self, **how: Any) -> None:
        """Apply with every consent, while the systems go away or vastplan dies."""
        with self.plant.struck(**how):
            assert self.apply(*EVERYTHING).code != 0

    def approves(self, *addresses: str) -> tuple[str, str]:
        """An approvals file for these, as it is given."""
        file = self.folder.parent / "approvals.yaml"
        rows = [
            {"address": one, "reason": "agreed", "until": "2999-01-01", "max_used": 2**62, "max_orphans": 99}
            for one in addresses
        ]
        file.write_text(json.dumps({"version": 1, "approvals": rows}))
        return "--approvals", str(file)

    def plan(self, *flags: str) -> dict[str, dict[str, Any]]:
        """The actions of a plan by address."""
        made = ran("plan", self.folder, "--format", "json", *flags)
        assert made.code in (0, 2, 3), made.err
        return {one["address"]: one for one in made.json()["actions"]}

    def owners(self) -> dict[tuple[str, str, str], list[str]]:
        """Who owns what."""
        return ledgers.read([self.folder / ".vastplan" / "ledger"]).owners

    def live(self, collection: str) -> list[dict[str, Any]]:
        """The rows of a collection of VAST on iad."""
        return self.plant.rows("iad", "vast", collection)

    def cluster(self, collection: str) -> list[dict[str, Any]]:
        """The rows of a collection of Kubernetes on iad."""
        return self.plant.rows("iad", "kubernetes", collection)

    def claims(self, space: str, class_name: str) -> bool:
        """Somebody makes a claim; whether the cluster took it."""
        return not self.hands.claim("iad", space, class_name).endswith("(refused)")

    def runs_with_inline_volume(self, space: str) -> bool:
        """Somebody runs a pod with an inline volume of the driver; whether the cluster took it."""
        return not self.hands.pod("iad", space).endswith("(refused)")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An operator with nothing but systems."""
    desk = Desk(tmp_path)
    with desk.plant.running():
        yield desk


LOGIN: dict[str, Any] = {
    "namespaces": {"csi": {"labels": {"team": "storage"}}},
    "secrets": {
        "mgmt": {"namespace": "csi", "data": {"endpoint": "v", "username": "csi", "password": {"file": "csi-password"}}}
    },
    "departments": {"research": {"gpus": {"default": 16}}},
}


def team(name: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """A tenant with a pool, a policy, a class and a project."""
    return {
        "vip_pool": {"subnet_cidr": 24, "ip_ranges": [f"10.50.{number}.10 - 10.50.{number}.40"]},
        "view_policy": {"flavor": "NFS", "nfs_no_squash": ["10.12.0.0/24"]},
        "storage_class": {
            "driver": "file",
            "storage_path": f"/{name}/k8s",
            "secret": "mgmt",
            "allow_volume_expansion": True,
        },
        "project": {"department": "research", "gpus": {"default": 2}},
        **more,
    }


# --- renames


def test_what_is_renamed_has_one_owner_and_is_not_offered_for_deletion(desk: Desk) -> None:
    tenant: dict[str, Any] = {
        "team-a": {"view_policy": {"flavor": "NFS"}, "views": {"home": {"path": "/home", "create_dir": True}}}
    }
    desk.write({"tenants": tenant})
    desk.applied()
    tenant["team-a"]["views"] = {"homes": {"path": "/home", "create_dir": True, "renamed_from": "home"}}
    desk.write({"tenants": tenant})
    desk.applied()
    owners = desk.owners()
    assert [addresses for addresses in owners.values() if len(addresses) > 1] == []
    assert ["iad/view/homes"] in owners.values()
    assert desk.plan() == {}
    del tenant["team-a"]["views"]["homes"]["renamed_from"]
    desk.write({"tenants": tenant})
    assert desk.plan() == {}


def test_a_renamed_volume_takes_its_parts_along_or_says_what_it_costs(desk: Desk) -> None:
    volume = {"path": "/team-a/data", "size": "5 TiB"}
    desk.write({**LOGIN, "tenants": {"team-a": team("team-a", volumes={"data": volume})}})
    desk.applied()
    desk.write({**LOGIN, "tenants": {"team-a": team("team-a", volumes={"sets": {**volume, "renamed_from": "data"}})}})
    plan = desk.plan()
    created = {address for address, action in plan.items() if action["verb"] == "create"}
    deleted = {address for address, action in plan.items() if action["verb"] == "delete"}
    assert not {one for one in created if one.endswith("sets")} or not {
        one for one in deleted if one.endswith("data")
    }, (created, deleted)


def test_a_renamed_view_keeps_its_quota(desk: Desk) -> None:
    view = {"path": "/home", "create_dir": True, "quota": {"hard_limit": "2 TiB"}}
    desk.write({"tenants": {"team-a": {"view_policy": {"flavor": "NFS"}, "views": {"home": view}}}})
    desk.applied()
    (before,) = desk.live("quotas")
    desk.write(
        {
            "tenants": {
                "team-a": {"view_policy": {"flavor": "NFS"}, "views": {"homes": {**view, "renamed_from": "home"}}}
            }
        }
    )
    done = desk.apply()
    assert done.code == 0, done.err
    assert [row["id"] for row in desk.live("quotas")] == [before["id"]]
    assert ["iad/quota/homes"] in desk.owners().values()


def test_a_renamed_pool_takes_the_class_along_that_names_it(desk: Desk) -> None:
    first = team("team-a")
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.applied()
    pool = {**first.pop("vip_pool"), "renamed_from": "team-a"}
    desk.write({**LOGIN, "tenants": {"team-a": {**first, "vip_pools": {"fast": pool}}}})
    plan = desk.plan()
    assert plan["iad/storage_class/team-a"]["verb"] == "replace"
    assert plan["iad/vip_pool/fast"]["blocked"], "the class would name a pool that is not there"
    desk.apply()
    assert "team-a" in {row["name"] for row in desk.live("vippools")}
    desk.applied("--allow-delete", "iad/storage_class/team-a")
    (row,) = [one for one in desk.cluster("storageclasses.storage.k8s.io") if one["metadata"]["name"] == "team-a"]
    assert row["parameters"]["vip_pool_name"] == "fast"
    assert desk.plan() == {}


def test_a_pool_that_volumes_name_is_not_renamed_unsaid(desk: Desk) -> None:
    first = team("team-a")
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.applied()
    assert desk.claims("runai-team-a", "team-a")
    pool = {**first.pop("vip_pool"), "renamed_from": "team-a"}
    desk.write({**LOGIN, "tenants": {"team-a": {**first, "vip_pools": {"fast": pool}}}})
    action = desk.plan("--allow-delete", "*")["iad/vip_pool/fast"]
    assert [block["guard"] for block in action["blocked"]] == ["narrows"]
    assert {"name": "persistent_volumes in use through it", "value": 1, "unit": ""} in action["evidence"]
    assert desk.apply("--allow-delete", "*").code == 3
    assert "team-a" in {row["name"] for row in desk.live("vippools")}
    desk.applied("--allow-delete", "*", "--allow-narrow", "iad/vip_pool/fast")
    assert desk.plan() == {}


def test_a_policy_that_a_strangers_class_names_is_not_renamed_unsaid(desk: Desk) -> None:
    desk.hands.settle_in("iad", Random(0))
    theirs = {"tenant": {"existing": "theirs"}, "flavor": "NFS"}
    desk.write({"view_policies": {"theirs": theirs}})
    desk.applied("--adopt")
    desk.write({"view_policies": {"ours": {**theirs, "renamed_from": "theirs"}}})
    (action,) = desk.plan().values()
    assert [block["guard"] for block in action["blocked"]] == ["narrows"]
    desk.write({"view_policies": {"ours": {**theirs, "renamed_from": "theirs", "name": "theirs"}}})
    desk.applied()
    assert "theirs" in {row["name"] for row in desk.live("viewpolicies")}


def test_what_is_in_a_renamed_namespace_goes_only_where_that_is_said(desk: Desk) -> None:
    desk.write(LOGIN)
    desk.applied()
    space = {"space": {"labels": {"team": "storage"}, "renamed_from": "csi"}}
    desk.write({**LOGIN, "namespaces": space, "secrets": {"mgmt": {**LOGIN["secrets"]["mgmt"], "namespace": "space"}}})
    approval = desk.approves("iad/namespace/space")
    assert desk.plan(*approval)["iad/namespace/space"]["blocked"], "it would take the secret with it"
    desk.apply(*approval)
    assert "csi" in {row["metadata"]["name"] for row in desk.cluster("namespaces")}
    desk.applied(*approval, "--allow-delete", "iad/secret/mgmt")
    assert [row["metadata"]["namespace"] for row in desk.cluster("secrets")] == ["space"]
    assert desk.plan() == {}


def test_a_renamed_class_is_closed_by_its_new_name(desk: Desk) -> None:
    first = team("team-a")
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.applied()
    class_ = {**first.pop("storage_class"), "renamed_from": "team-a"}
    desk.write({**LOGIN, "tenants": {"team-a": {**first, "storage_classes": {"fast": class_}}}})
    desk.applied("--allow-delete", "*")
    assert desk.plan() == {}
    desk.hands.call("iad", "kubernetes", "POST", "/api/v1/namespaces", {"metadata": {"name": "others"}})
    assert not desk.claims("others", "fast")
    assert desk.claims("runai-team-a", "fast")


class Closing:
    """Two teams with a class each; that of the first comes, gets another name, or goes."""

    def __init__(self, desk: Desk, how: str, isolation: str) -> None:
        self.desk, self.isolation = desk, isolation
        tenants = {"team-a": team("team-a", 1), "team-b": team("team-b", 2)}
        class_ = tenants["team-a"].pop("storage_class")
        if how != "added":
            tenants["team-a"]["storage_class"] = class_
        self._write(tenants)
        desk.applied()
        tenants["team-a"].pop("storage_class", None)
        if how == "added":
            tenants["team-a"]["storage_class"] = class_
        elif how == "renamed":
            tenants["team-a"]["storage_classes"] = {"fast": {**class_, "renamed_from": "team-a"}}
        elif how == "name":
            tenants["team-a"]["storage_class"] = {**class_, "name": "fast"}
        self._write(tenants)

    def _write(self, tenants: dict[str, Any]) -> None:
        self.desk.write({**LOGIN, "tenants": tenants})
        if self.isolation == "resource_quota":
            file = self.desk.folder / "lab.yaml"
            file.write_text(file.read_text().replace("sim: {}", "sim: {}\n    isolation: resource_quota"))

    def holds(self) -> None:
        """The other team gets into no class of the first one, whatever that is called."""
        for row in self.desk.cluster("storageclasses.storage.k8s.io"):
            name = row["metadata"]["name"]
            assert name == "team-b" or not self.desk.claims("runai-team-b", name)


_CLOSINGS = [
    (how, by) for how in ("added", "renamed", "name", "removed") for by in ("admission_policy", "resource_quota")
]
_FEW = tuple(map(str, (("renamed", "admission_policy"), ("added", "resource_quota"))))


@pytest.mark.parametrize(("how", "isolation"), by_force(_CLOSINGS, *_FEW, several=True))
@pytest.mark.parametrize("written", by_force(range(5), "1"))
def test_a_class_is_open_to_nobody_else_wherever_an_apply_ends(
    desk: Desk, how: str, isolation: str, written: int
) -> None:
    """Under the old name until that is gone, and under the new one from the beginning."""
    closing = Closing(desk, how, isolation)
    desk.plant.refuse_after = desk.plant.written + written
    desk.apply("--allow-delete", "*")
    closing.holds()
    desk.plant.refuse_after = None
    desk.applied("--allow-delete", "*")
    closing.holds()
    assert desk.plan() == {}


@pytest.mark.parametrize(("how", "isolation"), by_force(_CLOSINGS, *_FEW, several=True))
@pytest.mark.parametrize("allowed", by_force(["admission_* resource_quota", "storage_class"], "storage_class"))
def test_a_class_is_open_to_nobody_else_with_half_a_consent(desk: Desk, how: str, isolation: str, allowed: str) -> None:
    closing = Closing(desk, how, isolation)
    desk.apply(*(word for kind in allowed.split() for word in ("--allow-delete", f"iad/{kind}/*")))
    closing.holds()


def test_a_class_that_claims_name_is_not_renamed_unsaid(desk: Desk) -> None:
    first = team("team-a")
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.applied()
    assert desk.claims("runai-team-a", "team-a")
    class_ = {**first.pop("storage_class"), "renamed_from": "team-a"}
    desk.write({**LOGIN, "tenants": {"team-a": {**first, "storage_classes": {"fast": class_}}}})
    blocked = desk.plan("--allow-delete", "*")["iad/storage_class/fast"]["blocked"]
    assert [block["guard"] for block in blocked] == ["narrows"]


def test_names_of_pools_are_swapped_by_a_third_and_move_on_in_one_apply(desk: Desk) -> None:
    ranges = {name: f"10.50.{number}.10 - 10.50.{number}.40" for number, name in enumerate("abc")}

    def pools(**called: str) -> None:
        each = {name: {"subnet_cidr": 24, "ip_ranges": [ranges[name]], "name": called[name]} for name in called}
        desk.write({"tenants": {"t": {"vip_pools": each}}})

    pools(a="a", b="b", c="c")
    desk.applied()
    ids = {row["name"]: row["id"] for row in desk.live("vippools")}
    for called in ({"a": "b", "b": "a", "c": "c"}, {"a": "b", "b": "c", "c": "a"}):
        pools(**called)
        plan = desk.plan()
        assert {block["guard"] for action in plan.values() for block in action["blocked"]} == {"renamed"}
        assert all(action["blocked"] for action in plan.values())
        assert desk.apply().code == 3, "and nothing is sent that the system would refuse"
    pools(a="b", b="c", c="d")
    desk.applied()
    assert {row["name"]: row["id"] for row in desk.live("vippools")} == {"b": ids["a"], "c": ids["b"], "d": ids["c"]}
    assert desk.plan() == {} and not desk.plant.refused


# --- two documents


def test_a_second_documents_class_does_not_wait_for_what_the_first_keeps(desk: Desk) -> None:
    desk.write({**LOGIN, "tenants": {"team-a": team("team-a", 1)}})
    desk.applied()
    first, desk.folder = desk.folder, desk.folder.parent / "other"
    desk.folder.mkdir()
    (desk.folder / "csi-password").write_text("a-password\n")
    other = {
        "namespaces": {"other-csi": {}},
        "secrets": {"other": {**LOGIN["secrets"]["mgmt"], "namespace": "other-csi"}},
        "departments": {"others": {"gpus": {"default": 8}}},
    }
    tenant = team("team-b", 2)
    tenant["storage_class"]["secret"], tenant["project"]["department"] = "other", "others"
    desk.write({**other, "tenants": {"team-b": tenant}}, document="other")
    said = desk.types("plan", desk.folder)
    assert "VP314" in said.out
    desk.applied()
    assert desk.plan() == {}
    assert desk.claims("runai-team-b", "team-b")
    assert not [one for addresses in desk.owners().values() for one in addresses if "inline" in one]
    name = "vastplan-inline-volumes"
    path = f"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/{name}"
    desk.hands.call("iad", "kubernetes", "PATCH", path, {"spec": {"validationActions": ["Warn"]}})
    plan = desk.plan("--adopt")
    for kind in ("policy", "binding"):
        blocked = plan[f"iad/admission_{kind}/{name}"]["blocked"]
        assert [block["guard"] for block in blocked] == ["other-document"], "it is not in force, and not ours to mend"
    desk.folder = first
    assert set(desk.plan()) == {f"iad/admission_binding/{name}"}


def test_what_two_documents_classes_rely_on_is_not_taken_away_by_the_one_that_owns_it(desk: Desk) -> None:
    gold = {
        "driver": "file", "storage_path": "/gold", "view_policy": {"existing": "default"}, "vip_pool_fqdn": "v.example.com",
    }  # fmt: skip
    first, second = desk.folder, desk.folder.parent / "other"
    second.mkdir()
    assert desk.runs_with_inline_volume("default")
    desk.write({"storage_classes": {"gold": gold}})
    desk.applied("--allow-narrow", "*")
    desk.folder = second
    desk.write({"storage_classes": {"silver": gold}}, document="other")
    desk.applied()
    desk.folder = first
    desk.write({})
    inline = {f"iad/admission_{kind}/vastplan-inline-volumes" for kind in ("policy", "binding")}
    plan = desk.plan("--allow-delete", "*")
    assert {address for address, action in plan.items() if action["blocked"]} == inline
    for _ in range(2):
        assert desk.apply("--allow-delete", "*").code == 3
        assert not desk.runs_with_inline_volume("default")
    assert set(desk.plan("--allow-delete", "*")) == inline
    assert desk.types("ledger", "forget", first, *sorted(inline), "--auto-approve").code == 0
    assert desk.plan() == {} and not desk.runs_with_inline_volume("default")


# --- a saved plan


@pytest.mark.parametrize(
    "flags",
    by_force(
        [
            ("--target", "iad/namespace/a"),
            ("--site", "iad"),
            ("--max-changes", "1"),
            ("--adopt",),
            ("--allow-delete", "*"),
        ]
    ),
)
def test_flags_that_plan_are_refused_beside_a_saved_plan(
    desk: Desk, flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.folder.parent)
    desk.write({"namespaces": {"a": {}, "b": {}}})
    file = desk.folder.parent / "plan.json"
    assert desk.types("plan", desk.folder, "--out", file).code == 0
    done = desk.types("apply", file, "--auto-approve", *flags)
    assert done.code == 1
    assert flags[0] in done.err
    assert desk.types("apply", file, "--auto-approve").code == 0, "a refused command has not used the plan up"


# --- classes and who uses them


def gold(desk: Desk, **secret: Any) -> dict[str, Any]:
    """A document that takes over a class which three claims of a stranger's namespace use."""
    if not desk.cluster("storageclasses.storage.k8s.io"):
        desk.hands.settle_in("iad", Random(0))
    for _ in range(3):
        assert desk.claims(APPS, "gold")
    theirs = {"existing": "theirs"}
    return {
        **LOGIN,
        "storage_classes": {
            "gold": {
                "driver": "file",
                "storage_path": "/gold",
                "view_policy": theirs,
                "vip_pool": theirs,
                "allow_volume_expansion": True,
                **secret,
            }
        },
    }


@pytest.mark.parametrize(
    "secret", [{"secret": "mgmt"}, {}], ids=["the class itself is refused", "the class is the same"]
)
def test_a_class_that_is_taken_over_does_not_close_under_who_uses_it(desk: Desk, secret: dict[str, str]) -> None:
    desk.write(gold(desk, **secret))
    plan = desk.plan("--adopt")
    stopped = [
        one for one in plan.values() if one["address"].startswith("iad/admission_") and one["address"].endswith("gold")
    ]
    assert stopped
    assert all(one["blocked"] for one in stopped)
    assert any(APPS in json.dumps(one["blocked"]) for one in plan.values()), (
        "the namespaces that would be shut out are named"
    )
    desk.apply("--adopt")
    assert desk.claims(APPS, "gold")


def test_a_class_stays_open_to_a_project_whose_delete_is_blocked(desk: Desk) -> None:
    both = {"team-a": team("team-a", 1), "team-b": team("team-b", 2)}
    both["team-b"]["project"]["storage_classes"] = ["team-a"]
    desk.write({**LOGIN, "tenants": both})
    desk.applied()
    assert desk.claims("runai-team-b", "team-a")
    del both["team-b"]["project"]
    desk.write({**LOGIN, "tenants": both})
    assert desk.plan()["iad/project/team-b"]["blocked"]
    desk.apply()
    assert desk.claims("runai-team-b", "team-a")
    assert desk.claims("runai-team-b", "team-b")


def test_pods_with_inline_volumes_are_not_shut_out_unsaid(desk: Desk) -> None:
    desk.hands.call(
        "iad",
        "kubernetes",
        "POST",
        "/api/v1/namespaces",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "legacy"}},
    )
    assert desk.runs_with_inline_volume("legacy")
    desk.write({**LOGIN, "tenants": {"team-a": team("team-a")}})
    plan = desk.plan()
    assert any("legacy" in json.dumps(one["blocked"]) for one in plan.values())
    desk.apply()
    assert desk.runs_with_inline_volume("legacy")


def test_what_is_taken_over_anew_does_not_close_under_who_came_in_between(desk: Desk) -> None:
    """Somebody took the binding away, pods came, the ledger was lost: the policy is as it should be and is taken over."""
    desk.write({**LOGIN, "tenants": {"team-a": team("team-a")}})
    desk.applied()
    path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/vastplan-inline-volumes"
    desk.hands.call("iad", "kubernetes", "DELETE", path)
    desk.hands.call(
        "iad",
        "kubernetes",
        "POST",
        "/api/v1/namespaces",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "legacy"}},
    )
    assert desk.runs_with_inline_volume("legacy")
    shutil.rmtree(desk.folder / ".vastplan" / "ledger")
    blocked = desk.plan("--adopt")["iad/admission_binding/vastplan-inline-volumes"]["blocked"]
    assert "legacy" in json.dumps(blocked)
    desk.apply("--adopt")
    assert desk.runs_with_inline_volume("legacy")


# --- who changed it


def test_an_edit_of_the_document_is_not_said_to_be_by_hand(desk: Desk) -> None:
    both = {"team-a": team("team-a", 1), "team-b": team("team-b", 2)}
    both["team-b"]["project"]["storage_classes"] = ["team-a"]
    desk.write({**LOGIN, "tenants": both})
    desk.applied()
    del both["team-b"]["project"]
    desk.write({**LOGIN, "tenants": both})
    causes = {
        (address, change["path"]): change["cause"] for address, one in desk.plan().items() for change in one["changes"]
    }
    assert {place: cause for place, cause in causes.items() if cause in ("system", "both")} == {}


def test_a_renamed_namespace_is_not_said_to_be_changed_by_hand(desk: Desk) -> None:
    desk.write(LOGIN)
    desk.applied()
    space = {"space": {"labels": {"team": "storage"}, "renamed_from": "csi"}}
    desk.write({**LOGIN, "namespaces": space, "secrets": {"mgmt": {**LOGIN["secrets"]["mgmt"], "namespace": "space"}}})
    causes = {
        (address, change["path"]): change["cause"] for address, one in desk.plan().items() for change in one["changes"]
    }
    assert {place: cause for place, cause in causes.items() if cause in ("system", "both")} == {}


# --- sites


@pytest.mark.parametrize("command", [("plan",), ("drift",), ("ledger", "list")], ids=" ".join)
def test_a_site_that_left_the_document_is_not_forgotten(desk: Desk, command: tuple[str, ...]) -> None:
    desk.write({"namespaces": {"a": {}, "b": {}}}, sites=("iad", "pdx"))
    desk.applied()
    desk.write({"namespaces": {"a": {}, "b": {}}})
    said = desk.types(*command, desk.folder)
    assert said.code == (0 if command == ("ledger", "list") else 1)
    assert "pdx" in said.out + said.err


# --- where a document lies


@pytest.mark.slow
def test_simulators_that_are_served_are_reached_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lab", "elsewhere"):
        (tmp_path / name).mkdir()
    text = yaml.safe_dump({"version": 1, "name": "lab", "sites": {"iad": {"sim": {}}}, "namespaces": {"a": {}}})
    (tmp_path / "lab" / "lab.yaml").write_text(text)
    typed = [sys.executable, "-m", "vastplan", "sim", "lab"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(typed, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            assert any("ready" in line for line in served.stdout)
            monkeypatch.chdir(tmp_path / "elsewhere")
            made = ran("plan", "../lab", "--format", "json")
            assert made.code == 0, made.err
            assert made.json()["unknown"] == []
            assert [one["address"] for one in made.json()["actions"]] == ["iad/namespace/a"]
        finally:
            served.terminate()


# --- versions


@pytest.mark.parametrize("version", ["2.6", '"2.6"', "2.6.0"])
def test_a_short_version_is_that_version(desk: Desk, version: str) -> None:
    views = {"blocks": {"path": "/blocks", "protocols": ["BLOCK"], "name": "blocks", "create_dir": True}}
    classes = {"block": {"driver": "block", "subsystem": "blocks", "secret": "mgmt"}}
    tenant = {
        "view_policy": {"flavor": "NFS"},
        "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.50.1.10 - 10.50.1.40"]},
    }
    desk.write({**LOGIN, "tenants": {"team-a": {**tenant, "views": views, "storage_classes": classes}}})
    file = desk.folder / "lab.yaml"
    file.write_text(file.read_text().replace("sim: {}", f"sim: {{}}\n    csi: {version}"))
    said = desk.types("plan", desk.folder)
    assert said.code == 0, said.err


# --- drift --accept


def test_what_is_accepted_stands_where_it_stood(desk: Desk) -> None:
    file = desk.folder / "lab.yaml"
    file.write_text(
        "version: 1\nname: lab\nsites: {iad: {sim: {}}}\ntenants:\n  team-a:\n    view_policy:\n      flavor: NFS\n"
        "      nfs_no_squash:\n        # the lab\n        - 10.12.0.0/24\n        # the office\n        - 10.13.0.0/16\n"
    )
    desk.applied()
    (policy,) = [row for row in desk.live("viewpolicies") if row["name"] == "team-a"]
    path = f"/api/v5/viewpolicies/{policy['id']}/"
    desk.hands.call("iad", "vast", "PATCH", path, {"nfs_no_squash": ["10.12.0.0/24"]})
    accepted = desk.types("drift", desk.folder, "--accept", "iad/view_policy/team-a.nfs_no_squash")
    text = file.read_text()
    assert accepted.code in (0, 1), accepted.err
    assert "per_site" not in text, "there is one site"
    if accepted.code == 0:
        assert yaml.safe_load(text)["tenants"]["team-a"]["view_policy"]["nfs_no_squash"] == ["10.12.0.0/24"]
        assert "10.13.0.0/16" not in text
        assert "# the lab" in text


# --- what volumes are mounted by


def test_a_pool_that_volumes_mount_by_is_not_deleted_on_a_bare_allow_delete(desk: Desk) -> None:
    first = team("team-a")
    first["vip_pools"] = {"spare": {"subnet_cidr": 24, "ip_ranges": ["10.51.1.10 - 10.51.1.40"]}}
    first["storage_class"] |= {"vip_pool": "spare", "view_policy": "team-a"}
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.applied()
    assert desk.claims("runai-team-a", "team-a")
    del first["vip_pools"], first["storage_class"]
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.apply("--allow-delete", "*")
    assert "spare" in {row["name"] for row in desk.live("vippools")}


def test_what_is_taken_out_and_referred_to_as_existing_is_not_deleted(desk: Desk) -> None:
    """Somebody hands a pool back to who made it, and forgets that the document owns it."""
    desk.hands.settle_in("iad", Random(0))
    pool = {"tenant": {"existing": "theirs"}, "subnet_cidr": 24, "ip_ranges": ["10.40.0.10 - 10.40.0.40"]}
    desk.write({**LOGIN, "vip_pools": {"theirs": pool}})
    desk.applied("--adopt")
    desk.write(gold(desk))
    address = "iad/vip_pool/theirs"
    plan = desk.plan(*EVERYTHING, *desk.approves(address))
    (block,) = plan[address]["blocked"]
    assert "iad/storage_class/gold refers to it as existing" in block["message"]
    assert desk.types("ledger", "forget", desk.folder, address).code == 0
    desk.applied(*EVERYTHING)
    assert desk.plan() == {}
    assert "theirs" in {row["name"] for row in desk.live("vippools")}


def test_what_was_taken_over_is_renamed_with_all_that_refers_to_it_as_existing(desk: Desk) -> None:
    """Found by a history: the view was sent back to a policy that no longer had that name, in each plan anew."""
    desk.hands.settle_in("iad", Random(0))
    theirs = {"existing": "theirs"}
    policy = {"tenant": theirs, "flavor": "NFS", "nfs_no_squash": ["10.12.0.0/24"]}
    view = {"tenant": theirs, "path": "/theirs/data", "view_policy": theirs, "protocols": ["NFS"]}
    desk.write({"view_policies": {"theirs": policy}, "views": {"theirs-data": view}})
    desk.applied(*EVERYTHING)
    desk.write({"view_policies": {"ours": {**policy, "renamed_from": "theirs"}}, "views": {"theirs-data": view}})
    refused = desk.types("plan", desk.folder)
    assert refused.code == 1 and "VP219: view theirs-data refers to view_policy theirs as existing" in refused.err, (
        refused
    )
    assert "write ours" in refused.err
    desk.write(
        {
            "view_policies": {"ours": {**policy, "renamed_from": "theirs"}},
            "views": {"theirs-data": {**view, "view_policy": "ours"}},
        }
    )
    (only,) = desk.plan().values()
    assert only["address"] == "iad/view_policy/ours", only["blocked"]
    desk.applied(*EVERYTHING)
    assert desk.plan() == {}


def test_a_rename_of_which_only_what_is_replaced_is_targeted_leaves_one_owner(desk: Desk) -> None:
    """The view lets go of its policy and is attached again: it is renamed in the ledger with that."""
    view = {"path": "/a", "view_policy": "p", "protocols": ["NFS"], "create_dir": True,
            "qos": {"static_limits": {"max_writes_bw_mbps": 100}}}  # fmt: skip
    tenant = {"view_policies": {"p": {"flavor": "NFS"}}, "views": {"old": view}}
    desk.write({"tenants": {"t": tenant}})
    desk.applied()
    tenant["views"] = {"new": {**view, "renamed_from": "old"}}
    desk.write({"tenants": {"t": tenant}})
    desk.applied("--allow-delete", "*", "--target", "iad/qos_policy/new")
    assert {len(addresses) for addresses in desk.owners().values()} == {1}
    assert ["iad/view/new"] in desk.owners().values()
    desk.applied("--allow-delete", "*")
    assert desk.plan() == {}


def test_deleting_a_class_says_how_many_volumes_it_holds(desk: Desk) -> None:
    first = team("team-a")
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.applied()
    assert desk.claims("runai-team-a", "team-a")
    assert desk.claims("runai-team-a", "team-a")
    del first["storage_class"]
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    action = desk.plan("--allow-delete", "*")["iad/storage_class/team-a"]
    assert "2" in json.dumps([action["blocked"], action["evidence"], action["notes"]])


# --- small things that mislead


def test_nothing_that_could_be_read_is_not_no_changes(desk: Desk) -> None:
    desk.write({"namespaces": {"a": {}}})
    desk.applied()
    desk.plant.planes["iad", "kubernetes"].expire_tokens()
    said = desk.types("plan", desk.folder)
    assert said.code == 6
    assert "no changes" not in said.out.lower()
    assert "drift: none" not in desk.types("drift", desk.folder).out.lower()


@pytest.mark.parametrize("flag", ["--allow-delete", "--target", "--allow-narrow"])
def test_an_address_that_names_nothing_is_said(desk: Desk, flag: str) -> None:
    desk.write({"namespaces": {"a": {}}})
    said = desk.types("plan", desk.folder, flag, "iad/namespace/typo")
    assert "iad/namespace/typo" in said.out + said.err


def test_an_approval_that_names_nothing_is_said(desk: Desk) -> None:
    desk.write({"namespaces": {"a": {}}})
    said = desk.types("plan", desk.folder, *desk.approves("iad/namespace/typo"))
    assert "iad/namespace/typo" in said.out + said.err


def test_an_address_with_a_space_can_be_typed_as_it_is_printed(desk: Desk) -> None:
    desk.write({"departments": {"research": {"access": {"ML engineer": ["grp-a"]}}}})
    desk.applied()
    desk.write({"departments": {"research": {}}})
    said = desk.types("plan", desk.folder)
    address = "iad/access_rule/department/research/group/grp-a/ML engineer"
    assert f"--allow-delete '{address}'" in said.out or f'--allow-delete "{address}"' in said.out


def test_keep_drift_does_not_eat_the_document(desk: Desk) -> None:
    desk.write({"namespaces": {"a": {}}})
    said = desk.types("plan", "--keep-drift", desk.folder)
    assert said.code == 1
    assert f"{desk.folder} is a path" in said.err, (
        "it is not taken for an address, and the document is not said to be missing"
    )
    assert desk.types("plan", "--keep-drift", "*", desk.folder).code == 0


def test_a_composite_can_be_a_target(desk: Desk) -> None:
    desk.write(
        {**LOGIN, "tenants": {"team-a": team("team-a", volumes={"data": {"path": "/team-a/data", "size": "5 TiB"}})}}
    )
    desk.applied()
    desk.write(
        {**LOGIN, "tenants": {"team-a": team("team-a", volumes={"data": {"path": "/team-a/data", "size": "6 TiB"}})}}
    )
    said = desk.types("plan", desk.folder, "--target", "iad/volume/data", "--format", "json")
    assert said.code == 0, said.err
    assert "iad/quota/data" in {one["address"] for one in said.json()["actions"]}


def test_a_saved_plan_is_shown_by_address(desk: Desk) -> None:
    desk.write({"namespaces": {"a": {}}})
    file = desk.folder.parent / "plan.json"
    assert desk.types("plan", desk.folder, "--out", file).code == 0
    said = desk.types("show", file, "iad/namespace/a")
    assert said.code == 0, said.err
    assert "+ namespace a" in said.out


def test_a_namespace_is_not_deleted_before_what_is_in_it_was_shown(desk: Desk) -> None:
    desk.hands.settle_in("iad", Random(0))
    desk.write({"namespaces": {APPS: {"labels": {"team": "x"}}}})
    desk.applied("--adopt")
    assert desk.claims(APPS, "gold")
    desk.write({"namespaces": {"other": {}}})
    file = desk.folder.parent / "approvals.yaml"
    approval = {"address": f"iad/namespace/{APPS}", "reason": "agreed", "until": "2999-01-01"}
    file.write_text(json.dumps({"version": 1, "approvals": [approval]}))
    desk.apply("--allow-delete", "*", "--approvals", str(file))
    names = {space["metadata"]["name"] for space in desk.plant.rows("iad", "kubernetes", "namespaces")}
    assert APPS in names, "claims are bound in it, and the approval allows none to go"


def test_a_renamed_policy_that_is_replaced_leaves_nothing_to_plan(desk: Desk) -> None:
    policy = {"static_limits": {"max_writes_bw_mbps": 200}}
    desk.write({"tenants": {"team-a": {"qos_policies": {"slow": policy}}}})
    desk.applied()
    desk.write({"tenants": {"team-a": {"qos_policies": {"slower": {**policy, "renamed_from": "slow"}}}}})
    desk.applied("--allow-delete", "*")
    assert desk.plan() == {}


def test_what_a_live_class_still_names_is_not_deleted(desk: Desk) -> None:
    """Letting go of a field leaves the class as it is."""
    first = team("team-a", qos_policies={"slow": {"static_limits": {"max_writes_bw_mbps": 200}}})
    first["storage_class"]["qos_policy"] = "slow"
    desk.write({**LOGIN, "tenants": {"team-a": first}})
    desk.applied()
    del first["qos_policies"], first["storage_class"]["qos_policy"], first["storage_class"]["secret"]
    desk.write({**LOGIN, "secrets": {}, "tenants": {"team-a": first}})
    plan = desk.plan("--allow-delete", "*")
    for address in ("iad/qos_policy/slow", "iad/secret/mgmt"):
        (block,) = plan[address]["blocked"]
        assert (block["guard"], "iad/storage_class/team-a" in block["message"]) == ("in-use", True)
    assert desk.apply("--allow-delete", "*").code == 3
    assert [row["name"] for row in desk.live("qospolicies")] == ["slow"]
    del first["storage_class"]
    desk.write({**LOGIN, "secrets": {}, "tenants": {"team-a": first}})
    desk.applied("--allow-delete", "*")
    assert (desk.live("qospolicies"), desk.cluster("secrets"), desk.plan()) == ([], [], {})


@pytest.mark.parametrize("section", ["qos_policies", "projects", "secrets"])
def test_nothing_is_left_to_plan_once_what_a_class_speaks_of_is_renamed(desk: Desk, section: str) -> None:
    first = team("team-a", qos_policies={"slow": {"static_limits": {"max_writes_bw_mbps": 200}}})
    first["storage_class"]["qos_policy"] = "slow"
    document = {**LOGIN, "tenants": {"team-a": first}}
    desk.write(document)
    desk.applied()
    if section == "projects":
        first["projects"] = {"other": {**first.pop("project"), "renamed_from": "team-a"}}
    elif section == "qos_policies":
        first["qos_policies"] = {"other": {**first["qos_policies"]["slow"], "renamed_from": "slow"}}
        first["storage_class"]["qos_policy"] = "other"
    else:
        document["secrets"] = {"other": {**LOGIN["secrets"]["mgmt"], "renamed_from": "mgmt"}}
        first["storage_class"]["secret"] = "other"
    desk.write(document)
    desk.applied("--allow-delete", "*", *desk.approves("iad/project/other"))
    assert desk.plan() == {}
    assert desk.types("drift", desk.folder).code == 0


def test_a_target_takes_along_what_is_in_the_namespace_that_is_renamed(desk: Desk) -> None:
    """Else the Secret goes with its namespace, and the next plan says that somebody deleted it."""
    desk.write(LOGIN)
    desk.applied()
    space = {"space": {"labels": {"team": "storage"}, "renamed_from": "csi"}}
    desk.write({**LOGIN, "namespaces": space, "secrets": {"mgmt": {**LOGIN["secrets"]["mgmt"], "namespace": "space"}}})
    target = (*desk.approves("iad/namespace/space"), "--target", "iad/namespace/space")
    desk.apply(*target, "--allow-delete", "iad/namespace/space")
    assert "csi" in {row["metadata"]["name"] for row in desk.cluster("namespaces")}, "nobody allowed the secret to go"
    desk.applied(*target, "--allow-delete", "iad/*")
    assert [row["metadata"]["namespace"] for row in desk.cluster("secrets")] == ["space"]
    assert desk.plan() == {}


def test_what_an_apply_took_away_before_it_was_killed_was_deleted_by_nobody_else(desk: Desk) -> None:
    """Also once the document has it again, and an apply that would make it again found the system away."""
    pool = {"q": {"tenant": None, "subnet_cidr": 24, "ip_ranges": ["10.50.6.10 - 10.50.6.30"]}}
    desk.write({"vip_pools": pool})
    desk.applied()
    desk.write({})
    desk.struck(die=1, at_once=True)
    assert desk.live("vippools") == []
    desk.write({"vip_pools": pool})
    assert not desk.plan()["iad/vip_pool/q"]["deleted_outside"]
    desk.struck(refuse=0)
    assert not desk.plan()["iad/vip_pool/q"]["deleted_outside"]
    desk.applied()
    assert desk.plan() == {}
