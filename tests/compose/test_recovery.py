"""What a way back may ask of the objects that are to be written."""

from __future__ import annotations

import pytest

from tests.compose.short import Said, address, entry, listed, pieces, said, short, value
from vastplan.model.address import Address
from vastplan.schema.recovery import Pieces, Recovered, Sight, Unsayable, only

OBJECTS: dict[str, Said | None] = {
    "pdx:view/a": {"path": "/a"},
    "view/a": {"path": "/a", "tenant": "@tenant/nlp"},
    "view/b": {"path": "/b", "name": "bee", "qos_policy": "@qos_policy/q"},
    "qos_policy/q": {"tenant": "@tenant/nlp"},
    "tenant/nlp": {},
    "tenant/cv": {},
}
KNOWN: dict[str, Said | None] = {"view/old": {"path": "/old", "name": "oldest"}, "quota/old": {"path": "/old"}}


def some() -> Pieces:
    """Objects of two sites, and a document."""
    full: dict[str, Said] = {
        "view/a": {"path": "/a", "tenant": "@tenant/nlp", "protocols": ["NFS"], "qos": {"x": [1]}},
        "view/b": {"path": "/b", "protocols": ["NFS"], "qos_policy": "@qos_policy/q", "also": ["@qos_policy/q"]},
    }
    return pieces(OBJECTS, known=KNOWN, full=full)


def test_objects_are_found_by_kind_and_those_of_the_document_beside_them() -> None:
    of = some()
    assert listed(one.address for one in of.of("view")) == ["view/a", "view/b", "pdx:view/a"]
    assert listed(one.address for one in of.of("quota")) == []
    assert listed(one.address for one in of.around("view")) == ["view/a", "view/b", "pdx:view/a", "view/old"]
    assert listed(one.address for one in of.around("quota")) == ["quota/old"]
    assert listed(one.address for one in of.around("tenant")) == ["tenant/nlp", "tenant/cv"]
    assert listed(one.address for one in of.entries()) == list(OBJECTS)
    assert of.known(address("view/old")) and not of.known(address("view/a"))
    for name in ("view/a", "view/old"):
        found = of.get(address(name))
        assert found is not None and short(found.address) == name
    assert of.get(address("view/gone")) is None


def test_objects_are_found_by_what_they_are_in_full() -> None:
    of = some()
    assert listed(one.address for one in of.having("iad", "view", protocols=["NFS"])) == ["view/a", "view/b"]
    assert listed(one.address for one in of.having("iad", "view", protocols=["NFS"], path="/a")) == ["view/a"]
    assert listed(one.address for one in of.having("iad", "view", path="/a", protocols=["NFS"])) == ["view/a"]
    assert listed(one.address for one in of.having("iad", "view", path="/a")) == ["view/a"]
    assert listed(one.address for one in of.having("pdx", "view", path="/a")) == ["pdx:view/a"]
    assert listed(one.address for one in of.having("iad", "view", qos={"x": [1]})) == ["view/a"]
    assert listed(one.address for one in of.having("iad", "view", qos={"x": [2]})) == []
    assert listed(one.address for one in of.having("iad", "view", qos={"y": [1]})) == []
    assert listed(one.address for one in of.having("iad", "view", protocols=["NFS4"])) == []
    assert of.having("iad", "quota", path="/old") == []
    both = pieces({"view/a": {"qos": {"a": 1, "b": 2}}, "view/b": {"qos": {"b": 2, "a": 1}}})
    assert len(both.having("iad", "view", qos={"b": 2, "a": 1})) == 2


def test_who_refers_to_something_is_told_once_each() -> None:
    of = some()
    assert listed(of.referring(address("qos_policy/q"))) == ["view/b"]
    assert listed(of.referring(address("tenant/nlp"))) == ["view/a", "qos_policy/q"]
    assert of.referring(address("tenant/gone")) == []


@pytest.mark.parametrize(
    ("says", "tenant"),
    [
        ({"tenant": "@tenant/cv", "view_policy": "@view_policy/nlp"}, "@tenant/cv"),
        ({"tenant": "@tenant/gone", "view_policy": "@view_policy/nlp"}, "@tenant/nlp"),
        ({"tenant": "nlp"}, None),
        ({"view_policy": "@view_policy/nlp", "vip_pool": "@vip_pool/nlp"}, "@tenant/nlp"),
        ({"view_policy": "@view_policy/nlp", "vip_pool": "@vip_pool/cv"}, None),
        ({"view_policy": "@view_policy/nlp", "vip_pool": "@vip_pool/free"}, None),
        ({"view_policy": "@view_policy/nlp", "vip_pool": "@vip_pool/unknown"}, None),
        ({"view_policy": "@view_policy/nlp", "vip_pool": "a text"}, "@tenant/nlp"),
        ({"view_policy": "@view_policy/nlp", "other": "@vip_pool/cv"}, "@tenant/nlp"),
        ({"vip_pool": "@vip_pool/of-gone"}, None),
        ({"view_policy": "@tenant/cv"}, "@tenant/cv"),
        ({"view_policy": "@tenant/gone"}, None),
        ({}, None),
    ],
)
def test_the_tenant_of_something_is_that_which_all_say_that_it_names(says: Said, tenant: str | None) -> None:
    world: dict[str, Said | None] = {
        "tenant/nlp": {}, "tenant/cv": {}, "view_policy/nlp": {"tenant": "@tenant/nlp"}, "vip_pool/nlp": {"tenant": "@tenant/nlp"},
        "vip_pool/cv": {"tenant": "@tenant/cv"}, "vip_pool/free": {}, "vip_pool/of-gone": {"tenant": "@tenant/gone"},
    }  # fmt: skip
    found = pieces(world).tenant(entry("storage_class/x", says), ("view_policy", "vip_pool"))
    assert said(found) == tenant


def test_what_is_referred_to_is_called_as_it_is_or_as_its_address() -> None:
    of = some()
    assert [of.name(value(ref)) for ref in ("@view/b", "@view/old", "@view/gone")] == ["bee", "oldest", "gone"]
    assert of.full(next(of.of("tenant"))) == {}


def test_the_only_one_is_that() -> None:
    one = entry("view/a")
    assert (only([]), only([one]), only([one, one])) == (None, one, None)


def test_who_looks_at_nothing_sees_nothing() -> None:
    seen = pieces({}).sight
    assert seen == Sight() and not seen.close
    assert (seen.rooms(address("view/a")), seen.live("iad", "view", "a"), seen.unread("iad", "view")) == ({}, None, "")
    own = Sight(close=True)
    assert pieces({}, sight=own).sight is own


def test_answers_say_no_more_than_they_were_given() -> None:
    left = Unsayable(Address("iad", "view", "a"))
    assert (left.why, left.fix, left.unread, left.unasked) == ("", "", "", False)
    assert Recovered(entry("view/a"), ()).note == ""
