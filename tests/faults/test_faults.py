"""The fault matrix, thinned for an ordinary test run; `make faults` runs it in full."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults import plays
from tests.faults.case import Theatre
from tests.faults.run import KINDS, TOGETHER, Tally, cases, strike
from tests.force import by_force
from vastplan.model.plan import Verb

EVERY = 67  # prime to the number of faults, so that each of them meets requests of every sort


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    folder = tmp_path_factory.mktemp("faults")
    one = Theatre(folder / "home", *plays.small(folder))
    yield one
    one.close()


@pytest.mark.slow
def test_the_second_run_updates_replaces_and_deletes(theatre: Theatre) -> None:
    verbs = {action.verb for action in theatre.scenes[1].plan.actions}
    assert verbs >= {Verb.CREATE, Verb.UPDATE, Verb.REPLACE, Verb.DELETE}


@pytest.mark.parametrize("kind", by_force([*KINDS, TOGETHER], "read timeout", TOGETHER))
def test_after_a_fault_the_next_run_converges(kind: str, theatre: Theatre) -> None:
    tally = Tally()
    for case in cases("small", theatre.scenes, every=EVERY):
        if case.fault == kind:
            strike(theatre, case, tally)
    assert not tally.failures, "\n".join(tally.failures)
    assert tally.struck.total() >= 2


def test_in_full_every_fault_meets_every_request_of_the_small_document(theatre: Theatre) -> None:
    requests = sum(len(scene.planning) + len(scene.applying) for scene in theatre.scenes)
    single = [case for case in cases("small", theatre.scenes) if case.fault != TOGETHER]
    assert len(set(single)) == len(single) == requests * len(KINDS)


def test_once_every_operation_meets_every_fault_and_what_writes_in_each_scene(theatre: Theatre) -> None:
    full, once = (cases("small", theatre.scenes, once=once) for once in (False, True))
    assert set(once) <= set(full)
    met, every = ({(case.expected, case.fault) for case in found} for found in (once, full))
    assert met == every
    read = [case for case in once if " GET " in f" {case.expected}"]
    assert len(read) == len({(case.expected, case.fault) for case in read}) < len(once)
    planning = {(case.expected, case.fault) for case in read if case.planning}
    asked_twice = {case.expected for case in read if case.planning} & {
        case.expected for case in read if not case.planning
    }
    assert {operation for operation, _ in planning} >= asked_twice
    assert {len([fault for one, fault in planning if one == operation]) for operation in asked_twice} == {
        len(KINDS) // 2
    }


def test_what_only_reads_is_struck_in_one_document_only_and_what_writes_in_each(theatre: Theatre) -> None:
    once = cases("small", theatre.scenes, once=True)
    read, write = (
        next(case.expected for case in once if f" {verb} " in f" {case.expected}") for verb in ("GET", "POST")
    )
    again = cases("small", theatre.scenes, once=True, met={read, write})
    assert {case.expected for case in once} - {case.expected for case in again} == {read}


def test_once_each_request_of_an_apply_is_struck_where_no_two_are_alike(theatre: Theatre) -> None:
    once = cases("values", theatre.scenes, once=True)
    places = [(case.scene, case.places[0][0]) for case in once if not case.planning]
    assert set(places) == {
        (number, at) for number, scene in enumerate(theatre.scenes) for at in range(len(scene.applying))
    }
    assert len(set(once)) == len(once) < len(cases("values", theatre.scenes)) / 2
    others = {case.fault for case in once} - {case.fault for case in cases("small", theatre.scenes, once=True)}
    assert not others and places.count(places[-1]) == 1


def test_in_turn_every_request_is_met_and_every_operation_meets_every_fault(theatre: Theatre) -> None:
    found = cases("reference", theatre.scenes)
    requests = sum(len(scene.planning) + len(scene.applying) for scene in theatre.scenes)
    assert len({(case.scene, case.planning, case.places[0][0]) for case in found}) == requests
    met = {(case.expected, case.fault) for case in found}
    assert len(met) == len({case.expected for case in found}) * len(KINDS)
