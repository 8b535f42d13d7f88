"""Which new entries would change what an old line means: those and no others, and what the old line would have to say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import vastplan.kinds
from tests.importing.terraform_states import live
from vastplan.engine.observe import Live
from vastplan.importing.meaning import Changed, changed_meanings, meaning, without
from vastplan.importing.model import Degraded, Reason, Step
from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.model.finding import Where
from vastplan.model.value import Ref
from vastplan.schema.discover import discover
from vastplan.schema.entries import Entry, Site

REGISTRY = discover(vastplan.kinds)
SITES = {"iad": Site("iad", frozenset({"vast", "kubernetes", "runai"}))}
OLD = Where("old.yaml", 7, 3)


def ref(kind: str, name: str) -> Ref:
    return Ref(Address("iad", kind, name))


def entry(kind: str, name: str, tenant: str = "nlp", **values: Any) -> Entry:
    return Entry(Address("iad", kind, name), {"tenant": ref("tenant", tenant), **values}, OLD)


CLASS = entry("storage_class", "fast", driver="file", storage_path="/k8s")
POOL, POLICY = entry("vip_pool", "one", subnet_cidr=24), entry("view_policy", "one", flavor="NFS")
VIEW = entry("view", "home", path="/home", protocols=["NFS"])
KNOWN = [POOL, POLICY, CLASS, VIEW]


def new(kind: str, name: str, tenant: str = "nlp", **values: Any) -> Written:
    return Written(entry(kind, name, tenant, **values), (("iad", kind, f"id-{name}"),))


def changed(*written: Written, known: list[Entry] | None = None) -> list[Changed]:
    return changed_meanings(written, KNOWN if known is None else known, SITES, REGISTRY, lambda _: None)


def causes(*written: Written) -> list[str]:
    return [each.cause.entry.address.name for each in changed(*written)]


def test_what_changes_nothing_stays() -> None:
    assert causes() == []
    assert causes(new("vip_pool", "two", "other"), new("quota", "q", path="/q", hard_limit=1)) == []
    assert changed(new("vip_pool", "two"), known=[]) == []


def test_a_second_one_of_what_an_old_line_leaves_out_is_found() -> None:
    (found,) = changed(new("vip_pool", "two"), new("vip_pool", "their", "other"))
    assert (found.cause.entry.address.name, found.old, found.unsaid) == ("two", CLASS, (("vip_pool", "one"),))
    both = changed(new("view_policy", "two", flavor="NFS"))
    assert [(each.old.address.kind, each.unsaid) for each in both] == [("storage_class", (("view_policy", "one"),))]


@pytest.mark.parametrize("guilty", [{0}, {3}, {6}, {0, 1}, {2, 5}, {0, 3, 6}, {4, 5, 6}, set(range(7))])
def test_all_that_do_it_are_found_and_no_others(guilty: set[int]) -> None:
    pools = [new("vip_pool", f"p{number}", "nlp" if number in guilty else "other") for number in range(7)]
    assert causes(*pools) == causes(*reversed(pools)) == [f"p{number}" for number in sorted(guilty)]


def test_a_project_that_would_open_a_class_is_found() -> None:
    project = new("project", "team", namespace="runai-team")
    (found,) = changed(project)
    assert found.cause is project and found.old is CLASS and found.unsaid == ()


def test_what_is_left_says_what_the_old_line_would_have_to_say() -> None:
    said = without(changed(new("vip_pool", "two")), Degraded({("iad", "view", "9"): Step.FLAT}))
    key = "iad", "vip_pool", "id-two"
    assert said.steps == {("iad", "view", "9"): Step.FLAT, key: Step.LEFT}
    assert said.why[key] == (
        Reason.MEANING, "with one more vip_pool, iad/storage_class/fast would mean something else"
    )  # fmt: skip
    assert said.fixes[key] == "old.yaml:7: write vip_pool: one"
    project = without(changed(new("project", "team", namespace="runai-team")), Degraded())
    (fix,) = project.fixes.values()
    assert fix == "write it by hand where that is meant; see old.yaml:7"
    (placeless,) = changed(new("vip_pool", "two"))
    bare = without([replace(placeless, old=replace(CLASS, where=None))], Degraded())
    assert bare.fixes[key] == "iad/storage_class/fast: write vip_pool: one"


def test_of_a_larger_entry_the_object_of_its_own_kind_is_left() -> None:
    (found,) = changed(new("vip_pool", "two"))
    more = replace(found.cause, stands_for=(("iad", "vip_pool", "1"), ("iad", "quota", "2")))
    assert without([replace(found, cause=more)], Degraded()).steps.keys() == {("iad", "vip_pool", "1")}
    parts = replace(found.cause, stands_for=(("iad", "view", "1"), ("iad", "quota", "2")))
    assert len(without([replace(found, cause=parts)], Degraded()).steps) == 2


def test_the_name_of_what_is_there_means_the_same_as_an_entry_of_it() -> None:
    policy = live("view_policy", "5", name="p")

    def live_of(one: Ref) -> Live | None:
        return replace(policy, attributes={"id": "5"}) if one.target.name in ("p", "entry-of-p") else None

    def view(name: str, **values: Any) -> Any:
        return meaning(
            entry("view", "home", path="/home", view_policy=ref("view_policy", name), **values), REGISTRY, live_of
        )

    assert view("p") == view("entry-of-p") != view("q")
    assert view("p")["view_policy"] == "5" and view("q")["view_policy"] == ref("view_policy", "q")
    assert view("p", protocols=["NFS", "S3", "NFS"]) == view("p", protocols=["S3", "NFS"])
    assert view("p", protocols=["NFS", 3])["protocols"] == ["NFS", 3]
    odd = Entry(Address("iad", "volume", "x"), {"size": 1})
    assert "volume" in REGISTRY.types and meaning(odd, REGISTRY, live_of) == {"size": 1}
