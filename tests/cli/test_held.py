"""A plan that is made while an apply is at work says so first; of one that was interrupted it says that. An apply waits if told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lab import Lab
from vastplan.app.workspace import open_workspace
from vastplan.cli.screen import Screen
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
            verdict, _, rest = out.partition("\n\n")
            assert "can be applied" in verdict, out
            assert rest.startswith("warning VP359: the ledger of iad is held by ann@host (pid 7) since 20"), out
            assert (
                f"tenant b ({file.name}:11)  created by the apply that holds the ledger; added to the ledger" in out
            ), out
            assert "interrupted apply" not in out and f"vastplan ledger unlock {file} iad" in out, out
        session.close()
        out = vastplan("plan", file).out
        assert (
            "VP359" not in out
            and f"tenant b ({file.name}:11)  created by an interrupted apply; added to the ledger" in out
        ), out


def test_an_apply_waits_for_the_ledger_as_long_as_it_is_told_and_plans_after_that(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lab.yaml"
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {}}})
        session = open_workspace([file]).ledger(writable=True).open("iad", "ann@host (pid 7)")
        shown = Screen.progress

        def progress(screen: Screen, text: str) -> None:
            shown(screen, text)
            if "waiting for it" in text:  # now the other run changes the ledger and ends
                session.record(events.begin_event("p", {}, "2026-01-01T00:00:00+00:00"))
                session.close()

        monkeypatch.setattr(Screen, "progress", progress)
        refused = vastplan("apply", file, "--auto-approve")
        assert refused.code != 0 and "the ledger of iad is in use by ann@host (pid 7) since 20" in refused.err, (
            refused.err
        )
        waited = vastplan("apply", file, "--auto-approve", "--lock-timeout", "10m")
        assert waited.code == 0, waited.err
        assert "the ledger of iad is held by ann@host (pid 7) since 20" in waited.err
        assert "; waiting for it for up to 10m" in waited.err and "Apply: 1 done." in waited.out, waited.out


def test_a_ledger_that_stays_in_use_ends_the_wait(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "lab.yaml"
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {}}})
        session = open_workspace([file]).ledger(writable=True).open("iad", "ann@host (pid 7)")
        waited = vastplan("ledger", "forget", file, "iad/tenant/a", "--lock-timeout", "1x")
        assert waited.code == 1 and "--lock-timeout: '1x' is not a duration" in waited.err, waited.err
        waited = vastplan("apply", file, "--auto-approve", "--lock-timeout", "1s")
        assert "in use by ann@host (pid 7) since 20" in waited.err, waited.err
        assert "(waited 1s for it); wait for it to end" in waited.err, waited.err
        session.close()


@pytest.mark.parametrize(
    "command", ["apply", "move run", "move abort", "restore run", "restore abort",
                "ledger move", "ledger forget", "ledger export", "ledger import"]
)  # fmt: skip
def test_each_command_that_takes_the_ledger_can_wait(command: str, vastplan: Run) -> None:
    assert "--lock-timeout DURATION" in vastplan(*command.split(), "-h").out
