"""The fault matrix, thinned for an ordinary test run; `make faults` runs it in full."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults import plays
from tests.faults.case import Theatre
from tests.faults.run import KINDS, Tally, cases, strike
from vastplan.model.plan import Verb

EVERY = 67  # prime to the number of faults, so that each of them meets requests of every sort


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    folder = tmp_path_factory.mktemp("faults")
    one = Theatre(folder / "home", *plays.small(folder))
    yield one
    one.close()


def test_the_second_run_updates_replaces_and_deletes(theatre: Theatre) -> None:
    verbs = {action.verb for action in theatre.scenes[1].plan.actions}
    assert verbs >= {Verb.CREATE, Verb.UPDATE, Verb.REPLACE, Verb.DELETE}


@pytest.mark.parametrize("kind", [*KINDS, "two at once"])
def test_after_a_fault_the_next_run_converges(kind: str, theatre: Theatre) -> None:
    tally = Tally()
    for case in cases("small", theatre.scenes, every=EVERY):
        places = case[3]
        if (len(places) > 1) == (kind == "two at once") and (len(places) > 1 or places[0][1] == kind):
            strike(theatre, case, tally)
    assert not tally.failures, "\n".join(tally.failures)
    assert tally.struck.total() >= 2
