"""Stand-ins for systems that do not answer: each call raises `Unreachable`, because unreachable is not absent."""

from __future__ import annotations

from typing import Any, NoReturn, cast

from vastplan.model.errors import Unreachable
from vastplan.schema.ports.access import Volumes
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica
from vastplan.schema.ports.workloads import Jobs


class EarlierLook(Unreachable):
    """A system did not answer when an operation began or went on; nobody has asked it again."""


class _Silent:
    """A part of a site that does not answer; `why` says why."""

    path = "/protectedpaths/"

    def __init__(self, site: str, why: str) -> None:
        self.site, self._why = site, why

    def now(self) -> None:
        """The time is unknown, and no caller depends on it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._no

    def _no(self, *_: object, **__: object) -> NoReturn:
        raise EarlierLook(self._why)


class SilentMounts:
    """The pods of a site whose Kubernetes does not answer."""

    def __init__(self, why: str) -> None:
        self._why = why

    def pods(self, namespace: str, claim: str) -> tuple[str, ...]:
        """Raises `Unreachable`."""
        raise Unreachable(f"the pods that mount {namespace}/{claim} cannot be read: {self._why}")


def silent_path(site: str, why: str) -> tuple[Replica, Cached]:
    """One side of a replicated path, and its cache."""
    side = _Silent(site, why)
    return cast(Replica, side), cast(Cached, side)


def silent_jobs(site: str, why: str) -> Jobs:
    """The workloads of a site whose Run:AI does not answer."""
    return cast(Jobs, _Silent(site, f"the workloads at {site} cannot be read: {why}"))


def silent_volumes(site: str, why: str) -> Volumes:
    """The claims of a site whose Kubernetes does not answer."""
    return cast(Volumes, _Silent(site, why))
