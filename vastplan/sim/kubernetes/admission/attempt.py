"""One write before it is stored, as admission sees it."""

from __future__ import annotations

from dataclasses import dataclass, field

from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import Resource


@dataclass(slots=True)
class AdmissionRequest:
    """`new` is absent in a DELETE, `old` in a CREATE; `warnings` go to the client in any case."""

    cluster: KubernetesCluster
    resource: Resource
    operation: str
    namespace: str
    name: str
    new: Object | None
    old: Object | None
    subresource: str = ""
    dry_run: bool = False
    user: str = ""
    warnings: list[str] = field(default_factory=list)
