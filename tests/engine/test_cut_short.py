"""A list that leaves out what is there is unknown: nothing is made again because of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.model.plan import Verb
from vastplan.sim.wire import Request, Response

TENANTS = [f"team-{letter}" for letter in "abc"]
LISTS = {"vast": "/api/v5/tenants/", "kubernetes": "/api/v1/namespaces", "runai": "/api/v1/org-unit/departments"}
KINDS = {"vast": "tenant", "kubernetes": "namespace", "runai": "department"}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        one.write(
            {
                "tenants": {name: {} for name in TENANTS},
                "namespaces": {name: {} for name in TENANTS},
                "departments": {name: {"gpus": {"default": 1}} for name in TENANTS},
            }
        )
        one.converge()
        one.clear_calls()
        yield one


def lying(lab: Lab, system: str, lie: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the system's list says something else."""
    plane = lab.world.sites["iad"].planes[system]
    honest = plane.handle

    def handle(request: Request) -> Response:
        response = honest(request)
        if request.method == "GET" and request.path == LISTS[system]:
            body = {**response.body}
            lie(body)
            return Response(response.status, body, response.headers)
        return response

    monkeypatch.setattr(plane, "handle", handle)


def rows_of(body: dict[str, Any]) -> str:
    return next(key for key in ("results", "items", "departments") if key in body)


def emptied(body: dict[str, Any]) -> None:
    body[rows_of(body)] = []
    if "count" in body:
        body["count"] = 0


def shortened(body: dict[str, Any]) -> None:
    body[rows_of(body)] = body[rows_of(body)][:-1]
    if "count" in body:
        body["count"] -= 1


@pytest.mark.parametrize("lie", [emptied, shortened])
@pytest.mark.parametrize("system", list(LISTS))
def test_what_is_there_is_not_made_again(
    system: str, lie: Callable[[Any], None], lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lying(lab, system, lie, monkeypatch)
    plan = lab.plan()
    assert plan.actions == ()
    assert [(one.system, one.kind) for one in plan.unknown] == [(system, KINDS[system])]
    assert "the list was cut short" in plan.unknown[0].reason
    assert plan.in_sync == 2 * len(TENANTS)
    assert lab.calls() == []


def test_a_count_that_is_not_met_is_unknown(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(body: dict[str, Any]) -> None:
        body["count"] += 1

    lying(lab, "vast", short, monkeypatch)
    (unknown,) = lab.plan().unknown
    assert "was cut short: " in unknown.reason


def test_a_lost_link_to_the_next_page_is_unknown(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastplan.systems.kubernetes.client.PAGE", 2)

    def lost(body: dict[str, Any]) -> None:
        body["metadata"] = {name: one for name, one in body["metadata"].items() if name != "continue"}

    lying(lab, "kubernetes", lost, monkeypatch)
    (unknown,) = lab.plan().unknown
    assert "more are not shown" in unknown.reason


def test_what_is_really_gone_is_made_again(lab: Lab) -> None:
    for name in TENANTS:
        lab.by_hand("iad", "kubernetes", "DELETE", f"/api/v1/namespaces/{name}")
    for _ in TENANTS:
        lab.rows("iad", "namespace")
    plan = lab.plan()
    assert {one.verb for one in plan.actions} == {Verb.CREATE} and len(plan.actions) == len(TENANTS)
    assert not plan.unknown
