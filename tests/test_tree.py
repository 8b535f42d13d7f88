"""What stands at the top of the repository: what a project needs, and nothing that somebody left there."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
WANTED = {
    ".ci", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "conftest.py",
    "constraints.txt", "docs", "examples", "pyproject.toml", "schemas", "tests", "vastplan",
}  # fmt: skip


def test_nothing_else_is_kept_at_the_top() -> None:
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {path.split("/", 1)[0] for path in kept.split("\0") if path} == WANTED
