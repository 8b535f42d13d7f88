"""Keys that Terraform's names may take, and those that they may not."""

from __future__ import annotations

import itertools

import pytest

from tests.importing.terraform_states import live, observed
from vastplan.engine.observe import Live
from vastplan.importing.lookup import Lookup
from vastplan.importing.model import LiveKey, key_of
from vastplan.importing.name import names

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
        {f"{each.site}/{each.id}": keys[key_of(each)] for each in objects}
        for order in itertools.permutations(objects)
        for keys in [names(order, lookup, dict.fromkeys(kinds.values(), known), said)]
    ]
    assert all(each == told[0] for each in told)
    return told[0]


def test_what_is_called_by_its_path_is_called_by_its_label() -> None:
    assert named({("iad", "7"): "scratch"}, view("7", "/a/b"), view("8", "/c")) == {"iad/7": "scratch", "iad/8": "c"}


def test_a_name_of_its_own_stays() -> None:
    quota = live("quota", "9", name="of-7", path="/a", tenant=1)
    labels = {("iad", "7"): "scratch", ("iad", "9"): "limit"}
    assert named(labels, view("7", "/a"), quota) == {"iad/7": "of-7", "iad/9": "of-7"}
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
    quota = live("quota", "9", "pdx", name="of-70", path="/a", tenant=1)
    half = (
        view("7", "/of-70"),
        view("70", "/a", "pdx"),
        quota,
    )  # what is called so on one site has the name on the other
    assert named({("iad", "7"): "x"}, *half)["iad/7"] == "of-70"
