"""Parts of the import by themselves: what a model takes, what is asked for, what a section shares, how values are counted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.importing.terraform_states import live
from tests.lab import full_registry
from vastplan.importing.acceptance import accepted_values
from vastplan.importing.common_values import shared_values, take_out
from vastplan.importing.document_defaults import over_defaults
from vastplan.importing.figures import value_counts
from vastplan.importing.flatten import Flat
from vastplan.importing.model import Detail, EntryForm, Left, LeftReason, Selection
from vastplan.importing.place import File, Placed
from vastplan.model.address import Address
from vastplan.model.import_result import ImportedValues
from vastplan.model.value import REDACTED, Ref
from vastplan.schema.entries import Entry
from vastplan.schema.markers import DefaultEvidence

REGISTRY = full_registry()
KINDS, TYPES = REGISTRY.kinds, REGISTRY.types
VIEW = {
    "tenant": Ref(Address("iad", "tenant", "nlp")),
    "path": "/nlp/data",
    "protocols": ["NFS"],
    "view_policy": Ref(Address("iad", "view_policy", "nlp")),
}
CLASS = {"driver": "file", "storage_path": "/nlp", "name": "fast"}


@pytest.mark.parametrize(
    ("kind", "values", "kept", "fell", "why"),
    [
        ("view", VIEW, VIEW, set(), ""),
        ("view", {**VIEW, "protocols": ["NEWER_9"]}, {*VIEW} - {"protocols"}, {"protocols"}, ""),
        ("view", {**VIEW, "protocols": ["NEWER_9"], "locking": "perhaps"}, {*VIEW} - {"protocols"}, {"protocols", "locking"}, ""),
        ("view", {**VIEW, "path": "nlp"}, {*VIEW}, set(), "path: "),
        ("view", {**VIEW, "locking": None}, {*VIEW}, set(), ""),
        ("storage_class", {**CLASS, "parameters": {"lb_strategy": "random", "x": 5, "y": 6}}, {*CLASS, "parameters"},
         {"parameters.x", "parameters.y"}, ""),
        ("storage_class", {**CLASS, "parameters": {"x": 5}}, {*CLASS}, {"parameters.x"}, ""),
    ],
)  # fmt: skip
def test_what_a_model_does_not_take_falls_alone(
    kind: str, values: dict[str, Any], kept: Any, fell: set[str], why: str
) -> None:
    said, gone, problem = accepted_values(KINDS[kind], Address("iad", kind, "x"), values)
    assert set(said) == set(kept)
    assert set(gone) == fell and all(gone.values())
    assert problem.startswith(why) and bool(problem) is bool(why)
    if "parameters" in said:
        assert said["parameters"] == {"lb_strategy": "random"}


def test_what_is_asked_for() -> None:
    view = live("view", "7", path="/a", name="home", tenant=1)
    assert Selection().excludes(view) == ""
    assert Selection(kinds=("vi*",)).excludes(view) == ""
    assert Selection(kinds=("quota",)).excludes(view) == "--kind"
    assert Selection(kinds=("quota",), without=("iad/view/ho?e",)).excludes(view) == "--except"
    assert Selection(take=("*/view/home",)).asked_for(view) and not Selection(take=("pdx/*",)).asked_for(view)
    assert not Selection().asked_for(view)
    assert Selection().wants(None) and Selection(tenants=("n*",)).wants("nlp")
    assert not Selection(tenants=("n*",)).wants(None) and not Selection(tenants=("n*",)).wants("cv")
    tenant = live("tenant", "1", name="nlp")
    asked = Selection(tenants=("nlp", "home"), take=("*/view/home", "*/view/x"), without=("*/tenant/nlp", "pdx/*"))
    assert list(asked.unmatched([view, tenant])) == [
        ("--tenant", "home"),
        ("--take", "*/view/x"),
        ("--except", "pdx/*"),
    ]
    assert list(Selection(without=("iad/view/*",)).unmatched([view])) == []


def test_what_falls_falls_one_step_and_no_further_than_out() -> None:
    assert [step.below for step in EntryForm] == [EntryForm.NESTED, EntryForm.FLAT, EntryForm.LEFT, EntryForm.LEFT]
    counted = {reason for reason in LeftReason if reason.counts}
    assert set(LeftReason) - counted == {
        LeftReason.SYSTEM,
        LeftReason.MADE,
        LeftReason.MIRROR,
        LeftReason.OTHER,
        LeftReason.MANAGED,
    }


def test_labels_are_taken_on_request_and_never_those_of_a_secret() -> None:
    for kind, labels, taken in (
        ("namespace", ("team*",), True), ("namespace", ("x*",), False), ("namespace", (), False), ("secret", ("team*",), False),
    ):  # fmt: skip
        theirs = next(field.keys_of_others for field in KINDS[kind].fields if field.name == "labels")
        assert theirs is not None and Detail(labels=labels).keeps(KINDS[kind], theirs, "team") is taken
    assert Detail(full=("view*",)).whole(KINDS["view_policy"]) and not Detail(full=("view",)).whole(
        KINDS["view_policy"]
    )


def placed(section: str, key: str, *parts: Placed, **values: Any) -> Placed:
    return Placed(REGISTRY.sections[section], key, values, (), ("iad",), list(parts))


def size(values: Any) -> int:
    return len(str(values))


def test_what_all_of_a_section_share_is_said_once() -> None:
    common = {"role": "PROTOCOLS", "subnet_cidr": 24, "qos": {"existing": "x"}, "inner": {"same": "yes"}}
    pools = [
        placed(
            "vip_pools",
            f"p{number}",
            **{**common, "vlan": number, "inner": {"same": "yes", "n": number}},
            sites=["iad"],
        )
        for number in range(5)
    ]
    files = [File("a.yaml", (placed("tenants", "nlp", *pools[:3]),)), File("b.yaml", tuple(pools[3:]))]
    assert shared_values(files, {"vip_pools"}, size) == {}, "the document has some"
    four = [File("a.yaml", tuple(pools[:4]))]
    assert shared_values([files[0]], set(), size) == shared_values(four, set(), size) == {}, "there are few"
    found = shared_values(files, set(), size)
    assert found == {"vip_pools": common}
    take_out(files, found)
    assert [pool.values for pool in pools] == [{"vlan": n, "inner": {"n": n}, "sites": ["iad"]} for n in range(5)]
    bare = [placed("vip_pools", f"p{number}", on=number != 1, n=1 if number else True) for number in range(5)]
    assert shared_values([File("a.yaml", tuple(bare))], set(), size) == {}, "1 is not true"
    little = [placed("vip_pools", f"p{number}", x=1, own=f"{number}" * 99) for number in range(5)]
    assert shared_values([File("a.yaml", tuple(little))], set(), size) == {}, "that saves nothing"


@pytest.mark.parametrize(
    ("first", "others", "common"),
    [
        ({"x": {}, "y": 1}, {"x": {}, "y": 2}, {"x": {}}),
        ({"own": 1, "x": 1}, {"x": 1}, {"x": 1}),
        ({"sites": ["iad"], "x": 1}, {"sites": ["iad"], "x": 1}, {"x": 1}),
        ({"x": {"a": 1}, "y": 1}, {"x": 5, "y": 1}, {"y": 1}),
        ({"x": 5, "y": 1}, {"x": {"a": 1}, "y": 1}, {"y": 1}),
        ({"x": {"existing": "a"}}, {"x": {"existing": "a"}}, {"x": {"existing": "a"}}),
        ({"x": {"existing": "a"}, "y": 1}, {"x": {"existing": "b"}, "y": 1}, {"y": 1}),
        ({"x": {"existing": "a"}, "y": 1}, {"x": {"b": 1}, "y": 1}, {"y": 1}),
        ({"per_site": {"iad": {"y": 1}}, "x": 1}, {"per_site": {"iad": {"y": 1}}, "x": 1}, {"x": 1}),
        ({"x": 1}, {"y": 1}, None),
    ],
)
def test_alike_is_what_all_say(first: dict[str, Any], others: dict[str, Any], common: dict[str, Any] | None) -> None:
    entries = [placed("vip_pools", "0", **first), *(placed("vip_pools", str(n), **others) for n in range(1, 6))]
    files = [File("a.yaml", tuple(entries))]
    found = shared_values(files, set(), size)
    assert found == ({} if common is None else {"vip_pools": common})
    take_out(files, found)
    for entry, before in zip(entries, [first] + [others] * 5, strict=True):
        assert entry.values == {name: value for name, value in before.items() if name not in (common or {})}


@pytest.mark.parametrize(("each", "saves"), [(10, True), (11, False)])
def test_a_tenth_has_to_be_saved(each: int, saves: bool) -> None:
    entries = [placed("vip_pools", str(n), x=1, own=n) for n in range(5)]

    def known(values: Any) -> int:
        return 0 if "vip_pools" in values else each if "x" in values else each - 1

    assert bool(shared_values([File("a.yaml", tuple(entries))], set(), known)) is saves


def test_what_the_documents_defaults_say_is_said_otherwise() -> None:
    defaults = {"a": 1, "b": 2, "c": {"x": 1, "y": 2}, "sites": ["iad"], "per_site": {}}
    assert over_defaults({"b": 3}, {"a": 1, "b": 3, "c": {"x": 1, "y": 2}}, defaults) == {"b": 3}
    assert over_defaults({}, {"a": 5, "b": 2, "c": {"x": 1, "y": 2}}, defaults) == {"a": 5}
    assert over_defaults({}, {"b": 2}, defaults) == {"a": None, "c": {"x": None, "y": None}}
    assert over_defaults({"c": {"x": 4}}, {"a": 1, "b": 2, "c": {"x": 4, "y": 3}}, defaults) == {"c": {"x": 4, "y": 3}}
    assert over_defaults({"c": {"x": 4}}, {"a": 1, "b": 2}, defaults) == {"c": {"x": 4, "y": None}}


def test_a_default_that_names_something_is_one_value() -> None:
    defaults = {"sites": ["iad"], "policy": {"existing": "default"}, "pool": "v"}
    assert over_defaults({}, {}, defaults) == {"policy": None, "pool": None}
    assert over_defaults({}, {"policy": {"existing": "x"}, "pool": "v"}, defaults) == {"policy": {"existing": "x"}}
    own = {"policy": "p", "pool": {"existing": "w"}}
    assert over_defaults(own, own, defaults) == own


def test_values_are_counted_once_each() -> None:
    one = live(
        "storage_class", "9", name="fast", parameters={"a": REDACTED, "b": "x"}, labels={"t": REDACTED, "u": REDACTED}
    )
    full = {"name": "fast", "driver": "file", "parameters": {"a": REDACTED, "b": "x", "c": "y"}, "default": True,
            "reclaim_policy": "Delete", "volume_binding_mode": "Immediate", "view_policy": None}  # fmt: skip
    fallen = Left("iad", "storage_class", "9", "fast", LeftReason.VALUE, "no", path="parameters.b")
    known: dict[tuple[str, ...], DefaultEvidence] = {
        ("reclaim_policy",): DefaultEvidence.SCHEMA,
        ("volume_binding_mode",): DefaultEvidence.WITNESS,
        ("default",): DefaultEvidence.PROSE,
    }
    entry = Entry(
        Address("iad", "storage_class", "fast"), {"driver": "file", "default": True, "parameters": {"c": "y"}}
    )
    flat = Flat(one, entry, full, known, (fallen,))
    # said are the name, the driver, a parameter and what is said though it is known
    assert value_counts([flat]) == ImportedValues(written=4, defaults=1, unconfirmed=1, withheld=1, unsaid=1)
    # what is said to be unset, a field that fell as a whole, and nothing that rests on a witness
    entry, known = Entry(entry.address, {"driver": "file", "view_policy": None}), {("default",): DefaultEvidence.PROSE}
    fallen = Left("iad", "storage_class", "9", "fast", LeftReason.VALUE, "no", path="reclaim_policy")
    bare = {
        "name": "fast",
        "driver": "file",
        "view_policy": None,
        "vip_pool": None,
        "reclaim_policy": "?",
        "default": True,
    }
    assert value_counts([Flat(one, entry, bare, known, (fallen,))]) == ImportedValues(3, 1, 0, 1, 1)
    fallen = Left("iad", "storage_class", "9", "fast", LeftReason.VALUE, "no", path="parameters")
    mapping = {"name": "fast", "parameters": {"a": "x", "b": "y"}}
    assert value_counts([Flat(one, entry, mapping, {}, (fallen,))]) == ImportedValues(1, 0, 0, 1, 2)


def test_values_of_an_entry_that_says_all_are_counted_as_written() -> None:
    one = live("storage_class", "9", name="fast")
    full = {"name": "fast", "driver": "file", "default": True, "reclaim_policy": "Delete"}
    known: dict[tuple[str, ...], DefaultEvidence] = {
        ("reclaim_policy",): DefaultEvidence.SCHEMA,
        ("default",): DefaultEvidence.WITNESS,
    }
    entry = Entry(Address("iad", "storage_class", "fast"), {"driver": "file"})
    assert value_counts([Flat(one, entry, full, known)]) == ImportedValues(2, 1, 1, 0, 0)
    whole = {**entry.values, "reclaim_policy": "Delete"}
    assert value_counts([Flat(one, entry, full, known, (), whole)]) == ImportedValues(3, 0, 1, 0, 0)
