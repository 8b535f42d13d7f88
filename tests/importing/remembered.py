"""Snapshots of worlds that many tests import, each made once in a process: in memory, without a socket.

They are kept in a plain mapping, which a mutation run does not forget as it forgets what functions remember.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.importing.factory import SITES, applied, desk_with_snapshot
from tests.importing.worlds import Brownfield, Yard
from vastplan.app.files import snapshot as snapshot_file
from vastplan.model.snapshot import Snapshot

_KEPT: dict[str, Snapshot] = {}


def factory_world() -> Snapshot:
    """The reference document as it is when it was applied, and nobody has it any more."""
    return _KEPT.get("factory") or _keep("factory", None)


def brownfield_world(seed: int) -> Snapshot:
    """What people made over years on two sites."""
    return _KEPT.get(f"brownfield-{seed}") or _keep(f"brownfield-{seed}", seed)


def _keep(name: str, seed: int | None) -> Snapshot:
    with tempfile.TemporaryDirectory() as folder:
        yard = Yard(Path(folder) / "yard", SITES)
        with yard.running():
            if seed is None:
                applied(yard, Path(folder) / "old")
            else:
                Brownfield(yard, seed)
            _, file = desk_with_snapshot(yard, Path(folder))
        _KEPT[name] = snapshot_file.load(file)
    return _KEPT[name]
