"""What a model has against a document is told in plain words: one line for a mistake, where it stands, and what to write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml
from pydantic import BaseModel, Field, StringConstraints, ValidationError, model_validator

from tests.conftest import Run
from tests.kinds.cases import cases
from tests.lab import SYSTEMS, full_registry
from vastplan.app.files.approvals import ApprovalsFile
from vastplan.document import specs
from vastplan.document.mistakes import mistakes
from vastplan.document.yaml import Mapping, Sequence, parse_mapping
from vastplan.model.finding import Where
from vastplan.model.nearest import closest
from vastplan.schema.choices import form, models_at
from vastplan.schema.types import MISSING, Count, Existing, Name, ReferenceName, Says, SecretSource, Spec

LIBRARY = re.compile(
    r"Input|should (be|have|match)|valid (string|integer|number|boolean|list|dictionary)|instance of|pattern|permitted"
    r"|function-|constrained-|custom-error|pydantic|[Ff]ield required|\^\["
)
WRONG: tuple[Any, ...] = (
    None, 5, -1, 1.5, True, "", "x y\x00", "-", "9" * 5000, [], [5], [[]], {}, {"exising": "x"}, {"a": 5}, {"existing": None},
)  # fmt: skip


class Inner(Spec):
    """A part."""

    size: Count
    mode: Literal["fast", "slow"] | MISSING = MISSING


class Whole(Spec):
    """All of it."""

    name: Name
    owner: ReferenceName | MISSING = MISSING
    token: SecretSource | MISSING = MISSING
    code: (
        Annotated[str, StringConstraints(pattern="^[a-z]{3}$", max_length=3), Says("three letters", shown=False)]
        | MISSING
    ) = MISSING
    parts: list[Inner] | MISSING = MISSING
    named: dict[Name, Inner] | MISSING = MISSING
    either: Inner | list[Inner] | MISSING = MISSING
    ratio: int | float | MISSING = MISSING
    few: Annotated[list[int], Field(min_length=1, max_length=2)] | MISSING = MISSING
    short: Annotated[str, StringConstraints(min_length=2, max_length=4)] | MISSING = MISSING
    share: Annotated[float, Field(gt=0, lt=1)] | MISSING = MISSING

    @model_validator(mode="after")
    def _not_both(self) -> Whole:
        if self.name == "both":
            raise ValueError("give one, not both")
        return self


def told(text: str) -> list[str]:
    """The mistakes in a document of the model above: `LINE:COLUMN CODE sentence (fix)`."""
    tree = parse_mapping(text.encode(), "doc.yaml")
    with pytest.raises(ValidationError) as refused:
        Whole.model_validate(tree)
    lines = []
    for mistake in mistakes(Whole, tree, refused.value, closest):
        where = f"{mistake.where.line}:{mistake.where.column}" if mistake.where else "-"
        lines.append(f"{where} {mistake.code} {mistake.about('it')}" + (f" ({mistake.fix})" if mistake.fix else ""))
    return lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("{}", ["1:1 VP211 it: name is missing (write name: NAME)"]),
        ("nam: a", ["1:1 VP206 unknown key nam (did you mean name?)"]),
        ("name: both", ["- VP212 it: give one, not both"]),
        ("name: a/b", ["1:1 VP212 name: 'a/b' is not a name: a letter or digit, then letters, digits and ' ._@:+-', at most 128"]),
        ("name: ''", ["1:1 VP212 name: is empty; write a name: a letter or digit, then letters, digits and ' ._@:+-', at most 128"]),
        ("{name: a, code: hunter2}", ["1:11 VP212 code: is longer than 3 characters; write three letters"]),
        ("{name: a, code: AB1}", ["1:11 VP212 code: is not three letters"]),
        ("{name: a, code: 5}", ["1:11 VP212 code: is a number; write three letters, in quotes"]),
        ("{name: a, owner: {exising: x}}", ["1:19 VP206 owner: unknown key exising (did you mean existing?)"]),
        ("{name: a, owner: {existing: x, site: y}}", ["1:32 VP206 owner: unknown key site (known: existing)"]),
        ("{name: a, owner: {}}", ["1:11 VP211 it: owner.existing is missing (write existing: TEXT)"]),
        ("{name: a, owner: [x]}", ["1:11 VP212 owner: is a list; write a name or {existing: NAME}"]),
        ("{name: a, owner: null}", ["1:11 VP212 owner: is empty; write a name or {existing: NAME}"]),
        ("{name: a, token: hunter2}", ["1:11 VP212 token: is text; write {env: NAME} or {file: PATH}"]),
        ("{name: a, token: {}}", ["1:11 VP212 token: is empty; write {env: NAME} or {file: PATH}"]),
        ("{name: a, token: {evn: A}}", ["1:19 VP206 token: unknown key evn (did you mean env?)"]),
        ("{name: a, token: {env: hunter-2}}", ["1:19 VP212 token.env: is not the name of an environment variable: letters, digits and _, without $"]),
        ("{name: a, token: {env: 5}}", ["1:19 VP212 token.env: is a number; write the name of an environment variable: letters, digits and _, without $, in quotes"]),
        ("{name: a, parts: [5]}", ["1:19 VP212 parts.0: is a number; write {size: ...}"]),
        ("{name: a, parts: [{size: 1, mode: fats}]}", ["1:29 VP212 parts.0.mode: must be 'fast' or 'slow' (did you mean fast?)"]),
        ("{name: a, parts: [{size: 1, mode: 5}]}", ["1:29 VP212 parts.0.mode: is a number; write 'fast' or 'slow'"]),
        ("{name: a, parts: [{sise: 1}, {size: -1}]}", [
            "1:20 VP206 parts.0: unknown key sise (did you mean size?)",
            "1:31 VP212 parts.1.size: is negative; write 0 or more"]),
        ("{name: a, named: {a/b: {size: 1}}}", ["1:19 VP212 named.a/b: 'a/b' is not a name: a letter or digit, then letters, digits and ' ._@:+-', at most 128"]),
        ("{name: a, named: {b: {size: '1'}}}", ["1:23 VP212 named.b.size: is text; write a whole number, without quotes"]),
        ("{name: a, named: {b: {size: one}}}", ["1:23 VP212 named.b.size: is text; write a whole number"]),
        ("{name: a, either: 5}", ["1:11 VP212 either: is a number; write {size: ...} or a list"]),
        ("{name: a, either: [{size: x}]}", ["1:21 VP212 either.0.size: is text; write a whole number"]),
        ("{name: a, ratio: x}", ["1:11 VP212 ratio: is text; write a number"]),
        ("{name: a, few: []}", ["1:11 VP212 few: is empty; write at least 1 item"]),
        ("{name: a, few: [1, 2, 3]}", ["1:11 VP212 few: is too long; write at most 2 items"]),
        ("{name: a, short: a}", ["1:11 VP212 short: has 1 character; write at least 2"]),
        ("{name: a, short: abcde}", ["1:11 VP212 short: is too long; write at most 4 characters"]),
        ("{name: a, short: false}", ["1:11 VP212 short: is false; put it in quotes"]),
        ("{name: a, share: 0}", ["1:11 VP212 share: is too small; write more than 0.0"]),
        ("{name: a, share: 1}", ["1:11 VP212 share: is too large; write less than 1.0"]),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_in_plain_words(text: str, lines: list[str]) -> None:
    assert told(text) == lines


def test_two_mistakes_of_one_field_are_both_told_however_deep_they_are() -> None:
    assert told("{name: a, named: {b: {siez: 1}, c: {size: 1, mode: x}, d: 5}}") == [
        "1:23 VP206 named.b: unknown key siez (did you mean size?)",
        "1:46 VP212 named.c.mode: must be 'fast' or 'slow'",
        "1:56 VP212 named.d: is a number; write {size: ...}",
    ]


def test_how_a_struct_is_written() -> None:
    assert form(Existing) == "{existing: NAME}" and form(Inner) == "{size: ...}"
    assert form(specs.SimDirectory) == "a mapping with users, groups"
    assert form(specs.SiteSpec).startswith("a mapping with ") and form(specs.SiteSpec).endswith(", ...")
    assert form(Spec) == "a mapping"
    assert models_at(Whole, ("named", "b")) == (Inner,) and models_at(Whole, ("name", "x", 0)) == ()


def _places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in an entry."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*at, key)
        yield from _places(value, (*at, key))


def _located(node: Any) -> Any:
    """As if it had been read from a file, all of it in its first line."""
    at = Where("doc.yaml", 1, 1)
    if isinstance(node, dict):
        mapping = Mapping(at)
        mapping.update({key: _located(value) for key, value in node.items()})
        mapping.keys_at.update(dict.fromkeys(node, at))
        return mapping
    if isinstance(node, list):
        sequence = Sequence()
        sequence.extend(map(_located, node))
        sequence.items_at.extend([at] * len(node))
        return sequence
    return node


def _put(node: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    if isinstance(node, dict):
        return {**node, place[0]: _put(node[place[0]], place[1:], value)}
    return [_put(item, place[1:], value) if index == place[0] else item for index, item in enumerate(node)]


def _entries() -> Iterator[tuple[str, type[BaseModel], dict[str, Any]]]:
    sections = {one.name: one for one in full_registry().sections.values()}
    for case in cases():
        if case.kind in sections:
            yield str(case), sections[case.kind].model, case.get("entry", {})
    heads = specs.models(SYSTEMS)
    site = {
        "vast": {"url": "https://v", "token": {"env": "T"}},
        "kubernetes": {"context": "c"},
        "capability": {"writes_bw_mbps": 5},
    }
    real = {**site, "runai": {"url": "https://r", "cluster": "c", "client_id": "i", "client_secret": {"file": "f"}}}
    checks = {
        "waive": [{"code": "CSI-04", "address": "a/b/c", "reason": "because", "until": "2026-12-31"}],
        "raise": {"CSI-04": "error"},
    }
    drift = {"ignore": [{"address": "a", "fields": ["x"], "reason": "because", "until": "2026-12-31"}]}
    head = {
        "version": 1,
        "name": "n",
        "sites": {"iad": real},
        "limits": {"max_changes": 5},
        "checks": checks,
        "drift": drift,
    }
    yield "head", heads.head, head
    yield (
        "connections",
        heads.connections_file,
        {"version": 1, "sites": {"iad": real}, "secrets": {"env": ["A"]}, "ledger": {"folder": "x"}},
    )
    approval = {"address": "a/b/c", "reason": "because", "until": "2026-12-31", "max_used": 5, "max_orphans": 1}
    yield "approvals", ApprovalsFile, {"version": 1, "approvals": [approval]}


@pytest.mark.parametrize(("model", "entry"), [pytest.param(*rest, id=name) for name, *rest in _entries()])
def test_whatever_is_wrong_no_words_of_the_library_are_shown(model: type[BaseModel], entry: dict[str, Any]) -> None:
    refused = 0
    for place in _places(entry):
        for wrong in WRONG:
            tree = _located(_put(entry, place, wrong))
            try:
                model.model_validate(tree)
            except ValidationError as invalid:
                found = mistakes(model, tree, invalid, closest)
                refused += 1
                assert found, (place, wrong)
                for one in found:
                    text = one.about("it")
                    assert not LIBRARY.search(text) and len(text) < 800, (place, wrong, text)
                    assert one.where is not None or not one.path, (place, wrong, text)
    assert refused > len(entry), "nothing was wrong"


def test_what_is_referred_to_and_has_a_mistake_of_its_own_is_not_missing(tmp_path: Path, vastplan: Run) -> None:
    path = tmp_path / "doc.yaml"
    tenant = {"local_provider": "a", "users": {"ann": {"uid": "5"}}, "view_policy": {"flavor": "S3_NATIVE"}}
    bucket = {"size": "1 B", "owner": "ann"}
    head = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {}}}, "local_providers": {"a": {}}}
    path.write_text(yaml.safe_dump({**head, "tenants": {"a": {**tenant, "buckets": {"x": bucket}}}}))
    ran = vastplan("validate", path)
    (line,) = ran.err.splitlines()
    assert ran.code == 1 and "VP212: uid: is text; write a whole number, without quotes" in line, ran


HEAD = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {}}, "pdx": {"sim": {}}}}


def lines(tmp_path: Path, vastplan: Run, document: dict[str, Any]) -> list[str]:
    """What `validate` tells of a document, without its places."""
    path = tmp_path / "doc.yaml"
    path.write_text(yaml.safe_dump({**HEAD, **document}))
    ran = vastplan("validate", path)
    assert ran.code == 1, ran
    return [line.partition(": ")[2] for line in ran.err.splitlines()]


@pytest.mark.parametrize(
    "tenants",
    [["team-a"], "team-a", {"Team/A": {}}, {"team-a": "yes"}, {"team-a": {"sites": ["iat"]}}, {"team-a": {"max_view": 1}}, {"max_views": 5}],
)  # fmt: skip
def test_what_is_there_and_wrong_is_not_told_as_missing(tenants: Any, tmp_path: Path, vastplan: Run) -> None:
    policies = {f"q{number}": {"tenant": "team-a", "mode": "STATIC"} for number in range(3)}
    (line,) = lines(tmp_path, vastplan, {"tenants": tenants, "qos_policies": policies})
    assert "no tenant" not in line


def test_many_names_that_are_nowhere_are_no_more_than_are_read(tmp_path: Path, vastplan: Run) -> None:
    policies = {f"q{number}": {"tenant": f"t{number:04}", "mode": "STATIC"} for number in range(1500)}
    told = lines(tmp_path, vastplan, {"tenants": {"blue": {}}, "qos_policies": policies})
    *listed, last = told
    assert len(listed) == 1000 and all("no tenant t" in line for line in listed)
    assert "reading stopped after 1,000 errors: there may be more" in last


class Walked(Mapping):
    """A mapping that counts how often somebody goes through its keys."""

    __slots__ = ("walks",)

    def __init__(self, at: Where) -> None:
        super().__init__(at)
        self.walks = 0

    def __iter__(self) -> Iterator[str]:
        self.walks += 1
        return super().__iter__()


@pytest.mark.parametrize("count", [1, 300])
def test_keys_that_a_decimal_comma_made_are_gone_through_once(count: int) -> None:
    walked = Walked(Where("doc.yaml", 1, 1))
    walked.update({"size": 1, **{f"{number} TiB": 1 for number in range(count)}})
    with pytest.raises(ValidationError) as invalid:
        Inner.model_validate(walked)
    walked.walks = 0
    fixes = [mistake.fix for mistake in mistakes(Inner, walked, invalid.value, closest)]
    assert len(fixes) == count and fixes[0].endswith("write a decimal point: size: 1.0 TiB")
    assert walked.walks == 1
