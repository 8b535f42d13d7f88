"""Every case of findings.yaml in full, as `told.txt` has it: `make golden` writes it anew. Read the difference before you commit it."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

from tests.checks.checkpoint.test_findings import CASES, inputs
from vastplan.checks.checkpoint.arithmetic import Budget, compute_budget
from vastplan.checks.checkpoint.findings import volume_findings
from vastplan.checks.checkpoint.summary import budget_figures, budget_line

TOLD = Path(__file__).parent / "told.txt"


def told(title: str, budget: Budget) -> str:
    """The budget in one line, each finding with what to do, and every figure that is known to six digits."""
    findings = [
        f"{finding.code} {finding.severity.value}: {finding.message} ({finding.fix})"
        for finding in volume_findings(budget)
    ]
    known = {name: value for name, value in budget_figures(budget).items() if value is not None}
    numbers = ", ".join(f"{name} {value:.6g}" for name, value in known.items() if not isinstance(value, str))
    return (
        "\n  ".join([title, budget_line(budget), *findings, *textwrap.wrap(numbers, 136, break_on_hyphens=False)])
        + "\n"
    )


def test_what_is_told_word_for_word() -> None:
    text = "".join(told(case["case"], compute_budget(inputs(case.get("given", {})))) for case in CASES)
    if os.environ.get("VASTPLAN_GOLDEN") == "write":
        TOLD.write_text(text)
    assert text == TOLD.read_text()
