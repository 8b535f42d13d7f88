"""Who may not list the ledgers of other documents is told of drift all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.drift.stage import Hands
from vastplan.ledger.backend import OtherParts
from vastplan.ledger.file import FileLedger
from vastplan.model.errors import NotAuthorised


def test_what_may_not_be_listed_claims_nothing(
    hands: Hands, vastplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: FileLedger) -> OtherParts:
        raise NotAuthorised("403 leases may not be listed")

    hands.call("iad", "vast", "POST", "/api/v5/tenants/", {"name": "somebody-elses"})
    monkeypatch.setattr(FileLedger, "others", refused)
    ran = vastplan("drift", tmp_path / "hand.yaml")
    assert ran.code == 0 and "iad/tenant somebody-elses" in ran.out, ran
