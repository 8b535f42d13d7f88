"""One volume on two sites: made on both by one entry, and kept through a change of roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.two_sites import BOTH, PEERED, on_two_sites, stands
from tests.lab import EVERYTHING, Lab
from vastplan.engine.live.consent import Consent
from vastplan.model.address import Address
from vastplan.model.errors import Invalid
from vastplan.model.outcome import State
from vastplan.model.plan import Plan, Verb

SOURCE_OF_IAD = "iad/data_source/v"
BASE: dict[str, Any] = {
    **PEERED,
    "snapshot_schedules": {
        "protected": {"replicate_to": "iad-pdx", "frames": [{"every": "15m", "keep_local": "1d", "keep_remote": "7d"}]},
    },
    "namespaces": {"vast-csi": {}},
    "secrets": {
        "vast-mgmt": {"namespace": "vast-csi", "data": {"endpoint": "x", "username": "u", "password": {"file": "pw"}}}
    },
    "departments": {"research": {"gpus": {"default": 16}}},
    "tenants": {
        "a": {
            "vip_pool": {
                "subnet_cidr": 24,
                "per_site": {"iad": {"ip_ranges": ["10.20.1.10"]}, "pdx": {"ip_ranges": ["10.30.1.10"]}},
            },
            "view_policy": {"flavor": "NFS"},
            "project": {"department": "research", "gpus": {"default": 8}},
        }
    },
}
VOLUME: dict[str, Any] = {
    "tenant": "a", "sites": ["iad", "pdx"], "active": "iad", "path": "/a/v", "size": "10 TiB", "mount": "/v",
    "replicate": "protected", "secret": "vast-mgmt", "qos": {"static_limits": {"max_reads_bw_mbps": 1000}},
}  # fmt: skip


def document(**changes: Any) -> dict[str, Any]:
    """The base with the volume, changed; what is `None` is left out."""
    volume = {name: value for name, value in {**VOLUME, **changes}.items() if value is not None}
    return {**BASE, "volumes": {"v": volume}}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with on_two_sites(tmp_path) as one:
        yield one


def of_volume(lab: Lab) -> set[str]:
    """The addresses of what the document makes of the volume and of its schedule."""
    kinds = ("volume", "protection_policy")
    return {
        str(entry.address)
        for entry in lab.workspace().entries()[0]
        if "/volume/" in entry.origin or entry.address.kind in kinds
    }


def refused(lab: Lab, sections: dict[str, Any]) -> str:
    lab.write(sections)
    with pytest.raises(Invalid) as raised:
        lab.workspace().entries()
    return str(raised.value)


def blocks(plan: Plan) -> dict[str, set[str]]:
    """What is blocked, each with by which guards."""
    return {str(action.address): {one.guard for one in action.blocked} for action in plan.actions if action.blocked}


def roles(lab: Lab) -> list[str]:
    return [row["role"] for site in BOTH for row in lab.rows(site, "protected_path")]


def lead(lab: Lab, site: str, **how: Any) -> None:
    """Somebody makes a site the source by hand."""
    (row,) = lab.rows(site, "protected_path")
    body = {"failover": True, "graceful": True, **how}
    lab.by_hand(site, "vast", "PATCH", f"/api/v5/protectedpaths/{row['id']}/", body)


def made(lab: Lab) -> None:
    """The volume stands on both sites, its first copy complete, and the system has its policy on both."""
    stands(lab, document())


def test_one_entry_makes_everything_on_both(lab: Lab) -> None:
    made(lab)
    both = {"view/v", "quota/v", "qos_policy/v", "persistent_volume/a-v", "persistent_volume_claim/v"}
    active = {"protected_path/v", "data_source/v", "protection_policy/protected"}
    assert of_volume(lab) == {f"{site}/{one}" for site in BOTH for one in both} | {f"iad/{one}" for one in active}
    assert roles(lab) == ["SOURCE", "DESTINATION"]
    assert [lab.rows(site, "persistent_volume")[0]["spec"]["csi"]["volumeHandle"] for site in BOTH] == ["/a/v"] * 2
    assert [len(lab.rows(site, "data_source")) for site in BOTH] == [1, 0]


def test_what_is_wrong_with_it_is_said_once(lab: Lab) -> None:
    cases = {
        "active is fra": document(active="fra"),
        "its sites do not agree": document(per_site={"pdx": {"active": "pdx"}}),
        "replicates between iad and pdx, and it is on iad": document(sites=["iad"]),
        "give either snapshots or replicate": document(snapshots="protected"),
        "replicate needs active": document(active=None),
        "active needs replicate or global_access": document(replicate=None),
    }
    for text, sections in cases.items():
        assert text in refused(lab, sections), text
    local = {"local": {"frames": [{"every": "15m", "keep_local": "1d"}]}}
    schedules = {**BASE["snapshot_schedules"], **local}
    said = refused(lab, {**document(replicate="local"), "snapshot_schedules": schedules})
    assert said.count("VP291") == 1 and "local does not replicate to a site" in said


def test_a_move_by_hand_is_told_and_the_edit_takes_over_what_is_there(lab: Lab) -> None:
    made(lab)
    before = {site: lab.rows(site, "protected_path")[0]["guid"] for site in BOTH}
    lead(lab, "pdx")
    lab.clear_calls()
    busy = lab.plan()
    assert busy.actions == ()
    assert {(one.site, one.kind) for one in busy.unknown} == {("iad", "protected_path")}
    assert "GRACEFULLY_BECOMING" in next(iter(busy.unknown)).reason
    lab.world.pass_time(60)
    assert roles(lab) == ["DESTINATION", "SOURCE"]
    plan = lab.plan()
    (finding,) = [one for one in plan.findings if one.code == "VP345"]
    assert (plan.actions, plan.unknown) == ((), ())
    assert finding.message.startswith("moved: its source is on pdx now (SOURCE, Active)")
    lines = (lab.folder / "lab.yaml").read_text().splitlines()
    assert finding.where is not None and lines[finding.where.line - 1].strip() == "v:"
    assert finding.fix == "write active: pdx, or vastplan move plan PATH iad/protected_path/v --to iad"
    lab.write(document(active="pdx"))
    consent = lab.consent_to_loss(SOURCE_OF_IAD)
    plan = lab.plan(consent)
    assert {str(action.address): action.verb for action in plan.actions} == {
        "pdx/protected_path/v": Verb.ADOPT,
        "pdx/protection_policy/protected": Verb.ADOPT,
        "pdx/data_source/v": Verb.CREATE,
        "iad/data_source/v": Verb.DELETE,
        "iad/protected_path/v": Verb.RELEASE,
        "iad/protection_policy/protected": Verb.RELEASE,
    }
    assert blocks(plan) == {}
    lab.converge(consent)
    assert not [call for call in lab.calls() if "protect" in call.path]
    after = lab.plan()
    assert (after.actions, after.unknown) == ((), ())
    assert before == {site: lab.rows(site, "protected_path")[0]["guid"] for site in BOTH}
    assert roles(lab) == ["DESTINATION", "SOURCE"]


def test_nobody_has_to_ask_for_what_is_one_with_ours(lab: Lab) -> None:
    made(lab)
    lead(lab, "pdx")
    lab.world.pass_time(60)
    lab.write(document(active="pdx"))
    assert blocks(lab.plan(Consent())) == {SOURCE_OF_IAD: {"approval"}}
    allowed = Consent(allow_delete=(SOURCE_OF_IAD,))  # its claim stays: no approval in a file is needed
    assert blocks(lab.plan(allowed)) == {}
    lab.converge(allowed)


def test_the_other_site_does_not_have_to_answer(lab: Lab) -> None:
    made(lab)
    lead(lab, "pdx")
    lab.world.pass_time(60)
    lab.world.sites["iad"].servers["vast"].stop()
    lab.write(document(active="pdx"))
    plan = lab.plan()
    verbs = {str(action.address): action.verb for action in plan.actions}
    assert verbs["pdx/protected_path/v"] is Verb.ADOPT and verbs["pdx/protection_policy/protected"] is Verb.ADOPT
    assert verbs["pdx/data_source/v"] is Verb.CREATE and not [one for one in verbs if one.startswith("iad/protect")]
    receipt = lab.apply(plan)
    done = {str(one.address) for one in receipt.outcomes if one.state is State.DONE}
    assert {"pdx/protected_path/v", "pdx/protection_policy/protected", "pdx/data_source/v"} <= done


def test_an_edit_before_the_move_makes_and_removes_nothing(lab: Lab) -> None:
    made(lab)
    lab.write(document(active="pdx"))
    plan = lab.plan(lab.consent_to_loss(SOURCE_OF_IAD))
    held = blocks(plan)
    assert held["pdx/protected_path/v"] == {"copy"}
    assert held["pdx/data_source/v"] == {"waits"} and held["iad/data_source/v"] == {"together"}
    assert "iad/protected_path/v" not in {str(action.address) for action in plan.actions}
    lab.apply(plan)
    assert roles(lab) == ["SOURCE", "DESTINATION"]
    assert [len(lab.rows(site, "data_source")) for site in BOTH] == [1, 0]
    lab.write(document())
    lab.converge()
    assert lab.plan().actions == ()


def test_two_writers_stop_the_volume_on_both_sites(lab: Lab) -> None:
    made(lab)
    lead(lab, "pdx", graceful=False)
    lab.world.pass_time(60)
    assert roles(lab) == ["STANDALONE", "STANDALONE"]
    lab.clear_calls()
    plan = lab.plan()
    assert [one.address for one in plan.findings if one.code == "VP347"] == ["iad/protected_path/v"]
    lab.write(document(size="20 TiB"))
    assert blocks(lab.plan())["iad/quota/v"] == blocks(lab.plan())["pdx/quota/v"] == {"split"}


def test_after_an_unplanned_failover_nothing_is_written_to_the_site_that_was_detached(lab: Lab) -> None:
    made(lab)
    lead(lab, "pdx", graceful=False)
    lab.world.pass_time(60)
    (row,) = lab.rows("pdx", "protected_path")
    lab.by_hand("pdx", "vast", "PATCH", f"/api/v5/protectedpaths/{row['id']}/force_failover")
    lab.world.pass_time(60)
    assert roles(lab) == ["STANDALONE", "SOURCE"]
    plan = lab.plan()
    (finding,) = [one for one in plan.findings if one.code == "VP345"]
    assert "iad says STANDALONE" in finding.message and plan.actions == ()
    lab.write(document(active="pdx"))
    plan = lab.plan(lab.consent_to_loss(SOURCE_OF_IAD))
    assert blocks(plan)["iad/data_source/v"] == {"split"}
    lab.apply(plan)
    plan = lab.plan()
    assert [one.address for one in plan.findings if one.code == "VP346"] == ["pdx/protected_path/v"]
    assert roles(lab) == ["STANDALONE", "SOURCE"]
    lab.write(document(active="pdx", size="20 TiB"))
    held = blocks(lab.plan())
    assert held["iad/quota/v"] == {"split"} and "pdx/quota/v" not in held


def test_directories_that_differ_and_a_reader_on_the_other_site_go_there_and_back(lab: Lab) -> None:
    volume = {"per_site": {"pdx": {"path": "/a/w"}}, "access": {"pdx": "read"}}
    lab.write(document(**volume))
    lab.converge()
    lab.world.pass_time(90)
    assert lab.plan().actions == ()
    (path,) = lab.rows("iad", "protected_path")
    assert (path["source_dir"], path["target_exported_dir"]) == ("/a/v", "/a/w")
    assert [lab.rows(site, "persistent_volume")[0]["spec"]["accessModes"] for site in BOTH] == [
        ["ReadWriteMany"], ["ReadWriteMany"]
    ]  # fmt: skip
    assert [len(lab.rows(site, "data_source")) for site in BOTH] == [1, 1]
    bound = _uids(lab)
    lead(lab, "pdx")
    lab.world.pass_time(60)
    lab.write(document(**(volume | {"access": {"pdx": "read", "iad": "read"}}), active="pdx"))
    verbs = {str(action.address): action.verb for action in lab.plan().actions}
    assert verbs["pdx/protected_path/v"] is Verb.ADOPT and verbs["iad/protected_path/v"] is Verb.RELEASE
    assert "iad/data_source/v" not in verbs or verbs["iad/data_source/v"] is not Verb.DELETE
    plan = lab.plan()
    assert "adopt" not in blocks(plan).get("pdx/protected_path/v", set())
    assert not [one for one in verbs if "persistent_volume" in one or "data_source" in one]
    lab.apply(plan)
    assert _uids(lab) == bound and lab.plan().actions == ()
    lead(lab, "iad")
    lab.world.pass_time(60)
    lab.write(document(**volume))
    plan = lab.plan()
    verbs = {str(action.address): action.verb for action in plan.actions}
    assert verbs["iad/protected_path/v"] is Verb.ADOPT and verbs["pdx/protected_path/v"] is Verb.RELEASE
    assert not [one for one in verbs if "persistent_volume" in one or "data_source" in one]
    lab.apply(plan)
    assert _uids(lab) == bound and lab.plan().actions == ()


def _uids(lab: Lab) -> list[str]:
    """Of the volumes and claims of both sites: what is made anew has another."""
    kinds = ("persistent_volume", "persistent_volume_claim")
    return [row["metadata"]["uid"] for site in BOTH for kind in kinds for row in lab.rows(site, kind)]


def test_global_access_makes_it_readable_on_the_other_site(lab: Lab) -> None:
    volume = {"replicate": None, "global_access": {"lease": "5m", "at": ["pdx"]}, "access": {"pdx": "read"}}
    lab.write(document(**volume))
    lab.converge()
    lab.world.pass_time(60)
    assert lab.plan().actions == ()
    (path,) = lab.rows("iad", "protected_path")
    assert (path["capabilities"], path["lease_expiry_time"], path["protection_policy_id"]) == (
        "STARED_GLOBAL_NAMESPACE", 300, None,
    )  # fmt: skip
    assert roles(lab) == ["SOURCE", "DESTINATION"]
    assert lab.rows("pdx", "persistent_volume")[0]["spec"]["accessModes"] == ["ReadWriteMany"]
    assert [lab.rows(site, "data_source")[0]["spec"].get("readOnly", False) for site in BOTH] == [False, True]
    assert [len(lab.rows(site, "data_source")) for site in BOTH] == [1, 1]
    lab.write(document(**(volume | {"global_access": {"lease": "10m", "at": ["pdx"]}})))
    lab.converge()
    assert lab.rows("iad", "protected_path")[0]["lease_expiry_time"] == 600


def test_what_is_wrong_with_global_access(lab: Lab) -> None:
    there = {"lease": "5m", "at": ["pdx"]}
    without = {**document(replicate=None, global_access=there), "replication_peers": {}, "snapshot_schedules": {}}
    cases = {
        "give only one of replicate and global_access": document(global_access=there),
        "global_access needs active": document(replicate=None, global_access=there, active=None),
        "global access is between the active site iad": document(
            replicate=None, global_access={"lease": "5m", "at": ["iad"]}
        ),
        "no replication peer links iad and pdx": without,
    }
    for text, sections in cases.items():
        assert text in refused(lab, sections), text


def test_a_volume_of_a_class_says_that_it_is_two(lab: Lab) -> None:
    classes = {"fast": {"driver": "file", "tenant": "a", "storage_path": "/a/k8s", "secret": "vast-mgmt"}}
    volume = {"tenant": "a", "sites": ["iad", "pdx"], "storage_class": "fast", "size": "1 TiB"}
    lab.write({**BASE, "storage_classes": classes, "volumes": {"v": volume}})
    notes = {str(action.address): action.notes for action in lab.plan().actions}
    for site in BOTH:
        assert (
            "on iad, pdx: a separate volume on each, empty at first; no data is shared"
            in (notes[f"{site}/persistent_volume_claim/v"])
        )


def test_a_schedule_stands_where_something_wants_it(lab: Lab) -> None:
    """Also on the other site, where a view of that one has its snapshots by it: the system's own is taken for it."""
    made(lab)
    view = {"w": {"tenant": "a", "sites": ["pdx"], "path": "/w", "snapshots": "protected"}}
    lab.write({**document(), "views": view})
    assert "pdx/protection_policy/protected" in of_volume(lab)
    actions = {str(action.address): action for action in lab.plan(replace(EVERYTHING, adopt=False)).actions}
    mirror = actions["pdx/protection_policy/protected"]
    assert (mirror.verb, mirror.changes, mirror.blocked) == (Verb.ADOPT, (), ())


def test_a_copy_that_falls_behind_its_schedule_is_found(lab: Lab) -> None:
    made(lab)
    assert "REP-17" not in {one.code for one in lab.plan().findings}
    lab.world.link("iad", "pdx", up=False)
    lab.world.pass_time(3600)
    assert [one.address for one in lab.plan().findings if one.code == "REP-17"] == ["iad/protected_path/v"]


COPY: dict[str, Any] = {**VOLUME, "sites": ["pdx"], "path": "/a/copy", "mount": "/copy"}
for _name in ("active", "replicate", "qos"):
    del COPY[_name]


def with_copy(source: dict[str, Any], sites: tuple[str, ...] = BOTH, **changes: Any) -> dict[str, Any]:
    """The base with a volume of one site or both, and a clone of it on pdx."""
    volume = document(**({} if len(sites) > 1 else {"sites": list(sites), "active": None, "replicate": None}))
    return {**volume, "volumes": {**volume["volumes"], "copy": {**COPY, **changes, "source": source}}}


def snapshot(lab: Lab, name: str) -> None:
    tenant = next(row["id"] for row in lab.rows("iad", "tenant") if row["name"] == "a")
    body = {"name": name, "path": "/a/v", "tenant_id": tenant}
    made = lab.by_hand("iad", "vast", "POST", "/api/v5/snapshots/", body)
    while next(row for row in lab.rows("iad", "snapshot") if row["id"] == made["id"])["state"] != "SUCCEED":
        pass


@pytest.mark.parametrize(("said", "name"), [({}, "two"), ({"snapshot": "one"}, "one")])
def test_a_clone_of_another_site_comes_over_the_peer(lab: Lab, said: dict[str, Any], name: str) -> None:
    source = {"volume": "v", "site": "iad", **said}
    lab.write(document(sites=["iad"], active=None, replicate=None))
    lab.converge()
    for each in ("one", "two"):
        snapshot(lab, each)
    lab.write(with_copy(source, ("iad",)))
    lab.converge()
    assert lab.plan().actions == ()
    (stream,) = lab.rows("pdx", "clone")
    assert (stream["source_snapshot"], stream["source_cluster"], stream["loanee_root_path"]) == (
        name,
        "iad",
        "/a/copy/",
    )
    noted = lab.planned().matches.owned[Address.parse("pdx/clone/copy")].made_of
    number = next(row["id"] for row in lab.rows("iad", "snapshot") if row["name"] == name)
    assert noted == {"remote_snapshot_id": str(number), "snapshot_name": name}
    assert lab.rows("iad", "clone") == []


def test_a_clone_of_another_site_that_has_no_snapshot_is_not_made(lab: Lab) -> None:
    lab.write(document(sites=["iad"], active=None, replicate=None))
    lab.converge()
    lab.write(with_copy({"volume": "v", "site": "iad"}, ("iad",)))
    receipt = lab.apply(lab.plan())
    said = {one.address: one.message for one in receipt.outcomes}
    assert "/a/v/ has no snapshot on the other cluster" in said["pdx/clone/copy"]
    snapshot(lab, "one")
    lab.write(with_copy({"volume": "v", "site": "iad", "snapshot": "two"}, ("iad",)))
    receipt = lab.apply(lab.plan())
    said = {one.address: one.message for one in receipt.outcomes}
    assert "has no snapshot two on the other cluster: it may have expired" in said["pdx/clone/copy"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ({"volume": "v", "site": "lhr"}, "source: no site lhr"),
        ({"volume": "v"}, "source: no volume v on pdx"),
        ({"volume": "v", "site": "iad", "snapshot": {"before": "2026-01-01"}}, "and not when they were created"),
    ],
)
def test_what_is_no_source_on_another_site_is_refused(lab: Lab, source: dict[str, Any], why: str) -> None:
    assert why in refused(lab, with_copy(source, ("iad",)))


def test_without_a_peer_there_is_no_clone_of_another_site(lab: Lab) -> None:
    sections = with_copy({"volume": "v", "site": "iad"}, ("iad",))
    del sections["replication_peers"], sections["snapshot_schedules"]
    assert "no replication peer links iad and pdx" in refused(lab, sections)


def test_a_replica_is_cloned_at_home_from_what_came_over(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    lab.world.pass_time(7200)
    lab.write(with_copy({"volume": "v"}))
    lab.converge()
    assert lab.plan().actions == ()
    (stream,) = lab.rows("pdx", "clone")
    assert (stream["source_cluster"], stream["source_path"]) == ("pdx", "/a/v/")
