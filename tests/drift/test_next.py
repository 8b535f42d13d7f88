"""What drift says to type next does what it says, as it is printed."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab
from tests.printed import apart, printed_commands, refused
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


def test_what_is_typed_next_names_the_connections_that_were_typed_and_does_what_it_says(
    tmp_path: Path, vastplan: Run
) -> None:
    document, connections = tmp_path / "storage", tmp_path / "connections.yaml"
    document.mkdir()
    with Lab(document, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {"client_ip_ranges": ["10.0.0.1"]}}})
        lab.converge()
        (row,) = (row for row in lab.rows("iad", "tenant") if row["name"] == "a")
        ranges = {"client_ip_ranges": [["10.0.0.9", "10.0.0.9"]]}
        lab.by_hand("iad", "vast", "PATCH", f"/api/v5/tenants/{row['id']}/", ranges)
        lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "clicked"})
        typed = (document, "--connections", apart(document / "lab.yaml", connections))
        ran = vastplan("drift", *typed)
        commands = list(printed_commands(ran.out))
        assert [shlex.split(command)[1] for command in commands] == ["plan", "drift", "import"], ran
        for command in commands:
            assert vastplan(*shlex.split(command)[1:]).code == 0, command
        written = yaml.safe_load((document / "lab.yaml").read_text())["tenants"]["a"]
        assert written["client_ip_ranges"] == ["10.0.0.9 - 10.0.0.9"]


def test_a_command_that_could_not_be_typed_is_noticed() -> None:
    text = "Next:\n  vastplan plan doc  # shows\n  vastplan drop doc\n\nSaved to p; carry it out with: vastplan apply p --lose x"
    assert list(printed_commands(text)) == ["vastplan plan doc", "vastplan drop doc", "vastplan apply p --lose x"]
    assert [refused(command, ()) for command in printed_commands(text)] == ["", *["the parser refuses it"] * 2]
    assert refused("vastplan plan doc", ("drift", "doc", "--connections", "c")) != ""
    assert refused("vastplan plan doc --connections c", ("drift", "doc", "--connections", "c")) == ""
