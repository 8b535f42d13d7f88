"""What docs/drift.md and docs/contract-suite.md show is what is printed, and what docs/ledger.md and docs/rights.md type is run.

A shown `…` stands for any characters of a line; a time is any time.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import requests

from tests.conftest import Run
from tests.contract.__main__ import NAMES, main
from tests.contract.simulated import FAST, site
from tests.docs.pages import ROOT, blocks
from tests.docs.test_guides import in_order
from vastplan.sim.wire import Request, Response

FACTORY = "examples/ai-factory"
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
VOLUMES = 37
"""Created by the CSI driver at iad; each has a view and a quota."""


class Vms:
    """The simulated VMS of a site, as somebody with a browser uses it."""

    def __init__(self, folder: Path, name: str) -> None:
        told = json.loads((folder / ".vastplan/sim/endpoints.json").read_text())["endpoints"]
        (self._at,) = [one for one in told if (one["site"], one["system"]) == (name, "vast")]
        login = {"username": self._at["username"], "password": self._at["password"]}
        self._token = ""
        self._token = self("POST", "token/", login)["access"]

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        answer = requests.request(
            method, f"{self._at['url']}/api/v5/{path}", json=body, verify=self._at["ca_file"], timeout=30,
            headers={"Authorization": f"Bearer {self._token}"} if self._token else {},
        )  # fmt: skip
        assert answer.ok, answer.text
        return answer.json()


@pytest.fixture
def factory(tmp_path: Path) -> Iterator[Path]:
    """A copy of the example, whose simulators are served."""
    folder = tmp_path / FACTORY
    shutil.copytree(ROOT / FACTORY, folder, ignore=shutil.ignore_patterns(".vastplan"))
    typed = [sys.executable, "-c", "import sys; from vastplan.cli import main; sys.exit(main())", "sim", str(folder)]
    served = subprocess.Popen(typed, stdout=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            if (folder / ".vastplan/sim/endpoints.json").exists():
                break
            time.sleep(0.05)
        yield folder
    finally:
        served.terminate()
        served.wait(30)


def printed(block: str) -> list[str]:
    """The lines that a block shows below its command."""
    return [TIME.sub("TIME", line) for line in block.splitlines() if not line.startswith("$ ")]


@pytest.mark.slow
def test_a_drift_is_shown_as_the_page_has_it(
    factory: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert vastplan("apply", FACTORY, "--auto-approve").code == 0
    vms = Vms(factory, "iad")
    (quota,) = vms("GET", "quotas/?name=team-b-datasets")
    time.sleep(1.1)  # a change within a second of the apply has no author
    vms("PATCH", f"quotas/{quota['id']}/", {"hard_limit": 60 * 2**40})
    policy = vms("GET", "viewpolicies/?name=default")[0]["id"]
    vms("POST", "views/", {"path": "/scratch", "policy_id": policy, "protocols": ["NFS"], "create_dir": True})
    tenant = vms("GET", "tenants/?name=team-a")[0]["id"]
    (policy,) = [one["id"] for one in vms("GET", "viewpolicies/?name=team-a") if one["tenant_id"] == tenant]
    for _ in range(VOLUMES):
        path = f"/team-a/k8s/pvc-{uuid4()}"
        made = {"path": path, "policy_id": policy, "tenant_id": tenant, "protocols": ["NFS"], "create_dir": True}
        vms("POST", "views/", made)
        vms("POST", "quotas/", {"name": path.rpartition("/")[2], "path": path, "tenant_id": tenant})
    first, since = blocks(ROOT / "docs/drift.md", "console")
    assert first.startswith(f"$ vastplan drift {FACTORY}\n")
    ran = vastplan("drift", FACTORY, "--report", "yesterday.json")
    assert ran.code == 2 and not in_order(printed(first), TIME.sub("TIME", ran.out)), ran
    for line in since.splitlines():
        ran = vastplan(*line.removeprefix("$ vastplan ").replace("PATH", FACTORY).split())
        assert ran.code == (0 if "--since" in line else 2), ran
    assert {file.name for file in tmp_path.glob("*.*")} >= {"today.json", "drift.prom", "drift.md"}


def test_the_contract_suite_prints_what_its_page_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *_ = blocks(ROOT / "docs/contract-suite.md", "console")
    shown = [line for line in first.splitlines() if not line.startswith("$ ")]
    only = [word for line in shown for word in ("--only", line.split()[0])]
    with site(tmp_path / "sim") as (world, named):
        plane = world.sites["lab"].planes["vast"]
        answer = plane.handle

        def lenient(request: Request) -> Response:
            return answer(replace(request, body=request.body.replace(b'-none"', b'-none", "subnet_cidr": 24')))

        plane.handle = lenient  # type: ignore[method-assign]
        chosen = {name: value for name, value in named.items() if "VAST_URL" in name or "VAST_CA" in name}
        chosen[NAMES + "VAST_TOKEN"] = next(iter(plane._gate._api_tokens))  # type: ignore[attr-defined]
        assert main([*FAST, *only], chosen) == 2
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
    assert ran.code == 0 and {line.split()[1] for line in ran.err.splitlines() if line.startswith("[")} == {
        "release"
    }, ran
    assert "no changes" in vastplan("plan", "new.yaml").out and "no changes" in vastplan("plan", "old.yaml").out


def test_the_rights_of_a_document_are_shown(tmp_path: Path, vastplan: Run) -> None:
    shutil.copytree(ROOT / FACTORY, tmp_path / "storage", ignore=shutil.ignore_patterns(".vastplan"))
    (words,) = typed("rights.md", 0)
    ran = vastplan(*words)
    assert ran.code == 0 and "view" in ran.out, ran
