"""Kubernetes: what a document says of a cluster, and how it is connected. It can keep a shared ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vastplan.schema.system import Connection, SimulatorEndpoint, System
from vastplan.systems.kubernetes.spec import KubernetesEndpoint, KubernetesLedgerSpec

if TYPE_CHECKING:
    from vastplan.systems.kubernetes.client import KubernetesProvider


def _connect(spec: KubernetesEndpoint, connection: Connection) -> KubernetesProvider:
    from vastplan.systems.kubernetes.client import KubernetesProvider
    from vastplan.systems.kubernetes.kubeconfig import connect

    api = connect(
        kubeconfig=str(connection.folder / spec.kubeconfig) if isinstance(spec.kubeconfig, str) else None,
        context=spec.context if isinstance(spec.context, str) else None,
        in_cluster=spec.in_cluster is True,
        unverified=spec.insecure_skip_verify is True,
    )
    return KubernetesProvider(
        api,
        writable=connection.writable,
        parallel=connection.parallel,
        limits=connection.limits,
        document=connection.document,
    )


def _simulate(endpoint: SimulatorEndpoint, connection: Connection) -> KubernetesProvider:
    from vastplan.systems.kubernetes.client import KubernetesProvider
    from vastplan.systems.kubernetes.kubeconfig import connect

    return KubernetesProvider(
        connect(kubeconfig=endpoint.kubeconfig, context=None, in_cluster=False),
        writable=connection.writable,
        parallel=connection.parallel,
        limits=connection.limits,
        simulated=True,
        document=connection.document,
    )


SYSTEM = System("kubernetes", KubernetesEndpoint, _connect, _simulate, ledger=KubernetesLedgerSpec, rank=2)
