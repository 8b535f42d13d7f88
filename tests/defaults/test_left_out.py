"""What of a live object may be left out: which evidence counts, and what stands or falls together."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from tests.defaults.marks import KINDS
from vastplan.model.value import REDACTED
from vastplan.schema.codec import decode_row
from vastplan.schema.defaults import counts, is_witness, known_defaults, omittable_paths
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.kind import Kind
from vastplan.schema.live import Witness
from vastplan.schema.markers import (
    EXPLICIT_NULL,
    IDENTITY,
    PROSE,
    SCHEMA,
    SET,
    WITNESS,
    AsWitness,
    Clears,
    Codec,
    DefaultEvidence,
    ListMap,
    Opens,
    SameAs,
    ServerDefault,
)
from vastplan.schema.types import MISSING, Bytes, Spec

_HOSTS = "hosts"
_GIB = Codec(lambda size: f"{size // 2**30}Gi", lambda raw: int(raw.removesuffix("Gi")) * 2**30)


class Share(Spec):
    """A struct of which one field must be said."""

    open: Annotated[bool, ServerDefault(False, WITNESS)]
    users: Annotated[list[str] | MISSING, SET, ServerDefault([], WITNESS)] = MISSING


class Pool(Spec):
    """A member of a keyed list."""

    deserved: Annotated[int, ServerDefault(0, SCHEMA, since="2.22")]
    limit: Annotated[int | None | MISSING, Clears(None, also=(-1,)), ServerDefault(None, WITNESS)] = MISSING


class Shelf(Spec):
    """An object with each sort of default."""

    name: Annotated[str, IDENTITY]
    flavor: str | MISSING = MISSING
    login: Annotated[str | MISSING, ServerDefault(SameAs("name"), WITNESS)] = MISSING
    enabled: Annotated[bool | MISSING, ServerDefault(True, SCHEMA)] = MISSING
    width: Annotated[int | MISSING, Clears(0), ServerDefault(0, PROSE)] = MISSING
    size: Annotated[Bytes | MISSING, _GIB, ServerDefault(2**30, WITNESS)] = MISSING
    mode: Annotated[str | MISSING, ServerDefault("STATIC", WITNESS)] = MISSING
    writers: Annotated[list[str] | None | MISSING, SET, EXPLICIT_NULL, Clears([]),
                       ServerDefault(["*"], WITNESS, group=_HOSTS)] = MISSING  # fmt: skip
    readers: Annotated[list[str] | None | MISSING, SET, EXPLICIT_NULL, Clears([]), Opens(),
                       ServerDefault([], WITNESS, group=_HOSTS)] = MISSING  # fmt: skip
    since_when: Annotated[str | MISSING, ServerDefault(None, WITNESS, group=_HOSTS)] = MISSING
    share: Share | MISSING = MISSING
    pools: Annotated[dict[str, Pool] | MISSING, ListMap(("name",))] = MISSING


def shelf(model: type[Spec] = Shelf, **facts: Any) -> Kind:
    return Kind(model, name="shelf", system="library", endpoint=Endpoint("/shelves"), **facts)


SHELF = shelf(witness=Witness(("name",), "default", like=("flavor",)))
ALL_DEFAULT = {
    "name": "a",
    "login": "a",
    "enabled": True,
    "width": 0,
    "size": 2**30,
    "mode": "STATIC",
    "writers": ["*"],
    "readers": [],
    "since_when": None,
    "share": {"open": False, "users": []},
    "pools": {"p": {"deserved": 0, "limit": -1}},
}
EVERY_LEAF = {(name,) for name in ALL_DEFAULT if name not in ("name", "share", "pools")} | {
    ("share", "open"), ("share", "users"), ("pools", "p", "deserved"), ("pools", "p", "limit"),
}  # fmt: skip


def kept(values: dict[str, Any], witness: dict[str, Any] | None = None) -> set[tuple[str, ...]]:
    """The leaves of the default shelf, with some other values, that have to be written."""
    return EVERY_LEAF - omittable_paths(SHELF, {**ALL_DEFAULT, **values}, witness)


def test_all_that_is_as_the_system_takes_it_may_be_left_out() -> None:
    assert omittable_paths(SHELF, ALL_DEFAULT) == EVERY_LEAF


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("login", "b"),
        ("enabled", False),
        ("width", 1),
        ("size", 2**31),
        ("mode", "FREE"),
        ("mode", REDACTED),
        ("mode", None),
    ],
)
def test_another_value_is_written(name: str, value: Any) -> None:
    assert kept({name: value}) == {(name,)}


@pytest.mark.parametrize("value", [0, None])
def test_whatever_the_system_says_for_unset_is_the_default_that_is_one_of_them(value: Any) -> None:
    assert kept({"width": value}) == set()


def test_what_is_not_there_is_not_left_out() -> None:
    assert omittable_paths(SHELF, {"name": "a", "mode": "STATIC"}) == {("mode",)}


def test_a_unit_of_the_system_is_read_before_it_is_compared() -> None:
    assert omittable_paths(SHELF, decode_row(SHELF, {"name": "a", "size": "1Gi"})) == {("size",)}
    assert omittable_paths(SHELF, decode_row(SHELF, {"name": "a", "size": "2Gi"})) == set()
    policy = KINDS["view_policy"]
    assert omittable_paths(policy, decode_row(policy, {"name": "a", "atime_frequency": "01:00:00"})) >= {
        ("atime_frequency",)
    }


# The witness


def test_a_witness_is_told_by_its_values() -> None:
    assert is_witness(SHELF, {"name": "default"})
    assert not is_witness(SHELF, {"name": "other"})
    assert not is_witness(shelf(), {"name": "default"})
    found = {name: kind.witness for name, kind in KINDS.items() if kind.witness is not None}
    assert {name: (one.path, one.value) for name, one in found.items()} == {
        "tenant": (("name",), "default"),
        "view_policy": (("name",), "default"),
        "view": (("path",), "/"),
        "department": (("name",), "default"),
    }


def test_a_witness_speaks_against_what_no_document_says() -> None:
    against = {"name": "default", "login": "other", "enabled": False, "width": 5, "mode": "FREE", "size": 7}
    assert kept({}, against) == {("login",), ("mode",), ("size",)}


def test_a_witness_that_agrees_or_says_nothing_changes_nothing() -> None:
    assert kept({}, {**ALL_DEFAULT, "name": "default", "login": "default"}) == set()
    assert kept({}, {"name": "default"}) == set()
    assert kept({}, {"name": "default", "mode": REDACTED}) == set()


def test_a_witness_of_another_flavor_says_nothing() -> None:
    against = {"name": "default", "flavor": "A", "mode": "FREE"}
    assert kept({"flavor": "B"}, against) == set()
    assert kept({"flavor": "A"}, against) == {("mode",)}


def test_a_kind_without_a_witness_hears_none() -> None:
    assert omittable_paths(shelf(), ALL_DEFAULT, {"name": "default", "mode": "FREE"}) == EVERY_LEAF


# What stands or falls together


@pytest.mark.parametrize("moved", [{"writers": ["10.0.0.1"]}, {"readers": ["10.0.0.1"]}, {"writers": []}])
def test_of_a_group_all_is_written_or_nothing(moved: dict[str, Any]) -> None:
    assert kept(moved) == {("writers",), ("readers",)}


def test_what_has_no_value_cannot_be_written_with_its_group() -> None:
    assert kept({"since_when": "yesterday"}) == {("since_when",), ("writers",), ("readers",)}


def test_what_the_system_does_not_say_keeps_no_group() -> None:
    view = KINDS["view"]
    unsaid = {"locking": False, "s3_versioning": False, "files_retention_mode": None, "auto_commit": None}
    assert omittable_paths(view, unsaid) == {("locking",), ("s3_versioning",), ("auto_commit",)}


def test_a_witness_against_one_of_a_group_speaks_against_all() -> None:
    assert kept({}, {"name": "default", "writers": ["10.0.0.1"]}) == {("writers",), ("readers",)}


def test_hosts_and_retention_are_groups_of_the_vast_kinds() -> None:
    policy, view = KINDS["view_policy"], KINDS["view"]
    open_to_all = {"nfs_read_write": ["*"], "nfs_root_squash": ["*"], "nfs_no_squash": [], "s3_read_only": []}
    assert omittable_paths(policy, open_to_all) == {(name,) for name in open_to_all}
    others = {("path_length",), ("s3_read_only",)}
    assert omittable_paths(policy, {**open_to_all, "nfs_no_squash": ["10.0.0.1"], "path_length": "LCD"}) == others
    unlocked = {"locking": False, "s3_versioning": False, "files_retention_mode": "NONE", "auto_commit": None}
    assert omittable_paths(view, unlocked) == {(name,) for name in unlocked}
    assert omittable_paths(view, {**unlocked, "s3_versioning": True}) == {("auto_commit",)}


def test_what_is_required_goes_with_its_struct_only() -> None:
    assert kept({"share": {"open": False, "users": ["x"]}}) == {("share", "open"), ("share", "users")}
    assert kept({"share": {"open": True, "users": []}}) == {("share", "open")}
    assert kept({"pools": {"p": {"deserved": 0, "limit": 5}}}) == {("pools", "p", "deserved"), ("pools", "p", "limit")}
    both = {"p": {"deserved": 0, "limit": 5}, "q": {"deserved": 0, "limit": None}}
    assert omittable_paths(SHELF, {"name": "a", "pools": both}) == {("pools", "q", "deserved"), ("pools", "q", "limit")}


def test_what_is_required_is_written_beside_a_group_that_is() -> None:
    class Lock(Spec):
        on: Annotated[bool, ServerDefault(False, WITNESS)]
        mode: Annotated[str | MISSING, ServerDefault("NONE", WITNESS, group="lock")] = MISSING
        keeper: Annotated[str | MISSING, ServerDefault("nobody", WITNESS, group="lock")] = MISSING

    class Locked(Spec):
        name: Annotated[str, IDENTITY]
        lock: Lock | MISSING = MISSING
        latch: Lock | MISSING = MISSING

    shut, loose = {"on": False, "mode": "NONE", "keeper": "me"}, {"on": False, "mode": "NONE", "keeper": "nobody"}
    left = omittable_paths(shelf(Locked), {"name": "a", "lock": shut, "latch": loose})
    assert left == {("latch", "on"), ("latch", "mode"), ("latch", "keeper")}


# Evidence


def test_evidence_is_counted_apart() -> None:
    known = known_defaults(SHELF, ALL_DEFAULT, version="2.22")
    assert counts(known.values()) == {DefaultEvidence.SCHEMA: 2, DefaultEvidence.PROSE: 1, DefaultEvidence.WITNESS: 9}
    assert counts([]) == dict.fromkeys(DefaultEvidence, 0)


@pytest.mark.parametrize(
    ("version", "evidence"),
    [
        ("2.22", DefaultEvidence.SCHEMA),
        ("2.22.5", DefaultEvidence.SCHEMA),
        ("2.21", DefaultEvidence.WITNESS),
        ("", DefaultEvidence.WITNESS),
    ],
)
def test_before_its_version_a_schema_is_no_better_than_a_witness(version: str, evidence: DefaultEvidence) -> None:
    path = ("pools", "p", "deserved")
    assert known_defaults(SHELF, ALL_DEFAULT, None, version)[path] is evidence
    against = {"name": "default", "pools": {"p": {"deserved": 3}}}
    assert (path in omittable_paths(SHELF, ALL_DEFAULT, against, version)) is (evidence is DefaultEvidence.SCHEMA)


# Declared wrongly


def test_a_mark_inside_a_union_is_refused() -> None:
    class Hidden(Spec):
        name: Annotated[str, IDENTITY]
        mode: Annotated[str, ServerDefault("x", WITNESS)] | MISSING = MISSING

    with pytest.raises(TypeError, match="inside a union"):
        shelf(Hidden)


@pytest.mark.parametrize("witness", [Witness(("nmae",), "default"), Witness(("name",), "default", like=("flavour",))])
def test_a_witness_of_a_field_that_is_not_there_is_refused(witness: Witness) -> None:
    with pytest.raises(TypeError, match=r"nmae|flavour"):
        shelf(witness=witness)


def test_a_default_of_a_field_that_is_not_there_is_refused() -> None:
    class Lost(Spec):
        name: Annotated[str, IDENTITY]
        login: Annotated[str | MISSING, ServerDefault(SameAs("nmae"), WITNESS)] = MISSING

    with pytest.raises(TypeError, match="nmae"):
        shelf(Lost)


class Book(Spec):
    """An object whose default is what the row of the system shows."""

    name: Annotated[str, IDENTITY]
    shelf: Annotated[int | MISSING, ServerDefault(AsWitness(), WITNESS)] = MISSING


@pytest.mark.parametrize(
    ("witness", "left"),
    [({"name": "default", "shelf": 7}, True), ({"name": "default", "shelf": 8}, False), ({"name": "default"}, False),
     ({"name": "default", "shelf": REDACTED}, False), (None, False)],
)  # fmt: skip
def test_what_the_row_of_the_system_shows_is_a_default_where_there_is_one(
    witness: dict[str, Any] | None, left: bool
) -> None:
    book = shelf(Book, witness=Witness(("name",), "default"))
    assert omittable_paths(book, {"name": "a", "shelf": 7}, witness) == ({("shelf",)} if left else set())
    assert omittable_paths(shelf(Book), {"name": "a", "shelf": 7}, witness) == set()
