"""What docs/drift.md and docs/contract-suite.md show is what is printed, and what docs/ledger.md and docs/rights.md type is run.

A shown `…` stands for any characters of a line; a time is any time.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.conftest import Run
from tests.contract.__main__ import main
from tests.contract.simulated import FAST, demand_less, site, with_a_token
from tests.docs.pages import ROOT, blocks
from tests.docs.test_guides import in_order
from tests.drift.stage import TIB, Hands, an_hour_ago, served

FACTORY = "examples/ai-factory"
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
VOLUMES = 37
"""Created by the CSI driver at iad; each has a view and a quota."""


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    """Somebody at the simulated systems of a copy of the example."""
    shutil.copytree(ROOT / FACTORY, tmp_path / FACTORY, ignore=shutil.ignore_patterns(".vastplan"))
    with served(tmp_path / FACTORY) as found:
        yield found


def printed(block: str) -> list[str]:
    """The lines that a block shows below its command."""
    return [TIME.sub("TIME", line) for line in block.splitlines() if not line.startswith("$ ")]


@pytest.mark.slow
def test_a_drift_is_shown_as_the_page_has_it(hands: Hands, tmp_path: Path, vastplan: Run) -> None:
    with an_hour_ago():
        assert vastplan("apply", FACTORY, "--auto-approve").code == 0
    hands.quota(60 * TIB, "/team-b/datasets")

    def created(collection: str, **row: Any) -> None:
        hands.call("iad", "vast", "POST", f"/api/v5/{collection}/", row)

    policy = hands.row("iad", "viewpolicies", name="default")["id"]
    created("views", path="/scratch", policy_id=policy, protocols=["NFS"], create_dir=True)
    tenant = hands.row("iad", "tenants", name="team-a")["id"]
    policy = hands.row("iad", "viewpolicies", name="team-a", tenant_id=tenant)["id"]
    for _ in range(VOLUMES):
        path = f"/team-a/k8s/pvc-{uuid4()}"
        created("views", path=path, policy_id=policy, tenant_id=tenant, protocols=["NFS"], create_dir=True)
        created("quotas", name=path.rpartition("/")[2], path=path, tenant_id=tenant)
    first, since = blocks(ROOT / "docs/drift.md", "console")
    assert first.startswith(f"$ vastplan drift {FACTORY}\n")
    ran = vastplan("drift", FACTORY, "--report", "yesterday.json")
    assert ran.code == 2 and not in_order(printed(first), TIME.sub("TIME", ran.out)), ran
    for line in since.splitlines():
        ran = vastplan(*line.removeprefix("$ vastplan ").replace("PATH", FACTORY).split())
        assert ran.code == 2, ran
    assert {file.name for file in tmp_path.glob("*.*")} >= {"today.json", "drift.prom", "drift.md"}


def test_the_contract_suite_prints_what_its_page_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *_ = blocks(ROOT / "docs/contract-suite.md", "console")
    shown = printed(first)
    only = [word for line in shown for word in ("--only", line.split()[0])]
    with site(tmp_path / "sim") as found:
        demand_less(found[0])
        assert main([*FAST, *only], with_a_token(found)) == 2
    *lines, _ = capsys.readouterr().out.splitlines()
    assert not in_order(shown, "\n".join(lines)), lines


def typed(page: str, number: int) -> list[list[str]]:
    """The vastplan commands of a block, without their comments."""
    block = blocks(ROOT / "docs" / page, "console")[number]
    return [shlex.split(line.removeprefix("$ vastplan "), comments=True) for line in block.splitlines()]


def test_a_tenant_moves_to_another_document_as_the_page_says(tmp_path: Path, vastplan: Run) -> None:
    head = "version: 1\nname: {}\nsites: {{iad: {{sim: {{systems: [vast]}}}}}}\n"
    team = "tenants: {team-c: {views: {v: {path: /v, create_dir: true, view_policy: team-c}}, view_policy: {flavor: NFS}}}\n"
    (tmp_path / "old.yaml").write_text(head.format("old") + team)
    assert vastplan("apply", "old.yaml", "--auto-approve").code == 0
    (tmp_path / "new.yaml").write_text(head.format("new") + team)
    export, into, apply = typed("ledger.md", 0)
    assert vastplan(*export).code == 0
    (tmp_path / "old.yaml").write_text(head.format("old"))
    assert vastplan(*into).code == 0
    ran = vastplan(*apply, "--auto-approve")
    assert ran.code == 0 and {line.split()[1] for line in ran.err.splitlines() if line.startswith("[")} == {"record"}, (
        ran
    )
    assert "no changes" in vastplan("plan", "new.yaml").out and "no changes" in vastplan("plan", "old.yaml").out


def test_the_rights_of_a_document_are_shown(tmp_path: Path, vastplan: Run) -> None:
    shutil.copytree(ROOT / FACTORY, tmp_path / "storage", ignore=shutil.ignore_patterns(".vastplan"))
    (words,) = typed("rights.md", 0)
    ran = vastplan(*words)
    assert ran.code == 0 and "view" in ran.out, ran
