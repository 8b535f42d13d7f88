"""What stands for a system that does not answer: whatever is asked of it raises `Unreachable`. Unreachable is not absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.errors import Unreachable
from vastplan.schema.replicated import Job


class SilentJobs:
    """The workloads of a site whose Run:AI does not answer."""

    def __init__(self, site: str, why: str) -> None:
        self.site, self._why = site, why

    def _no(self) -> Unreachable:
        return Unreachable(f"the workloads at {self.site} cannot be read: {self._why}")

    def using(self, project: str, claim: str) -> tuple[Job, ...]:
        """Who uses a claim is not known."""
        raise self._no()

    def job(self, id: str) -> Job | None:
        """Nor what one does."""
        raise self._no()

    def named(self, name: str) -> Job | None:
        """Nor whether there is one of a name."""
        raise self._no()

    def suspend(self, job: Job) -> None:
        """Nothing can be asked of it."""
        raise self._no()

    def resume(self, job: Job) -> None:
        """Nothing can be asked of it."""
        raise self._no()

    def specification(self, job: Job) -> Mapping[str, Any]:
        """Nothing can be read of it."""
        raise self._no()

    def submit(self, type: str, name: str, project: str, specification: Mapping[str, Any]) -> None:
        """Nothing can be asked of it."""
        raise self._no()

    def mapped(self, specification: Mapping[str, Any], claim: str, becomes: str, label: str) -> Mapping[str, Any]:
        """There is no specification of its."""
        raise self._no()


class SilentMounts:
    """The pods of a site whose Kubernetes does not answer."""

    def __init__(self, why: str) -> None:
        self._why = why

    def pods(self, namespace: str, claim: str) -> tuple[str, ...]:
        """Who mounts a claim is not known."""
        raise Unreachable(f"who mounts {namespace}/{claim} cannot be read: {self._why}")
