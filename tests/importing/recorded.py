"""The reference customer with its ledger lost: what `examples/ai-factory` stands for, recorded once, and imported in many ways."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import vastplan.kinds
from vastplan.app.files.snapshot import sealed
from vastplan.app.importer import Imported, ImportOptions, import_live, write_import
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.importing.model import Selection
from vastplan.model.address import Address
from vastplan.model.import_result import LeftObject
from vastplan.model.snapshot import RecordedSnapshot, SeenCollection, SeenObject
from vastplan.schema.discover import discover

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ai-factory"
SITES = ("iad", "pdx")
HEAD = """\
# mine
version: 1      # of the format
name: ai-factory
sites:
    iad: {sim: {}}
    pdx: {sim: {}}   # the second
"""
FACTORY, TEAM_A, TEAM_B = (
    (EXAMPLE / name).read_text(encoding="utf-8") for name in ("factory.yaml", "team-a.yaml", "team-b.yaml")
)

LiveKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Done:
    """An import that was written: the folder as it is then, and what was told."""

    folder: Path
    imported: Imported
    before: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All that is new."""
        return "\n".join(text.written.text for text in self.imported.texts)

    @property
    def left(self) -> dict[tuple[str, str, str], LeftObject]:
        """What is left of what counts, by site, kind and name."""
        return {(left.site, left.kind, left.name): left for left in self.imported.result.left if left.counts}

    @property
    def taken(self) -> set[str]:
        """The addresses of what is new in the document."""
        return {address for entry in self.imported.result.taken for address in entry.objects}

    def reasons(self, code: str) -> set[tuple[str, str, str]]:
        """The objects that are left for a reason."""
        return {(left.site, left.kind, left.name) for left in self.imported.result.left if left.code == code}


def documents(folder: Path, files: Mapping[str, str]) -> None:
    """Files of a document, and the secret that the example names."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "csi-password").write_text("canary-of-the-password", encoding="utf-8")


def imported(folder: Path, snapshot: RecordedSnapshot, selection: Selection | None = None) -> Done:
    """Import into a folder, and write."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    workspace = open_workspace([folder], None, snapshot)
    done = import_live(workspace, ImportOptions(SITES, snapshot, selection or Selection()))
    if done.texts:
        write_import(done, folder, "")
    return Done(folder, done, before)


def composed(
    folder: Path, snapshot: RecordedSnapshot
) -> dict[Address, tuple[dict[str, Any], str, tuple[Address, ...]]]:
    """What the document of a folder stands for, with what each object comes from and after."""
    workspace: Workspace = open_workspace([folder], None, snapshot)
    return {entry.address: (entry.values, entry.origin, entry.after) for entry in workspace.composed().entries}


def changed(
    snapshot: RecordedSnapshot, change: Callable[[SeenCollection], SeenCollection], kind: str = "", site: str = ""
) -> RecordedSnapshot:
    """The snapshot with each collection (of a kind, on a site) changed."""
    collections = tuple(
        change(each) if kind in ("", each.kind) and site in ("", each.site) else each for each in snapshot.collections
    )
    return sealed(replace(snapshot, collections=collections, id=""))


def second(snapshot: RecordedSnapshot, kind: str, name: str, called: str, **values: Any) -> RecordedSnapshot:
    """The snapshot with a second object like the one of that name, on every site."""

    def more(collection: SeenCollection) -> SeenCollection:
        like = next((each for each in collection.objects if each.values.get("name") == name), None)
        if like is None:
            return collection
        twin = copied(like, called, **values)
        return replace(collection, objects=tuple(sorted((*collection.objects, twin), key=lambda each: each.id)))

    return changed(snapshot, more, kind)


def copied(like: SeenObject, called: str, **values: Any) -> SeenObject:
    """Another object with its values, under an id of its own."""
    digest = zlib.crc32(called.encode())
    own = str(digest) if like.id.isdigit() else f"{digest:08x}{like.id[8:]}"
    name = str(like.attributes.get("name", ""))
    return replace(
        like,
        id=own,
        locator=like.locator.replace(like.id, own) if like.id in like.locator else like.locator.replace(name, called),
        values={**like.values, **({"name": called} if "name" in like.values else {}), **values},
        attributes={
            **like.attributes,
            **{key: value for key, value in (("name", called), ("id", own)) if key in like.attributes},
        },
    )


def taken_objects(done: Done, world: RecordedSnapshot) -> set[LiveKey]:
    """What was read of the kinds that a document can have, and is not left. Each object is taken or left, once.

    What holds secrets is counted by its name, for its id is told to nobody.
    """
    registry = discover(vastplan.kinds)
    kinds = set(registry.types).union(*(each.creates for each in registry.compositions.values()))
    read, left = [], []
    for each in world.collections:
        if each.kind in kinds:
            kind = registry.kinds[each.kind]  # nobody is told an id of what holds secrets
            for seen in each.objects:
                called = seen.locator if kind.endpoint.namespaced else str(seen.values.get("name"))
                read.append((each.site, each.kind, called if kind.secretive else seen.id))
    for one in done.imported.result.left:
        if not one.field:
            secretive = registry.kinds[one.kind].secretive
            assert bool(one.id) is not secretive
            left.append((one.site, one.kind, one.name if secretive else one.id))
    assert len(set(read)) == len(read) and len(set(left)) == len(left), "each once"
    assert set(left) <= set(read)
    taken = set(read) - set(left)
    assert len(taken) == done.imported.result.adopts
    return taken
