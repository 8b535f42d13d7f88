"""Every case of findings.yaml in full, as `told.txt` has it: `make golden` writes it anew. Read the difference before you commit it."""

from __future__ import annotations

import os
from pathlib import Path

from tests.checks.checkpoint.test_findings import CASES, demand
from vastplan.checks.checkpoint import Budget, budget, findings
from vastplan.checks.checkpoint.figures import line

TOLD = Path(__file__).parent / "told.txt"


def told(title: str, one: Budget) -> str:
    """The budget in one line, and each finding with what to do."""
    said = [f"{found.code} {found.severity.value}: {found.sentence} ({found.fix})" for found in findings(one)]
    return "\n  ".join([title, line(one), *said]) + "\n"


def test_what_is_told_word_for_word() -> None:
    found = "".join(told(case["case"], budget(demand(case.get("given", {})))) for case in CASES)
    if os.environ.get("VASTPLAN_GOLDEN") == "write":
        TOLD.write_text(found)
    assert found == TOLD.read_text()
