"""A plan that is made while an apply is at work says so first; of one that was interrupted it says that."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Run
from tests.lab import Lab
from vastplan.app.workspace import open_workspace
from vastplan.ledger import events
from vastplan.model.site_ledger import Intent


def test_who_is_at_work_is_said_first_and_its_objects_are_not_called_an_interrupted_applys(
    tmp_path: Path, vastplan: Run
) -> None:
    file = tmp_path / "lab.yaml"
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {}}})
        assert vastplan("apply", file, "--auto-approve").code == 0
        lab.write({"tenants": {"a": {}, "b": {}}})
        backend = open_workspace([file]).ledger(writable=True)
        session = backend.open("iad", "ann@host (pid 7)")
        assert "VP359" not in vastplan("plan", file).out, "nothing is under way yet"
        intents = {"iad/tenant/b": Intent("create", {})}
        session.record(events.begin_event("p", intents, "2026-01-01T00:00:00+00:00"))
        lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "b"})
        for words in (("plan", file), ("apply", file)):
            out = vastplan(*words).out
            assert out.startswith("warning VP359: the ledger of iad is held by ann@host (pid 7) since 20"), out
            assert "tenant b  created by the apply that holds the ledger; added to the ledger" in out, out
            assert "interrupted apply" not in out and f"vastplan ledger unlock {file} iad" in out, out
        session.close()
        out = vastplan("plan", file).out
        assert "VP359" not in out and "tenant b  created by an interrupted apply; added to the ledger" in out, out
