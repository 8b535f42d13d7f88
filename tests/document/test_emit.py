"""The text of a document: its look, and that whoever reads it reads the values it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

import vastplan.kinds
from tests.engine.test_growth import steps
from vastplan.document.emit import WIDTH, EntryId, EntryText, FileText, Lines, emit
from vastplan.document.scalars import Unwritable, flow, flow_within, text_scalar
from vastplan.document.yaml import parse_mapping
from vastplan.kinds import ORDER_OF_SECTIONS
from vastplan.model.natural_order import natural
from vastplan.schema.discover import discover

REGISTRY = discover(vastplan.kinds)
TYPES = tuple(REGISTRY.sections[section] for section in ORDER_OF_SECTIONS)
SCHEMA = "../../schemas/desired-state.schema.json"
ODD = [
    "on", "No", "y", "1e3", "~", "null", "", "- x", "-", "a: b", "a:", "#", "a #b", "<script>", "0x1f", "0o17", "0b1", "007", "08",
    "1_000", "+_", "+12", "-5", ".5", "1.", "2.6", ".inf", ".NaN", "12:30:00", "2026-11-23", "2026-1-2 10:00:00", "=", "<<x", "!t", "&a",
    "*", "*a", "@g", "`", "%d", "? x", "|", ">", "[a]", "{a: b}", "a, b", "a]", "---", "...", " a", "a ", "it's", 'say "x"', "it's \"x\"",
    "a\\b", "a\nb", "a\tb", "a\rb", "\x00", "\x1b[1m", "\x7f", "\x85", "\u2028", "\u2029", "\ufeff", "\ufeffx", "\u200d", "\u202e",
    "\ufffe", "\U0001f680", "größe", "日本", "e\u0301", "p\u0430ypal", "\u0661", "x" * 128, "a  b", "::1", "##[group]", "${X}", "$(x)",
]  # fmt: skip
PLAIN = [
    "nlp-data", "/nlp/data", "/legacy/Old Data", "10.40.1.10 - 10.40.1.25", "10.13.0.0/24", "10.1.*.*", "50 TiB", "10 GB/s", "90m",
    "1.5.0", "v2", "ana@example.com", "nconnect=8", "app.kubernetes.io/part-of", "ML engineer", "größe", "日本", "a_b", "1a",
]  # fmt: skip


def section(values: dict[str, Any]) -> list[EntryText]:
    return [EntryText("views", key, value) for key, value in values.items()]


def read(file: FileText) -> Any:
    return parse_mapping(file.text.encode(), "f")


@pytest.mark.parametrize("value", ODD, ids=ascii)
def test_whoever_reads_odd_text_reads_that_text(value: str) -> None:
    written = flow(value)
    whole = f"a: {written}\nb: [{written}, {{{written}: {written}}}]\n{written}: 1\n"
    said = {"a": value, "b": [value, {value: value}], value: 1}
    assert parse_mapping(whole.encode(), "f") == said
    assert yaml.safe_load(whole) == said
    assert YAML(typ="safe", pure=True).load(whole) == said
    assert len(written.splitlines()) == 1


@pytest.mark.parametrize("value", PLAIN)
def test_what_every_reader_takes_for_text_is_plain(value: str) -> None:
    assert flow(value) == value


def test_what_is_unseen_or_taken_for_another_is_its_number() -> None:
    assert flow("p\u0430ypal") == '"p\\u0430ypal"'
    assert flow("a\u200db") == '"a\\u200db"'
    assert flow("é \U0001f680") == "'é \U0001f680'"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (-7, "-7"),
        (8.25, "8.25"),
        (1e-7, "0.0000001"),
        (64.0, "64"),
        (1e15, "1000000000000000"),
        (44171269022354650.0, "44171269022354650.0"),
        (2**63 - 1, "9223372036854775807"),
        ({}, "{}"),
        ([[], {"a": ()}], "[[], {a: []}]"),
    ],
)
def test_other_values(value: Any, written: str) -> None:
    assert flow(value) == written
    assert parse_mapping(f"a: {written}\n".encode(), "f")["a"] == (
        value if value != [[], {"a": ()}] else [[], {"a": []}]
    )


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("a\ud800", "half a character (U+D800)"),
        ({"\udfff": 1}, "half a character (U+DFFF)"),
        ({"<<": 1}, "merge key"),
        ({1: 1}, "a key must be text, not int"),
        ({"x" * 1001: 1}, "longer than a YAML key"),
        (10**20, "more than 20 digits"),
        (1e22, "more than 20 digits"),
        (-1e20, "more than 20 digits"),
        (float("inf"), "cannot hold a value of type float"),
        (b"a", "cannot hold a value of type bytes"),
    ],
)
def test_what_no_document_can_hold_is_refused(value: Any, says: str) -> None:
    with pytest.raises(Unwritable, match=re.escape(says)):
        emit(section({"v": {"a": [value]}}), TYPES)


def test_long_text_takes_no_more_than_its_length() -> None:
    for value in ("1" * 300_000 + "x", "1_" * 150_000 + "."):
        assert parse_mapping(f"a: {flow(value)}\n".encode(), "f") == {"a": value}


def test_what_does_not_fit_is_not_looked_at() -> None:
    assert flow_within({"a": [1, 2]}, 11) == "{a: [1, 2]}"
    assert flow_within({"a": [1, 2]}, 10) is None
    assert flow_within(["x" * 9, b"never reached"], 8) is None


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.text("azAZ09 -_./:#,[]{}'\"\\*&!|>%@`?~=<\n\t", max_size=30),
    st.from_regex(r"[-+]?[0-9_.:eExob]{1,8}", fullmatch=True),
    st.sampled_from(ODD + PLAIN),
)
KEYS = TEXTS.filter(lambda key: key != "<<")
NUMBERS = st.integers(-(10**18), 10**18) | st.floats(-1e18, 1e18)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)
ENTRIES = st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=6), min_size=1, max_size=4)


@pytest.mark.slow
@given(ENTRIES)
@example({"a": {"b": ["x" * 60, {"c": {"d": ["y" * 120, [["z" * 110]]]}}]}})
def test_it_is_read_as_it_was_written(entries: dict[str, dict[str, Any]]) -> None:
    file = emit(section(entries), TYPES, SCHEMA)
    assert read(file) == yaml.safe_load(file.text) == {"views": entries}
    lines = file.text.split("\n")
    assert lines[0] == f"# yaml-language-server: $schema={SCHEMA}"
    assert lines.pop() == ""
    for line in lines:
        assert not line.endswith(" ")
        assert len(line) <= WIDTH or is_one_value(line, entries)


def is_one_value(line: str, entries: Any) -> bool:
    """Whether a line holds nothing but one value or one key, or both where the value would not fit below its key either."""
    keys, scalars = set(parts_of(entries, keys=True)), set(parts_of(entries))
    bare = line.lstrip(" ")
    while bare.startswith("- "):
        bare = bare.removeprefix("- ")
    margin = len(line) - len(bare)
    if bare in scalars or bare.removesuffix(":") in keys:
        return True
    return any(bare == f"{key}: {scalar}" and margin + 2 + len(scalar) > WIDTH for key in keys for scalar in scalars)


def parts_of(value: Any, *, keys: bool = False) -> Iterator[str]:
    """The keys or the scalars in a value, as they are written."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            if keys:
                yield text_scalar(key)
            yield from parts_of(item, keys=keys)
    elif isinstance(value, list) and value:
        for item in value:
            yield from parts_of(item, keys=keys)
    elif not keys:
        yield flow(value)


def test_the_look() -> None:
    ranges = {
        site: {"ip_ranges": [f"10.{site_number}.1.10 - 10.{site_number}.1.25"]}
        for site_number, site in ((20, "iad"), (30, "pdx"))
    }
    team = {
        "capacity_rules": {"hard_limit": "500 TiB"},
        "vip_pool": {"subnet_cidr": 24, "per_site": ranges},
        "storage_classes": {"nlp-fast": {"driver": "file", "storage_path": "/nlp/k8s", "shared": True}},
        "views": {
            "nlp-10": {"path": "/nlp/10", "protocols": ["NFS"], "quota": {"hard_limit": "50 TiB"}, "snapshots": "nlp daily"},
            "nlp-9": {"path": "/nlp/9", "protocols": ["NFS"]},
        },
    }  # fmt: skip
    frames = [{"every": f"{hours}h", "keep_local": "1d", "keep_remote": "7d"} for hours in (1, 6, 12)]
    clients = [f"10.12.{number}.0/24" for number in range(9)]
    entries = [
        EntryText("snapshot_schedules", "protected", {"replicate_to": "iad-pdx", "frames": frames}),
        EntryText("view_policies", "many", {"tenant": None, "nfs_no_squash": clients}),
        EntryText("tenants", "nlp", team, {("storage_classes", "nlp-fast"): ["claims: monitoring 1\u202e"]}),
        EntryText("departments", "b", {}, {(): ["why"]}),
        EntryText("departments", "a", {"description": "x" * 112}),
        EntryText("departments", "c", {"description": "x" * 113}),
    ]
    file = emit(entries, TYPES, SCHEMA)
    assert (
        file.text
        == f"""\
# yaml-language-server: $schema={SCHEMA}
tenants:
  nlp:
    capacity_rules: {{hard_limit: 500 TiB}}
    vip_pool:
      subnet_cidr: 24
      per_site: {{iad: {{ip_ranges: [10.20.1.10 - 10.20.1.25]}}, pdx: {{ip_ranges: [10.30.1.10 - 10.30.1.25]}}}}
    storage_classes:
      # claims: monitoring 1\\u202e
      nlp-fast: {{driver: file, storage_path: /nlp/k8s, shared: true}}
    views:
      nlp-9: {{path: /nlp/9, protocols: [NFS]}}
      nlp-10: {{path: /nlp/10, protocols: [NFS], quota: {{hard_limit: 50 TiB}}, snapshots: nlp daily}}
view_policies:
  many:
    tenant: null
    nfs_no_squash:
      - 10.12.0.0/24
      - 10.12.1.0/24
      - 10.12.2.0/24
      - 10.12.3.0/24
      - 10.12.4.0/24
      - 10.12.5.0/24
      - 10.12.6.0/24
      - 10.12.7.0/24
      - 10.12.8.0/24
snapshot_schedules:
  protected:
    replicate_to: iad-pdx
    frames:
      - {{every: 1h, keep_local: 1d, keep_remote: 7d}}
      - {{every: 6h, keep_local: 1d, keep_remote: 7d}}
      - {{every: 12h, keep_local: 1d, keep_remote: 7d}}
departments:
  a:
    description:
      {"x" * 112}
  # why
  b: {{}}
  c:
    description: {"x" * 113}
"""
    )
    assert file.lines == {
        EntryId("vip_pools", "nlp", "nlp"): Lines(5, 7),
        EntryId("storage_classes", "nlp-fast", "nlp"): Lines(10, 10),
        EntryId("views", "nlp-9", "nlp"): Lines(12, 12),
        EntryId("views", "nlp-10", "nlp"): Lines(13, 13),
        EntryId("tenants", "nlp"): Lines(3, 13),
        EntryId("view_policies", "many"): Lines(15, 26),
        EntryId("snapshot_schedules", "protected"): Lines(28, 33),
        EntryId("departments", "a"): Lines(35, 37),
        EntryId("departments", "b"): Lines(39, 39),
        EntryId("departments", "c"): Lines(40, 41),
    }
    of_lines = file.by_line()
    assert (of_lines[4], of_lines[6]) == (EntryId("tenants", "nlp"), EntryId("vip_pools", "nlp", "nlp"))
    assert 1 not in of_lines and 14 not in of_lines and 38 not in of_lines


def test_the_only_entry_of_a_section_stands_on_its_line() -> None:
    file = emit([EntryText("tenants", "t", {"views": {"v": {"path": "/v"}}})], TYPES)
    assert file.text == "tenants:\n  t:\n    views: {v: {path: /v}}\n"
    assert file.lines == {EntryId("views", "v", "t"): Lines(3, 3), EntryId("tenants", "t"): Lines(2, 3)}
    file = emit(section({"v": {"path": "/v"}}), TYPES)
    assert (file.text, file.lines) == ("views: {v: {path: /v}}\n", {EntryId("views", "v"): Lines(1, 1)})
    assert emit(section({"v": {}, "w": {}}), TYPES).text == "views:\n  v: {}\n  w: {}\n"


def test_what_is_called_as_a_section_and_stands_in_no_tenant_is_a_field() -> None:
    quota = {"path": "/v", "quota": {"hard_limit": "1 TiB"}}
    assert emit(section({"v": quota}), TYPES).text == "views: {v: {path: /v, quota: {hard_limit: 1 TiB}}}\n"


def test_comments_are_lines_of_their_own_wherever_they_stand() -> None:
    values = {"a": 1, "frames": [{"every": "1h", "b": {"c": 2}}, "x"]}
    comments = {
        ("a",): ["one\ntwo", " ".join(["word"] * 40)],
        ("frames", "0"): ["first"],
        ("frames", "0", "b", "c"): ["deep"],
        (): [],
    }
    file = emit([EntryText("views", "v", values, comments)], TYPES)
    assert read(file) == {"views": {"v": values}}
    said = [line.strip() for line in file.text.splitlines() if "#" in line]
    assert [line[:10] for line in said] == ["# one\\x0at", "# word wor", "# word wor", "# first", "# deep"]
    assert max(map(len, file.text.splitlines())) <= WIDTH
    assert file.lines == {EntryId("views", "v"): Lines(2, len(file.text.splitlines()))}


@pytest.mark.parametrize("path", [("b",), ("a", "b"), ("views", "w")])
def test_a_comment_on_nothing_is_a_mistake(path: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=f"a comment on {'.'.join(path)}, which does not exist"):
        emit([EntryText("tenants", "t", {"a": 1}, {path: ["x"]})], TYPES)


def test_an_entry_is_given_once() -> None:
    with pytest.raises(ValueError, match=r"views\.v is given twice"):
        emit([*section({"v": {}}), *section({"v": {}})], TYPES)


def test_nothing_is_an_empty_text() -> None:
    assert emit([], TYPES).text == ""
    assert emit([], TYPES, "s\nx: 1").text == "# yaml-language-server: $schema=s\\x0ax: 1\n"


def test_sections_have_the_order_of_the_manual() -> None:
    manual = Path("docs/document.md").read_text(encoding="utf-8").partition("\nSections: ")[2].partition(". ")[0]
    assert tuple(re.findall(r"`(\w+)`", manual)) == ORDER_OF_SECTIONS
    assert sorted(ORDER_OF_SECTIONS) == sorted(REGISTRY.sections)
    entries = [EntryText(name, "a", {}) for name in ("zebras", "apes", *reversed(ORDER_OF_SECTIONS))]
    assert [*read(emit(entries, TYPES))] == [*ORDER_OF_SECTIONS, "apes", "zebras"]


def test_names_are_in_the_order_of_people() -> None:
    names = ["b", "a10", "a2", "a02", "a2b", "10", "9", "a", "é", ""]
    assert sorted(names, key=natural) == ["", "9", "10", "a", "a02", "a2", "a2b", "a10", "b", "é"]


@pytest.mark.slow
def test_the_work_grows_with_the_entries() -> None:
    def many(count: int) -> list[EntryText]:
        views = {f"v{n}": {"path": f"/t/{n}", "frames": [{"every": "1h"}] * 30} for n in range(count)}
        return [EntryText("tenants", "t", {"views": views}), *section(views)]

    few, more = many(40), many(160)
    assert steps(lambda: emit(more, TYPES)) < 4.6 * steps(lambda: emit(few, TYPES))


@given(TEXTS)
def test_text_is_one_line_to_whoever_reads_it(value: str) -> None:
    written = text_scalar(value)
    assert len(written.splitlines()) == 1
    assert flow(YAML(typ="safe", pure=True).load(f"[{written}]")) == f"[{written}]"
