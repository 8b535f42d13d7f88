"""What stands on something that cannot be seen, or is gone by the time it is needed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.library import KINDS, SITE, Bench, at, entry, ref
from vastplan.engine.live.read import observe
from vastplan.model.errors import ObjectNotFound, Unreachable
from vastplan.model.outcome import State
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Since


def test_what_stands_on_two_unseen_objects_is_unknown_once() -> None:
    bench = Bench()
    shelf, *books = [entry("shelf", "s"), *(entry("book", name, shelf=ref("shelf", "s")) for name in "ab")]

    def fail(verb: str, kind: Kind) -> None:
        if kind.name == "shelf":
            raise Unreachable("timed out")

    bench.library.before = fail
    plan = bench.plan(shelf, *books, entry("catalogue", "c", books=[ref("book", "a"), ref("book", "b")]))
    assert not plan.actions and not plan.in_sync
    reasons = {(unknown.kind, unknown.reason) for unknown in plan.unknown}
    assert ("shelf", "timed out") in reasons
    assert [kind for kind, _ in reasons].count("catalogue") == 1
    assert next(reason for kind, reason in reasons if kind == "catalogue").startswith("it needs iad/book/")


def test_what_is_referred_to_and_gone_since_the_plan_fails_that_action_alone() -> None:
    bench = Bench()
    there = bench.library.put("shelf", name="there")
    catalogue = entry("catalogue", "c", shelf=ref("shelf", "there", managed=False))
    bench.done(catalogue)
    changed = entry("catalogue", "c", shelf=ref("shelf", "there", managed=False), books=[])
    bench.library.rows["catalogue"][bench.part_by_address()[at("catalogue", "c")].id]["shelf"] = "elsewhere"
    plan = bench.plan(changed, entry("shelf", "new"))
    del bench.library.rows["shelf"][there["id"]]
    states = {outcome.address: outcome.state for outcome in bench.apply(plan).outcomes}
    assert states == {"iad/catalogue/c": State.FAILED, "iad/shelf/new": State.DONE}


def test_a_name_that_three_have_is_nobody_s() -> None:
    bench = Bench()
    for _ in range(3):
        bench.library.put("shelf", name="s")
    (action,) = bench.plan(entry("catalogue", "c", shelf=ref("shelf", "s", managed=False))).actions
    (block,) = action.blocked
    assert block.guard == "ambiguous" and "has 3 of kind shelf named s" in block.message


@pytest.mark.parametrize(
    ("versions", "owned", "error"),
    [
        pytest.param((Since("runai", "2.24"),), False, "", id="a-version-before-the-kind"),
        pytest.param((), False, "404", id="a-kind-that-was-always-there"),
        pytest.param((Since("runai", "2.24"),), True, "404", id="something-of-it-is-ours"),
    ],
)
def test_a_list_that_is_not_there_is_empty_only_where_a_version_may_lack_it(
    versions: tuple[Since, ...], owned: bool, error: str
) -> None:
    bench = Bench()

    def fail(verb: str, kind: Kind) -> None:
        raise ObjectNotFound("404")

    bench.library.before = fail
    shelf = replace(KINDS["shelf"], versions=versions)
    part = SiteLedger("d", SITE, "l", "00", entries={f"{SITE}/shelf/s": Owned("n1", "n1")} if owned else {})
    observed = observe([(SITE, shelf)], {(SITE, "library"): bench.library}, {SITE: part})
    assert observed.error(SITE, "shelf") == error and observed.objects(SITE, "shelf") == []
