"""Simulators on loopback are asked directly, whatever proxies the environment names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import Lab


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "all_proxy"])
def test_a_plan_of_simulators_asks_no_proxy(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "http://operator:hunter2@127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with Lab(tmp_path, {"iad": ["vast", "runai", "kubernetes"]}) as lab:
        lab.write({"tenants": {"a": {}}, "namespaces": {"n": {}}, "departments": {"d": {"gpus": {"default": 1}}}})
        plan = lab.converge()
    assert len(plan.actions) == 3 and not plan.unknown
