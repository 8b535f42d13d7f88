"""Where a served world is reached. Light, so that a command that only talks to simulators loads none."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class SimEndpoint:
    """How to reach one simulated system. The credentials are made up when it starts and open nothing else."""

    site: str
    system: str
    url: str
    ca_file: str
    username: str
    password: str
    kubeconfig: str = ""


def running(folder: Path) -> list[SimEndpoint] | None:
    """The endpoints of a world that another process serves from this folder, `None` when there is none."""
    try:
        content: dict[str, Any] = json.loads((folder / "endpoints.json").read_text(encoding="utf-8"))
        os.kill(content["pid"], 0)
    except (OSError, ValueError, KeyError):
        return None
    return [SimEndpoint(**entry) for entry in content["endpoints"]]
