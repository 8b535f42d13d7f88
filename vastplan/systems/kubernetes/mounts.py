"""The pods that mount a claim and have not ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.schema.kind import Kind
from vastplan.schema.provider import Provider
from vastplan.schema.rows import at

_OVER = frozenset({"Succeeded", "Failed"})


class PodMounts:
    """Reads the pods of one cluster, as the kind of pods lists them."""

    def __init__(self, provider: Provider, kind: Kind) -> None:
        self._provider, self._kind = provider, kind

    def pods(self, namespace: str, claim: str) -> tuple[str, ...]:
        """The names of the pods, sorted."""
        rows = (row for page in self._provider.pages(self._kind) for row in page)
        return tuple(sorted(str(at(row, ("metadata", "name"))) for row in rows if _mounts(row, namespace, claim)))


def _mounts(row: Mapping[str, Any], namespace: str, claim: str) -> bool:
    if at(row, ("metadata", "namespace")) != namespace or at(row, ("status", "phase")) in _OVER:
        return False
    volumes = at(row, ("spec", "volumes")) or ()
    return any(at(volume, ("persistentVolumeClaim", "claimName")) == claim for volume in volumes)
