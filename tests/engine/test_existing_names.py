"""`{existing: NAME}` is the live object of that name, whatever entries are called: their keys are names of the document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.model.plan import Plan

WIDE = {"nlp-nfs": {"name": "wide", "tenant": {"existing": "nlp"}, "flavor": "NFS"}}
TAKEN = {"taken": {"name": "nlp-nfs", "tenant": {"existing": "nlp"}, "flavor": "NFS"}}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A view of somebody's, on a policy that is called as an entry of ours is, which stands for another one."""
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        of = {"tenant_id": one.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "nlp"})["id"]}
        policy = one.by_hand("iad", "vast", "POST", "/api/v5/viewpolicies/", {"name": "nlp-nfs", "flavor": "NFS", **of})
        body = {"path": "/nlp/s", "policy_id": policy["id"], "create_dir": True, **of}
        one.by_hand("iad", "vast", "POST", "/api/v5/views/", body)
        yield one


def planned(lab: Lab, policy: Any, policies: dict[str, Any]) -> Plan:
    view = {"path": "/nlp/s", "tenant": {"existing": "nlp"}, "view_policy": policy, "protocols": ["NFS"]}
    lab.write({"views": {"s": view}, "view_policies": policies})
    return lab.plan()


def changes(plan: Plan) -> list[tuple[str, Any, Any]]:
    (view,) = (one for one in plan.actions if one.address.kind == "view")
    return [(change.path, change.before, change.after) for change in view.changes]


@pytest.mark.parametrize("policies", [{}, WIDE, {**WIDE, **TAKEN}], ids=["none", "another", "both"])
def test_it_is_what_is_called_so(lab: Lab, policies: dict[str, Any]) -> None:
    assert changes(planned(lab, {"existing": "nlp-nfs"}, policies)) == []
    lab.converge()
    assert lab.plan().actions == ()
    (view,) = (row for row in lab.rows("iad", "view") if row["path"] == "/nlp/s")
    assert view["policy"] == "nlp-nfs"


def test_the_entry_of_that_key_is_another_object(lab: Lab) -> None:
    (change,) = changes(planned(lab, "nlp-nfs", WIDE))
    path, before, after = change
    assert (path, after) == ("view_policy", {"$ref": "iad/view_policy/nlp-nfs"})
    assert before["$existing"].startswith("iad/view_policy/nlp-nfs (id ")
    lab.converge()
    assert lab.plan().actions == ()
    (view,) = (row for row in lab.rows("iad", "view") if row["path"] == "/nlp/s")
    assert view["policy"] == "wide"
