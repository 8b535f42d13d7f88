"""More than one site that writes: an error of the systems, which stops its object and not the rest of the document."""

from __future__ import annotations

from dataclasses import replace

from tests.report.reading import drift, plan
from vastplan.app.planning.check import refuse_wrong
from vastplan.cli import exit_status
from vastplan.cli.commands.drift import _conditions
from vastplan.model import errors
from vastplan.model.finding import SPLIT, Finding, Severity

TORN = Finding(SPLIT, Severity.ERROR, "split: more than one site writes to it", "", "iad/protected_path/v")
OTHER = Finding("VP302", Severity.ERROR, "a secret cannot be read")


def test_it_refuses_nothing_else_and_shows_in_the_exit_code() -> None:
    torn = replace(plan("empty"), findings=(TORN,))
    refuse_wrong(torn)
    assert exit_status.wrong(torn) == [] and exit_status.conditions_of_plan(torn) == {errors.BLOCKED}
    assert exit_status.conditions_of_plan(replace(torn, findings=(OTHER,))) == {errors.ERROR}
    assert exit_status.conditions_of_plan(replace(torn, findings=())) == set()


def test_a_check_for_drift_ends_with_it_too() -> None:
    still = replace(drift("empty"), findings=(TORN,))
    assert _conditions(still) == {errors.BLOCKED}
    assert _conditions(replace(still, findings=(TORN, OTHER))) == {errors.BLOCKED, errors.ERROR}
