"""Clone streams and snapshots that expire: what VAST's CSI driver does with every volume that it deletes or clones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sim.conftest import SLOW, Vms
from vastplan.sim.store import Store

PAST, SOON = "2020-01-01T00:00:00Z", "2027-01-15T08:05:00Z"  # the tests' clock starts at 08:00 that day


@pytest.fixture
def source(vms: Vms) -> Any:
    """A snapshot of `/v`, which holds something; it is ready."""
    vms.view("/v")
    vms.plane.usage("/v", 1, 1000, 3)
    snapshot = vms.post("snapshots", name="snp", path="/v", tenant_id=1, expiration_time=SOON)
    while vms.get(f"/snapshots/{snapshot['id']}/")["state"] != "SUCCEED":
        pass
    return snapshot


def cloned(vms: Vms, **body: Any) -> Any:
    wanted = {"name": "strm", "loanee_root_path": "/copy", "loanee_tenant_id": 1, "enabled": True}
    answer = vms.call("POST", "/snapshots/1/clone/", wanted | body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def states(vms: Vms) -> tuple[str, str]:
    row = vms.get("/globalsnapstreams/1/")
    return row["state"], row["status"]["state"]


def test_a_stream_copies_and_is_deleted_with_its_directory(vms: Vms, source: Any) -> None:
    stream = cloned(vms)
    assert (stream["loanee_root_path"], stream["loanee_tenant"]["name"]) == ("/copy/", "default")
    assert stream["async_task"]["state"] == "RUNNING"
    assert [states(vms) for _ in range(2)] == [("Syncing", "Active"), ("Completed", "FINISHED")]
    assert vms.post("quotas", name="q", path="/copy")["used_effective_capacity"] == 1000
    for query in ({"loanee_root_path__startswith": "/copy"}, {"loanee_snapshot__id": 1}, {"name": "strm"}):
        assert [row["id"] for row in vms.get("/globalsnapstreams/", **query)] == [1]
    assert vms.get("/globalsnapstreams/", loanee_root_path__startswith="/other") == []
    body = {"remove_dir": True}
    for _ in range(2):
        answer = vms.call("DELETE", "/globalsnapstreams/1/", body)
        assert answer.status_code == 200 and answer.json()["async_task"]["name"] == "delete_globalsnapstream"
    vms.refused("DELETE", "/globalsnapstreams/1/", body, status=404)
    assert (
        vms.refused("POST", "/folders/stat_path/", {"path": "/copy", "tenant_id": 1})["detail"] == "no such directory"
    )
    assert vms.call("DELETE", "/quotas/1/").status_code == 204  # its directory is gone


def test_a_directory_outlives_its_stream_unless_it_is_to_go(vms: Vms, source: Any) -> None:
    cloned(vms)
    states(vms)
    assert vms.call("DELETE", "/globalsnapstreams/1/", {"remove_dir": False}).status_code == 200
    states(vms)
    vms.refused("GET", "/globalsnapstreams/1/", status=404)
    assert vms.call("POST", "/folders/stat_path/", {"path": "/copy", "tenant_id": 1}).status_code == 200


@SLOW
def test_a_finished_stream_that_is_being_deleted_reads_no_snapshot(vms: Vms, source: Any) -> None:
    cloned(vms)
    while states(vms)[1] != "FINISHED":
        assert "cloned by strm" in vms.refused("DELETE", "/snapshots/1/")["detail"]
    vms.call("DELETE", "/globalsnapstreams/1/", {})
    assert states(vms)[1] == "DELETING"
    assert vms.call("DELETE", "/snapshots/1/").status_code == 204


@SLOW
def test_an_unfinished_stream_is_stopped_and_goes_by_itself(vms: Vms, source: Any) -> None:
    cloned(vms, enabled=False)
    assert [states(vms) for _ in range(3)] == [("Active", "Active")] * 3  # nothing is copied
    assert "stop it first" in vms.refused("DELETE", "/globalsnapstreams/1/", {})["detail"]
    tasks = [vms.call("PATCH", "/globalsnapstreams/1/stop/").json()["async_task"]["id"] for _ in range(2)]
    assert tasks[0] == tasks[1]
    assert vms.call("DELETE", "/globalsnapstreams/1/", {}).status_code == 200  # no error, and done
    assert (
        vms.refused("POST", "/folders/stat_path/", {"path": "/copy", "tenant_id": 1})["detail"] == "no such directory"
    )
    assert states(vms)[1] == "DELETING"
    vms.refused("PATCH", "/globalsnapstreams/1/stop/", status=404)


def test_stopping_a_finished_stream_is_no_error(vms: Vms, source: Any) -> None:
    cloned(vms)
    states(vms)
    assert vms.call("PATCH", "/globalsnapstreams/1/stop/").status_code == 200
    assert states(vms) == ("Completed", "FINISHED")


def test_a_stop_that_fails_leaves_the_stream(vms: Vms, source: Any) -> None:
    cloned(vms, enabled=False)
    vms.plane.fail_next_task("INTERNAL_ERROR")
    task = vms.call("PATCH", "/globalsnapstreams/1/stop/").json()["async_task"]["id"]
    vms.get(f"/vtasks/{task}/")
    assert vms.get(f"/vtasks/{task}/")["messages"][-1] == "INTERNAL_ERROR"
    assert states(vms) == ("Active", "Active")


def test_copying_is_switched_on_and_off(vms: Vms, source: Any) -> None:
    cloned(vms, enabled=False)
    vms.call("PATCH", "/globalsnapstreams/1/", {"enabled": True})
    vms.call("PATCH", "/globalsnapstreams/1/", {"enabled": False})
    assert [states(vms) for _ in range(2)] == [("Suspended", "Active")] * 2
    vms.call("PATCH", "/globalsnapstreams/1/", {"enabled": True})
    assert [states(vms) for _ in range(2)] == [("Syncing", "Active"), ("Completed", "FINISHED")]


def test_a_stream_can_be_made_by_itself(vms: Vms, source: Any) -> None:
    body = {"name": "s", "loanee_root_path": "/copy", "loanee_snapshot_id": 1, "loanee_tenant_id": 1}
    assert vms.post("globalsnapstreams", **body)["async_task"]["name"] == "clone_snapshot"
    assert "not connected" in str(vms.refused("POST", "/globalsnapstreams/", body | {"remote_target_id": 1}))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": None}, "name"),
        ({"name": "s" * 65}, "name"),
        ({"loanee_root_path": "/v"}, "loanee_root_path"),  # is there
        ({"loanee_root_path": "copy"}, "loanee_root_path"),
        ({"loanee_tenant_id": 9}, "loanee_tenant_id"),
        ({"name": "first"}, "name"),
    ],
)
def test_a_clone_is_refused(vms: Vms, source: Any, changes: Any, field: str) -> None:
    cloned(vms, name="first", loanee_root_path="/first")
    tasks = len(vms.get("/vtasks/"))
    body = {"name": "s", "loanee_root_path": "/copy", "loanee_tenant_id": 1} | changes
    assert list(vms.refused("POST", "/snapshots/1/clone/", body)) == [field]
    assert len(vms.get("/vtasks/")) == tasks
    vms.refused("POST", "/snapshots/7/clone/", body, status=404)


@SLOW
def test_a_snapshot_that_is_read_stays(vms: Vms, source: Any) -> None:
    cloned(vms)
    assert "cloned by strm" in vms.refused("DELETE", "/snapshots/1/")["detail"]
    vms.call("PATCH", "/snapshots/1/", {"expiration_time": SOON.replace("08:05:00", "08:00:01")})
    vms.clock.now += 1
    assert [row["name"] for row in vms.get("/snapshots/")] == ["snp"]  # expired, and read
    states(vms)
    assert vms.get("/snapshots/") == []  # finished: nobody reads it any more
    assert vms.get("/globalsnapstreams/1/")["loanee_snapshot"] == "snp"
    vms.call("PATCH", "/globalsnapstreams/1/", {"name": "renamed"})
    assert vms.get("/globalsnapstreams/1/")["name"] == "renamed"


def test_an_expired_snapshot_goes_and_its_name_is_free(vms: Vms, source: Any) -> None:
    vms.refused("POST", "/snapshots/", {"name": "snp", "path": "/v/"})
    vms.clock.now += 299
    assert vms.get("/snapshots/1/")["name"] == "snp"
    vms.clock.now += 1
    vms.post("snapshots", name="snp", path="/v/")
    vms.refused("GET", "/snapshots/1/", status=404)


@SLOW
def test_what_keeps_an_expired_snapshot(vms: Vms, source: Any) -> None:
    vms.call("PATCH", "/snapshots/1/", {"locked": True})
    made = vms.post("snapshots", name="late", path="/v/", expiration_time=PAST)  # taken, and it takes a moment to go
    moved = vms.post("snapshots", name="moved", path="/v/", expiration_time=SOON)
    vms.call("PATCH", f"/snapshots/{moved['id']}/", {"expiration_time": "2030-01-01T00:00:00Z"})
    for _ in range(2):
        assert vms.get(f"/snapshots/{made['id']}/")["state"] == "CREATING"
    vms.refused("GET", f"/snapshots/{made['id']}/", status=404)
    vms.clock.now += 301
    assert [row["name"] for row in vms.get("/snapshots/")] == ["snp", "moved"]
    vms.call("PATCH", "/snapshots/1/", {"locked": False})
    assert [row["name"] for row in vms.get("/snapshots/")] == ["moved"]


def test_expiry_outlives_a_restart(start: Any, tmp_path: Path) -> None:
    first = start(store=Store(tmp_path / "vms.sqlite"), settle_reads=0)
    first.post("snapshots", name="s", path="/", expiration_time=SOON)
    second = start(store=Store(tmp_path / "vms.sqlite"), settle_reads=0)
    assert len(second.get("/snapshots/")) == 1
    second.clock.now += 301
    assert second.get("/snapshots/") == []
