"""The text of placed entries: what stands where, what is said above it, and on which line it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.lab import full_registry
from vastplan.document.emit import EntryId
from vastplan.importing.place import File, Placed
from vastplan.importing.write import texts

SECTIONS = full_registry().sections
TYPES = tuple(SECTIONS.values())


def placed(section: str, key: str, *parts: Placed, **values: Any) -> Placed:
    return Placed(SECTIONS[section], key, values, (), ("iad",), list(parts))


def silent(entry: Placed) -> Sequence[str]:
    return ()


def by_name(entry: Placed) -> Sequence[str]:
    return (f"about {entry.key}",) if entry.key != "plain" else ()


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("# yaml-language-server")]


def test_one_of_a_section_that_is_called_as_its_tenant_is_the_one() -> None:
    pool = placed("vip_pools", "nlp", subnet_cidr=24)
    views = [placed("views", name, path=f"/{name}") for name in ("nlp", "b")]
    (text,) = texts([File("a.yaml", (placed("tenants", "nlp", pool, *views),))], TYPES, "s", silent)
    assert text.name == "a.yaml" and "s" in text.written.text.splitlines()[0]
    assert lines_of(text.written.text) == [
        "tenants:", "  nlp:", "    vip_pool: {subnet_cidr: 24}", "    views:", "      b: {path: /b}", "      nlp: {path: /nlp}",
    ]  # fmt: skip
    other = placed("tenants", "nlp", placed("vip_pools", "b", subnet_cidr=24), max_views=7)
    (text,) = texts([File("a.yaml", (other,))], TYPES, "s", silent)
    assert lines_of(text.written.text)[-1].strip() == "vip_pools: {b: {subnet_cidr: 24}}"
    assert other.values == {"max_views": 7}, "what is placed stays as it was"


def test_each_place_is_known_by_its_entry_and_its_line() -> None:
    view, tenant, flat = placed("views", "b", path="/b"), placed("tenants", "nlp"), placed("views", "c", path="/c")
    tenant.parts.append(view)
    (text,) = texts([File("a.yaml", (flat, tenant))], TYPES, "s", silent)
    assert text.entries == {
        EntryId("views", "c"): flat, EntryId("tenants", "nlp"): tenant, EntryId("views", "b", "nlp"): view,
    }  # fmt: skip
    assert text.written.lines.keys() == text.entries.keys()


def test_what_is_said_of_an_entry_stands_above_it() -> None:
    tenant = placed("tenants", "nlp", placed("views", "b", path="/b"), placed("views", "plain", path="/p"))
    (text,) = texts([File("a.yaml", (tenant,))], TYPES, "s", by_name)
    assert [line.strip() for line in lines_of(text.written.text)] == [
        "tenants:", "# about nlp", "nlp:", "views:", "# about b", "b: {path: /b}", "plain: {path: /p}",
    ]  # fmt: skip


def test_defaults_stand_in_the_first_file_alone() -> None:
    files = [File(f"{name}.yaml", (placed("views", name, path=f"/{name}"),)) for name in "ab"]
    first, second = texts(files, TYPES, "s", silent, {"views": {"protocols": ["NFS"]}})
    assert lines_of(first.written.text)[-1] == "defaults: {views: {protocols: [NFS]}}"
    assert "defaults" not in second.written.text and first.entries.keys() == {EntryId("views", "a")}
    assert texts([], TYPES, "s", silent) == []
