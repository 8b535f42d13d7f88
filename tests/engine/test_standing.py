"""Who has to do with a live object."""

from __future__ import annotations

from dataclasses import replace

from tests.guards.stage import planned
from vastplan.engine.live.observe import Live
from vastplan.engine.live.owners import Owners
from vastplan.engine.state.responsibility import Responsibility, standings
from vastplan.model.address import Address

OURS = Address("iad", "protected_path", "nightly")


def test_a_copy_is_told_by_the_one_of_ours_that_it_is_called_as() -> None:
    rows = [
        {"id": 7, "name": "nightly", "source_dir": "/a"},
        {"id": 8, "name": "weekly", "source_dir": "/b"},
        {"id": 9, "name": "hourly", "source_dir": "/c", "wrote": "other"},
    ]
    _, matches = planned({"rows": {"protected_path": rows}, "owned": {"protected_path/nightly": "7"}})
    nightly, weekly, hourly = matches.observed.objects("iad", "protected_path")

    def elsewhere(live: Live) -> Live:
        return replace(live, site="pdx", id="9")

    told = standings(matches, Owners("doc"), [OURS])
    assert told.of(nightly) is Responsibility.MANAGED
    assert told.of(weekly) is Responsibility.NOBODYS
    assert told.of(hourly) is Responsibility.ELSEWHERE
    assert told.of(elsewhere(nightly)) is Responsibility.COPY
    assert told.of(elsewhere(weekly)) is Responsibility.NOBODYS
    told = standings(matches, Owners("doc"), [])
    assert told.of(nightly) is Responsibility.SPOKEN_OF
    assert told.of(elsewhere(nightly)) is Responsibility.NOBODYS


def test_a_copy_of_one_that_is_yet_to_be_made_is_told_by_its_key() -> None:
    row = {"id": 8, "name": "nightly", "source_dir": "/b"}
    _, matches = planned({"rows": {"protected_path": [row]}, "owned": {"protected_path/weekly": "7"}})
    (nightly,) = matches.observed.objects("iad", "protected_path")
    assert OURS not in matches.desired
    told = standings(matches, Owners("doc"), [Address("pdx", *OURS[1:])])
    assert told.of(nightly) is Responsibility.COPY
