"""Both backends keep the same promises; the Kubernetes one in memory and against the simulator (`tests/kube` has the real server)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ledger.benches import FileBench, KubernetesBench
from tests.ledger.contract import BusyLedgerContract, LedgerContract


class TestFile(LedgerContract, BusyLedgerContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> FileBench:
        return FileBench(tmp_path / "ledger")


class TestMemory(LedgerContract, BusyLedgerContract):
    @pytest.fixture
    def bench(self, memory: KubernetesBench) -> KubernetesBench:
        return memory


class TestSimulated(LedgerContract, BusyLedgerContract):
    @pytest.fixture
    def bench(self, simulated: KubernetesBench) -> KubernetesBench:
        return simulated
