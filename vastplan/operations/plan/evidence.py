"""Evidence that every operation shows."""

from __future__ import annotations

from vastplan.model.errors import Refused, Unreachable
from vastplan.model.operation_plan import Fact
from vastplan.operations.ends import Home


def used_bytes(used: int | None) -> str:
    """The used bytes of a directory, by its quota."""
    return "unknown: no quota on the directory" if used is None else str(used)


def mounted_by(home: Home) -> tuple[Fact, ...]:
    """The pods that mount the data, and a fact that other clients are unknown."""
    try:
        pods = [Fact("pod that mounts it", pod) for pod in home.pods()]
    except (Refused, Unreachable) as problem:
        pods = [Fact("pods that mount it", f"unknown: {problem}")]
    return (*pods, Fact("clients beside pods", "unknown: NFSv3 shows no open files"))
