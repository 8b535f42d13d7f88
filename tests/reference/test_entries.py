"""Each section of the document has example entries that are valid and use every field of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import vastplan.kinds
from vastplan.app.schemas import Schema, desired_state
from vastplan.app.validate import check_document
from vastplan.app.workspace import open_workspace
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Severity
from vastplan.schema.discover import discover

ENTRIES = Path(vastplan.__file__).parent / "reference" / "entries"
HEAD = "_head"
PARTS_OF_THE_HEAD = ("sites", "ledger", "limits", "checks", "drift", "defaults")
SECTIONS = sorted(discover(vastplan.kinds).sections)
FILES = (*SECTIONS, *PARTS_OF_THE_HEAD)
TODAY = date(2026, 10, 1)

COMMON = frozenset({"name", "sites", "per_site", "renamed_from"})
"""Fields of every entry, which one file shows for all."""
SHOWS_COMMON = "volumes"
FORMS = frozenset({"Existing", "EnvironmentSecret", "FileSecret"})
"""How a value may be written in the place of plain text; one file each is enough."""

REMAIN: Mapping[str, Mapping[str, str]] = {}
"""The findings that remain, by file: the code and why."""

UNSET: Mapping[str, Mapping[str, str]] = {}
"""The paths that no document can have, by file, and why."""


def written(name: str) -> dict[str, Any]:
    """One file as YAML has it."""
    loaded = yaml.safe_load((ENTRIES / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict), name
    return loaded


def findings(name: str) -> tuple[Finding, ...]:
    """All that is found in the document of a file."""
    heads = [] if name == "sites" else [ENTRIES / f"{HEAD}.yaml"]
    try:
        return check_document(open_workspace([*heads, ENTRIES / f"{name}.yaml"]), TODAY).findings
    except Invalid as invalid:
        return tuple(invalid.findings)


def told(found: Finding) -> str:
    """One finding as a line."""
    return f"{found.severity.value} {found.code} {found.address or ''}: {found.message} ({found.fix})"


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_valid(name: str) -> None:
    found = findings(name)
    assert [told(one) for one in found if one.severity is Severity.ERROR] == []
    remain = REMAIN.get(name, {})
    assert [told(one) for one in found if one.code not in remain] == []
    assert {one.code for one in found} == remain.keys()


def test_there_is_a_file_for_each_section_and_no_other() -> None:
    assert sorted(path.name for path in ENTRIES.iterdir() if path.is_file()) == sorted(
        f"{name}.yaml" for name in (HEAD, *FILES)
    )
    for name in FILES:
        *needed, last = written(name)
        assert last == name, f"{name}.yaml ends with its section"


@cache
def document() -> Schema:
    """The schema of the document, once."""
    return desired_state(discover(vastplan.kinds))


def section(name: str) -> Schema:
    """What the schema says of one entry of a section, or of a part of the head."""
    if name in PARTS_OF_THE_HEAD:
        return dict(document()["properties"][name])
    return {"$ref": f"#/$defs/{discover(vastplan.kinds).sections[name].name}.entry"}


def given(name: str) -> list[Any]:
    """The entries of a section in its file, or the part of the head."""
    own = written(name)[name]
    return [own] if name in PARTS_OF_THE_HEAD else list(own.values())


def missing(node: Schema, values: Sequence[Any], at: str = "", top: bool = False) -> Iterator[str]:
    """The paths that a part of the schema knows and that none of the values sets; `*` is any key, `[]` any item."""
    for form in forms(node, top):
        objects = [value for value in values if isinstance(value, dict)]
        for field, inner in form.get("properties", {}).items():
            if not (top and nests(inner)):
                set_to = [each[field] for each in objects if each.get(field) is not None]
                yield from below(inner, set_to, f"{at}.{field}".lstrip("."))
        within = form.get("additionalProperties")
        for inner in (*([within] if isinstance(within, dict) else ()), *form.get("patternProperties", {}).values()):
            yield from below(inner, [value for each in objects for value in each.values()], f"{at}.*".lstrip("."))
        if isinstance(form.get("items"), dict):
            listed = [item for value in values if isinstance(value, list) for item in value]
            yield from below(form["items"], listed, f"{at}[]")


def below(inner: Schema, set_to: Sequence[Any], at: str) -> Iterator[str]:
    """A path that nothing sets, or those inside it that nothing does."""
    if set_to:
        yield from missing(inner, set_to, at)
    else:
        yield at


def forms(node: Schema, top: bool = False) -> Iterator[Schema]:
    """What a value may be, without the forms of plain values and the entries of other sections."""
    if "$ref" in node:
        called = node["$ref"].rsplit("/", 1)[1]
        if top or not (called in FORMS or called.endswith((".entry", ".part"))):
            yield from forms(document()["$defs"][called])
    elif "anyOf" in node:
        for form in node["anyOf"]:
            yield from forms(form)
    else:
        assert not node.keys() & {"oneOf", "allOf", "if"}, "the walk does not know these"
        yield node


def nests(node: Schema) -> bool:
    """Whether a field of a tenant holds entries of other sections."""
    within = node.get("additionalProperties")
    inside = within.get("anyOf", []) if isinstance(within, dict) else []
    return any(form.get("$ref", "").endswith(".entry") for form in (node, *inside))


@pytest.mark.parametrize("name", FILES)
def test_every_field_is_used(name: str) -> None:
    unset = set(missing(section(name), given(name), top=True))
    if name not in (SHOWS_COMMON, *PARTS_OF_THE_HEAD):
        unset -= COMMON
    assert sorted(unset) == sorted(UNSET.get(name, {}))


@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_form_of_a_value_is_used(form: str) -> None:
    (key,) = document()["$defs"][form]["properties"]

    def there(value: Any) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return (isinstance(value, dict) and value.keys() == {key}) or any(map(there, inner))

    assert any(there(written(name)[name]) for name in FILES)
