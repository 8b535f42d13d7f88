"""From canonical values to what somebody would type, and back through the reader to the same values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.cases import Case, cases, with_value, without
from tests.lab import SYSTEMS, full_registry
from vastplan.document.document_form import document_form, in_unit
from vastplan.document.emit import EntryText, emit
from vastplan.document.load import Document, load_document
from vastplan.kinds.runai._access import Grant, access_of, grants
from vastplan.model import units
from vastplan.model.address import Address
from vastplan.model.errors import Invalid
from vastplan.model.value import Ref, json_text

REGISTRY = full_registry()
SECTIONS = {type_.name: section for section, type_ in REGISTRY.sections.items()}
TYPES = tuple(replace(type_, section=SECTIONS[type_.name]) for type_ in REGISTRY.sections.values())
EXAMPLES = sorted(path for path in Path("examples").glob("*") if path.is_dir() and list(path.glob("*.yaml")))


def loaded(folder: Path, text: str) -> Document:
    (folder / "document.yaml").write_text(text, encoding="utf-8")
    return load_document([folder / "document.yaml"], REGISTRY, SYSTEMS, allow_env=("*",))


def head_of(sites: Mapping[str, list[str]]) -> str:
    return f"version: 1\nname: a\nsites: { ({site: {'sim': {'systems': has}} for site, has in sites.items()}) }\n"


def valid_entries(case: Case) -> Iterator[dict[str, Any]]:
    """The entry of a case, and each that it becomes by one change."""
    entry = case.get("entry", {})
    yield entry
    changes = {**case.get("change", {}), **case.get("replace", {})}
    for path, value in changes.items():
        changed = with_value(entry, path, value)
        for other, of_it in case.get("with", {}).get(path, {}).items():
            changed = with_value(changed, other, of_it)
        for gone in case.get("drops", {}).get(path, []):
            changed = without(changed, gone)
        yield changed
    for path in case.get("clear", []):
        yield with_value(entry, path, None)


def again(document: Document, *, defaults: bool = False) -> str:
    """The entries of a document as a file: of one that differs by site, all is under `per_site`."""
    forms: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for entry in document.entries:
        type_ = REGISTRY.types[entry.address.kind]
        form = document_form(type_.fields, entry.values, key=entry.address.name, defaults=defaults)
        forms.setdefault((SECTIONS[type_.name], entry.address.name), {})[entry.address.site] = form
    entries = [
        EntryText(section, name, {"sites": [*by_site], "per_site": by_site})
        if len(by_site) > 1
        else EntryText(section, name, {"sites": [*by_site], **next(iter(by_site.values()))})
        for (section, name), by_site in forms.items()
    ]
    return emit(entries, TYPES).text


def values_of(document: Document) -> dict[str, str]:
    return {str(entry.address): json_text(entry.values) for entry in document.entries}


def with_every_change(case: Case, folder: Path) -> Document:
    """A document with the entry of a case and each that it becomes by one change, but for those that are refused alone."""
    head = head_of({"iad": case.get("systems", []), **case.get("sites", {})})
    given = case.get("given", {})
    for place, values in enumerate(valid_entries(case)):
        name = f"{case.data['name']}-{place}" if place else case.data["name"]
        given.setdefault(SECTIONS[case.kind], {})[name] = {"sites": ["iad"], **values}
    while True:
        written = emit([EntryText(section, key, of[key]) for section, of in given.items() for key in of], TYPES)
        try:
            return loaded(folder, head + written.text)
        except Invalid as invalid:
            lines = {finding.where.line - head.count("\n") for finding in invalid.findings if finding.where}
            refused = {written.by_line()[line] for line in lines}
            assert all(place.key != case.data["name"] for place in refused)
            for section, key, _ in refused:
                del given[section][key]


@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_kind_is_read_as_it_was(case: Case, tmp_path: Path) -> None:
    document = with_every_change(case, tmp_path)
    head = head_of({name: sorted(site.systems) for name, site in document.sites().items()})
    assert sum(entry.address.kind == case.kind for entry in document.entries) > 1
    for defaults in (False, True):
        text = again(document, defaults=defaults)
        second = loaded(tmp_path, head + text)
        assert values_of(second) == values_of(document), text
        assert again(second, defaults=defaults) == text


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_read_as_it_was(example: Path, tmp_path: Path) -> None:
    document = load_document([example], REGISTRY, SYSTEMS, allow_env=("*",))
    sites = {name: [*spec.systems()] for name, spec in document.connections.items()}
    everything = ["vast", "kubernetes", "runai"]
    text = head_of(dict.fromkeys(sites, everything)) + again(document)
    assert values_of(loaded(tmp_path, text)) == values_of(document)


def form_of(kind: str, values: dict[str, Any], **options: Any) -> dict[str, Any]:
    return document_form(REGISTRY.types[kind].fields, values, **options)


def test_fields_come_in_the_order_of_their_model() -> None:
    assert [*form_of("quota", {"hard_limit": 1, "path": "/a", "name": "q"})] == ["hard_limit", "name", "path"]


def test_what_a_document_without_it_says_too_is_left_out() -> None:
    values = {"name": "main", "role": "PROTOCOLS", "ip_ranges": ["10.0.0.1 - 10.0.0.1"], "vlan": None}
    assert form_of("vip_pool", values, key="main") == {"ip_ranges": ["10.0.0.1"], "vlan": None}
    assert form_of("vip_pool", values, key="other")["name"] == "main"
    assert form_of("vip_pool", values, key="main", defaults=True)["role"] == "PROTOCOLS"
    assert form_of("vip_pool", {**values, "role": "REPLICATION"})["role"] == "REPLICATION"


def test_a_switch_is_no_number() -> None:
    assert form_of("quota", {"create_dir": 1}) == {"create_dir": 1}
    assert form_of("quota", {"create_dir": True}) == {}


def test_references_are_names() -> None:
    here = Ref(Address("iad", "tenant", "a"))
    assert form_of("quota", {"tenant": here}) == {"tenant": "a"}
    live = Ref(here.target, managed=False)
    assert form_of("quota", {"tenant": live}) == {"tenant": {"existing": "a"}}
    assert form_of("quota", {"tenant": live}, reference=lambda ref: f"R&D {ref}") == {"tenant": "R&D a"}


@pytest.mark.parametrize(
    ("pools", "written"),
    [
        ({"b10": {"gpu": {"deserved": 8.25}}, "b2": {"gpu": {"deserved": 64}}}, {"gpus": {"b2": 64, "b10": 8.25}}),
        ({"default": {"gpu": {"deserved": 0}}}, {"gpus": {"default": 0}}),
        ({"default": {"gpu": {"deserved": 64, "limit": None}}}, None),
        ({"default": {"gpu": {"deserved": 64}, "cpu": {"deserved": 1}}}, None),
        ({"default": {"gpu": {"deserved": 64}}, "b": {}}, None),
        ({}, None),
    ],
)
def test_pools_of_which_only_gpus_are_said_are_short(pools: Any, written: Any) -> None:
    assert form_of("project", {"node_pools": pools}) == (written or {"node_pools": pools})


def test_a_schedule_with_a_target_replicates_unsaid() -> None:
    values = {"peer": Ref(Address("iad", "replication_peer", "p"), managed=False), "clone_type": "NATIVE_REPLICATION"}
    assert form_of("protection_policy", values) == {"peer": {"existing": "p"}}
    assert form_of("protection_policy", {"clone_type": "NATIVE_REPLICATION"}) == {"clone_type": "NATIVE_REPLICATION"}


def test_the_order_of_keys_is_kept_where_the_document_goes_by_it() -> None:
    between = {"pdx": {"vip_pool": "r"}, "iad": {"vip_pool": "r"}}
    assert [*form_of("peering", {"between": between})["between"]] == ["pdx", "iad"]
    assert [*form_of("namespace", {"labels": {"b": "1", "a10": "2", "a9": "3"}})["labels"]] == ["a9", "a10", "b"]


@pytest.mark.parametrize(
    ("value", "unit", "typed"),
    [
        (50 * 2**40, units.BYTES, "50 TiB"),
        (10**12, units.BYTES, "1 TB"),
        (2**40 + 1, units.BYTES, 2**40 + 1),
        (0, units.BYTES, 0),
        (2000, units.BANDWIDTH, "2 GB/s"),
        (2001, units.BANDWIDTH, "2001 MB/s"),
        (1209600, units.SECONDS, "14d"),
        (5400, units.SECONDS, "90m"),
        (7, "", 7),
        (None, units.BYTES, None),
        (True, units.BYTES, True),
        (1.5, units.BYTES, 1.5),
    ],
)
def test_numbers_are_in_the_largest_unit_that_says_the_same(value: Any, unit: str, typed: Any) -> None:
    assert in_unit(value, unit) == typed
    assert type(in_unit(value, unit)) is type(typed)


def test_the_size_of_a_model_is_in_its_letter() -> None:
    model = {"checkpoint": {"model": {"params": 70 * 10**9}}}
    assert form_of("volume", model) == {"checkpoint": {"model": {"params": "70B"}}}
    assert (
        form_of("volume", {"checkpoint": {"model": {"params": 1_500_001}}})["checkpoint"]["model"]["params"] == 1500001
    )


def test_access_is_as_short_as_it_can_be_said() -> None:
    given = [
        Grant("grp-a", "group", "ML engineer"),
        Grant("ana@example.com", "user", "ML engineer"),
        Grant("ana", "user", "ML engineer"),
        Grant("a@b", "group", "L1 researcher"),
        Grant("bot", "service-account", "L1 researcher"),
    ]
    access = access_of(reversed(given))
    assert access == {
        "L1 researcher": [{"group": "a@b"}, {"service_account": "bot"}],
        "ML engineer": [{"user": "ana"}, "ana@example.com", "grp-a"],
    }
    assert [*access] == ["L1 researcher", "ML engineer"]
    assert set(grants(access)) == set(given)
