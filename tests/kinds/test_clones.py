"""Volumes that are made once of another one's snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.model.address import Address
from vastplan.model.errors import Invalid
from vastplan.model.plan import Plan, Verb
from vastplan.model.site_ledger import Owned
from vastplan.sim.faults import Effect, Fault
from vastplan.sim.vast import VastPlane

BASE: dict[str, Any] = {
    "namespaces": {"vast-csi": {}},
    "secrets": {
        "vast-mgmt": {"namespace": "vast-csi", "data": {"endpoint": "x", "username": "u", "password": {"file": "pw"}}}
    },
    "departments": {"research": {"gpus": {"default": 16}}},
    "tenants": {
        name: {
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": [f"10.2{number}.1.10"]},
            "view_policy": {"flavor": "NFS"},
            "project": {"department": "research", "gpus": {"default": 4}},
        }
        for number, name in enumerate(("a", "b"))
    },
}
HOME: dict[str, Any] = {"tenant": "a", "path": "/a/home", "size": "10 TiB", "mount": "/home", "secret": "vast-mgmt"}
COPY: dict[str, Any] = {**HOME, "path": "/a/copy", "mount": "/copy", "source": {"volume": "home"}}
CLONE = "iad/clone/copy"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        (tmp_path / "pw").write_text("pw", encoding="utf-8")
        (tmp_path / "pw").chmod(0o600)
        one.write(document())
        one.converge()
        yield one


def document(**volumes: Any) -> dict[str, Any]:
    """The base with the source, and with more volumes."""
    return {**BASE, "volumes": {"home": HOME, **volumes}}


def copy_of(**changes: Any) -> dict[str, Any]:
    """The clone, changed; what is `None` is left out."""
    return {name: value for name, value in {**COPY, **changes}.items() if value is not None}


def snapshot(lab: Lab, name: str) -> int:
    """A snapshot of the source by hand, once it is ready."""
    tenant = next(row["id"] for row in lab.rows("iad", "tenant") if row["name"] == "a")
    made = lab.by_hand(
        "iad", "vast", "POST", "/api/v5/snapshots/", {"name": name, "path": "/a/home", "tenant_id": tenant}
    )
    while next(row for row in lab.rows("iad", "snapshot") if row["id"] == made["id"])["state"] != "SUCCEED":
        pass
    return int(made["id"])


def verbs(plan: Plan) -> dict[str, Verb]:
    return {str(action.address): action.verb for action in plan.actions}


def refused(lab: Lab, sections: dict[str, Any]) -> str:
    lab.write(sections)
    with pytest.raises(Invalid) as raised:
        lab.workspace().entries()
    return str(raised.value)


def test_a_clone_is_made_before_its_view_and_once(lab: Lab) -> None:
    snapshot(lab, "one")
    lab.write(document(copy=COPY))
    plan = lab.converge()
    assert [verbs(plan)[one] for one in (CLONE, "iad/view/copy", "iad/persistent_volume_claim/copy")] == [
        Verb.CREATE
    ] * 3
    assert lab.plan().actions == ()
    (stream,) = lab.rows("iad", "clone")
    assert (stream["source_snapshot"], stream["source_path"], stream["loanee_root_path"]) == (
        "one",
        "/a/home/",
        "/a/copy/",
    )


def made(lab: Lab, **changes: Any) -> None:
    """A snapshot of the source, and the clone of it."""
    snapshot(lab, "one")
    lab.write(document(copy=copy_of(**changes)))
    lab.converge()


def told(plan: Plan, code: str) -> str:
    return " ".join(f"{finding.message}; {finding.fix}" for finding in plan.findings if finding.code == code)


def plane(lab: Lab) -> VastPlane:
    found = lab.world.sites["iad"].planes["vast"]
    assert isinstance(found, VastPlane)
    return found


def tenant(lab: Lab, name: str = "a") -> int:
    return int(next(row["id"] for row in lab.rows("iad", "tenant") if row["name"] == name))


def slowly(lab: Lab) -> None:
    """Something is in the source that takes its time to be copied."""
    number = tenant(lab)
    with lab.world.lock:
        plane(lab).write("/a/home", 10**12, "step-1", tenant_id=number)


def owned(lab: Lab, address: str = CLONE) -> Owned:
    return lab.planned().matches.owned[Address.parse(address)]


def test_the_ledger_notes_of_what_it_was_made(lab: Lab) -> None:
    made(lab)
    taken = owned(lab).made_of
    (row,) = lab.rows("iad", "snapshot")
    assert taken == {"snapshot_id": str(row["id"]), "snapshot_name": "one", "snapshot_created": row["created"]}
    lab.write(document(copy=copy_of(copies="on_read")))
    lab.converge()
    assert owned(lab).made_of == taken
    assert lab.rows("iad", "clone")[0]["enabled"] is False


@pytest.mark.parametrize(
    ("said", "name"), [({}, "two"), ({"snapshot": "one"}, "one"), ({"snapshot": {"before": "2999-01-01"}}, "two")]
)
def test_which_snapshot_it_is(lab: Lab, said: dict[str, Any], name: str) -> None:
    for each in ("one", "two"):
        snapshot(lab, each)
        lab.world.pass_time(60)
    lab.write(document(copy=copy_of(source={"volume": "home", **said})))
    lab.converge()
    assert lab.rows("iad", "clone")[0]["source_snapshot"] == name


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "no snapshot of /a/home exists"),
        ({"snapshot": "gone"}, "no snapshot gone of /a/home exists"),
        ({"snapshot": {"before": "2001-01-01"}}, "no snapshot of /a/home from 2001-01-01T00:00:00Z or before exists"),
    ],
)
def test_without_such_a_snapshot_nothing_of_it_is_made(lab: Lab, said: dict[str, Any], why: str) -> None:
    lab.write(document(copy=copy_of(source={"volume": "home", **said})))
    plan = lab.plan()
    blocked = {str(action.address): action.blocked for action in plan.actions if action.blocked}
    (block,) = blocked[CLONE]
    assert (block.guard, block.message) == ("no-source", why)
    assert {block.guard for block in blocked["iad/view/copy"]} <= {"waits", "together"}
    lab.apply(plan)
    assert [row["path"] for row in lab.rows("iad", "view") if row["path"].startswith("/a")] == ["/a/home"]


def test_what_is_to_be_written_where_no_snapshot_exists_is_taken_first(lab: Lab) -> None:
    lab.write({**document(copy=COPY), "snapshots": {"first": {"volume": "home"}}})
    assert not any(action.blocked for action in lab.converge().actions)
    assert lab.rows("iad", "clone")[0]["source_snapshot"] == "first"


def seeded(path: str = "/a/models", **source: Any) -> dict[str, Any]:
    return copy_of(source={"path": path, **source})


def test_a_directory_that_no_volume_has_is_a_source_too(lab: Lab) -> None:
    number = tenant(lab)
    lab.by_hand("iad", "vast", "POST", "/api/v5/folders/create_folder/", {"path": "/a/models", "tenant_id": number})
    lab.write(document(copy=seeded()))
    plan = lab.plan()
    (action,) = (one for one in plan.actions if str(one.address) == CLONE)
    assert [block.message for block in action.blocked] == ["no snapshot of /a/models exists"]
    with lab.world.lock:
        plane(lab).write("/a/models", 10**9, "llama", tenant_id=number)
    lab.by_hand("iad", "vast", "POST", "/api/v5/snapshots/", {"name": "v3", "path": "/a/models", "tenant_id": number})
    lab.world.pass_time(60)
    lab.converge()
    (stream,) = lab.rows("iad", "clone")
    assert (stream["source_snapshot"], stream["source_path"]) == ("v3", "/a/models/") and lab.plan().actions == ()
    with lab.world.lock:
        assert plane(lab).labels("/a/copy", tenant_id=number) == ["llama"]


def test_a_view_that_the_document_creates_is_there_before_its_clone(lab: Lab) -> None:
    view = {"tenant": "a", "path": "/a/models", "view_policy": "a", "create_dir": True}
    lab.write({**document(copy=seeded()), "views": {"models": view}})
    entries = {str(entry.address): entry for entry in lab.workspace().entries()[0]}
    assert entries[CLONE].after == (Address("iad", "view", "models"),)


@pytest.mark.parametrize(
    ("volume", "why"),
    [
        (seeded(site="iad"), "write path without site"),
        (seeded(volume="home"), "write volume or path in source, one of them"),
        (copy_of(source={"snapshot": "latest"}), "write volume or path in source, one of them"),
        (seeded("/a/home"), "its source /a/home is the directory of volume home (write volume: home)"),
        (seeded("/a"), "its path and that of its source /a are one inside the other"),
    ],
)
def test_what_no_source_is(lab: Lab, volume: dict[str, Any], why: str) -> None:
    assert why in refused(lab, document(copy=volume))


def test_another_snapshot_is_another_clone(lab: Lab) -> None:
    made(lab)
    for changes in ({"source": {"volume": "home", "snapshot": "one"}}, {"path": "/a/elsewhere"}):
        lab.write(document(copy=copy_of(**changes)))
        plan = lab.plan()
        assert "it was created already" in told(plan, "VP350") and "with its own name and path" in told(plan, "VP350")
        assert CLONE not in verbs(plan)


def test_a_stream_that_somebody_removes_is_not_made_again(lab: Lab) -> None:
    made(lab)
    (row,) = lab.rows("iad", "clone")
    while lab.rows("iad", "clone")[0]["status"]["state"] != "FINISHED":
        pass
    lab.by_hand("iad", "vast", "DELETE", f"/api/v5/globalsnapstreams/{row['id']}/", {"remove_dir": False})
    while lab.rows("iad", "clone"):
        pass
    plan = lab.plan()
    assert plan.actions == ()
    assert "snapshot_name one" in told(plan, "VP349") and "it is created once and never recreated" in told(
        plan, "VP349"
    )
    lab.write(document(copy=copy_of(source={"volume": "home", "snapshot": "one"})))
    assert "snapshot cannot be changed afterwards" in told(lab.plan(), "VP350")
    lab.write(document(copy=copy_of(source=None)))
    assert lab.converge().actions[0].verb is Verb.RELEASE
    assert lab.plan().actions == ()


def test_copying_that_somebody_holds_is_drift(lab: Lab) -> None:
    slowly(lab)
    made(lab)
    (row,) = lab.rows("iad", "clone")
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/globalsnapstreams/{row['id']}/", {"enabled": False})
    assert verbs(lab.plan()) == {CLONE: Verb.UPDATE}
    lab.converge()
    assert lab.rows("iad", "clone")[0]["enabled"] is True


def test_no_source_goes_while_it_is_read(lab: Lab) -> None:
    slowly(lab)
    made(lab)
    lab.write({**BASE, "volumes": {"copy": copy_of(source=None)}})
    plan = lab.plan()
    blocked = {str(one.address): {block.guard: block.message for block in one.blocked} for one in plan.actions}
    assert blocked["iad/view/home"]["in-use"] == "used: 1 TB; unfinished clones of it: 1"
    assert blocked[CLONE]["in-use"] == "unfinished (a delete also deletes its directory): 1"
    lab.world.pass_time(10**5)
    lab.converge(lab.consent_to_loss(*blocked))
    assert [row["path"] for row in lab.rows("iad", "view") if row["path"].startswith("/a")] == ["/a/copy"]
    assert lab.rows("iad", "clone") == []
    assert plane(lab).labels("/a/copy", tenant_id=tenant(lab)) == ["step-1"]


def test_an_unfinished_one_is_stopped_before_it_goes(lab: Lab) -> None:
    slowly(lab)
    made(lab)
    lab.write(document())
    going = [str(action.address) for action in lab.plan().actions]
    approvals = lab.consent_to_loss(*going)
    lab.clear_calls()
    lab.converge(approvals)
    calls = [(call.method, call.path.partition("/api/v5")[2]) for call in lab.calls() if "globalsnap" in call.path]
    assert [method for method, _ in calls] == ["PATCH", "DELETE"] and calls[0][1].endswith("/stop")
    assert lab.rows("iad", "clone") == []


def test_a_clone_that_is_there_is_taken_over(lab: Lab) -> None:
    number = snapshot(lab, "one")
    body = {"name": "copy", "loanee_root_path": "/a/copy", "loanee_tenant_id": tenant(lab), "enabled": True}
    lab.by_hand("iad", "vast", "POST", f"/api/v5/snapshots/{number}/clone/", body)
    lab.write(document(copy=COPY))
    assert verbs(lab.plan())[CLONE] is Verb.ADOPT
    lab.converge()
    assert len(lab.rows("iad", "clone")) == 1 and lab.plan().actions == ()
    assert owned(lab).made_of["snapshot_name"] == "one"


def test_a_directory_that_is_there_is_told_before(lab: Lab) -> None:
    lab.write(document(copy=copy_of(source=None)))
    lab.converge()
    snapshot(lab, "one")
    lab.write(document(copy=COPY))
    (action,) = (one for one in lab.plan().actions if str(one.address) == CLONE)
    assert [block.guard for block in action.blocked] == ["in-the-way"]
    assert "/a/copy already exists: view" in action.blocked[0].message


def test_an_answer_that_is_lost_is_found_again(lab: Lab) -> None:
    snapshot(lab, "one")
    lab.write(document(copy=COPY))
    plan = lab.plan()
    lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.DROP_AFTER, "POST", r"/clone/$"))
    lab.apply(plan)
    lab.converge()
    assert lab.plan().actions == () and len(lab.rows("iad", "clone")) == 1
    assert owned(lab).made_of["snapshot_name"] == "one"


@pytest.mark.parametrize(
    ("volumes", "why"),
    [
        (
            {"copy": copy_of(tenant="b", path="/b/copy")},
            "its source home is of tenant a, and a clone stays in its tenant",
        ),
        ({"copy": copy_of(path="/a/home/in")}, "its path and that of its source home are one inside the other"),
        ({"copy": copy_of(source={"volume": "copy"})}, "it is its own source"),
        ({"copy": copy_of(source={"volume": {"existing": "home"}})}, "a source has to be a volume of the document"),
        ({"copy": copy_of(source={"volume": "nothing"})}, "no volume nothing"),
        ({"copy": copy_of(source=None, copies="on_read")}, "copies needs source"),
        ({"copy": copy_of(source={"volume": "home", "snapshot": {"before": "yesterday"}})}, "is not a time"),
        ({"c" * 65: COPY}, "a clone has a name of at most 64 characters"),
    ],
)
def test_what_is_no_clone_is_refused(lab: Lab, volumes: dict[str, Any], why: str) -> None:
    assert why in refused(lab, document(**volumes))


def test_a_snapshot_that_is_declared_of_another_volume_is_none_of_this_one(lab: Lab) -> None:
    wanted = copy_of(source={"volume": "home", "snapshot": "one"})
    sections = {
        **document(copy=wanted, other=copy_of(path="/a/other", source=None)),
        "snapshots": {"one": {"volume": "other"}},
    }
    assert "snapshot one is of other, not of home (name a snapshot of home, or write volume: other)" in refused(
        lab, sections
    )
    sections["snapshots"] = {"latest": {"volume": "home"}}
    assert "latest means the newest snapshot, and cannot be the name of one" in refused(lab, sections)


CLASS: dict[str, Any] = {"driver": "file", "storage_path": "/a/k8s", "secret": "vast-mgmt"}
OF_CLASS: dict[str, Any] = {"tenant": "a", "storage_class": "fast", "size": "1 TiB"}


def with_class(**volumes: Any) -> dict[str, Any]:
    """The base with a class of the tenant, and volumes of it."""
    tenants = {**BASE["tenants"], "a": {**BASE["tenants"]["a"], "storage_classes": {"fast": CLASS}}}
    return {**BASE, "tenants": tenants, "volumes": volumes}


def test_a_claim_is_made_from_another_one_by_the_driver(lab: Lab) -> None:
    first, second = {"first": OF_CLASS}, {"second": {**OF_CLASS, "source": {"volume": "first"}}}
    lab.write(with_class(home=HOME, **first))
    lab.converge()
    lab.write(with_class(home=HOME, **first, **second))
    assert verbs(lab.converge()) == {"iad/persistent_volume_claim/second": Verb.CREATE}
    assert lab.plan().actions == ()
    claim = next(one for one in lab.rows("iad", "persistent_volume_claim") if one["metadata"]["name"] == "second")
    assert claim["spec"]["dataSource"] == {"kind": "PersistentVolumeClaim", "name": "first"}
    lab.write(with_class(home=HOME, **first, second=OF_CLASS))
    assert [action.verb for action in lab.converge().actions] == [Verb.RELEASE]
    assert lab.plan().actions == ()


def test_no_claim_is_made_anew_for_another_source(lab: Lab) -> None:
    volumes = {"home": HOME, "first": OF_CLASS, "second": OF_CLASS}
    lab.write(with_class(**volumes))
    lab.converge()
    lab.write(with_class(**{**volumes, "second": {**OF_CLASS, "source": {"volume": "first"}}}))
    plan = lab.plan()
    assert plan.actions == ()
    assert "from_claim cannot be changed afterwards" in told(plan, "VP350")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"source": {"volume": "home"}}, "its source home has a path, and it has a storage_class"),
        ({"source": {"volume": "second"}}, "it is its own source"),
        ({"source": {"volume": "first", "snapshot": "ONE"}}, "ONE cannot be the name of a VolumeSnapshot"),
        ({"copies": "on_read"}, "copies has no effect on a claim: the driver decides how it copies"),
        ({"size": "1 GiB"}, "it is smaller than its source first"),
        (
            {"tenant": None, "project": "b"},
            "its source first is of project a, and a claim is created from one of its own project",
        ),
        ({"storage_class": None, "path": "/a/second"}, "its source first has a storage_class, and it has a path"),
    ],
)
def test_what_no_claim_is_made_from_is_refused(lab: Lab, changes: dict[str, Any], why: str) -> None:
    second = {**OF_CLASS, "source": {"volume": "first"}, **changes}
    second = {name: value for name, value in second.items() if value is not None}
    assert why in refused(lab, with_class(home=HOME, first=OF_CLASS, second=second))
