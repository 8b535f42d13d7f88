"""Kubernetes: a cluster's part of a document, and its connection. It can keep a shared ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vastplan.schema.system import Connection, SimulatorEndpoint, System, Uncovered
from vastplan.systems.kubernetes.rights import BESIDES, right_of
from vastplan.systems.kubernetes.spec import KubernetesEndpoint, KubernetesLedgerSpec

if TYPE_CHECKING:
    from vastplan.systems.kubernetes.client import KubernetesProvider


def _connect(spec: KubernetesEndpoint, connection: Connection) -> KubernetesProvider:
    from vastplan.systems.kubernetes.client import KubernetesProvider
    from vastplan.systems.kubernetes.kubeconfig import connect
    from vastplan.systems.kubernetes.plain_kubeconfig import plain_kubeconfig

    kubeconfig: str | dict[str, Any] | None = None
    if isinstance(spec.kubeconfig, str):
        own = not connection.by_document
        kubeconfig = (
            str(connection.folder / spec.kubeconfig) if own else plain_kubeconfig(connection.folder, spec.kubeconfig)
        )
    api = connect(
        kubeconfig=kubeconfig,
        context=spec.context if isinstance(spec.context, str) else None,
        in_cluster=spec.in_cluster is True,
        unverified=spec.insecure_skip_verify is True,
        decides=kubeconfig is not None or not connection.by_document,
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
        connect(kubeconfig=_of_simulator(endpoint), context=None, in_cluster=False, direct=True),
        writable=connection.writable,
        parallel=connection.parallel,
        limits=connection.limits,
        simulated=True,
        document=connection.document,
    )


def _of_simulator(endpoint: SimulatorEndpoint) -> dict[str, Any]:
    """A kubeconfig with the simulator's own address, authority and token; no kubeconfig file is read."""
    cluster = {"server": endpoint.url, "certificate-authority": endpoint.ca_file}
    context = {"cluster": endpoint.site, "user": endpoint.site}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": endpoint.site, "cluster": cluster}],
        "users": [{"name": endpoint.site, "user": {"token": endpoint.password}}],
        "contexts": [{"name": endpoint.site, "context": context}],
        "current-context": endpoint.site,
    }


# Storage objects of the core API and of the snapshot controller that people create by hand.
_UNCOVERED = (
    Uncovered("csidrivers", "/apis/storage.k8s.io/v1/csidrivers"),
    Uncovered("limitranges", "/api/v1/limitranges"),
    Uncovered("volumeattributesclasses", "/apis/storage.k8s.io/v1/volumeattributesclasses"),
    Uncovered("volumesnapshots", "/apis/snapshot.storage.k8s.io/v1/volumesnapshots"),
    Uncovered("volumesnapshotcontents", "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents"),
)

SYSTEM = System(
    "kubernetes",
    KubernetesEndpoint,
    _connect,
    _simulate,
    ledger=KubernetesLedgerSpec,
    rank=2,
    title="Kubernetes",
    right_of=right_of,
    besides=BESIDES,
    uncovered=_UNCOVERED,
)
