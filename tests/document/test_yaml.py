"""The YAML reader: safe, placed, and of one mind with PyYAML where it accepts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vastplan.document.edit import value_text
from vastplan.document.yaml import load_mapping, parse_mapping
from vastplan.model.errors import Invalid
from vastplan.model.finding import Where
from vastplan.schema.located_yaml import MAX_DEPTH


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("a: 1\na: 2\n", "f:2:1", "a is given twice"),
        ("a: !!python/object:os.system {}\n", "f:1:4", "not allowed"),
        ("a: !secret x\n", "f:1:4", "not allowed"),
        ("a: *nothing\n", "f:1:4", "*nothing has no &nothing before it"),
        ("a: [1, 2\n", "f:2:1", "not YAML"),
        ("base: &b {x: 1}\nc: {<<: *b}\n", "f:2:5", "<< merges keys"),
        ("- 1\n- 2\n", "f:1:1", "mapping of sections"),
        ("a: 1\n---\nb: 2\n", "f:2:1", "second document"),
        ("? [1, 2]\n: x\n", "f:1:3", "plain text"),
        ("a: 123456789012345678901234567890\n", "f:1:4", "20 digits"),
        ("a: 123456789012345678901234567890.5\n", "f:1:4", "20 digits"),
    ],
)
def test_refused_with_its_place(text: str, place: str, says: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_mapping(text.encode(), "f")
    assert place in str(refused.value)
    assert says in str(refused.value)


LINES_OF_YAML_ALONE = {"CR": "\r", "NEL": "\x85", "LS": "\u2028", "PS": "\u2029"}
WHERE_ONE_STANDS = {  # with the line and the column that an editor gives it
    "a comment": ("a: 1\n# äß {}b: 2\n", 2, 6),
    "plain text": ("a: 1\nb: x{}c: 2\n", 2, 5),
    "single quotes": ("a: 'x{}'\n", 1, 6),
    "double quotes": ('a: 1\n\nb: "x{}"\n', 3, 6),
    "a block": ("a: |\n  x{}  y\n", 2, 4),
    "a list": ("a: [1,{}2]\n", 1, 7),
    "the beginning": ("{}a: 1\n", 1, 1),
    "the end": ("a: 1{}", 1, 5),
    "the end of a line": ("a: 1{}\n", 1, 5),
}


@pytest.mark.parametrize("where", WHERE_ONE_STANDS)
@pytest.mark.parametrize("end", LINES_OF_YAML_ALONE)
def test_a_line_that_only_yaml_ends_is_refused_wherever_it_ends(end: str, where: str) -> None:
    text, line, column = WHERE_ONE_STANDS[where]
    if (end, where) == ("CR", "the end of a line"):
        assert parse_mapping(text.format("\r").encode(), "f") == {"a": 1}  # CR LF, as some editors end a line
        return
    with pytest.raises(Invalid) as refused:
        parse_mapping(text.format(LINES_OF_YAML_ALONE[end]).encode(), "f")
    (found,) = refused.value.findings
    assert (found.code, found.where) == ("VP104", Where("f", line, column))
    assert f"U+{ord(LINES_OF_YAML_ALONE[end]):04X}" in found.message


@pytest.mark.parametrize("char", "\x00\x07\x0b\x0c\x1b\x1f\x7f\x80\x9f\ufffe\uffff")
def test_a_control_character_is_refused_with_its_place(char: str) -> None:
    for text in (f"a: 1\n# {char}", f"a: 1\nb{char}: 1", f"a: 1\n'{char}': 1\n", f'a: 1\n"{char}": 1'):
        with pytest.raises(Invalid) as refused:
            parse_mapping(text.encode(), "f")
        (found,) = refused.value.findings
        assert (found.code, found.where) == ("VP104", Where("f", 2, text[5:].index(char) + 1))


def test_an_escape_in_double_quotes_is_what_it_says() -> None:
    found = parse_mapping(rb'a: "x\Ly\Pz\N\r"' + b'\nb: "\\u2028\\x1b"', "f")
    assert found == {"a": "x\u2028y\u2029z\x85\r", "b": "\u2028\x1b"}


@pytest.mark.parametrize("char", [*LINES_OF_YAML_ALONE.values(), "\x0b", "\x1b", "\x9f", "ß", "\u200d"])
def test_what_is_written_into_a_document_can_be_read(char: str) -> None:
    for value in (f"a{char}b", {f"k{char}": [f"{char}a"]}, [char]):
        assert parse_mapping(f"a: {value_text(value)}\n".encode(), "f") == {"a": value}


@pytest.mark.parametrize("word", ["on", "no", "1e3", "1_000", "2026-11-23", "=", "a: b"])
def test_what_is_written_into_a_document_is_that_text_to_other_readers(word: str) -> None:
    assert yaml.safe_load(f"a: [{value_text(word)}]") == {"a": [word]}


def test_not_utf8() -> None:
    with pytest.raises(Invalid, match="UTF-8"):
        parse_mapping(b"a: 1\nb: \xff\n", "f")


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}' if i else '*a'] * 9)}]\n" for i in range(9)),
        "a: " + "[" * 5000 + "]" * 5000,
        "a: " + "{a: " * 5000 + "1" + "}" * 5000,
    ],
)
def test_bombs_end_soon(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Invalid):
        parse_mapping(text.encode(), "f")
    assert time.process_time() - began < 60  # far above any real cost: only that it ends


def test_too_large() -> None:
    with pytest.raises(Invalid, match="larger than 10 MiB"):
        parse_mapping(b"a: " + b"x" * (11 * 2**20), "f")


def test_an_anchor_of_a_key_is_the_key() -> None:
    tree = parse_mapping(b"&a name: x\nother: *a\n&n 5: y\nnumber: *n\n", "f.yaml")
    assert tree == {"name": "x", "other": "name", "5": "y", "number": 5}


def test_a_file_that_is_near_is_named_by_more_than_its_ending(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").touch()
    for name, fix in (
        ("nofile.yaml", ""),
        ("lap.yaml", "did you mean lab.yaml?"),
        ("lab.yml", "did you mean lab.yaml?"),
    ):
        with pytest.raises(Invalid) as raised:
            load_mapping(tmp_path / name, name)
        assert raised.value.findings[0].fix == fix


def test_an_alias_is_what_it_stands_for() -> None:
    assert parse_mapping(b"a: &x {b: [1, 2]}\nc: *x\n", "f") == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}}


@pytest.mark.parametrize("leaf", ["1", "{}", "{b: 1}", "[1]", "[]"])
@pytest.mark.parametrize(("left", "right"), [("{a: ", "}"), ("[", "]")])
def test_an_alias_is_as_deep_as_what_it_stands_for(left: str, right: str, leaf: str) -> None:
    deepest = MAX_DEPTH - 1 - (len(leaf) > 2)
    for levels in (deepest, deepest + 1):
        upper, lower = levels - 41, 40
        in_full = f"d: {left * levels}{leaf}{right * levels}\n"
        anchors = f"x: &x {left * lower}{leaf}{right * lower}\ny: &y {left * upper}*x{right * upper}\n"
        for text, line in ((in_full, 1), (f"{anchors}d: {left}*y{right}\n", 3)):
            if levels == deepest:
                parse_mapping(text.encode(), "f")
                continue
            with pytest.raises(Invalid) as refused:
                parse_mapping(text.encode(), "f")
            (found,) = refused.value.findings
            assert found.code == "VP108" and found.where is not None and found.where.line == line


def test_what_other_readers_take_for_something_else_stays_text() -> None:
    found = parse_mapping(b"a: yes\nb: 12:30\nc: 0o7\nd: 017\ne: 2001-01-01\nf: 1_000\ng: on\n", "f")
    assert found == {"a": "yes", "b": "12:30", "c": "0o7", "d": "017", "e": "2001-01-01", "f": "1_000", "g": "on"}


_VALUES: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.text("ab 1.-:#*&!?[]{}'\",%@`|>~äß漢🙂\t", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdefghij", min_size=1, max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.dictionaries(st.text("abcdefghij", min_size=1, max_size=6), _VALUES, max_size=6))
def test_reads_what_pyyaml_writes(value: dict[str, Any]) -> None:
    for flow in (True, False):
        text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
        assert parse_mapping(text.encode(), "f") == value
