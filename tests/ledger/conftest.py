"""Clusters to keep ledgers in: one in memory, and a simulated one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.benches import KubernetesBench
from tests.ledger.memory import memory
from vastplan.sim.world import World
from vastplan.systems.kubernetes.client import KubernetesProvider
from vastplan.systems.kubernetes.kubeconfig import connect

__all__ = ["cluster", "memory", "simulated"]


@pytest.fixture
def simulated(tmp_path: Path) -> Iterator[KubernetesBench]:
    """One API server, simulated, over HTTPS."""
    world = World(tmp_path / "sim", {"mgmt": ["kubernetes"]}).start()
    try:
        (one,) = world.endpoints()
        api = connect(kubeconfig=one.kubeconfig, context=None, in_cluster=False)
        provider = KubernetesProvider(api, writable=True)
        yield KubernetesBench(provider)
        provider.close()
    finally:
        world.stop()


@pytest.fixture(params=["memory", "simulated"])
def cluster(request: pytest.FixtureRequest) -> KubernetesBench:
    """Each of them."""
    found: KubernetesBench = request.getfixturevalue(request.param)
    return found
