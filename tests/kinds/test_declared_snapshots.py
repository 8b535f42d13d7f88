"""Snapshots of one moment that a document declares: made once, kept until they expire."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.kinds.test_clones import BASE, HOME, copy_of, lab, owned, plane, refused, slowly, tenant, told, verbs
from tests.lab import Lab
from vastplan.model.consent import Approval, Consent
from vastplan.model.outcome import State
from vastplan.model.plan import Verb
from vastplan.sim.faults import Effect, Fault

__all__ = ["lab"]
BEFORE = "iad/snapshot/before-upgrade"


def document(volumes: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The base with a snapshot of its volume, changed; what is `None` is left out."""
    said = {"volume": "home", "expires": "2999-01-31", **changes}
    kept = {name: value for name, value in said.items() if value is not None}
    return {**BASE, "volumes": {"home": HOME, **(volumes or {})}, "snapshots": {"before-upgrade": kept}}


def test_it_is_made_once(lab: Lab) -> None:
    lab.write(document())
    assert verbs(lab.converge()) == {BEFORE: Verb.CREATE}
    assert lab.plan().actions == ()
    (row,) = lab.rows("iad", "snapshot")
    assert (row["name"], row["path"], row["expiration_time"]) == ("before-upgrade", "/a/home/", "2999-01-31T00:00:00Z")
    assert owned(lab, BEFORE).made_of == {"created": row["created"], "expiration_time": row["expiration_time"]}


def test_its_expiry_can_be_moved(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    lab.write(document(expires="2999-02-01T12:00:00+02:00"))
    assert verbs(lab.converge()) == {BEFORE: Verb.UPDATE}
    (row,) = lab.rows("iad", "snapshot")
    assert row["expiration_time"] == "2999-02-01T10:00:00Z"
    lab.by_hand(
        "iad", "vast", "PATCH", f"/api/v5/snapshots/{row['id']}/", {"expiration_time": "2999-01-01T00:00:00.000Z"}
    )
    assert verbs(lab.converge()) == {BEFORE: Verb.UPDATE}
    lab.write(document(expires=None))
    assert verbs(lab.converge()) == {BEFORE: Verb.RELEASE}
    assert lab.plan().actions == ()


def test_what_has_expired_is_told_and_not_made_again(lab: Lab) -> None:
    lab.write(document(expires="2027-01-16"))
    lab.converge()
    (row,) = lab.rows("iad", "snapshot")
    lab.by_hand("iad", "vast", "DELETE", f"/api/v5/snapshots/{row['id']}/")
    plan = lab.plan()
    assert plan.actions == ()
    said = told(plan, "VP349")
    assert f"created {row['created']}, expiration_time 2027-01-16T00:00:00Z" in said
    assert "it is created once and never recreated" in said and "take it out of the document" in said
    lab.write({**BASE, "volumes": {"home": HOME}})
    assert verbs(lab.converge()) == {BEFORE: Verb.RELEASE}


def test_of_another_volume_it_is_another_one(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    other = {**HOME, "path": "/a/other", "mount": "/other"}
    lab.write(document({"other": other}, volume="other"))
    assert "path cannot be changed afterwards" in told(lab.plan(), "VP350")


def test_a_clone_of_it_waits_for_it(lab: Lab) -> None:
    copy = copy_of(source={"volume": "home", "snapshot": "before-upgrade"})
    lab.write(document({"copy": copy}, name="home-before"))
    lab.converge()
    assert lab.rows("iad", "clone")[0]["source_snapshot"] == "home-before"
    assert lab.plan().actions == ()


def test_it_does_not_go_while_it_is_cloned(lab: Lab) -> None:
    slowly(lab)
    copy = copy_of(source={"volume": "home", "snapshot": "before-upgrade"})
    lab.write(document({"copy": copy}))
    lab.converge()
    lab.write({**BASE, "volumes": {"home": HOME, "copy": copy}})
    (action,) = lab.plan().actions
    assert {block.guard: block.message for block in action.blocked} == {
        "approval": "a delete of a snapshot needs an approval because data depends on it",
        "in-use": "VAST deletes no snapshot that is being cloned; unfinished clones of it: 1",
    }
    lab.world.pass_time(10**5)
    assert verbs(lab.converge(lab.consent_to_loss(BEFORE))) == {BEFORE: Verb.DELETE}
    assert plane(lab).labels("/a/copy", tenant_id=tenant(lab)) == ["step-1"]
    assert lab.rows("iad", "snapshot") == [] and lab.plan().actions == ()


def test_one_that_is_there_is_taken_over(lab: Lab) -> None:
    body = {"name": "before-upgrade", "path": "/a/home", "tenant_id": tenant(lab)}
    lab.by_hand("iad", "vast", "POST", "/api/v5/snapshots/", body)
    lab.write(document())
    assert verbs(lab.plan())[BEFORE] is Verb.ADOPT
    lab.converge()
    assert len(lab.rows("iad", "snapshot")) == 1 and lab.plan().actions == ()


def test_an_answer_that_is_lost_makes_no_second_one(lab: Lab) -> None:
    lab.write(document())
    plan = lab.plan()
    lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.DROP_AFTER, "POST", r"/snapshots/$"))
    lab.apply(plan)
    lab.converge()
    assert len(lab.rows("iad", "snapshot")) == 1 and lab.plan().actions == ()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"volume": {"existing": "x"}}, "is not a volume of this document (name a volume of this document)"),
        ({"volume": "nothing"}, "no volume nothing"),
        ({"expires": "30d"}, "is not a time"),
    ],
)
def test_what_is_no_snapshot_is_refused(lab: Lab, said: dict[str, Any], why: str) -> None:
    assert why in refused(lab, document(**said))


def test_one_that_goes_with_its_volume_goes_first_and_stays_behind_of_nothing(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    lab.write(BASE)
    going = [str(one.address) for one in lab.plan().actions]
    approved = Consent(
        approvals=tuple(Approval(one, "in a test", "2999-01-01", 2**62, 0) for one in going), allow_delete=("*",)
    )
    plan = lab.plan(approved)
    assert {str(one.address): one.blocked for one in plan.actions if one.blocked} == {}
    step = {str(one.address): number for number, one in enumerate(plan.operations)}
    (view,) = (number for address, number in step.items() if address.startswith("iad/view/"))
    assert step[BEFORE] in plan.operations[view].after
    blocked = lab.plan(replace(approved, approvals=tuple(one for one in approved.approvals if one.address != BEFORE)))
    assert "iad/view/home" in {str(one.address) for one in blocked.actions if one.blocked}, "it waits for its snapshot"
    assert {one.state for one in lab.apply(plan).outcomes} == {State.DONE}
    assert lab.rows("iad", "snapshot") == []
