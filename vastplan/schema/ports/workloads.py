"""The interface of operations to the workloads that use a directory, and to the pods that mount it. Systems implement these protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from vastplan.model.dataclass import dataclass

STOPPED = frozenset({"Stopped", "Failed", "Completed"})
"""The phases in which a workload runs nothing and holds no resources."""


@dataclass(frozen=True, slots=True)
class Job:
    """A workload that uses a claim."""

    id: str
    name: str
    type: str
    phase: str
    project: str
    gpus: float = 0.0
    preemptible: bool = False
    claims: tuple[str, ...] = ()
    """All claims that it mounts, where these were read."""
    says: str = ""
    """The reason for its phase, in the system's words."""
    suspends: bool = True
    """Whether its system can suspend it."""

    @property
    def stopped(self) -> bool:
        """Whether its phase is one of `STOPPED`."""
        return self.phase in STOPPED


class PoolGpus(NamedTuple):
    """The GPUs of a node pool that a project is guaranteed, and those that are allocated to it."""

    pool: str
    guaranteed: float
    allocated: float


@dataclass(frozen=True, slots=True)
class Resumption:
    """What a program starts with to go on from its last checkpoint: variables of its environment, and text among its arguments.

    `CHECKPOINT` in them is the path of the directory `checkpoint`, below what the workload mounts through `claim`.
    """

    env: Mapping[str, str]
    args: str = ""
    claim: str = ""
    checkpoint: str = ""


class Jobs(Protocol):
    """The workloads of one site."""

    site: str

    def using(self, project: str, claim: str) -> tuple[Job, ...]:
        """The workloads of a project whose specification mounts a claim, without those that have ended."""

    def job(self, id: str) -> Job | None:
        """The current state of a workload, `None` where it is gone."""

    def named(self, name: str) -> Job | None:
        """The workload with a name that is not deleted, `None` where there is none."""

    def submitted(self, project: str, name: str, label: str) -> Job | None:
        """The workload with a name in a project that was submitted with a label and is not deleted."""

    def quota(self, project: str) -> tuple[str, tuple[PoolGpus, ...]]:
        """The name of a project, and its GPUs in each node pool that its workloads use unless they name others."""

    def suspend(self, job: Job) -> None:
        """Stop the workload; it can be resumed."""

    def resume(self, job: Job) -> None:
        """Resume the workload."""

    def specification(self, job: Job) -> Mapping[str, Any]:
        """The specification that the workload was submitted with."""

    def secrets(self, specification: Mapping[str, Any]) -> tuple[str, ...]:
        """What of the specification looks like the value of a secret, by its name."""

    def submit(self, type: str, name: str, project: str, specification: Mapping[str, Any]) -> None:
        """Submit a new workload to a project of this site."""

    def remove(self, job: Job) -> None:
        """Delete the workload and what it runs; it is no error if the workload is gone."""

    def small(self, specification: Mapping[str, Any]) -> Mapping[str, Any]:
        """The specification with at most one GPU for each of its parts, and one worker."""

    def mapped(self, specification: Mapping[str, Any], claims: Mapping[str, str], label: str) -> Mapping[str, Any]:
        """The specification for another site: with that site's claims, without what only the first site has, with the label."""

    def resumed(self, specification: Mapping[str, Any], resume: Resumption) -> Mapping[str, Any]:
        """The specification that starts from the last checkpoint: variables replace those of the same name, arguments are added once."""


class Mounts(Protocol):
    """Which pods mount a claim on one site."""

    def pods(self, namespace: str, claim: str) -> tuple[str, ...]:
        """The pods that mount it, without those that have ended."""
