"""A simulated cluster to keep ledgers in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.benches import KubernetesBench
from vastplan.providers.kubernetes import KubernetesProvider, connect
from vastplan.sim.world import World


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KubernetesBench]:
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
