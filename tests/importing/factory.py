"""The reference document as a brownfield: applied, and then nobody has its ledger and its files any more."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.histories.history import ran
from tests.importing.round_trip import Desk
from tests.importing.worlds import Yard

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ai-factory"
SITES = ("iad", "pdx")


def applied(yard: Yard, folder: Path) -> None:
    """Apply the reference document to a yard; must run where the yard is reached (`Plant.running`)."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".vastplan"))
    done = ran("apply", folder, "--auto-approve")
    assert done.code == 0, done.err


def desk_with_snapshot(yard: Yard, folder: Path) -> tuple[Desk, Path]:
    """Three lines, of the document that was, and a snapshot of all that is there."""
    desk = Desk.of(yard, folder / "new")
    head = desk.folder / "brownfield.yaml"
    head.write_text(head.read_text().replace("name: brownfield", "name: ai-factory"))
    snapshot = folder / "snapshot.json"
    done = desk.types("record", "--out", snapshot)
    assert done.code == 0, done.err
    return desk, snapshot
