"""Worlds of a few objects, written down by hand: what a snapshot of them would hold, and an import beside a document in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.lab import REGISTRY_KINDS
from vastplan.app.files.snapshot import sealed, tables_digest
from vastplan.app.importer import Imported, ImportOptions, import_live
from vastplan.app.workspace import open_workspace
from vastplan.ledger.events import new_part
from vastplan.model.claims import SiteClaims
from vastplan.model.site_ledger import Owned
from vastplan.model.snapshot import SNAPSHOT_VERSION, RecordedSnapshot, SeenCollection, SeenObject, SeenSite

NAME = "small"
HEAD = f"version: 1\nname: {NAME}\nsites: {{iad: {{sim: {{}}}}}}\n"
HEAD_OF_TWO = f"version: 1\nname: {NAME}\nsites: {{iad: {{sim: {{}}}}, pdx: {{sim: {{}}}}}}\n"
_SYSTEMS = ("kubernetes", "runai", "vast")
_FACTS = {"kubernetes_version": "1.34", "runai_version": "2.24.0", "vast_version": "5.5.0.20.1234567"}
Objects = Mapping[str, Iterable[SeenObject]]
"""By kind."""


def seen(id: str, name: str = "", attributes: Mapping[str, Any] | None = None, **values: Any) -> SeenObject:
    """An object with a name, if it has one; one in a namespace is told by both, one of a cluster by its name."""
    named = {"name": name} if name else {}
    namespace = values.get("namespace")
    locator = f"{namespace}/{name}" if namespace else id
    known = {"id": id, "path": locator, "name": name or None, **(attributes or {})}
    return SeenObject(id, locator, {**named, **values}, known)


def world(
    objects: Objects | None = None,
    *,
    there: Mapping[str, Objects] | None = None,
    unread: Mapping[tuple[str, str], str] | None = None,
    owned: Mapping[str, str] | None = None,
    claims: SiteClaims | None = None,
    facts: Mapping[str, str] | None = None,
) -> RecordedSnapshot:
    """What was recorded: `objects` of site `iad`, or those of `there` by site; what could not be read; what the ledger owns."""
    by_site = there or {"iad": objects or {}}
    sites, collections = [], []
    for site, found in by_site.items():
        ledger = new_part(NAME, site)
        ids = {address: Owned(id_, id_) for address, id_ in (owned or {}).items() if address.startswith(f"{site}/")}
        places = dict.fromkeys(_SYSTEMS, "simulated") | {"ledger": "beside the document"}
        sites.append(
            SeenSite(
                site, places, {}, {**_FACTS, **(facts or {})}, replace(ledger, entries=ids), claims or SiteClaims()
            )
        )
        for kind in REGISTRY_KINDS:
            error = (unread or {}).get((site, kind), "")
            collections.append(SeenCollection(site, kind, () if error else tuple(found.get(kind, ())), error))
    digest = tables_digest(REGISTRY_KINDS)
    taken = "2026-01-01T00:00:00Z"
    return sealed(RecordedSnapshot(SNAPSHOT_VERSION, NAME, taken, "0", digest, tuple(sites), tuple(collections)))


def imported(folder: Path, snapshot: RecordedSnapshot, text: str = HEAD, **options: Any) -> Imported:
    """An import beside a document of one file; nothing is written but that."""
    (folder / "head.yaml").write_text(text, encoding="utf-8")
    workspace = open_workspace([folder], None, snapshot)
    return import_live(workspace, ImportOptions(tuple(workspace.document.sites()), snapshot, **options))


def text_of(done: Imported) -> str:
    """All that is new, without the line that says the schema."""
    lines = [line for text in done.texts for line in text.written.text.splitlines()]
    return "\n".join(line for line in lines if not line.startswith("# yaml-language-server"))


def reasons(done: Imported) -> dict[str, str]:
    """Why objects and fields are left, by site, kind and name, and the field's path."""
    return {
        "/".join(filter(None, (each.site, each.kind, each.name, each.field))): each.code for each in done.result.left
    }
