"""Lists that end too early or never: their kind is unread, and nobody takes what was shown for all there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import Run
from tests.force import by_force
from tests.importing.class_world import FILE, ClassWorld, team
from vastplan.sim.wire import Request, Response

KINDS = {"persistentvolumeclaims": "persistent_volume_claim", "pods": "pod", "storageclasses": "storage_class"}


def _cut(body: dict[str, Any], request: Request) -> dict[str, Any]:
    return {**body, "items": [], "metadata": {**body["metadata"], "remainingItemCount": 3}}


def _endless(body: dict[str, Any], request: Request) -> dict[str, Any]:
    return {**body, "metadata": {**body["metadata"], "continue": "again"}}


def _no_list(body: dict[str, Any], request: Request) -> dict[str, Any]:
    return {**body, "items": {"a": 1}}


def _half_a_row(body: dict[str, Any], request: Request) -> dict[str, Any]:
    return {**body, "items": [*body["items"], {"metadata": {"name": "half"}}]}


FAULTS = {"cut": _cut, "endless": _endless, "no list": _no_list, "half a row": _half_a_row}


def _strike(world: ClassWorld, plural: str, fault: Callable[[dict[str, Any], Request], dict[str, Any]]) -> None:
    plane = world.plant.planes["iad", "kubernetes"]
    handle = plane.handle

    def struck(request: Request) -> Response:
        asked = {**request.query, "continue": []} if "continue" in request.query else request.query
        if request.method != "GET" or not request.path.endswith(f"/{plural}"):
            return handle(request)
        response = handle(replace(request, query={key: value for key, value in asked.items() if value}))
        return replace(response, body=fault(response.body, request)) if response.status == 200 else response

    world.plant.planes["iad", "kubernetes"] = SimpleNamespace(handle=struck)


@pytest.mark.parametrize("plural", by_force(KINDS, "storageclasses"))
@pytest.mark.parametrize("fault", by_force(FAULTS, "half a row"))
def test_a_list_that_is_not_whole_is_unread(fault: str, plural: str, tmp_path: Path, vastplan: Run) -> None:
    world = ClassWorld(tmp_path, vastplan)
    world.lost({"tenants": {"nlp": team("nlp", 1)}})
    world.claim("monitoring", "prom", "nlp")
    world.pod("batch", "job", FILE)
    _strike(world, plural, FAULTS[fault])
    text, report = world.imported(code=6)
    assert (("iad", KINDS[plural])) in {(one["site"], one["kind"]) for one in report["unread"]}
    assert "claims: none" not in text
    if plural != "persistentvolumeclaims":
        assert "storage_class" not in text, "a class that a pod or nobody knows of was taken"
    else:
        assert "claims: monitoring" not in text and ("storage_class" not in text or "not known" in text)
    assert world.imported("--dry-run", code=6)[1]["tried"] is True
