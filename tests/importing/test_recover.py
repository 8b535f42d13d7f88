"""Recover, compose, compare: an entry is believed only where it makes just the objects that it claims, as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

import vastplan.kinds
from tests.importing.terraform_states import live
from vastplan.importing.flatten import Flat
from vastplan.importing.model import Degraded, EntryForm, Left, LeftReason, object_key
from vastplan.importing.recover import Written, recover_entries
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import Entry, Site
from vastplan.schema.recovery import Pieces, Recovered, Sight, Unsayable

FOUND = discover(vastplan.kinds)
SITES = {"iad": Site("iad", frozenset({"vast"}))}
VIEW, QUOTA, PATH = (Address("iad", kind, "a") for kind in ("view", "quota", "protected_path"))
TENANT = Ref(Address("iad", "tenant", "nlp"))
POLICY = Ref(Address("iad", "view_policy", "p"))
WHOLE = {"tenant": TENANT, "path": "/a", "protocols": ["NFS"], "view_policy": POLICY}
LIMIT = {"hard_limit": 5}
Back = Callable[[Pieces], Iterable[Recovered | Unsayable]]


def flat(kind: str, name: str, id: str, **values: Any) -> Flat:
    """An object, and the entry of it alone."""
    raw = {
        field: "2" if field == "tenant" else "5" if field == "view_policy" else value for field, value in values.items()
    }
    one = live(kind, id, **({"name": name} if kind != "view" else {}), **raw)
    return Flat(one, Entry(Address("iad", kind, name), values), values, {})


def view(**values: Any) -> Flat:
    return flat("view", "a", "7", **{**WHOLE, **values})


def quota(name: str = "a", id: str = "8", **values: Any) -> Flat:
    return flat("quota", name, id, **{"tenant": TENANT, "path": "/a", **LIMIT, **values})


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    """A view, and its quota."""
    yield entry.standing_for(entry.without("quota"))
    if "quota" in entry.values:
        values = {"name": entry.address.name, "tenant": entry.values["tenant"], "path": entry.values["path"]}
        yield entry.part("quota", entry.address.name, {**values, **entry.values["quota"]})


def both(quota: Mapping[str, Any] = MappingProxyType(LIMIT), note: str = "", *claims: Address) -> Recovered:
    return Recovered(Entry(VIEW, {**WHOLE, "quota": dict(quota)}), claims or (VIEW, QUOTA), note)


def put_together(
    flats: list[Flat],
    *answers: Recovered | Unsayable,
    known: Iterable[Entry] = (),
    managed: Iterable[Flat] = (),
    degraded: Degraded | None = None,
    sight: Sight | None = None,
    more: Mapping[str, Composition] = MappingProxyType({}),
    **words: Any,
) -> tuple[dict[str, tuple[Written, ...]], list[Left]]:
    """The entries by their addresses, and what is left; the way back of views answers these."""
    made = {"view": Composition("view", _compose, recover=lambda _: answers, **words), **more}
    registry = Registry(FOUND.kinds, made, FOUND.sections)

    def live_of(ref: Ref) -> Any:
        return {
            TENANT.target: live("tenant", "2", name="nlp"),
            POLICY.target: live("view_policy", "5", name="p"),
        }.get(ref.target)

    there = [replace(each, live=_with_id(each)) for each in flats]
    written, left = recover_entries(
        there, SITES, registry, known, list(managed), degraded or Degraded(), _ids(live_of), sight or Sight()
    )
    return {str(each.entry.address): (each,) for each in written}, left


def _with_id(each: Flat) -> Any:
    return replace(each.live, attributes={**each.live.attributes, "id": each.live.id})


def _ids(live_of: Callable[[Ref], Any]) -> Callable[[Ref], Any]:
    def found(ref: Ref) -> Any:
        one = live_of(ref)
        return None if one is None else replace(one, attributes={**one.attributes, "id": one.id})

    return found


def stood(flats: list[Flat], *answers: Recovered | Unsayable, **words: Any) -> dict[str, list[str]]:
    """What each entry stands for."""
    written, _ = put_together(flats, *answers, **words)
    return {address: [f"{key[1]}/{key[2]}" for key in one.stands_for] for address, (one,) in written.items()}


APART = {"iad/view/a": ["view/7"], "iad/quota/a": ["quota/8"]}
TOGETHER = {"iad/view/a": ["view/7", "quota/8"]}


def test_what_makes_just_what_is_there_is_believed() -> None:
    assert stood([view(), quota()]) == APART
    assert stood([view(), quota()], both()) == TOGETHER
    written, left = put_together([view(), quota()], both(note="see there"))
    assert [(one.note, one.entry.values["quota"]) for (one,) in written.values()] == [
        ("see there", LIMIT)
    ] and left == []


def test_what_makes_something_else_is_not() -> None:
    assert stood([view(), quota()], both({"hard_limit": 6})) == APART, "another value"
    assert stood([view(), quota()], both({})) == APART, "a value that it would not say any more"
    assert stood([view(), quota(soft_limit=4)], both()) == APART, "one more that it would not say"
    assert stood([view(), quota()], both({"hard_limit": -7})) == APART, "what the model refuses"
    assert stood([view()], Recovered(Entry(VIEW, {**WHOLE, "quota": LIMIT}), (VIEW,))) == {"iad/view/a": ["view/7"]}
    only = stood([view(), quota()], Recovered(Entry(VIEW, WHOLE), (VIEW, QUOTA)))
    assert only == APART, "a quota that it would not make"
    elsewhere = stood([view(), quota(path="/b")], both())
    assert elsewhere == {"iad/view/a": ["view/7"], "iad/quota/a": ["quota/8"]}, "of another directory"


def test_what_may_be_missing_may_be_missing() -> None:
    lone = Recovered(Entry(VIEW, {**WHOLE, "quota": LIMIT}), (VIEW,))
    written, _ = put_together([view()], lone, adds=frozenset({"quota"}))
    assert "quota" in written["iad/view/a"][0].entry.values
    written, _ = put_together([view()], lone)
    assert "quota" not in written["iad/view/a"][0].entry.values


def test_what_a_system_fills_in_need_not_be_said() -> None:
    implied = frozenset({("quota", "soft_limit")})
    assert stood([view(), quota(soft_limit=4)], both(), implied=implied) == TOGETHER


def test_of_two_that_claim_the_same_the_first_is_believed() -> None:
    assert stood([view(), quota()], both(), both()) == TOGETHER
    second = Recovered(Entry(QUOTA, {"tenant": TENANT, "path": "/a", "hard_limit": 5, "name": "a"}), (QUOTA,), "second")
    written, _ = put_together([view(), quota()], both(note="first"), second)
    assert [one.note for (one,) in written.values()] == ["first"]


def test_a_fallen_part_stands_by_itself() -> None:
    for each in (view(), quota()):
        degraded = Degraded({object_key(each.live): EntryForm.NESTED})
        assert stood([view(), quota()], both(), degraded=degraded) == APART
    fallen = Degraded({object_key(view().live): EntryForm.NESTED})
    note = Recovered(Entry(VIEW, WHOLE), (VIEW,), "open to all")
    written, _ = put_together([view()], note, degraded=fallen)
    assert written["iad/view/a"][0].note == "open to all", "it is no larger one"


def test_what_the_document_has_is_claimed_by_nothing() -> None:
    known = Entry(QUOTA, {"tenant": TENANT, "path": "/a", "hard_limit": 5})
    assert stood([view()], both(), known=[known]) == {"iad/view/a": ["view/7"]}
    assert stood([view()], both(), managed=[quota()]) == {"iad/view/a": ["view/7"]}


def test_an_entry_takes_no_address_of_another_object() -> None:
    other = flat("quota", "b", "9", tenant=TENANT, path="/b", hard_limit=5)
    answer = Recovered(Entry(Address("iad", "quota", "b"), {**quota().entry.values}), (QUOTA,))
    assert stood([quota(), other], answer) == {"iad/quota/a": ["quota/8"], "iad/quota/b": ["quota/9"]}


def test_what_cannot_be_said_is_left_with_why() -> None:
    def left(
        *answers: Recovered | Unsayable, flats: list[Flat] | None = None
    ) -> dict[str, tuple[LeftReason, str, str]]:
        _, found = put_together(flats or [view(), quota()], *answers)
        return {f"{each.kind}/{each.id}": (each.reason, each.why, each.fix) for each in found}

    assert left(Unsayable(QUOTA, "too odd", "mend it")) == {"quota/8": (LeftReason.FORM, "too odd", "mend it")}
    assert left(Unsayable(QUOTA, "nobody's", unasked=True)) == {"quota/8": (LeftReason.UNASKED, "nobody's", "")}
    assert left(Unsayable(QUOTA, "odd", unread="project")) == {
        "quota/8": (LeftReason.UNREAD, "cannot determine what it is a part of: project could not be read", "import again when it can be read"),
    }  # fmt: skip
    assert left(Unsayable(QUOTA, "one"), Unsayable(QUOTA, "two")) == {"quota/8": (LeftReason.FORM, "one", "")}
    assert left(both(), Unsayable(VIEW, "too late")) == {}, "it is said"
    (why,) = (text for _, text, _ in left(both({"hard_limit": 6}), Unsayable(VIEW)).values())
    assert why == "iad/quota/a would change"
    (model,) = (text for _, text, _ in left(both({"hard_limit": -7}), Unsayable(VIEW)).values())
    assert model == "quota: is negative; write 0 or more"
    (extra,) = (text for _, text, _ in left(Recovered(Entry(VIEW, WHOLE), (VIEW, QUOTA)), Unsayable(VIEW)).values())
    assert extra == "no entry creates iad/quota/a"
    entries, found = put_together([view(), quota()], Unsayable(QUOTA, "odd"))
    assert list(entries) == ["iad/view/a"] and len(found) == 1


def test_what_has_no_entry_of_its_own_is_left() -> None:
    policy = flat("admission_policy", "vastplan-x", "9", open=True, rule="x")
    entries, (left,) = put_together([policy])
    assert entries == {} and (left.reason, left.why) == (LeftReason.FORM, "no entry can express it")
    blind = Sight(unread=lambda site, kind: "403" if (site, kind) == ("iad", "storage_class") else "")
    entries, (left,) = put_together([policy], sight=blind)
    assert entries == {} and left.reason is LeftReason.UNREAD and "storage_class" in left.why


def test_findings_of_one_are_not_those_of_the_next() -> None:
    def refusing(entry: Entry, scope: Scope) -> Iterable[Entry]:
        if entry.values.get("alias") == "/no":
            scope.refuse(entry, "VP999", "never so")
            scope.refuse(entry, "VP998", "nor so")
        yield from _compose(entry, scope)

    bad = Recovered(Entry(VIEW, {**WHOLE, "alias": "/no", "quota": LIMIT}), (VIEW, QUOTA))
    composition = Composition("view", refusing, recover=lambda _: [bad, both()])
    assert stood([view(), quota()], more={"view": composition}) == TOGETHER
    told = Composition("view", refusing, recover=lambda _: [bad, Unsayable(VIEW)])
    _, (left,) = put_together([view(), quota()], more={"view": told})
    assert left.why == "VP999: never so"


def test_a_part_of_another_tenant_is_no_part() -> None:
    theirs = quota()
    other = replace(theirs, live=replace(theirs.live, values={**theirs.live.values, "tenant": "3"}))
    assert stood([view(), other], both()) == APART
    number = replace(theirs, live=replace(theirs.live, values={**theirs.live.values, "tenant": 2}))
    assert stood([view(), number], both()) == TOGETHER, "an id may be written as a number"


def test_labels_that_were_asked_for_are_told_where_the_entry_has_no_place_for_them() -> None:
    def with_room(entry: Entry, scope: Scope) -> Iterable[Entry]:
        yield entry.standing_for(entry.without("quota"))
        yield entry.part("namespace", entry.address.name, {"name": entry.address.name})

    room = flat("namespace", "a", "9", labels={"team": "x"})
    room = replace(room, entry=replace(room.entry, values={"name": "a", "labels": {"team": "x"}}))
    claims = Recovered(Entry(VIEW, WHOLE), (VIEW, room.entry.address))
    made = {"view": Composition("view", with_room, recover=lambda _: [claims])}
    assert stood([view(), room], more=made) == {"iad/view/a": ["view/7", "namespace/9"]}
    _, (left,) = put_together([view(), room], more=made)
    assert (left.kind, left.id, left.path, left.reason) == ("namespace", "9", "labels", LeftReason.FORM)
    assert left.why == "it is a part of iad/view/a, whose entry cannot set labels of its parts"
    assert put_together([room])[1] == [], "an entry of its own says them"
    bare = flat("namespace", "a", "9", labels={})
    assert put_together([view(), bare], more=made)[1] == [], "there are none"


def makes_room(kind: str, answer: Recovered) -> Mapping[str, Composition]:
    """A view that makes an object of another kind, with its name."""

    def compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
        yield entry.standing_for(entry.values)
        yield entry.part(kind, "b", {"name": "b"})

    return {"view": Composition("view", compose, recover=lambda _: [answer])}


def test_what_is_made_is_found_among_its_kind_on_its_site() -> None:
    def of(kind: str, site: str) -> dict[str, list[str]]:
        one = flat(kind, "b", "9")
        address = Address(site, kind, "c")
        there = replace(
            one, live=replace(one.live, site=site, values={"name": "b"}), entry=Entry(address, {"name": "b"})
        )
        return stood([view(), there], more=makes_room("namespace", Recovered(Entry(VIEW, WHOLE), (VIEW, address))))

    assert of("namespace", "iad") == {"iad/view/a": ["view/7", "namespace/9"]}, "whatever it is called"
    assert of("department", "iad") == {"iad/view/a": ["view/7"], "iad/department/c": ["department/9"]}
    assert of("namespace", "pdx") == {"iad/view/a": ["view/7"], "pdx/namespace/c": ["namespace/9"]}


def test_what_tells_an_object_is_never_implied() -> None:
    implied = frozenset({("quota", "path")})

    def placeless(entry: Entry, scope: Scope) -> Iterable[Entry]:
        yield entry.standing_for(entry.without("quota"))
        yield entry.part("quota", "a", {"tenant": TENANT, **LIMIT})

    made = {"view": Composition("view", placeless, recover=lambda _: [both()], implied=implied)}
    assert stood([view(), quota()], more=made) == APART


@pytest.mark.parametrize(
    "first",
    [
        Unsayable(Address("iad", "quota", "b"), "odd"),
        Recovered(Entry(Address("iad", "quota", "known"), {}), (Address("iad", "quota", "known"),)),
        Recovered(Entry(VIEW, WHOLE), (VIEW, Address("iad", "quota", "b"))),
        Recovered(Entry(Address("iad", "quota", "b"), quota().entry.values), (QUOTA,)),
        Recovered(Entry(VIEW, {**WHOLE, "quota": {"hard_limit": 6}}), (VIEW, QUOTA)),
    ],
)
def test_what_comes_after_one_that_is_not_believed_may_be(first: Recovered | Unsayable) -> None:
    known = Entry(Address("iad", "quota", "known"), {"tenant": TENANT, "path": "/known", "hard_limit": 5})
    odd = flat("quota", "b", "9", tenant=TENANT, path="/b", hard_limit=5)
    fallen = Degraded({object_key(odd.live): EntryForm.NESTED})
    found = stood([view(), quota(), odd], first, both(), known=[known], degraded=fallen)
    assert found.items() >= TOGETHER.items()


def test_an_entry_may_have_a_name_that_none_of_its_objects_has() -> None:
    address = Address("iad", "view", "whole")
    assert stood([view()], Recovered(Entry(address, WHOLE), (VIEW,))) == {"iad/view/whole": ["view/7"]}
    odd = Recovered(Entry(address, {**WHOLE, "alias": "/x"}), (VIEW,))
    assert stood([view()], odd) == {"iad/view/a": ["view/7"]}


def test_what_was_not_believed_is_forgotten() -> None:
    def beside(entry: Entry, scope: Scope) -> Iterable[Entry]:
        found = scope.get(VIEW)
        if found is None or "alias" in found.values:
            scope.refuse(entry, "VP999", "no such view")
        yield entry

    odd = Recovered(Entry(VIEW, {**WHOLE, "alias": "/x"}), (VIEW,))
    again = Recovered(quota().entry, (QUOTA,), "believed")
    made = {"quota": Composition("quota", beside, recover=lambda _: [again], rank=1)}
    written, _ = put_together([view(), quota()], odd, more=made)
    assert written["iad/quota/a"][0].note == "believed"


def test_what_an_entry_refers_to_may_be_new_itself() -> None:
    policy = flat("view_policy", "q", "6")
    ref = Ref(policy.entry.address)
    one = view(view_policy=ref)
    for number, entries in (("6", {"iad/view/whole"}), ("7", {"iad/view/a"})):
        there = replace(one, live=replace(one.live, values={**one.live.values, "view_policy": number}))
        whole = Recovered(Entry(Address("iad", "view", "whole"), {**WHOLE, "view_policy": ref}), (VIEW,))
        assert stood([there, policy], whole).keys() == {*entries, "iad/view_policy/q"}


def test_an_id_that_is_said_as_it_is_is_compared_as_it_is() -> None:
    address = Address("iad", "view", "whole")
    for there, found in (("9", "iad/view/whole"), ("8", "iad/view/a")):
        one = view(qos_policy=there)
        assert stood([one], Recovered(Entry(address, {**WHOLE, "qos_policy": "9"}), (VIEW,))).keys() == {found}


def test_what_is_composed_and_no_object_is_passed_over() -> None:
    def more(entry: Entry, scope: Scope) -> Iterable[Entry]:
        yield entry.part("volume", entry.address.name, {})
        yield from _compose(entry, scope)

    made = {"view": Composition("view", more, recover=lambda _: [both()])}
    assert stood([view(), quota()], more=made) == TOGETHER


def test_what_no_system_shows_is_compared_where_it_is_known() -> None:
    def physical(entry: Entry, scope: Scope) -> Iterable[Entry]:
        yield entry.standing_for(entry.without("quota"))
        yield entry.part("quota", "a", {"tenant": TENANT, "path": "/a", **LIMIT, "is_physical_quota": True})

    made = {"view": Composition("view", physical, recover=lambda _: [both()])}
    for shown, believed in (({}, True), ({"is_physical_quota": True}, True), ({"is_physical_quota": False}, False)):
        one = quota()
        one = replace(one, live=replace(one.live, values={**one.live.values, **shown}))
        assert stood([view(), one], more=made) == (TOGETHER if believed else APART)


def test_of_a_struct_each_part_has_to_be_said() -> None:
    limits = {"max_reads_bw_mbps": 5, "max_writes_bw_mbps": 6}
    there = flat("qos_policy", "a", "9", static_limits=limits)
    claims = Recovered(Entry(VIEW, WHOLE), (VIEW, there.entry.address))

    def made(said: Mapping[str, int], implied: frozenset[tuple[str, str]] = frozenset()) -> dict[str, list[str]]:
        def compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
            yield entry.standing_for(entry.values)
            yield entry.part("qos_policy", "a", {"name": "a", "static_limits": dict(said)})

        more = {"view": Composition("view", compose, recover=lambda _: [claims], implied=implied)}
        return stood([view(), there], more=more)

    together = {"iad/view/a": ["view/7", "qos_policy/9"]}
    assert made(limits) == together
    assert made({"max_reads_bw_mbps": 5}) != together != made({**limits, "max_writes_bw_mbps": 7})
    assert made({"max_reads_bw_mbps": 5}, frozenset({("qos_policy", "static_limits")})) == together


def test_what_belongs_to_the_whole_site_need_not_be_there() -> None:
    def with_rule(common: bool) -> dict[str, list[str]]:
        def compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
            yield from _compose(entry, scope)
            yield Entry(Address("iad", "namespace", "all"), {"name": "all"}, common=common)

        return stood([view(), quota()], more={"view": Composition("view", compose, recover=lambda _: [both()])})

    assert with_rule(True) == TOGETHER and with_rule(False) == APART


def test_of_what_was_put_together_all_falls_with_what_could_not_be_read() -> None:
    def later(answer: Unsayable) -> list[tuple[str, LeftReason]]:
        made = {"quota": Composition("quota", lambda entry, _: [entry], recover=lambda _: [answer], rank=1)}
        entries, left = put_together([view(), quota()], both(), more=made)
        assert entries == {}
        return [(each.kind, each.reason) for each in left]

    unread = later(Unsayable(VIEW, unread="project"))
    assert unread == [("view", LeftReason.UNREAD), ("quota", LeftReason.UNREAD)]
    assert later(Unsayable(VIEW, "odd")) == [("view", LeftReason.FORM)]


def test_nothing_and_no_name_are_the_same() -> None:
    one = view()
    one = replace(one, live=replace(one.live, values={**one.live.values, "qos_policy": ""}))
    whole = Recovered(Entry(Address("iad", "view", "whole"), {**WHOLE, "qos_policy": None}), (VIEW,))
    assert stood([one], whole).keys() == {"iad/view/whole"}
