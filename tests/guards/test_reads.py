"""What guards may ask for is said before there is a plan (for the rights that take it): no less than any plan then reads."""

from __future__ import annotations

import pytest

from tests.guards.stage import Case, Nobody, cases, kinds, planned
from vastplan.engine.guards.evidence_reads import may_be_read, reads_beside, second_read
from vastplan.engine.live.observe import live_of
from vastplan.engine.matching.links import linked_kinds
from vastplan.model.address import Address
from vastplan.model.plan import GOING, Action, Verb

SYSTEMS = {"iad": frozenset({"vast", "kubernetes", "runai"})}
CASES = [pytest.param(case, id=f"{case['file']}-{number}") for number, case in enumerate(cases())]


@pytest.mark.parametrize("case", CASES)
def test_no_plan_reads_more_for_an_action_than_may_be_read(case: Case) -> None:
    for address, action in planned(case)[0].by_address().items():
        read = {name for _, name in second_read(kinds(), {address: action}, SYSTEMS)}
        assert read <= may_be_read(kinds(), address.kind), (address, action.verb)


def test_the_cases_read_something_for_deletes_and_for_others() -> None:
    read = {
        action.verb
        for case in cases()
        for address, action in planned(case)[0].by_address().items()
        if second_read(kinds(), {address: action}, SYSTEMS)
    }
    assert {Verb.DELETE, Verb.UPDATE} <= read


def test_what_hangs_on_it_what_would_be_cut_off_and_what_is_reached_by_it() -> None:
    assert {"persistent_volume_claim"} <= may_be_read(kinds(), "admission_binding")  # by the policy that it enforces
    assert {"persistent_volume_claim"} <= may_be_read(kinds(), "admission_policy")
    assert may_be_read(kinds(), "s3_lifecycle_rule") == {
        "clone",
        "snapshot",
        "tenant",
    }  # of the view whose objects it deletes


ANOTHER = {"iad": frozenset({"vast", "runai"}), "pdx": frozenset({"kubernetes"})}


def test_what_a_rule_makes_the_system_delete_is_read_where_the_site_has_that_system() -> None:
    rule = Address("iad", "s3_lifecycle_rule", "r")
    actions = {rule: Action(rule, Verb.CREATE, "it does not exist yet")}
    read = {("iad", "clone"), ("iad", "snapshot"), ("iad", "tenant")}
    assert second_read(kinds(), actions, SYSTEMS) >= read
    assert not second_read(kinds(), actions, {"iad": frozenset({"kubernetes"})}) & read


@pytest.mark.parametrize(
    ("verb", "systems", "read"),
    [
        (Verb.CREATE, SYSTEMS, {("iad", "namespace")}),
        (Verb.REPLACE, SYSTEMS, {("iad", "namespace")}),
        (Verb.UPDATE, SYSTEMS, set()),
        (Verb.DELETE, SYSTEMS, set()),
        (Verb.CREATE, ANOTHER, set()),
    ],
)
def test_where_an_object_is_created_may_be_going_away(
    verb: Verb, systems: dict[str, frozenset[str]], read: set[object]
) -> None:
    claim, pool = Address("iad", "persistent_volume_claim", "c"), Address("iad", "vip_pool", "p")
    actions = {address: Action(address, verb, "") for address in (claim, pool)}
    linked = {("iad", name) for name in linked_kinds(kinds()["persistent_volume_claim"], kinds())}
    beside = reads_beside(kinds(), actions, (), systems)
    assert beside - linked == read and (verb not in GOING or ("iad", "pod") in beside or systems == ANOTHER)


@pytest.mark.parametrize("verb", Verb)
def test_what_shows_the_data_of_a_claim_and_who_uses_it_is_read_where_that_is_deleted(verb: Verb) -> None:
    claim = Address("iad", "persistent_volume_claim", "c")
    found = {name for _, name in reads_beside(kinds(), {claim: Action(claim, verb, "")}, (), SYSTEMS)}
    shown = {"persistent_volume", "view", "quota", "vip_pool", "pod", "data_source", "data_volume", "project"}
    assert found >= shown if verb in GOING else not found & (shown - {"project"})


@pytest.mark.parametrize(("systems", "read"), [(SYSTEMS, {("iad", "pod")}), (ANOTHER, set())])
def test_who_uses_what_is_going_away_is_read(systems: dict[str, frozenset[str]], read: set[object]) -> None:
    row = {"metadata": {"name": "c", "namespace": "n", "uid": "c", "deletionTimestamp": "2026-05-01T10:00:00Z"}}
    live = live_of("iad", kinds()["persistent_volume_claim"], row, Nobody())  # type: ignore[arg-type]
    assert reads_beside(kinds(), {}, [live], systems) == read
