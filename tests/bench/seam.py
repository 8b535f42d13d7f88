"""All of vastplan that the benchmarks touch: its commands, its ledger, its checks, and the simulators' store."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from vastplan.app import checks as checking
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.workspace import LEDGER_FOLDER, open_workspace
from vastplan.checks.checkpoint.summary import budgets
from vastplan.cli import main
from vastplan.ledger.codec import dump
from vastplan.ledger.file import FileLedger, write_atomically
from vastplan.model.site_ledger import SiteLedger, keyed_digest
from vastplan.sim.endpoints import ServedEndpoint, served_endpoints, withdraw
from vastplan.sim.serve import RecordedCall, Server
from vastplan.sim.store import Store
from vastplan.sim.wire import Plane, Request, Response
from vastplan.sim.world import World

__all__ = [
    "COMMAND",
    "Plane",
    "RecordedCall",
    "Request",
    "Response",
    "ServedEndpoint",
    "Server",
    "SiteLedger",
    "Store",
    "World",
    "checks",
    "keyed_digest",
    "main",
    "read_ledger",
    "replace",
    "rewrite_snapshot",
    "served_endpoints",
    "simulators",
    "withdraw",
    "write_ledger",
]  # fmt: skip

COMMAND = (sys.executable, "-m", "vastplan")
CHANGE_ALL = ("--max-changes", "1000000", "--allow-delete", "*")
SITE = "iad"
DOCUMENT = "bench"


def simulators(folder: Path) -> Path:
    """Where the simulators of a document in this folder keep their files."""
    return folder / ".vastplan" / "sim"


def rewrite_snapshot(
    snapshot: Path, to: Path, kind: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> None:
    """A snapshot with other values of a kind's objects."""
    recorded = snapshot_file.load(snapshot)
    collections = tuple(
        replace(each, objects=tuple(replace(one, values=change(one.values)) for one in each.objects))
        if each.kind == kind
        else each
        for each in recorded.collections
    )
    snapshot_file.save(snapshot_file.sealed(replace(recorded, collections=collections)), to)


def read_ledger(folder: Path) -> SiteLedger:
    """What the document in this folder owns on its site."""
    return FileLedger(folder / LEDGER_FOLDER, DOCUMENT).read(SITE)


def write_ledger(folder: Path, ledger: SiteLedger) -> None:
    """Replace what the document in this folder owns on its site."""
    write_atomically(folder / LEDGER_FOLDER / f"{SITE}.json", dump(ledger))


def checks(path: Path) -> tuple[int, Callable[[], None]]:
    """How many objects a document stands for, and all checks over it, with isolation proofs and checkpoint budgets."""
    workspace = open_workspace([path])
    composed = workspace.composed()
    checking.catalogue()

    def work() -> None:
        facts = checking.check_facts(workspace, composed)
        checking.check_findings(workspace, facts, date(2026, 1, 1))
        assert budgets(facts)

    return len(composed.entries), work
