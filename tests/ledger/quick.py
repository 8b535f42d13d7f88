"""The ledger's tests on an API server in memory alone: a plugin for runs without conftest.py (`tests/mutation`)."""

from __future__ import annotations

import pytest

from tests.ledger.benches import KubernetesBench
from tests.ledger.memory import memory

__all__ = ["cluster", "memory"]


@pytest.fixture(name="cluster")
def cluster(memory: KubernetesBench) -> KubernetesBench:
    """The one in memory."""
    return memory
