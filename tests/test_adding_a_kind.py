"""Adding a kind touches two files: a throw-away kind in a copy of the project goes through its life, and through the commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = """\
version: 1
name: added
sites: {iad: {sim: {systems: [vast]}}}
dns_services: {main: {vip: 10.9.9.9, domain_suffix: cluster.example.com, ttl: 30}}
"""


SUPPORT = (
    "__init__.py", "lab.py", "direct.py", "force.py", "pace.py", "printed.py", "conftest.py", "kinds/__init__.py", "kinds/cases.py", "kinds/test_kinds.py",
)  # fmt: skip
"""What a run of the case files takes of the tests."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project with two more files, and nothing else changed."""
    ignore = shutil.ignore_patterns("__pycache__", ".vastplan")
    shutil.copytree(ROOT / "vastplan", tmp_path / "vastplan", ignore=ignore)
    (tmp_path / "tests" / "kinds").mkdir(parents=True)
    for name in SUPPORT:
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests" / name)
    shutil.copy(ROOT / "tests" / "throwaway" / "dns.py", tmp_path / "vastplan" / "kinds" / "vast" / "dns.py")
    shutil.copy(ROOT / "tests" / "throwaway" / "vast.dns.yaml", tmp_path / "tests" / "kinds" / "vast.dns.yaml")
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONWARNINGS": "error::DeprecationWarning:vastplan"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_runner_takes_it_through_its_life(copy: Path) -> None:
    done = run(
        copy,
        "-m",
        "pytest",
        "tests/kinds/test_kinds.py",
        "-k",
        "vast.dns",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert "11 passed" in done.stdout, done.stdout[-500:]


@pytest.mark.slow
def test_the_commands_know_it(copy: Path) -> None:
    document = copy / "doc.yaml"
    document.write_text(DOCUMENT)
    vastplan = ("-m", "vastplan")
    assert "+ dns main" in run(copy, *vastplan, "plan", str(document)).stdout
    applied = run(copy, *vastplan, "apply", str(document), "--auto-approve")
    assert applied.returncode == 0, applied.stderr
    assert run(copy, *vastplan, "plan", str(document), "--detailed-exitcode").returncode == 0
    document.write_text(DOCUMENT.replace("ttl: 30", "ttl: 31"))
    changed = json.loads(run(copy, *vastplan, "plan", str(document), "--format", "json").stdout)
    assert [change["path"] for action in changed["actions"] for change in action["changes"]] == ["ttl"]
    drift = run(copy, *vastplan, "drift", str(document))
    assert drift.returncode == 0, drift.stdout
    schema = json.loads(run(copy, *vastplan, "schema").stdout)
    assert "dns_services" in schema["properties"]
