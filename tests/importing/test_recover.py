"""Recover, compose, compare: an entry is believed only where it makes just the objects that it claims, as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import vastplan.kinds
from tests.importing.terraform_states import live
from vastplan.importing.flatten import Flat
from vastplan.importing.model import Degraded, Left, Reason, Step, key_of
from vastplan.importing.recover import Written, recover
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import Composition, Entry, Scope, Site
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
    written, left = recover(
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
        degraded = Degraded({key_of(each.live): Step.NESTED})
        assert stood([view(), quota()], both(), degraded=degraded) == APART
    fallen = Degraded({key_of(view().live): Step.NESTED})
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
    def left(*answers: Recovered | Unsayable, flats: list[Flat] | None = None) -> dict[str, tuple[Reason, str, str]]:
        _, found = put_together(flats or [view(), quota()], *answers)
        return {f"{each.kind}/{each.id}": (each.reason, each.why, each.fix) for each in found}

    assert left(Unsayable(QUOTA, "too odd", "mend it")) == {"quota/8": (Reason.FORM, "too odd", "mend it")}
    assert left(Unsayable(QUOTA, "nobody's", unasked=True)) == {"quota/8": (Reason.UNASKED, "nobody's", "")}
    (unread,) = left(Unsayable(QUOTA, "odd", unread="project")).values()
    assert unread[0] is Reason.UNREAD and "project" in unread[1]
    assert left(Unsayable(QUOTA, "one"), Unsayable(QUOTA, "two")) == {"quota/8": (Reason.FORM, "one", "")}
    assert left(both(), Unsayable(VIEW, "too late")) == {}, "it is said"
    (why,) = (text for _, text, _ in left(both({"hard_limit": 6}), Unsayable(VIEW)).values())
    assert why == "iad/quota/a would not be as it is"
    (model,) = (text for _, text, _ in left(both({"hard_limit": -7}), Unsayable(VIEW)).values())
    assert model.startswith("quota: ")
    (extra,) = (text for _, text, _ in left(Recovered(Entry(VIEW, WHOLE), (VIEW, QUOTA)), Unsayable(VIEW)).values())
    assert extra == "iad/quota/a is not what an entry makes"
    entries, found = put_together([view(), quota()], Unsayable(QUOTA, "odd"))
    assert list(entries) == ["iad/view/a"] and len(found) == 1


def test_what_has_no_entry_of_its_own_is_left() -> None:
    policy = flat("admission_policy", "vastplan-x", "9", open=True, rule="x")
    entries, (left,) = put_together([policy])
    assert entries == {} and left.reason is Reason.FORM
    blind = Sight(unread=lambda site, kind: "403" if (site, kind) == ("iad", "storage_class") else "")
    entries, (left,) = put_together([policy], sight=blind)
    assert entries == {} and left.reason is Reason.UNREAD and "storage_class" in left.why


def test_findings_of_one_are_not_those_of_the_next() -> None:
    def refusing(entry: Entry, scope: Scope) -> Iterable[Entry]:
        if entry.values.get("alias") == "/no":
            scope.refuse(entry, "VP999", "never so")
        yield from _compose(entry, scope)

    bad = Recovered(Entry(VIEW, {**WHOLE, "alias": "/no", "quota": LIMIT}), (VIEW, QUOTA))
    composition = Composition("view", refusing, recover=lambda _: [bad, both()])
    assert stood([view(), quota()], more={"view": composition}) == TOGETHER
    told = Composition("view", refusing, recover=lambda _: [bad, Unsayable(VIEW)])
    _, (left,) = put_together([view(), quota()], more={"view": told})
    assert left.why == "VP999: never so"
