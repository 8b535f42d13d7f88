"""Where a document or a connections file says that its systems and its ledger are, as text without credentials."""

from __future__ import annotations

from vastplan.document.load import Document
from vastplan.document.specs import (
    Connections,
    KubernetesEndpoint,
    KubernetesLedgerSpec,
    LedgerSpec,
    RunaiEndpoint,
    VastEndpoint,
)

SIMULATED = "simulated"


def places(document: Document) -> dict[str, dict[str, str]]:
    """By site, where each of its systems is; `ledger` is where its ledger is."""
    systems = {name: site.systems for name, site in document.sites().items()}
    return {
        name: {**_systems(given, systems[name]), "ledger": _ledger(document)}
        for name, given in document.connections.items()
    }


def _systems(given: Connections, systems: frozenset[str]) -> dict[str, str]:
    found = dict.fromkeys(systems, SIMULATED)
    if isinstance(given.vast, VastEndpoint):
        found["vast"] = given.vast.url
    if isinstance(given.kubernetes, KubernetesEndpoint):
        found["kubernetes"] = _cluster(given.kubernetes)
    if isinstance(given.runai, RunaiEndpoint):
        found["runai"] = f"{given.runai.url} {given.runai.cluster}"
    return found


def _cluster(given: KubernetesEndpoint) -> str:
    if given.in_cluster is True:
        return "in cluster"
    parts = (given.kubeconfig, given.context)
    return " ".join(one for one in parts if isinstance(one, str)) or "the current context"


def _ledger(document: Document) -> str:
    spec = document.head.ledger
    if not isinstance(spec, LedgerSpec):
        return "beside the document"
    if isinstance(spec.kubernetes, KubernetesLedgerSpec):
        cluster = spec.kubernetes.site if isinstance(spec.kubernetes.site, str) else _cluster(spec.kubernetes)
        return f"{cluster} {spec.kubernetes.namespace}"
    return str(spec.local)
