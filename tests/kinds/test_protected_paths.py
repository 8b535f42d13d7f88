"""Protected paths by themselves: without a view, a second one of a directory, to another tenant, to a peer of no site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.two_sites import PEERED
from tests.lab import Lab
from vastplan.model.errors import Invalid
from vastplan.model.plan import Plan, Verb

GUID = "01234567-89ab-cdef-0123-456789abcdef"
BASE: dict[str, Any] = {
    **PEERED,
    "snapshot_schedules": {
        "hourly": {"sites": ["iad"], "frames": [{"every": "1h", "keep_local": "1d"}]},
        "daily": {"sites": ["iad"], "frames": [{"every": "1d", "keep_local": "7d"}]},
        "far": {"sites": ["iad"], "replicate_to": "iad-pdx", "frames": [{"every": "1h", "keep_remote": "7d"}]},
    },
    "tenants": {"a": {"view_policy": {}, "views": {"d": {"sites": ["iad"], "path": "/d"}}}, "b": {"sites": ["pdx"]}},
}
ABROAD = {"sites": ["iad"], "peer": {"existing": "iad-pdx"}, "frames": [{"every": "1h", "keep_remote": "7d"}]}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast"], "pdx": ["vast"]}) as one:
        yield one


def document(paths: dict[str, Any], **schedules: Any) -> dict[str, Any]:
    """The base with protected paths on iad, and with more schedules."""
    return {
        **BASE,
        "snapshot_schedules": {**BASE["snapshot_schedules"], **schedules},
        "protected_paths": {name: {"sites": ["iad"], "tenant": "a", **path} for name, path in paths.items()},
    }


def composed(lab: Lab, name: str) -> dict[str, Any]:
    return next(
        entry.values for entry in lab.workspace().entries()[0] if str(entry.address) == f"iad/protected_path/{name}"
    )


def refused(lab: Lab, name: str = "p") -> str:
    with pytest.raises(Invalid) as raised:
        composed(lab, name)
    return str(raised.value)


def test_one_directory_under_two_schedules_of_which_one_goes_to_another_tenant(lab: Lab) -> None:
    paths = {
        "p": {"source_dir": "/d", "protection_policy": "hourly"},
        "q": {"source_dir": "/d", "protection_policy": "daily"},
        "r": {"source_dir": "/d", "protection_policy": "far", "remote_tenant": "b", "target_exported_dir": "/of-iad"},
    }
    lab.write(document(paths))
    lab.converge()
    assert lab.plan().actions == ()
    (copy,) = lab.rows("pdx", "protected_path")
    owners = {row["id"]: row["name"] for row in lab.rows("pdx", "tenant")}
    assert (copy["role"], copy["target_exported_dir"], owners[copy["tenant_id"]]) == ("DESTINATION", "/of-iad", "b")


def test_it_stands_inside_a_tenant_and_goes_to_the_one_of_the_same_name(lab: Lab) -> None:
    inside = {"protected_paths": {"p": {"sites": ["iad"], "source_dir": "/d", "protection_policy": "far"}}}
    lab.write({**BASE, "tenants": {**BASE["tenants"], "a": {**BASE["tenants"]["a"], **inside}}})
    values = composed(lab, "p")
    assert str(values["remote_tenant"].target) == "pdx/tenant/a"
    assert (values["target_exported_dir"], str(values["tenant"].target)) == ("/d", "iad/tenant/a")


def test_existing_is_what_is_there_or_the_entry_of_that_name(lab: Lab) -> None:
    for name, managed in (("b", True), ("elsewhere", False)):
        path = {"source_dir": "/d", "protection_policy": "far", "remote_tenant": {"existing": name}}
        lab.write(document({"p": path}))
        ref = composed(lab, "p")["remote_tenant"]
        assert (str(ref.target), ref.managed) == (f"pdx/tenant/{name}", managed)


def test_a_peer_of_no_site_wants_the_guid(lab: Lab) -> None:
    path = {"source_dir": "/d", "protection_policy": "abroad"}
    lab.write(document({"p": path}, abroad=ABROAD))
    assert "and the tenant there is not known" in refused(lab)
    lab.write(document({"p": {**path, "remote_tenant": "a"}}, abroad=ABROAD))
    assert "write remote_tenant_guid" in refused(lab)
    lab.write(document({"p": {**path, "remote_tenant": "a", "remote_tenant_guid": GUID}}, abroad=ABROAD))
    assert "give either remote_tenant or remote_tenant_guid" in refused(lab)
    view = {"d": {"sites": ["iad"], "path": "/d", "snapshots": "abroad"}}
    lab.write({**document({}, abroad=ABROAD), "tenants": {"a": {"view_policy": {}, "views": view}}})
    assert "write it in protected_paths, with remote_tenant_guid" in refused(lab, "d")


@pytest.mark.slow
def test_by_its_guid_it_is_made_kept_and_adopted(lab: Lab) -> None:
    lab.write(document({}))
    lab.converge()
    guid = next(row["guid"] for row in lab.rows("pdx", "tenant") if row["name"] == "b")
    path = {"source_dir": "/d", "protection_policy": "abroad", "remote_tenant_guid": guid}
    lab.write(document({"p": path}, abroad=ABROAD))
    lab.converge()
    assert lab.plan().actions == ()
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    plan = lab.plan()
    adopted = next(action for action in plan.actions if str(action.address) == "iad/protected_path/p")
    assert (adopted.verb, adopted.changes) == (Verb.ADOPT, ())


@pytest.mark.parametrize("written", ["iad-pdx", {"existing": "iad-pdx"}])
def test_one_with_a_peer_is_created_in_the_same_apply_as_its_link(lab: Lab, written: Any) -> None:
    path = {
        "source_dir": "/d",
        "peer": written,
        "capabilities": "STARED_GLOBAL_NAMESPACE",
        "target_exported_dir": "/of-iad",
    }
    lab.write(document({"p": {**path, "remote_tenant": "b"}}))
    plan = lab.plan()
    assert {action.verb for action in plan.actions} == {Verb.CREATE} and not any(one.blocked for one in plan.actions)
    lab.converge()
    assert lab.plan().actions == ()
    (copy,) = lab.rows("pdx", "protected_path")
    assert copy["target_exported_dir"] == "/of-iad"
    lab.write(document({"p": {**path, "peer": "iad-pxd", "remote_tenant": "b"}}))
    assert "no replication_peer iad-pxd (did you mean iad-pdx?)" in refused(lab)


def test_two_that_are_the_same_are_refused(lab: Lab) -> None:
    snapshots = {"d": {"sites": ["iad"], "path": "/d", "snapshots": "hourly"}}
    tenants = {"tenants": {**BASE["tenants"], "a": {"view_policy": {}, "views": snapshots}}}
    path = {"source_dir": "/d", "protection_policy": "hourly"}
    lab.write({**document({"p": {**path, "name": "d"}}), **tenants})
    assert "VP230" in refused(lab)
    lab.write({**document({"d": {**path, "enabled": True}}), **tenants})
    assert "VP233" in refused(lab, "d")


def test_each_comes_after_the_view_that_makes_its_directory_and_the_copy_does_not_go_round(lab: Lab) -> None:
    """Both sites replicate the directory to the other: neither waits for what the other makes."""
    base = document({"p": {"source_dir": "/d", "protection_policy": "far"}})
    back = {**BASE["snapshot_schedules"]["far"], "sites": ["pdx"]}
    view = {"view_policy": {}, "views": {"d": {"path": "/d"}}}
    lab.write(
        {
            **base,
            "snapshot_schedules": {**BASE["snapshot_schedules"], "back": back},
            "tenants": {"a": view},
            "protected_paths": {
                **base["protected_paths"],
                "q": {"sites": ["pdx"], "tenant": "a", "source_dir": "/d", "protection_policy": "back"},
            },
        }
    )
    after = {
        str(entry.address): [str(one) for one in entry.after if one.kind in ("view", "protected_path")]
        for entry in lab.workspace().entries()[0]
        if entry.address.kind in ("view", "protected_path")
    }
    assert after == {
        "iad/view/d": [],
        "pdx/view/d": [],
        "iad/protected_path/p": ["iad/view/d"],
        "pdx/protected_path/q": ["pdx/view/d"],
    }


FAR = {"source_dir": "/d", "protection_policy": "far", "remote_tenant": "b", "target_exported_dir": "/of-iad"}
P = "iad/protected_path/p"


def blocks(plan: Plan) -> dict[str, str]:
    """What stops the path, by guard."""
    return {
        block.guard: block.message for action in plan.actions if str(action.address) == P for block in action.blocked
    }


def lead(lab: Lab, site: str) -> None:
    """Somebody makes a site the source, as planned, and it is done."""
    (row,) = lab.rows(site, "protected_path")
    lab.by_hand(site, "vast", "PATCH", f"/api/v5/protectedpaths/{row['id']}/", {"failover": True, "graceful": True})
    lab.world.pass_time(60)
    (row,) = lab.rows(site, "protected_path")
    assert row["role"] == "SOURCE"


def test_a_path_whose_role_has_moved_stays_ours_and_is_neither_made_anew_nor_written(lab: Lab) -> None:
    lab.write(document({"p": FAR}))
    lab.converge()
    lab.world.pass_time(60)
    lead(lab, "pdx")
    lab.clear_calls()
    plan = lab.plan()
    assert plan.actions == ()
    assert [one.address for one in plan.findings if one.code == "VP345"] == [P]
    lab.write(document({"p": {**FAR, "enabled": False}}))
    assert set(blocks(lab.plan())) == {"copy"}
    lab.write(document({}))
    plan = lab.plan(lab.consent_to_loss(P))
    assert set(blocks(plan)) == {"copy"}
    lab.apply(plan)
    assert [call.method for call in lab.calls() if "protectedpaths" in call.path] == []
    lead(lab, "iad")
    lab.write(document({"p": {**FAR, "enabled": False}}))
    lab.converge()
    plan = lab.plan()
    assert plan.actions == () and "VP345" not in {one.code for one in plan.findings}


def test_where_the_ledger_was_lost_too_the_copy_is_taken_over_as_it_is(lab: Lab) -> None:
    lab.write(document({"p": FAR}))
    lab.converge()
    lab.world.pass_time(60)
    lead(lab, "pdx")
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    (adopted,) = [action for action in lab.plan().actions if str(action.address) == P]
    assert (adopted.verb, adopted.changes, adopted.blocked) == (Verb.ADOPT, (), ())


def test_a_view_where_the_copy_would_go_is_in_the_way(lab: Lab) -> None:
    """VMS says so in the middle of an apply; a plan says it before."""
    there = {"a": BASE["tenants"]["a"], "b": {"sites": ["pdx"], "view_policy": {}}}
    there["b"]["views"] = {"w": {"path": "/of-iad/w", "create_dir": True}}
    lab.write({**document({}), "tenants": there})
    lab.converge()
    lab.write({**document({"p": FAR}), "tenants": there})
    plan = lab.plan()
    assert blocks(plan) == {
        "in-the-way": "/of-iad already exists: view /of-iad/w of pdx is in it, and the system needs a new directory"
    }
    lab.write({**document({"p": {**FAR, "target_exported_dir": "/of-iad-2"}}), "tenants": there})
    lab.converge()


def test_a_path_leaves_its_copy_behind_where_none_can_be_made_again(lab: Lab) -> None:
    lab.write(document({"p": FAR}))
    lab.converge()
    lab.write(document({"p": {**FAR, "capabilities": "REPLICATION_AND_GN"}}))
    consent = lab.consent_to_loss(P)
    said = "/of-iad already exists: it is the copy of protected_path p, and stays when that is deleted"
    assert blocks(lab.plan(consent)) == {"in-the-way": said}
    lab.write(document({}))
    plan = lab.converge(consent)
    assert [(one.name, one.value) for one in plan.actions[0].evidence if one.name == "leaves behind"] == [
        ("leaves behind", "/of-iad of pdx/tenant/b")
    ]
    lab.write(document({"p": FAR}))
    receipt = lab.apply(lab.plan())
    assert "path on peer exists" in next(one.message for one in receipt.outcomes if str(one.address) == P)
