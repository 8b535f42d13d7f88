"""Plan and drift only read: seen at the servers, refused at the transport; and they never ask once per object."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lab import Lab
from vastplan.app.connect import connected
from vastplan.model.errors import VastplanError
from vastplan.schema.provider import Provider

MANY = 40


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    one = Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]})
    one.write(sections(MANY))
    return one


def sections(count: int) -> dict[str, object]:
    """So many objects on each of the three systems."""
    return {
        "tenants": {f"t{index}": {"max_views": index + 1} for index in range(count)},
        "namespaces": {f"n{index}": {} for index in range(count)},
        "departments": {f"d{index}": {"gpus": {"default": 1}} for index in range(count)},
    }


def reads_of(lab: Lab, vastplan: Run, command: str, *more: str) -> list[str]:
    """The requests of one command that finds nothing to do; none of them is a write."""
    lab.clear_calls()
    assert vastplan(command, lab.folder / "lab.yaml", *more).code == 0
    assert lab.calls() == []
    return sorted(call.path for call in lab.all_calls() if call.method == "GET")


def test_no_write_and_no_request_per_object(lab: Lab, vastplan: Run) -> None:
    with lab:
        lab.converge()
        planned = reads_of(lab, vastplan, "plan", "--detailed-exitcode")
        drifted = reads_of(lab, vastplan, "drift")
        assert len(set(planned)) == len(planned), "a collection was read twice"
        lab.write(sections(4 * MANY))
        lab.converge()
        assert reads_of(lab, vastplan, "plan", "--detailed-exitcode") == planned
        assert reads_of(lab, vastplan, "drift") == drifted


def test_a_plan_of_changes_writes_nothing_either(lab: Lab, vastplan: Run) -> None:
    with lab:
        assert vastplan("plan", lab.folder / "lab.yaml", "--detailed-exitcode").code == 2
        assert lab.calls() == []


def test_the_clients_of_a_plan_cannot_write(lab: Lab) -> None:
    with lab, connected(lab.workspace().document, sites=("iad",), writable=False) as providers:
        lab.clear_calls()
        for kind in ("tenant", "namespace", "department"):
            one = lab.registry.kinds[kind]
            provider = providers["iad", one.system]
            assert not isinstance(provider, Exception)
            for attempt in (_create, _update, _delete):
                with pytest.raises(VastplanError, match="this run only reads"):
                    attempt(provider, one)
        assert lab.calls() == []


def _create(provider: Provider, kind: object) -> None:
    provider.create(kind, {"metadata": {}})  # type: ignore[arg-type]


def _update(provider: Provider, kind: object) -> None:
    provider.update(kind, "1", {"metadata": {}}, {})  # type: ignore[arg-type]


def _delete(provider: Provider, kind: object) -> None:
    provider.delete(kind, "1", {})  # type: ignore[arg-type]
