"""Which new entries would change what an old line means: those and no others, and what the old line would have to say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

import vastplan.kinds
from tests.importing.terraform_states import live
from vastplan.engine.live.observe import Live
from vastplan.importing.meaning import Changed, changed_meanings, degrade, meaning
from vastplan.importing.model import Degraded, EntryForm, LeftReason
from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.model.finding import Where
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.discover import Registry, discover
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
    said = degrade(changed(new("vip_pool", "two")), Degraded({("iad", "view", "9"): EntryForm.FLAT}))
    key = "iad", "vip_pool", "id-two"
    assert said.steps == {("iad", "view", "9"): EntryForm.FLAT, key: EntryForm.LEFT}
    assert said.why[key] == (
        LeftReason.MEANING, "one more vip_pool would change the meaning of iad/storage_class/fast"
    )  # fmt: skip
    assert said.fixes[key] == "old.yaml:7: write vip_pool: one"
    project = degrade(changed(new("project", "team", namespace="runai-team")), Degraded())
    (fix,) = project.fixes.values()
    assert fix == "write the entry yourself if that is intended; see old.yaml:7"
    (placeless,) = changed(new("vip_pool", "two"))
    bare = degrade([replace(placeless, old=replace(CLASS, where=None))], Degraded())
    assert bare.fixes[key] == "iad/storage_class/fast: write vip_pool: one"


def test_of_a_larger_entry_the_object_of_its_own_kind_is_left() -> None:
    (found,) = changed(new("vip_pool", "two"))
    more = replace(found.cause, stands_for=(("iad", "vip_pool", "1"), ("iad", "quota", "2")))
    assert degrade([replace(found, cause=more)], Degraded()).steps.keys() == {("iad", "vip_pool", "1")}
    parts = replace(found.cause, stands_for=(("iad", "view", "1"), ("iad", "quota", "2")))
    assert len(degrade([replace(found, cause=parts)], Degraded()).steps) == 2


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


def made_up(compose: Any) -> Registry:
    """With another way to compose views."""
    return Registry(REGISTRY.kinds, {**REGISTRY.compositions, "view": Composition("view", compose)}, REGISTRY.sections)


def pools(scope: Scope) -> list[Entry]:
    return list(scope.of("iad", "vip_pool"))


def _elsewhere(old: Entry, scope: Scope) -> Iterable[Entry]:
    name = f"{old.address.name}-{len(pools(scope))}"
    yield replace(old, address=Address("iad", "quota", name))


def _later(old: Entry, scope: Scope) -> Iterable[Entry]:
    yield replace(old, after=tuple(pool.address for pool in pools(scope)))


def _refused(old: Entry, scope: Scope) -> Iterable[Entry]:
    if len(pools(scope)) > 1:
        scope.refuse(old, "VP999", "there are two")
    yield old


def _otherwise(old: Entry, scope: Scope) -> Iterable[Entry]:
    yield replace(old, values={**old.values, "alias": f"/{len(pools(scope))}"})


def _as_ever(old: Entry, scope: Scope) -> Iterable[Entry]:
    yield replace(old, values={**old.values, "view_policy": pools(scope)[-1].values["called"]})


def _named(old: Entry, scope: Scope) -> Iterable[Entry]:
    found = scope.get(Address("iad", "vip_pool", "two"))
    yield replace(old, values={**old.values, "alias": "/none" if found is None else "/two"})


@pytest.mark.parametrize("compose", [_named, _elsewhere, _later, _refused, _otherwise])
def test_another_object_another_order_and_a_finding_mean_something_else(compose: Any) -> None:
    written = [new("vip_pool", "two"), new("view_policy", "q", flavor="NFS")]
    (found,) = changed_meanings(written, [POOL, VIEW], SITES, made_up(compose), lambda _: None)
    assert found.cause is written[0] and found.old is VIEW


def test_another_name_of_the_same_means_the_same() -> None:
    same = replace(live("view_policy", "5", name="p"), attributes={"id": "5"})
    known = [entry("vip_pool", "one", called=ref("view_policy", "p")), VIEW]
    two = new("vip_pool", "two", called=ref("view_policy", "entry-of-p"))
    assert changed_meanings([two], known, SITES, made_up(_as_ever), lambda _: same) == []
    assert len(changed_meanings([two], known, SITES, made_up(_as_ever), lambda _: None)) == 1


def test_only_what_an_old_line_could_say_is_told_to_be_written() -> None:
    def chosen(old: Entry, scope: Scope) -> Iterable[Entry]:
        first = ref("view_policy", next(each.address.name for each in scope.of("iad", "view_policy")))
        yield replace(
            old, values={**old.values, "view_policy": first, "alias": f"/{len(list(scope.of('iad', 'view_policy')))}"}
        )
        yield old.part("quota", "q", {"no_field_of_a_view": first, "path": "/a"})

    written = new("view_policy", "two", flavor="NFS")
    (found,) = changed_meanings([written], [POLICY, VIEW], SITES, made_up(chosen), lambda _: None)
    assert found.unsaid == (("view_policy", "one"),)
    said = replace(VIEW, values={**VIEW.values, "view_policy": ref("view_policy", "one")})
    (found,) = changed_meanings([written], [POLICY, said], SITES, made_up(chosen), lambda _: None)
    assert found.unsaid == (), "it says it already"
    two = degrade([replace(found, unsaid=(("view_policy", "one"), ("qos_policy", "p")))], Degraded())
    assert list(two.fixes.values()) == ["old.yaml:7: write view_policy: one, qos_policy: p"]
