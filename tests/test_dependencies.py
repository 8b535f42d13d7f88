"""docs/dependencies.md lists what a production install consists of, whole, and says truly what of it is loaded."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
_CLIENTS = (
    "vastplan.systems.vast.client", "vastplan.systems.runai.client", "vastplan.systems.kubernetes.client",
    "vastplan.systems.kubernetes.kubeconfig", "vastplan.app.apply", "vastplan.app.drift",
    "vastplan.app.drifting.accept", "vastplan.ledger.kubernetes",
)  # fmt: skip


def tables() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The rows of the two tables by package, without its name."""
    _, asked, brought = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").split("\n## ")
    found = []
    for part in (asked, brought):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"]
        found.append({str(canonicalize_name(name)): cells for name, *cells in rows[2:]})
    return found[0], found[1]


@cache
def closure() -> dict[str, set[str]]:
    """What is installed for `vastplan` without extras, and by what."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    by: dict[str, set[str]] = defaultdict(set)

    def walk(requirements: Iterable[str], parent: str) -> None:
        for requirement in map(Requirement, requirements):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                name = canonicalize_name(requirement.name)
                known = name in by
                by[name].add(parent)
                if not known:
                    walk(metadata.requires(name) or [], name)

    walk(project["dependencies"], "")
    return dict(by)


def test_the_page_lists_what_is_installed_and_by_what() -> None:
    asked, brought = tables()
    by = closure()
    assert set(asked) == {name for name, parents in by.items() if "" in parents}
    assert set(brought) == set(by) - set(asked)
    wrong = {name: by[name] for name, cells in brought.items() if canonicalize_name(cells[0]) not in by[name]}
    assert not wrong
    assert all(cells[-1] for cells in (*asked.values(), *brought.values()))


def test_each_is_pinned() -> None:
    pinned = {canonicalize_name(line.split("==")[0]) for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert closure().keys() <= pinned


@pytest.mark.slow
def test_what_is_not_loaded_is_not() -> None:
    code = f"import sys\nfor name in {_CLIENTS}: __import__(name)\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, cwd=ROOT
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    names = {name: set(_modules(name)) for name, cells in tables()[1].items() if cells[1] == "no"}
    assert names and all(names.values())
    assert not {name for name, modules in names.items() if modules & loaded}


def _modules(name: str) -> list[str]:
    files = metadata.files(name) or []
    return [file.parts[0] for file in files if len(file.parts) == 2 and re.fullmatch(r"__init__\.pyi?", file.name)]
