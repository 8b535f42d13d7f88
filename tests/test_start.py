"""What a small command loads: only what its document and its words use. The figures may sink and not rise."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TELL = """
import json, sys
from vastplan.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""


def loaded(folder: Path, command: str) -> Counter[str]:
    """The number of modules by room (`vastplan.kinds`) after a command on the minimal example, and of all as `all`."""
    for name in ("minimal.yaml", "csi-password"):
        shutil.copy(ROOT / "examples" / name, folder)
    words = (sys.executable, "-c", TELL, command, "minimal.yaml")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stderr
    ours = [name for name in modules if name.startswith("vastplan.")]
    return Counter(ours_room for name in ours for ours_room in ("all", ".".join(name.split(".")[:2])))


@pytest.mark.parametrize(
    ("room", "most"), [("all", 369), ("vastplan.engine", 15), ("vastplan.report", 5), ("vastplan.kinds", 65), ("vastplan.ledger", 0)]
)  # fmt: skip
def test_validate_loads_no_engine_and_no_report(tmp_path: Path, room: str, most: int) -> None:
    assert loaded(tmp_path, "validate")[room] <= most


def test_a_plan_loads_the_kinds_whose_collections_it_reads(tmp_path: Path) -> None:
    assert loaded(tmp_path, "plan")["vastplan.kinds"] <= 90
