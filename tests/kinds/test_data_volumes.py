"""Data volumes beyond their case file: who mounts one, how many they are shared with, and what of the document they are of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.test_runai_units import plane
from tests.lab import Lab
from vastplan.engine.live.consent import Approval, Consent
from vastplan.model.plan import Plan
from vastplan.schema.endpoint import Delta
from vastplan.systems.deltas import calls

VOLUME = "iad/data_volume/imagenet"
APPROVED = (Approval(VOLUME, "in a test", "2999-01-01", 0),)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["runai"]}) as one:
        yield one


def shared(**with_whom: Any) -> dict[str, Any]:
    """A data volume of team-c, shared as it is said."""
    source = {"project": "team-c", "mount": "/a", "claim_name": "images", "existing_claim": False, "size": "1 GiB"}
    return {
        "projects": {name: {"gpus": {"default": 8}} for name in ("team-c", "team-d", "team-e")},
        "data_sources": {"images": source},
        "data_volumes": {"imagenet": {"project": "team-c", "claim": {"existing": "images"}, **with_whom}},
    }


def blocks(plan: Plan) -> dict[str, str]:
    """Why the volume is not touched, by guard."""
    return {block.guard: block.message for one in plan.actions if str(one.address) == VOLUME for block in one.blocked}


def mounted(lab: Lab) -> str:
    """Somebody in team-d trains on it; answers the workload's id."""
    live = lab.live(VOLUME)
    assert live is not None
    return plane(lab).submit("team-d", "train", data_volumes=[live.id])


@pytest.mark.slow
def test_it_is_not_withdrawn_from_a_project_while_somebody_mounts_it(lab: Lab) -> None:
    lab.write(shared(shared_with_projects=["team-d", "team-e"]))
    lab.converge()
    job = mounted(lab)
    lab.write(shared(shared_with_projects=["team-e"]))
    text = "shared_with_projects would no longer let in iad/project/team-d; in use through it: 1 workload"
    assert blocks(lab.plan(Consent())) == {"narrows": text}
    assert blocks(lab.plan(Consent(allow_narrow=(VOLUME,)))) == {}
    plane(lab).end(job)
    assert blocks(lab.plan(Consent())) == {}


@pytest.mark.slow
def test_one_that_is_shared_with_everybody_is_withdrawn_from_a_project_at_any_time(lab: Lab) -> None:
    lab.write(shared(shared_with_projects=["team-d"], shared_with_cluster=False))
    lab.converge()
    mounted(lab)
    lab.write(shared(shared_with_projects=[], shared_with_cluster=True))
    assert blocks(lab.plan(Consent())) == {}
    lab.converge()
    lab.write(shared(shared_with_projects=[], shared_with_cluster=False))
    text = "shared_with_cluster would no longer let in everybody; in use through it: 1 workload"
    assert blocks(lab.plan(Consent())) == {"narrows": text}


def test_it_is_not_deleted_while_somebody_mounts_it(lab: Lab) -> None:
    lab.write(shared(shared_with_projects=["team-d"]))
    lab.converge()
    job = mounted(lab)
    lab.write({**shared(), "data_volumes": {}})
    text = "in use through it: 1 workload; workloads that mount it lose its data"
    assert blocks(lab.plan(Consent(approvals=APPROVED, max_count=10))) == {"narrows": text}
    plane(lab).end(job)
    assert blocks(lab.plan(Consent(approvals=APPROVED, max_count=10))) == {}


@pytest.mark.slow
def test_whom_somebody_else_shares_it_with_stays_where_the_document_does_not_say_that(lab: Lab) -> None:
    lab.write(shared(shared_with_projects=["team-d"], shared_with_cluster=True))
    lab.converge()
    lab.write(shared(shared_with_projects=["team-d"]))  # the switch is let go of
    lab.converge()
    lab.write(shared(shared_with_projects=["team-e"]))
    lab.clear_calls()
    lab.converge()
    assert [call.path.rpartition("/")[2] for call in lab.calls()] == ["sharedScopes", "sharedScopes"]
    (row,) = lab.rows("iad", "data_volume")
    assert sorted(scope["scopeName"] for scope in row["sharedScopes"]) == ["iad", "team-e"]


def test_a_project_goes_after_its_data_volumes(lab: Lab) -> None:
    lab.write(shared())
    lab.converge()
    lab.write({"projects": {name: {"gpus": {"default": 8}} for name in ("team-d", "team-e")}})
    lab.clear_calls()
    lab.converge(lab.consent_to_loss("iad/project/team-c", "iad/data_source/images", VOLUME))
    order = [call.path.split("/")[3] for call in lab.calls()]
    assert order.index("datavolumes") < order.index("org-unit") and len(order) == 3


@pytest.mark.slow
def test_one_whose_claim_is_not_there_is_not_ready(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastplan.engine.live.wait.TIMEOUT", 0.2)
    one = shared()
    one["data_volumes"]["imagenet"]["claim"] = {"existing": "nothing"}
    lab.write(one)
    receipt = lab.apply(lab.plan())
    (message,) = [outcome.message for outcome in receipt.outcomes if str(outcome.address) == VOLUME]
    assert "claim runai-team-c/nothing is not there" in message


def test_a_list_is_changed_in_calls_of_so_many_and_what_comes_comes_first() -> None:
    delta = Delta("scopes", ("shared", "add"), ("shared", "remove"), most=2, says=("id",))
    after = [{"id": name} for name in "cdefg"]
    before = [{"id": name, "name": f"of {name}"} for name in "abc"]
    assert list(calls(delta, before, after)) == [
        ("shared", {"add": [{"id": "d"}, {"id": "e"}]}),
        ("shared", {"add": [{"id": "f"}, {"id": "g"}]}),
        ("shared", {"remove": [{"id": "a"}, {"id": "b"}]}),
    ]
    alone = Delta("types", ("assign", "type"), ("unassign", "type"))
    assert list(calls(alone, ["a", "b"], ["b", "c"])) == [("assign", {"type": "c"}), ("unassign", {"type": "a"})]
    assert list(calls(delta, before, [])) == [
        ("shared", {"remove": [{"id": "a"}, {"id": "b"}]}), ("shared", {"remove": [{"id": "c"}]}),
    ]  # fmt: skip
