"""What an audit fails for: a finding, an advisory, and an advisory that could not be asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.audit.__main__ import main

FINDING = {"filename": "a.py", "line_number": 3, "test_id": "B999", "issue_text": "something"}
ADVISORY = {"name": "b", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}
FINE, SKIPPED = {"name": "c", "version": "1", "vulns": []}, {"name": "d", "skip_reason": "not found"}


def tool(file: Path, said: Any) -> None:
    """A program that says so."""
    file.write_text(f"#!/bin/sh\ncat <<'END'\n{said if isinstance(said, str) else json.dumps(said)}\nEND\n")
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("results", "dependencies", "tell", "code", "says"),
    [
        ([], {"dependencies": [FINE]}, False, 0, "packages: 1 asked about"),
        ([FINDING], {"dependencies": [FINE]}, True, 1, "a.py:3: B999 something"),
        ([], {"dependencies": [FINE, ADVISORY]}, True, 1, "b 1: PYSEC-1, mended in 2"),
        ([], {"dependencies": [FINE, SKIPPED]}, False, 1, "NOT AUDITED, advisories cannot be had here: d"),
        ([], {"dependencies": [SKIPPED]}, True, 0, "NOT AUDITED, advisories cannot be had here: d"),
        ([], "no network", False, 1, "NOT AUDITED, advisories cannot be had here: no reason given"),
    ],
    ids=["nothing", "a finding", "an advisory", "one that nobody knows", "that is told", "nobody answers"],
)
def test_what_it_fails_for(
    results: list[Any], dependencies: Any, tell: bool, code: int, says: str, tmp_path: Path, capsys: Any
) -> None:
    tool(tmp_path / "bandit", {"results": results, "errors": []})
    tool(tmp_path / "pip-audit", dependencies)
    assert main(tmp_path, tell=tell) == code
    assert says in capsys.readouterr().out
