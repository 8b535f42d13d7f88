"""What drift says to type next does what it says, as it is printed."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab
from tests.report.test_one_cause import EMPTY
from vastplan.model.drift import UnmanagedObject
from vastplan.report.drift_next import next_commands


@pytest.mark.parametrize("typed", ["lab.yaml", "."])
def test_what_is_taken_only_on_request_is_asked_for(typed: str, tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        lab.write({"namespaces": {"jobs": {}}})
        assert vastplan("apply", typed, "--auto-approve").code == 0
        lab.by_hand(
            "iad", "kubernetes", "POST", "/api/v1/namespaces",
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-x"}},
        )  # fmt: skip
        ran = vastplan("drift", typed)
        (command,) = (line.partition("  # ")[0].strip() for line in ran.out.splitlines() if "vastplan import" in line)
        ran = vastplan(*shlex.split(command)[1:])
        assert ran.code == 0 and "team-x" in yaml.safe_load(ran.out.partition("Imported")[0])["namespaces"], (
            command,
            ran,
        )


def test_what_import_never_writes_is_not_recommended() -> None:
    def typed(*strangers: UnmanagedObject) -> list[str]:
        return [command for command, _ in next_commands(replace(EMPTY, unmanaged=strangers), [Path("doc")])]

    keys = [UnmanagedObject("iad", "s3_key", f"k{number}", take=None) for number in range(2)]
    assert typed(*keys) == []
    view = UnmanagedObject("iad", "view", "v")
    assert typed(view, *keys) == ["vastplan import doc --dry-run"]
    secrets = [UnmanagedObject("iad", "secret", f"s{number}", take=f"*/secret/a/s{number}") for number in range(4)]
    assert typed(view, secrets[0]) == ["vastplan import doc --dry-run --take '*/secret/a/s0'"]
    assert typed(*secrets) == ["vastplan import doc --dry-run --take '*/secret/*'"]
