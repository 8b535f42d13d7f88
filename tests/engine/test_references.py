"""What a reference is on the wire: of what was read, of what this run has made, and of what nobody can see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

from tests.engine import library
from tests.engine.library import KINDS, SITE, Bench, Library, at, entry
from vastplan.engine.applying.apply_context import ApplyContext
from vastplan.engine.deciding.plan import PlanInputs, build
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Observed, ObservedCollection, live_of
from vastplan.engine.live.read import observe
from vastplan.engine.matching.match import match
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.errors import Refused
from vastplan.model.plan import Plan, Step, Verb
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.model.value import Reason, Ref, Unknown
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, Codec, Refers
from vastplan.schema.types import Name, ReferenceName, Spec

ELSEWHERE = Address("pdx", "shelf", "far")


def matched(observed: Mapping[tuple[str, str], ObservedCollection], *entries: Entry) -> Matches:
    """What was read, with nothing in the ledger."""
    return match(KINDS, Observed(observed), {}, {entry.address: entry for entry in entries})


def test_of_a_system_that_is_not_there_only_what_has_a_name_is_known() -> None:
    found = matched({("pdx", "shelf"): ObservedCollection(error="site pdx has no library", absent=True)})
    assert found.resolve(Ref(ELSEWHERE, managed=False), "name") == "far"
    assert found.resolve(Ref(ELSEWHERE, managed=False), "path") == "far"
    unknown = found.resolve(Ref(ELSEWHERE, managed=False), "id")
    assert unknown == Unknown("site pdx has no library", Reason.UNREAD)


def test_of_a_system_that_does_not_answer_nothing_is_known() -> None:
    found = matched({("pdx", "shelf"): ObservedCollection(error="down")})
    assert found.resolve(Ref(ELSEWHERE, managed=False), "name") == Unknown("down", Reason.UNREAD)


def test_a_site_without_the_system_has_nothing_of_it() -> None:
    seen = observe([("pdx", KINDS["shelf"])], {(SITE, "library"): Library()})
    assert seen.absent("pdx", "shelf") and seen.error("pdx", "shelf") == "site pdx has no library"
    assert seen.objects("pdx", "shelf") == []


# What this run has made


def resolver(
    made: Mapping[Address, Mapping[str, Any]], *entries: Entry, **providers: Library
) -> Callable[[Ref, str], Any]:
    """How an apply that has made something resolves a reference."""
    observed = {(site, name): ObservedCollection() for site in (SITE, "pdx") for name in KINDS}
    context = ApplyContext(
        kinds=KINDS, providers={(site, "library"): one for site, one in providers.items()}, journals={}, ledger={},
        matches=matched(observed, *entries), reveal=str, now=lambda: datetime(2026, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    return lambda ref, attribute: context.resolve(ref, attribute, made)


def test_what_this_run_has_made_counts_and_what_it_does_not_say_is_looked_up() -> None:
    resolve = resolver({at("shelf", "a"): {"id": "n9", "name": None}}, entry("shelf", "a"))
    assert resolve(Ref(at("shelf", "a")), "id") == "n9"
    assert resolve(Ref(at("shelf", "a")), "name") == "a"


def test_what_a_system_made_on_its_own_is_looked_for_where_there_is_one() -> None:
    far = Library()
    row = far.put("shelf", name="far")
    stranger, ours = Ref(ELSEWHERE, managed=False), Ref(ELSEWHERE)
    assert resolver({}, pdx=far)(stranger, "id") == row["id"]
    for ref, resolve in (
        (stranger, resolver({})), (stranger, resolver({}, iad=far)), (ours, resolver({}, pdx=far)),
    ):  # fmt: skip
        with pytest.raises(Refused, match="it refers to pdx/shelf/far, which does not exist"):
            resolve(ref, "id")
    far.put("shelf", name="far")
    with pytest.raises(Refused, match="which does not exist"):  # nobody can say which of two
        resolver({}, pdx=far)(stranger, "id")


# An identity that is written in another way than it is read


class Slip(Spec):
    """Lies in a shelf, whose number it writes as text."""

    shelf: Annotated[ReferenceName, IDENTITY, Refers("shelf"), Codec(write=lambda value: f"no {value}",
                                                                    read=lambda value: str(value).removeprefix("no "))]  # fmt: skip


def test_an_identity_is_compared_as_it_reads() -> None:
    slip = Kind(Slip, name="slip", system="library", endpoint=Endpoint("slips"))
    library = Library()
    kinds = {**KINDS, "slip": slip}
    shelf = live_of(SITE, KINDS["shelf"], library.put("shelf", name="a"), library)
    lying = live_of(SITE, slip, {"id": "s1", "shelf": "no n1"}, library)
    entries = {
        at("shelf", "a"): entry("shelf", "a"),
        at("slip", "s"): Entry(at("slip", "s"), {"shelf": Ref(at("shelf", "a"))}),
    }
    seen = Observed({(SITE, "shelf"): ObservedCollection([shelf]), (SITE, "slip"): ObservedCollection([lying])})
    assert match(kinds, seen, {}, entries).match(at("slip", "s")).live == lying


def test_what_a_system_left_out_of_what_an_object_is_told_by_is_null() -> None:
    library = Library()
    whole = live_of(SITE, KINDS["book"], library.put("book", title="emma", shelf_id="n1", pages=1), library)
    assert whole.identified(whole.values) == dict(whole.values)
    cut = live_of(SITE, KINDS["book"], library.put("book", pages=1), library)
    assert cut.identified(cut.values) == {"title": None, "shelf": None, "pages": 1}


# What the system keeps of an object on another site


class Loan(Spec):
    """A shelf that is lent to another site, where the system keeps a copy of the loan."""

    name: Annotated[Name, IDENTITY]
    shelf: Annotated[ReferenceName, Refers("shelf")]


def lent(loan: Kind, names: tuple[str, ...]) -> Plan:
    """Loans of iad whose copies on pdx hold a shelf there; all of it is to go."""
    kinds = {**KINDS, loan.name: loan}
    library = Library()
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {
        ("iad", "shelf"): [{"id": "s1", "name": "near", "books": 0}],
        ("pdx", "shelf"): [{"id": "s2", "name": "far", "books": 0}],
        ("iad", "loan"): [{"id": f"l{name}", "name": name, "shelf": "s1"} for name in names],
        ("pdx", "loan"): [{"id": "l9", "name": "second", "shelf": "s2"}],
    }
    seen = Observed(
        {
            (site, name): ObservedCollection([live_of(site, kinds[name], row, library) for row in found])
            for (site, name), found in rows.items()
        }
    )
    parts = {site: replace(events.new_part("doc", site), key="00" * 32) for site in ("iad", "pdx")}
    owned = {f"iad/loan/{name}": Owned(f"l{name}", f"l{name}") for name in names}
    ledger: dict[str, SiteLedger] = {
        "iad": replace(parts["iad"], entries=owned),
        "pdx": replace(parts["pdx"], entries={"pdx/shelf/far": Owned("s2", "s2")}),
    }
    return build(
        PlanInputs(
            document="doc", digest="0", source="doc.yaml", kinds=kinds, entries=(), observed=seen, ledger=ledger,
            endpoints={}, consent=Consent(allow_delete=("*",)), reveal=str, now=datetime(2026, 1, 2, tzinfo=UTC), targets=(),
        )
    )[0]  # fmt: skip


@pytest.mark.parametrize(
    ("mirrored", "names", "held"),
    [(True, ("first", "second"), False), (True, ("first",), True), (False, ("first", "second"), True)],
)
def test_a_copy_goes_with_what_it_is_a_copy_of(mirrored: bool, names: tuple[str, ...], held: bool) -> None:
    loan = Kind(Loan, name="loan", system="library", endpoint=Endpoint("loans"), mirrored=mirrored)
    plan = lent(loan, names)
    found = {str(one.address): one for one in plan.actions}
    assert {one.verb for one in plan.actions} == {Verb.DELETE}
    blocked = [one.message for one in found["pdx/shelf/far"].blocked]
    assert blocked == (["1 object still refers to it: loan second (not in the ledger)"] if held else [])
    if not held:
        steps = [(str(one.address), one.step) for one in plan.operations]
        assert steps.index(("iad/loan/second", Step.DELETE)) < steps.index(("pdx/shelf/far", Step.DELETE))
        (last,) = [one for one in plan.operations if str(one.address) == "pdx/shelf/far"]
        assert [str(plan.operations[index].address) for index in last.after] == ["iad/loan/second"]


def test_an_id_of_another_site_says_nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    loan = Kind(Loan, name="loan", system="library", section="loans", endpoint=Endpoint("loans"))
    monkeypatch.setattr(library, "KINDS", {**KINDS, "loan": loan})
    bench, far = Bench(), Library()
    bench.library.rows["loan"] = {}
    bench.providers["pdx", "library"] = far
    row = far.put("shelf", name="far")
    lent_far = Entry(at("loan", "l"), {"name": "l", "shelf": Ref(ELSEWHERE, managed=False)})
    (outcome,) = bench.apply(bench.plan(lent_far)).outcomes
    assert bench.library.named("loan", "l")["shelf"] == row["id"]
    assert outcome.message.endswith("did not keep shelf")  # that number may be any shelf here
    (action,) = bench.plan(lent_far).actions
    assert [change.path for change in action.changes] == ["shelf"]
