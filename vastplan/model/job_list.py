"""The workloads that use the data of a project or volume, as they are listed."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A workload with all claims that it mounts. `not_kept` is why `move arm` would not keep it, "" if nothing in it stands against that."""

    name: str
    type: str
    phase: str
    gpus: float
    claims: tuple[str, ...]
    not_kept: str
