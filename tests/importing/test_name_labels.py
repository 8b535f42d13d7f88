"""Keys that Terraform's names may take, and those that they may not."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.importing.terraform_states import live, observed
from vastplan.engine.live.observe import Live
from vastplan.importing.lookup import Lookup
from vastplan.importing.model import LiveKey, object_key
from vastplan.importing.name import as_key, entry_names

TENANTS = [
    live("tenant", str(number), site, name=name) for site in ("iad", "pdx") for number, name in ((1, "nlp"), (2, "cv"))
]


def view(id: str, path: str, site: str = "iad", tenant: int = 1) -> Live:
    return live("view", id, site, path=path, tenant=tenant)


def named(labels: dict[tuple[str, str], str], *objects: Live, known: frozenset[str] = frozenset()) -> dict[str, str]:
    """Keys by site and id, for labels by the same; equal for any order of the objects."""
    lookup = Lookup(observed(*TENANTS, *objects))
    kinds = {(each.site, each.id): each.kind.name for each in objects}
    said: dict[LiveKey, str] = {(site, kinds[site, id_], id_): label for (site, id_), label in labels.items()}
    told = [
        {f"{each.site}/{each.id}": keys[object_key(each)] for each in objects}
        for order in itertools.permutations(objects)
        for keys in [entry_names(order, lookup, dict.fromkeys(kinds.values(), known), said)]
    ]
    assert all(each == told[0] for each in told)
    return told[0]


def test_what_is_called_by_its_path_is_called_by_its_label() -> None:
    assert named({("iad", "7"): "scratch"}, view("7", "/a/b"), view("8", "/c")) == {"iad/7": "scratch", "iad/8": "c"}


def test_what_has_no_name_is_called_by_its_path() -> None:
    assert named({}, view("7", "/a/b/"), view("8", "/c")) == {"iad/7": "a-b", "iad/8": "c"}
    called = replace(view("7", "/a/b"), attributes={"name": "scratch", "path": "7"})
    assert named({("iad", "7"): "other"}, called) == {"iad/7": "scratch"}
    assert named({}, live("quota", "9", path="/x/y", tenant=1)) == {"iad/9": "x-y"}
    assert named({}, view("7", "/a"), quota("9", "<of a>", 1, "/a"))["iad/7"] == "a", "that is no key"


def test_what_is_in_a_namespace_is_called_by_both_or_by_its_label() -> None:
    secrets = live("secret", "1", name="key", namespace="a"), live("secret", "2", name="key", namespace="b")
    assert named({}, *secrets) == {"iad/1": "a-key", "iad/2": "b-key"}
    assert named({("iad", "2"): "creds"}, *secrets) == {"iad/1": "a-key", "iad/2": "creds"}


def test_a_name_of_its_own_stays() -> None:
    of_7 = quota("9", "of-7", 1, "/a")
    labels = {("iad", "7"): "scratch", ("iad", "9"): "limit"}
    assert named(labels, view("7", "/a"), of_7) == {"iad/7": "of-7", "iad/9": "of-7"}
    # a view that has a name, and one whose name is no key
    pools = [live("vip_pool", "1", name="fast", tenant=1), live("vip_pool", "2", name="R&D", tenant=1)]
    assert named({("iad", "1"): "a", ("iad", "2"): "research"}, *pools) == {"iad/1": "fast", "iad/2": "research"}


def test_what_only_its_tenant_tells_from_another_is_called_by_its_label() -> None:
    quotas = [live("quota", str(tenant), name="data", path=f"/{tenant}", tenant=tenant) for tenant in (1, 2)]
    assert named({}, *quotas) == {"iad/1": "nlp-data", "iad/2": "cv-data"}
    assert named({("iad", "2"): "images"}, *quotas) == {"iad/1": "nlp-data", "iad/2": "images"}


@pytest.mark.parametrize("known", [frozenset({"scratch"}), frozenset()])
def test_a_label_takes_no_key_of_another(known: frozenset[str]) -> None:
    other = [] if known else [view("8", "/scratch")]
    keys = named({("iad", "7"): "scratch", ("iad", "8"): "x"} if not known else {("iad", "7"): "scratch"},
                 view("7", "/a"), *other, known=known)  # fmt: skip
    assert keys["iad/7"] == "a"


def test_what_is_one_entry_on_several_sites_stays_one() -> None:
    both = view("7", "/a"), view("70", "/a", "pdx")
    assert named({("iad", "7"): "scratch"}, *both) == {"iad/7": "scratch", "pdx/70": "scratch"}
    assert named({("iad", "7"): "x", ("pdx", "70"): "y"}, *both) == {"iad/7": "a", "pdx/70": "a"}
    apart = view("7", "/a"), view("70", "/b", "pdx")
    assert named(dict.fromkeys((("iad", "7"), ("pdx", "70")), "x"), *apart) == {"iad/7": "x", "pdx/70": "x"}


def test_two_that_would_be_called_alike_are_not() -> None:
    two = view("7", "/a"), view("8", "/b")
    assert named(dict.fromkeys((("iad", "7"), ("iad", "8")), "x"), *two) == {"iad/7": "a", "iad/8": "b"}
    places = view("7", "/a"), view("70", "/b", "pdx", tenant=2)
    assert named(dict.fromkeys((("iad", "7"), ("pdx", "70")), "x"), *places) == {"iad/7": "a", "pdx/70": "b"}
    theirs = live("quota", "9", "pdx", name="of-70", path="/a", tenant=1)
    half = (
        view("7", "/of-70"),
        view("70", "/a", "pdx"),
        theirs,
    )  # what is called so on one site has the name on the other
    assert named({("iad", "7"): "x"}, *half)["iad/7"] == "of-70"


def quota(id: str, name: str, tenant: int, path: str = "") -> Live:
    return live("quota", id, name=name, path=path or f"/{id}", tenant=tenant)


def test_a_key_of_the_document_is_given_to_nobody_else() -> None:
    assert named({}, quota("1", "data", 1), known=frozenset({"data"})) == {"iad/1": "nlp-data"}
    keys = named({}, quota("1", "data", 1), known=frozenset({"data", "nlp-data"}))
    assert re.fullmatch("nlp-data-[0-9a-f]{6}", keys["iad/1"])


def test_where_the_tenant_is_not_enough_a_digest_of_names_tells_apart() -> None:
    objects = quota("1", "data", 1), quota("2", "data", 2), quota("3", "nlp-data", 2)
    keys = named({}, *objects)
    assert (keys["iad/2"], keys["iad/3"]) == ("cv-data", "nlp-data")
    assert re.fullmatch("nlp-data-[0-9a-f]{6}", keys["iad/1"])
    again = named({}, quota("77", "data", 1, path="/1"), *objects[1:])
    assert again["iad/77"] == keys["iad/1"], "ids are in no name"
    same = named({}, quota("1", "data", 1), quota("2", "data", 1))
    assert all(re.fullmatch("nlp-data-[0-9a-f]{6}", key) for key in same.values()) and len({*same.values()}) == 2
    long = "x" * 128
    same = named({}, quota("1", long, 1), quota("2", long, 1))
    assert {len(key) for key in same.values()} == {128} and len({*same.values()}) == 2
    cut = named({}, quota("1", long, 1), quota("2", long, 2))
    assert {len(key) for key in cut.values()} == {128} and len({*cut.values()}) == 2


def test_a_key_has_as_many_characters_as_one_may_have() -> None:
    assert as_key("x" * 128) == "x" * 128
    assert re.fullmatch("x{121}-[0-9a-f]{6}", as_key("x" * 129)) and as_key("x" * 129) != as_key("x" * 130)
    assert re.fullmatch("x{121}-[0-9a-f]{6}", as_key(f"{'x' * 129}\ud800")), "with half a character, too"
    assert (as_key("/A b/"), as_key("..."), as_key("Größe")) == ("a-b", "unnamed", "gr-e")


@pytest.mark.parametrize("fields", [{"system_owned": True}, {"controller": "csi"}])
def test_what_a_driver_made_gives_no_view_its_name(fields: dict[str, Any]) -> None:
    made = replace(quota("9", "pvc-1", 1, "/a"), **fields)
    assert named({}, view("7", "/a"), made)["iad/7"] == "a"


def test_of_several_none_gives_a_view_its_name() -> None:
    assert named({}, view("7", "/a"), quota("8", "one", 1, "/a"), quota("9", "two", 1, "/a"))["iad/7"] == "a"
