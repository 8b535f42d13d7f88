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

ENTRIES = Path(vastplan.__file__).parent / "app" / "reference" / "entries"
HEAD = "_head"
PARTS_OF_THE_HEAD = ("sites", "ledger", "limits", "checks", "drift", "defaults")
SECTIONS = (*discover(vastplan.kinds).sections, *PARTS_OF_THE_HEAD)
FILES = sorted(path.stem for path in ENTRIES.glob("*.yaml") if path.stem != HEAD)
"""Called as their section, with a word behind a dash where the forms of one document exclude each other."""
TODAY = date(2026, 10, 1)

COMMON = frozenset({"name", "sites", "per_site", "renamed_from"})
"""Fields of every entry, which one file shows for all."""
SHOWS_COMMON = "volumes"
FORMS = frozenset({"Existing", "EnvironmentSecret", "FileSecret"})
"""How a value may be written in the place of plain text: each is shown somewhere, not at every field."""

REMAIN: Mapping[str, Mapping[str, str]] = {
    "buckets": {"REP-21": "it is told of whatever is replicated synchronously, so that somebody weighs it"},
    "checks": {"QTA-02": "the finding that the example waives, which stays visible as a note"},
    "volumes": {
        "CKP-15": "checkpoint.origin is what this finding is about: the writes of the path go over the WAN",
        "CKP-16": "checkpoint.event is what this finding is about: no time bounds the work that is lost",
    },
}
"""The findings that remain, none of them an error, by file: the code and why."""

_OF_A_POD = "no document may say it (VP243): the account of a pod is for a connections file to choose"
UNSET: Mapping[str, Mapping[str, str]] = {
    "ledger": {"kubernetes.in_cluster": _OF_A_POD},
    "sites": {"*.kubernetes.in_cluster": _OF_A_POD},
}
"""The paths that no document can have, by section, and why."""


def written(name: str) -> dict[str, Any]:
    """One file as YAML has it."""
    loaded = yaml.safe_load((ENTRIES / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict), name
    return loaded


def section_of(name: str) -> str:
    """The section that a file is for."""
    return name.partition("-")[0]


def findings(name: str) -> tuple[Finding, ...]:
    """All that is found in the document of a file, but that its secrets are not there."""
    heads = [] if section_of(name) == "sites" else [ENTRIES / f"{HEAD}.yaml"]
    try:
        found = check_document(open_workspace([*heads, ENTRIES / f"{name}.yaml"]), TODAY).findings
        return tuple(one for one in found if one.code != "VP302")
    except Invalid as invalid:
        return tuple(invalid.findings)


def told(found: Finding) -> str:
    """One finding as a line."""
    return f"{found.severity.value} {found.code} {found.address or ''}: {found.message} ({found.fix})"


def test_every_section_has_its_file_and_it_is_the_last_in_it() -> None:
    assert sorted({section_of(name) for name in FILES}) == sorted(SECTIONS)
    assert sorted(ENTRIES.iterdir()) == sorted(ENTRIES / f"{name}.yaml" for name in (HEAD, *FILES))
    assert [name for name in FILES if [*written(name)][-1] != section_of(name)] == []


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_valid(name: str) -> None:
    remain = REMAIN.get(name, {})
    found = findings(name)
    assert [told(one) for one in found if one.severity is Severity.ERROR or one.code not in remain] == []
    assert {one.code for one in found} == remain.keys()


@cache
def document() -> Schema:
    """The schema of the document, once."""
    return desired_state(discover(vastplan.kinds))


def schema_of(section: str) -> Schema:
    """What the schema says of one entry of a section, or of a part of the head."""
    if section in PARTS_OF_THE_HEAD:
        return dict(document()["properties"][section])
    return {"$ref": f"#/$defs/{discover(vastplan.kinds).sections[section].name}.entry"}


def given(section: str) -> list[Any]:
    """The entries of a section in its files, or the parts of the head."""
    own = [written(name)[section] for name in FILES if section_of(name) == section]
    return own if section in PARTS_OF_THE_HEAD else [entry for entries in own for entry in entries.values()]


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


@pytest.mark.parametrize("section", SECTIONS)
def test_every_field_is_used(section: str) -> None:
    unset = set(missing(schema_of(section), given(section), top=True))
    if section not in (SHOWS_COMMON, *PARTS_OF_THE_HEAD):
        unset -= COMMON
    assert sorted(unset) == sorted(UNSET.get(section, {}))


@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_form_of_a_value_is_used(form: str) -> None:
    (key,) = document()["$defs"][form]["properties"]

    def there(value: Any) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return (isinstance(value, dict) and value.keys() == {key}) or any(map(there, inner))

    assert any(there(entry) for section in SECTIONS for entry in given(section))


def test_what_is_missing_is_told() -> None:
    """The walk finds a field, one inside a struct, one of a list's items, and one of another form."""
    entry = {"access": {"Viewer": [{"user": "auditor"}]}, "scheduling_rules": {"training_job_time_limit": "7d"}}
    unset = set(missing(schema_of("departments"), [entry, {"description": None}], top=True))
    assert {"description", "scheduling_rules.interactive_job_time_limit", "access.*[].group", "gpus"} <= unset
    assert unset.isdisjoint({"access.*[].user", "scheduling_rules.training_job_time_limit", "access"})
