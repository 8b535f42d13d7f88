"""Every case of findings.yaml in full, as `told.txt` has it: `make golden` writes it anew. Read the difference before you commit it."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

from tests.checks.checkpoint.test_findings import CASES, demand
from vastplan.checks.checkpoint import Budget, budget, findings
from vastplan.checks.checkpoint.figures import figures, line

TOLD = Path(__file__).parent / "told.txt"


def told(title: str, one: Budget) -> str:
    """The budget in one line, each finding with what to do, and every figure that is known to six digits."""
    said = [f"{found.code} {found.severity.value}: {found.sentence} ({found.fix})" for found in findings(one)]
    known = {name: value for name, value in figures(one).items() if value is not None}
    numbers = ", ".join(f"{name} {value:.6g}" for name, value in known.items() if not isinstance(value, str))
    return "\n  ".join([title, line(one), *said, *textwrap.wrap(numbers, 136, break_on_hyphens=False)]) + "\n"


def test_what_is_told_word_for_word() -> None:
    found = "".join(told(case["case"], budget(demand(case.get("given", {})))) for case in CASES)
    if os.environ.get("VASTPLAN_GOLDEN") == "write":
        TOLD.write_text(found)
    assert found == TOLD.read_text()
