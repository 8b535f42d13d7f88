"""Calls that Kubernetes documents and the simulator lacks: they are answered 501; undocumented ones 404 or 405."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

from vastplan.sim.kubernetes.status import StatusError
from vastplan.sim.tables import Table


@lru_cache
def _paths(version: str) -> Table:
    """The documented paths of a version, written by `vastplan.sim.derive_paths`."""
    file = resources.files("vastplan.sim") / "tables" / "kubernetes" / f"{version}-documented.json"
    paths: dict[str, str] = json.loads(file.read_text())
    return Table({"paths": {path: {method: {} for method in methods.split()} for path, methods in paths.items()}})


def not_simulated(version: str, method: str, path: str) -> StatusError | None:
    """501 for a documented call, `None` for any other."""
    table = _paths(version)
    matched = table.match(path)
    if matched is None or method not in table.content["paths"][matched[0]]:
        return None
    return StatusError(501, "NotImplemented", f"{method} {matched[0]} is documented, but not simulated.", {})
