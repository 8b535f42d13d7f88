"""The efficiency formulas against jobs that are played out, failure by failure."""

from __future__ import annotations

from random import Random

import pytest

from vastplan.checks.checkpoint.intervals import efficiency, efficiency_async

MTBF, WRITE, RESTART = 3.09 * 3600, 113.0, 300.0
FAILURES = 20_000


def played(interval: float, write: float, staging: float | None) -> float:
    """Work kept over wall time of one long job with exponential failures, seeded. `staging` makes it asynchronous.

    Computes for an interval, then stands still (for the write, or for the staging); an asynchronous checkpoint counts
    from when its write ends. A failure goes back to the last one that counts, after a restart in which more may come.
    """
    dice = Random(20260101)
    wall = kept = 0.0
    blocking = write if staging is None else staging
    for _ in range(FAILURES):
        alive = dice.expovariate(1 / MTBF)
        wall += alive
        # since the restart: the nth checkpoint begins after n intervals and n - 1 pauses, and counts a write later
        finished = (
            int(max(0.0, alive - interval - write) // (interval + blocking)) + 1 if alive >= interval + write else 0
        )
        kept += finished * interval
        down = RESTART
        while (again := dice.expovariate(1 / MTBF)) < down:
            wall += again
            down = RESTART
        wall += RESTART
    return kept / wall


@pytest.mark.parametrize("interval", [240, 600, 960, 1600, 2400, 4800, 9600])
def test_the_exact_formula_of_a_synchronous_job(interval: float) -> None:
    assert efficiency(interval, WRITE, MTBF, RESTART) == pytest.approx(played(interval, WRITE, None), rel=0.01)


@pytest.mark.parametrize("interval", [240, 334, 480, 960, 1600])
def test_the_first_order_of_an_asynchronous_job(interval: float) -> None:
    assert efficiency_async(interval, WRITE, 5, MTBF, RESTART) == pytest.approx(played(interval, WRITE, 5.0), rel=0.01)


@pytest.mark.slow
def test_the_best_interval_is_where_it_was_found_to_be() -> None:
    best = max(range(200, 6001, 200), key=lambda interval: played(interval, WRITE, None))
    assert abs(best - 1600) <= 200


def test_a_job_that_hardly_ever_ends_an_interval_keeps_nothing() -> None:
    assert efficiency(10**7, WRITE, MTBF, RESTART) == 0.0
    assert efficiency_async(10**7, WRITE, 5, MTBF, RESTART) == 0.0
