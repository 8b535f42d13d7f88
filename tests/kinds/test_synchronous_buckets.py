"""A bucket that two sites share synchronously: made on both by one entry, changed, let go, and what is refused of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.test_shared_views import TENANT, of_it, verbs
from tests.kinds.test_shared_views import document as shared
from tests.kinds.test_two_sites import BASE, blocks, lead, refused, roles
from tests.kinds.test_two_sites import document as volume
from tests.kinds.two_sites import BOTH, on_two_sites, stands
from tests.lab import Lab
from vastplan.app.move import plan_move
from vastplan.app.restore import plan_restore
from vastplan.engine.live.consent import Consent
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import FORK, KEEP, MODES, PLANNED, REJOIN
from vastplan.model.plan import Verb
from vastplan.model.replication import ReplicationState
from vastplan.model.restore_plan import IN_PLACE
from vastplan.operations.wanted import WantedMove
from vastplan.operations.wanted import WantedRestore as Restore

PATH = "iad/protected_path/v"
WAIT = {"disconnect_after": "30s"}


def document(**changes: Any) -> dict[str, Any]:
    """The bucket, replicated synchronously; what is `None` is left out."""
    return shared("buckets", **{"replicate": None, "synchronous_replication": WAIT, **changes})


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with on_two_sites(tmp_path) as one:
        yield one


def made(lab: Lab) -> None:
    """It stands on both sites, in step."""
    stands(lab, document())


def row(lab: Lab, site: str = "iad") -> dict[str, Any]:
    (found,) = lab.rows(site, "protected_path")
    return dict(found)


def patched(lab: Lab, **body: Any) -> None:
    """Somebody changes the path at its source by hand."""
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/protectedpaths/{row(lab)['id']}/", body)


def tenant(lab: Lab, site: str) -> int:
    return next(int(one["id"]) for one in lab.rows(site, "tenant") if one["name"] == "a")


def told(lab: Lab) -> tuple[ReplicationState, str]:
    (one,) = lab.plan().replications
    assert one.at_once and (one.as_of, one.coming) == ("", None)
    return one.state, one.text


def test_one_entry_makes_it_on_both_without_a_schedule(lab: Lab) -> None:
    lab.write(document())
    both = {
        "view/v",
        "quota/v",
        "qos_policy/v",
        "s3_policy/v-read",
        "s3_lifecycle_rule/v/scratch",
        "persistent_volume/a-v",
        "persistent_volume_claim/v",
    }
    active = {PATH, "iad/data_source/v", *(f"{site}/protection_policy/protected" for site in BOTH)}
    assert of_it(lab) == {f"{site}/{one}" for site in BOTH for one in both} | active
    (path,) = [one for one in lab.workspace().entries()[0] if str(one.address) == PATH]
    assert "iad/view/v" in [str(one) for one in path.after]
    assert {name: str(path.values[name]) for name in ("capabilities", "sync_disconnect_time", "peer")} == {
        "capabilities": "SYNC_REPLICATION", "sync_disconnect_time": "30", "peer": "iad-pdx",
    }  # fmt: skip
    assert "protection_policy" not in path.values


def test_it_is_made_after_its_bucket_and_each_write_is_on_both(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    posts = [call.path.split("/")[-2] for call in lab.calls() if call.method == "POST"]
    order = [one for one in posts if one in ("views", "protectedpaths")]
    assert (
        order.index("protectedpaths") == 1 and order.count("views") == 2
    )  # its bucket, the path, the bucket over there
    lab.world.pass_time(90)
    assert (lab.plan().actions, roles(lab)) == ((), ["SOURCE", "DESTINATION"])
    assert {name: row(lab)[name] for name in ("capabilities", "sync_disconnect_time", "protection_policy_id")} == {
        "capabilities": "SYNC_REPLICATION", "sync_disconnect_time": 30, "protection_policy_id": None,
    }  # fmt: skip
    lab.world.vast("iad").write("/a/v", 10, "one", tenant_id=tenant(lab, "iad"))
    assert lab.world.vast("pdx").labels("/a/v", tenant_id=tenant(lab, "pdx")) == ["one"]
    assert told(lab) == (ReplicationState.IN_ORDER, "each write is on both sites before it is answered")
    assert not {one.code for one in lab.plan().findings} & {"VP345", "VP346", "VP347", "VP348", "VP351", "REP-17"}


@pytest.mark.slow
def test_where_it_is_read_nothing_is_mounted_to_write(lab: Lab) -> None:
    lab.write(document(access={"pdx": "read"}))
    lab.converge()
    sources = [row["spec"].get("readOnly", False) for site in BOTH for row in lab.rows(site, "data_source")]
    assert sources == [False, True] and lab.plan().actions == ()


@pytest.mark.slow
def test_a_month_of_edits(lab: Lab) -> None:
    made(lab)
    guid = row(lab)["guid"]
    lab.write(document(synchronous_replication={"disconnect_after": "2m"}))
    assert verbs(lab.plan()) == {PATH: Verb.UPDATE}
    lab.converge()
    assert [row(lab, site)["sync_disconnect_time"] for site in BOTH] == [120, 120]
    for site in BOTH:  # drift by hand, on either side
        (quota,) = lab.rows(site, "quota")
        lab.by_hand(site, "vast", "PATCH", f"/api/v5/quotas/{quota['id']}/", {"hard_limit": 7 << 40})
        assert verbs(lab.plan()) == {f"{site}/quota/v": Verb.UPDATE}
        lab.converge()
    patched(lab, sync_disconnect_time=5)
    assert verbs(lab.plan()) == {PATH: Verb.UPDATE}
    lab.converge()
    assert row(lab)["sync_disconnect_time"] == 120
    lab.write(
        {
            **document(synchronous_replication={"disconnect_after": "2m"}),
            "replication_peers": {},
            "snapshot_schedules": {},
        }
    )
    assert "no replication peer links iad and pdx" in refused(
        lab, {**document(), "replication_peers": {}, "snapshot_schedules": {}}
    )
    lab.write(document(synchronous_replication={"disconnect_after": "2m"}))
    assert lab.plan().actions == () and row(lab)["guid"] == guid


def test_another_kind_of_replication_is_refused_and_nothing_of_it_is_done(lab: Lab) -> None:
    made(lab)
    for other in ({"replicate": "protected"}, {"global_access": {"lease": "5m", "at": ["pdx"]}}):
        lab.write(document(synchronous_replication=None, **other))
        plan = lab.plan(lab.consent_to_loss(PATH))
        (finding,) = [one for one in plan.findings if one.code == "VP350"]
        assert (finding.address, finding.severity.value) == (PATH, "error")
        assert "capabilities cannot be changed afterwards" in finding.message
        assert finding.fix.startswith("leave it as it was; or change it in three steps: remove the replication")
        assert PATH not in verbs(plan)


@pytest.mark.slow
def test_an_asynchronous_one_does_not_become_synchronous_either(lab: Lab) -> None:
    lab.write(shared("buckets"))
    lab.converge()
    lab.write(document())
    (finding,) = [one for one in lab.plan(lab.consent_to_loss(PATH)).findings if one.code == "VP350"]
    assert finding.address == PATH


@pytest.mark.slow
def test_it_is_let_go_and_deleted_under_guards(lab: Lab) -> None:
    made(lab)
    lab.write(document(read=[]))
    lab.converge()
    lab.write(shared("buckets", replicate=None, active=None, read=[]))  # two buckets that share nothing any more
    assert blocks(lab.plan())[PATH] >= {"approval"}
    lab.converge(lab.consent_to_loss(PATH))
    assert [lab.rows(site, "protected_path") for site in BOTH] == [[], []]
    assert lab.plan().actions == ()
    lab.write({**BASE, "local_providers": {"people": {}}, "tenants": {"a": TENANT}})
    held = blocks(lab.plan(Consent(max_count=100)))  # they are empty: consent by address is enough
    assert held["iad/view/v"] == held["pdx/view/v"] == {"approval"}


@pytest.mark.slow
def test_what_somebody_made_so_is_taken_over(lab: Lab) -> None:
    made(lab)
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    plan = lab.converge()
    found = verbs(plan)
    assert found[PATH] is Verb.ADOPT and "pdx/protected_path/v" not in found
    assert not [action for action in plan.actions if action.changes]
    assert lab.calls() == [] and lab.plan().actions == ()


def deleted(lab: Lab) -> None:
    """Somebody deletes the path in VMS; both buckets stay."""
    lab.by_hand("iad", "vast", "DELETE", f"/api/v5/protectedpaths/{row(lab)['id']}/")
    while lab.rows("iad", "protected_path"):
        lab.world.pass_time(10)


def test_one_that_was_deleted_in_vms_is_not_made_again_onto_the_other_bucket(lab: Lab) -> None:
    stands(lab, document(read=[], mount=None, secret=None))
    deleted(lab)
    lab.clear_calls()
    plan = lab.plan()
    (finding,) = [one for one in plan.findings if one.code == "VP348"]
    assert (finding.address, blocks(plan)) == (PATH, {PATH: {"in-the-way"}})
    (held,) = [one for one in plan.actions if one.blocked]
    assert held.blocked[0].fix in finding.fix and "target_exported_dir" not in finding.fix
    assert "no apply recreates it while its directory exists: remove active and the field that shares it" in finding.fix
    lab.apply(plan)
    assert lab.calls() == []
    lab.write(shared("buckets", replicate=None, active=None, read=[], mount=None, secret=None))
    plan = lab.plan()
    assert verbs(plan) in ({}, {PATH: Verb.RELEASE}) and "VP348" not in {one.code for one in plan.findings}


@pytest.mark.slow
def test_one_that_was_deleted_in_vms_is_shared_again_as_the_advice_says(lab: Lab) -> None:
    bare: dict[str, Any] = {"read": [], "mount": None, "secret": None}
    stands(lab, document(**bare))
    deleted(lab)
    lab.write(document(sites=["iad"], synchronous_replication=None, active=None, **bare))
    lab.converge(lab.consent_to_loss(*(f"pdx/{one}/v" for one in ("view", "quota"))))
    gone = {"path": "/a/v", "tenant_id": tenant(lab, "pdx")}
    lab.write(document(**bare))
    (failed,) = [one for one in lab.apply(lab.plan()).outcomes if one.address == PATH]
    assert "path on peer exists: VAST replicates only to a directory that does not exist yet" in failed.message
    assert "have it removed on the other site and apply again" in failed.message
    lab.by_hand("pdx", "vast", "DELETE", "/api/v5/folders/delete_folder/", gone)
    lab.converge()
    lab.world.pass_time(90)
    assert lab.plan().actions == ()
    lab.world.pass_time(90)
    assert told(lab)[0] is ReplicationState.IN_ORDER and roles(lab) == ["SOURCE", "DESTINATION"]


@pytest.mark.parametrize("way", ["another path there", "the other site as active"])
def test_onto_a_directory_that_is_there_each_way_that_is_advised_leads_on(lab: Lab, way: str) -> None:
    bare: dict[str, Any] = {"read": [], "mount": None, "secret": None}
    lab.write({**document(**bare), "tenants": {"a": {**TENANT, "buckets": {}}}})
    lab.converge()
    lab.by_hand(
        "pdx", "vast", "POST", "/api/v5/folders/create_folder/", {"path": "/a/v", "tenant_id": tenant(lab, "pdx")}
    )
    lab.write(document(**bare))
    refusals = {one.address: one.message for one in lab.apply(lab.plan()).outcomes}
    assert "if both are needed, give the other site another path (per_site: {SITE: {path: PATH}}" in refusals[PATH]
    if way == "another path there":
        lab.write(document(per_site={"pdx": {"path": "/a/w"}}, **bare))
        lab.converge()
        assert row(lab)["target_exported_dir"] == "/a/w"
    else:
        lab.write(document(active="pdx", **bare))
        (held,) = [one for one in lab.plan().actions if one.blocked and one.address.kind == "protected_path"]
        assert str(held.address) == "pdx/protected_path/v" and held.blocked[0].guard == "in-the-way"


def test_a_link_that_is_cut_is_told_as_what_it_is(lab: Lab) -> None:
    made(lab)
    lab.world.link("iad", "pdx", up=False)
    lab.world.pass_time(60)
    for up in (False, True):  # when the link is back it stays as it is
        lab.world.link("iad", "pdx", up=up)
        lab.world.pass_time(60)
        state, text = told(lab)
        assert state is ReplicationState.STOPPED and text == (
            "its two sites are disconnected: iad alone may write (SOURCE, Degraded); pdx gives no access to its data (DESTINATION, Blocked)"
        )
        plan = lab.plan()
        (finding,) = [one for one in plan.findings if one.code == "VP352"]
        assert plan.actions == () and (finding.address, finding.message) == (PATH, text)
        assert "restore the primary role in the system itself, at iad" in finding.fix
    (stream,) = row(lab)["replication_streams"]
    lab.by_hand(
        "iad",
        "vast",
        "PATCH",
        f"/api/v5/protectedpaths/{row(lab)['id']}/reattach_stream/",
        {"stream_id": str(stream["id"])},
    )
    lab.world.pass_time(60)
    assert told(lab)[0] is ReplicationState.IN_ORDER and "VP352" not in {one.code for one in lab.plan().findings}


@pytest.mark.parametrize("apart", ["Active", "Sync Failed"])
def test_whatever_the_source_says_of_itself_the_two_are_told_as_parted(lab: Lab, apart: Any) -> None:
    cluster = lab.world.vast("iad")._cluster
    cluster.assumed = replace(cluster.assumed, synchronous_source_apart=apart)
    made(lab)
    lab.world.link("iad", "pdx", up=False)
    lab.world.pass_time(60)
    assert f"iad alone may write (SOURCE, {apart}); pdx gives no access" in told(lab)[1]


def test_a_site_that_does_not_answer_is_no_loss_of_what_was_written(lab: Lab) -> None:
    made(lab)
    lab.world.sites["iad"].servers["vast"].stop()
    state, text = told(lab)
    assert state is ReplicationState.UNKNOWN
    assert text.endswith(
        "pdx has every write up to the disconnection, and gives no access to its data while disconnected"
    )


def test_a_turnover_by_hand_is_told_and_the_edit_takes_over_what_is_there(lab: Lab) -> None:
    made(lab)
    lead(lab, "pdx")
    lab.world.pass_time(60)
    assert roles(lab) == ["DESTINATION", "SOURCE"]
    plan = lab.plan()
    (finding,) = [one for one in plan.findings if one.code == "VP345"]
    assert plan.actions == ()
    assert finding.fix == (
        "write active: pdx; or correct the roles in the system itself: vastplan changes no role of what is replicated synchronously"
    )
    lab.write(document(active="pdx"))
    lab.converge(lab.consent_to_loss("iad/data_source/v"))
    assert lab.plan().actions == () and roles(lab) == ["DESTINATION", "SOURCE"]


@pytest.mark.parametrize("mode", MODES)
def test_no_move_of_it_is_planned_and_nothing_is_called(lab: Lab, mode: str) -> None:
    made(lab)
    wanted = WantedMove(Address("iad", "bucket", "v"), "pdx", mode, fork="b" if mode == FORK else "")
    with pytest.raises(
        VastplanError, match="iad/protected_path/v is replicated synchronously, so vastplan does not move it"
    ):
        plan_move(lab.workspace(), wanted)
    assert lab.all_calls() == []


def test_no_move_of_all_takes_it_along(lab: Lab) -> None:
    made(lab)
    for kind in ("project", "tenant"):
        with pytest.raises(VastplanError, match="cannot be moved to pdx: iad/bucket/v is replicated synchronously"):
            plan_move(lab.workspace(), WantedMove(Address("iad", kind, "a"), "pdx", PLANNED))
    assert {REJOIN, KEEP} < set(MODES)


def test_it_is_not_restored_in_place(lab: Lab) -> None:
    made(lab)
    wanted = Restore(Address("iad", "bucket", "v"), "any", IN_PLACE)
    with pytest.raises(
        VastplanError,
        match="iad/protected_path/v is replicated synchronously, and the vendor's documents do not say what a restore in place does to the other",
    ):
        plan_restore(lab.workspace(), wanted)
    assert lab.calls() == []


def test_what_is_wrong_with_it(lab: Lab) -> None:
    alone = "synchronous_replication is for S3 buckets only: write an entry of buckets"
    word = "synchronous_replication: {disconnect_after: TIME}"
    cases = {
        alone: volume(replicate=None, synchronous_replication=WAIT),
        "give only one of replicate and synchronous_replication": document(replicate="protected"),
        "synchronous_replication needs active": document(active=None),
        "give either snapshots or synchronous_replication": document(snapshots="protected"),
        "it is on iad, and synchronous replication needs two sites": document(sites=["iad"]),
        "active is fra": document(active="fra"),
        "synchronous_replication.disconnect_after": document(synchronous_replication={}),
        word: shared("buckets", replicate={"mode": "sync"}),
        "active needs replicate or global_access or synchronous_replication": document(synchronous_replication=None),
    }
    for text, sections in cases.items():
        assert text in refused(lab, sections), text
    assert alone in refused(lab, shared("views", replicate=None, synchronous_replication=WAIT))
    assert word in refused(lab, shared("views", replicate={"synchronous": WAIT}))


def test_a_path_by_itself_is_of_a_bucket_too(lab: Lab) -> None:
    path = {
        "sites": ["iad"], "tenant": "a", "source_dir": "/a/d", "peer": {"existing": "iad-pdx"}, "capabilities": "SYNC_REPLICATION",
        "sync_disconnect_time": "30s",
    }  # fmt: skip
    sections = {
        **document(),
        "protected_paths": {"p": path},
        "views": {"d": {"sites": ["iad"], "tenant": "a", "path": "/a/d"}},
    }
    assert "synchronous replication is for S3 buckets only, and view d is not a bucket" in refused(lab, sections)


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ({"capabilities": "SYNC_REPLICATION", "sync_disconnect_time": "30s"}, "synchronous_replication"),
        ({"capabilities": "STARED_GLOBAL_NAMESPACE"}, "global_access"),
    ],
)
def test_a_path_by_itself_that_goes_by_a_peer_says_which(lab: Lab, how: dict[str, Any], word: str) -> None:
    path = {"sites": ["iad"], "tenant": "a", "source_dir": "/a/d", **how}
    said = refused(lab, {**document(), "protected_paths": {"p": path}})
    assert f"{how['capabilities']} needs a peer, which VMS does not show: write {word} and active" in said
    assert "give either protection_policy, or peer" in refused(
        lab, {**document(), "protected_paths": {"p": {name: path[name] for name in ("sites", "tenant", "source_dir")}}}
    )
