"""Stand-ins for systems that do not answer: calls raise `Unreachable`, because unreachable is not absent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NoReturn

from vastplan.model.errors import Unreachable
from vastplan.schema.ports.access import Made, Twin
from vastplan.schema.ports.cache import Prefetch
from vastplan.schema.ports.replica import Kept, Point, Side
from vastplan.schema.ports.workloads import Job


class _Silent:
    """A stand-in for part of a site; `why` says why it does not answer."""

    def __init__(self, site: str, why: str) -> None:
        self.site, self._why = site, why

    def _no(self) -> NoReturn:
        raise Unreachable(self._why)


class SilentReplica(_Silent):
    """One side of a replicated path."""

    path = "/protectedpaths/"

    def look(self) -> Side:
        """Raises `Unreachable`."""
        self._no()

    def points(self) -> tuple[Point, ...]:
        """Raises `Unreachable`."""
        self._no()

    def now(self) -> datetime | None:
        """Returns `None`: the time is unknown, and no caller depends on it."""
        return None

    def used(self) -> int | None:
        """Raises `Unreachable`."""
        self._no()

    def keep(self, name: str) -> None:
        """Raises `Unreachable`."""
        self._no()

    def kept(self, name: str) -> Kept | None:
        """Raises `Unreachable`."""
        self._no()

    def replicate_now(self) -> None:
        """Raises `Unreachable`."""
        self._no()

    take_over = give_up = detach = force = enable = reattach = replicate_now


class SilentCache(_Silent):
    """The cache of one side of a path with global access."""

    path = "/protectedpaths/"

    def shared(self) -> bool:
        """Raises `Unreachable`."""
        self._no()

    def lease(self) -> float | None:
        """Raises `Unreachable`."""
        self._no()

    def prefetch(self, directory: str) -> int:
        """Raises `Unreachable`."""
        self._no()

    def running(self, directory: str) -> tuple[int, ...]:
        """Raises `Unreachable`."""
        self._no()

    def prefetched(self, task: int, directory: str) -> Prefetch | None:
        """Raises `Unreachable`."""
        self._no()

    def stop(self, task: int) -> None:
        """Raises `Unreachable`."""
        self._no()


class SilentJobs(_Silent):
    """The workloads of a site whose Run:AI does not answer."""

    def __init__(self, site: str, why: str) -> None:
        super().__init__(site, f"the workloads at {site} cannot be read: {why}")

    def using(self, project: str, claim: str) -> tuple[Job, ...]:
        """Raises `Unreachable`."""
        self._no()

    def job(self, id: str) -> Job | None:
        """Raises `Unreachable`."""
        self._no()

    named = job

    def ours(self, project: str, name: str, label: str) -> Job | None:
        """Raises `Unreachable`."""
        self._no()

    def suspend(self, job: Job) -> None:
        """Raises `Unreachable`."""
        self._no()

    resume = remove = suspend

    def specification(self, job: Job) -> Mapping[str, Any]:
        """Raises `Unreachable`."""
        self._no()

    def submit(self, type: str, name: str, project: str, specification: Mapping[str, Any]) -> None:
        """Raises `Unreachable`."""
        self._no()

    def small(self, specification: Mapping[str, Any]) -> Mapping[str, Any]:
        """Raises `Unreachable`."""
        self._no()

    def mapped(self, specification: Mapping[str, Any], claims: Mapping[str, str], label: str) -> Mapping[str, Any]:
        """Raises `Unreachable`."""
        self._no()


class SilentVolumes(_Silent):
    """The claims of a site whose Kubernetes does not answer."""

    def amiss(self, namespace: str, claim: str, directory: str) -> str:
        """Raises `Unreachable`."""
        self._no()

    def volume(self, name: str) -> Made:
        """Raises `Unreachable`."""
        self._no()

    def claim(self, namespace: str, name: str) -> Made:
        """Raises `Unreachable`."""
        self._no()

    def make_volume(self, like: Twin, name: str, directory: str, mark: str) -> None:
        """Raises `Unreachable`."""
        self._no()

    def make_claim(self, like: Twin, name: str, mark: str) -> None:
        """Raises `Unreachable`."""
        self._no()

    def drop_volume(self, name: str, mark: str) -> None:
        """Raises `Unreachable`."""
        self._no()

    def drop_claim(self, namespace: str, name: str, mark: str) -> None:
        """Raises `Unreachable`."""
        self._no()


class SilentMounts(_Silent):
    """The pods of a site whose Kubernetes does not answer."""

    def pods(self, namespace: str, claim: str) -> tuple[str, ...]:
        """Raises `Unreachable`."""
        raise Unreachable(f"the pods that mount {namespace}/{claim} cannot be read: {self._why}")
