"""What a command that arms a whole site reports of each project and path."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Arming:
    """A project or path that was armed for a target, or why not (`problem`)."""

    address: str
    target: str
    problem: str = ""
    kept: int = 0
    unsubmitted: tuple[str, ...] = ()
    """The kept workloads that are submitted nowhere, because the target lacks a claim that they mount."""
    not_kept: tuple[str, ...] = ()
    """Why workloads are not kept, each with its name."""
    gpus: str = ""
    """The GPUs that are free at the target, if they are fewer than needed."""
    lapsed: str = ""
    """Why what was armed before no longer counts."""
