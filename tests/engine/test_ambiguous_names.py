"""The CSI driver finds what a class names by name alone: a name that fits two objects stops the class, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab

CLASS = "iad/storage_class/fast"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as one:
        one.write({"storage_classes": {"fast": _class("sub")}})
        for tenant in ("a", "b"):
            made = one.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": tenant})
            policy = {"name": tenant, "flavor": "NFS", "tenant_id": made["id"]}
            one.by_hand("iad", "vast", "POST", "/api/v5/viewpolicies/", policy)
        _subsystem(one, "a")
        yield one


def _class(subsystem: str) -> dict[str, Any]:
    return {"driver": "block", "subsystem": {"existing": subsystem}, "vip_pool_fqdn": "v.example.com", "shared": True}


def _subsystem(lab: Lab, tenant: str) -> None:
    ids = {row["name"]: row["id"] for row in lab.rows("iad", "tenant")}
    policy = {row["name"]: row["id"] for row in lab.rows("iad", "view_policy")}[tenant]
    body = {
        "path": f"/blocks-{tenant}", "name": "sub", "protocols": ["BLOCK"], "policy_id": policy,
        "tenant_id": ids[tenant], "create_dir": True,
    }  # fmt: skip
    lab.by_hand("iad", "vast", "POST", "/api/v5/views/", body)


def test_one_of_that_name_is_meant(lab: Lab) -> None:
    assert not any(action.blocked for action in lab.converge().actions)


def test_two_of_that_name_stop_the_class_and_nothing_else(lab: Lab) -> None:
    _subsystem(lab, "b")
    blocked = {str(action.address): action.blocked for action in lab.plan().actions if action.blocked}
    assert set(blocked) == {CLASS, "iad/admission_policy/vastplan-fast", "iad/admission_binding/vastplan-fast"}
    (block,) = blocked.pop(CLASS)
    assert block.guard == "ambiguous"
    # what closes it goes no further than the class
    assert [one.guard for _, (one,) in sorted(blocked.items())] == ["waits", "together"]
    assert "subsystem refers to sub by name alone, and iad has 2 of kind view named sub (ids " in block.message
    lab.apply(lab.plan())
    assert lab.rows("iad", "storage_class") == []


def test_a_second_one_that_comes_later_is_warned_of(lab: Lab) -> None:
    lab.converge()
    assert [one for one in lab.plan().findings if not one.checked] == []
    _subsystem(lab, "b")
    plan = lab.plan()
    assert plan.actions == ()
    (finding,) = (one for one in plan.findings if not one.checked)
    assert (finding.code, finding.severity.value, finding.address) == ("VP304", "warning", CLASS)
    assert "2 of kind view named sub" in finding.message
