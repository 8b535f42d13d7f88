"""The shared ledger on a real API server: the contract of `tests/ledger`, recorded like everything else here."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.kube.conftest import MODE, Open
from tests.kube.hands import Hands
from tests.kube.lab import kubeconfig
from tests.kube.server import ApiServer
from tests.ledger.benches import KubernetesBench
from tests.ledger.contract import BusyLedgerContract, LedgerContract
from vastplan.systems.kubernetes.client import KubernetesProvider
from vastplan.systems.kubernetes.kubeconfig import connect


class TestKubernetes(LedgerContract):
    """Keys, names and times are the same in every run, and what is packed is not compressed: bodies can be compared."""

    @pytest.fixture
    def bench(
        self, open_lab: Open, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[KubernetesBench]:
        count = itertools.count()

        def token(size: int) -> str:
            return hashlib.sha256(str(next(count)).encode()).hexdigest()[: 2 * size]

        for module in ("events", "kubernetes"):
            monkeypatch.setattr(f"vastplan.ledger.{module}.secrets", SimpleNamespace(token_hex=token))
        monkeypatch.setattr("vastplan.ledger.chunks.LEVEL", 0)
        name = request.node.name.removeprefix("test_").replace("[", ".").rstrip("]")
        with open_lab(f"ledger.{name}", []) as lab:
            api = connect(kubeconfig=str(lab.folder / "kubeconfig"), context=None, in_cluster=False)
            provider = KubernetesProvider(api, writable=True)
            yield KubernetesBench(provider)
            provider.close()


if MODE != "replay":  # what is not recorded; against the simulator they run as `tests/ledger/test_contract.py`

    class TestLive(BusyLedgerContract):
        @pytest.fixture
        def bench(self, live: tuple[ApiServer, Hands] | None, tmp_path: Path) -> Iterator[KubernetesBench]:
            assert live is not None
            server, hands = live
            config = tmp_path / "kubeconfig"
            config.write_text(kubeconfig(server.url, server.pem), encoding="utf-8")
            provider = KubernetesProvider(
                connect(kubeconfig=str(config), context=None, in_cluster=False), writable=True
            )
            yield KubernetesBench(provider)
            provider.close()
            hands.clean()
