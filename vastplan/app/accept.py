"""Taking what was changed by hand into the document: one value at a time, where it stands, or a sentence that says why not.

An edit counts when the document, read again, says the live value there and all else as before. So nobody has to know where a
value comes from: defaults, another site's line and what several objects are made of show themselves.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vastplan.app import files
from vastplan.app.flows import Planned
from vastplan.app.workspace import open_workspace
from vastplan.document import merge
from vastplan.document.edit import edits, written
from vastplan.engine.diff import leaves, same, value_at
from vastplan.model.drift import Drift, DriftedField, DriftedObject
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import Where
from vastplan.model.site_ledger import path_text
from vastplan.model.value import from_json, sources, to_json
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

Texts = dict[Path, str]


@dataclass(frozen=True, slots=True)
class Accepted:
    """One value that was written, and where."""

    address: str
    path: str
    shown: str
    where: Where


def accept(
    paths: Sequence[Path], connections: Path | None, planned: Planned, found: Drift, wanted: Sequence[str]
) -> list[Accepted]:
    """Write the live values of what `wanted` names (`ADDRESS` or `ADDRESS.FIELD`) into the files of the document.

    Raises `VastplanError`, and writes nothing, when one of them cannot be: all that are asked for, or none.
    """
    chosen = [pair for one in wanted for pair in _chosen(one, found)]
    texts = {file: _read(file) for path in paths for file in merge.files(path)}
    before = dict(texts)
    done = []
    with tempfile.TemporaryDirectory(prefix="vastplan-") as room:
        desk = _Desk(Path(room), paths, connections)
        now = desk.read(texts)
        for one, field in _once(chosen):
            texts, now, made = _one(desk, texts, now, planned, one, field)
            done.append(made)
    for file, text in texts.items():
        if text != before[file]:
            _write(file, text, before[file])
    return done


def _chosen(wanted: str, found: Drift) -> list[tuple[DriftedObject, DriftedField]]:
    named = max(
        (one for one in found.drift if wanted == one.address or wanted.startswith(f"{one.address}.")),
        key=lambda one: len(one.address), default=None,
    )  # fmt: skip
    if named is None:
        raise VastplanError(f"--accept {inert(wanted, 200)}: nothing was changed by hand there (see vastplan drift)")
    if named.what == "gone":
        raise VastplanError(
            f"--accept {named.address}: it is gone, and there is no value to accept; take its entry out of the document and "
            "run vastplan ledger forget, or apply to make it again"
        )
    path = wanted[len(named.address) + 1 :]
    fields = [one for one in named.fields if not path or one.path == path or one.path.startswith(f"{path}.")]
    if not fields:
        known = ", ".join(one.path for one in named.fields)
        raise VastplanError(f"--accept {inert(wanted, 200)}: that field was not changed by hand ({known} was)")
    return [(named, one) for one in fields]


def _once(chosen: list[tuple[DriftedObject, DriftedField]]) -> list[tuple[DriftedObject, DriftedField]]:
    return list({(one.address, field.path): (one, field) for one, field in chosen}.values())


class _Desk:
    """A copy of the document's files, to try an edit on."""

    def __init__(self, room: Path, paths: Sequence[Path], connections: Path | None) -> None:
        self._connections = connections
        self._copies: dict[Path, Path] = {}
        self._paths = []
        for number, path in enumerate(paths):
            folder = room / str(number)
            folder.mkdir()
            self._copies |= {file: folder / file.name for file in merge.files(path)}
            self._paths.append(folder if path.is_dir() else folder / path.name)

    def read(self, texts: Texts) -> dict[Any, Entry]:
        """What the document stands for with these texts, by address; raises `Invalid`."""
        for file, text in texts.items():
            self._copies[file].write_bytes(text.encode())
        found = open_workspace(self._paths, self._connections).composed()
        return {entry.address: entry for entry in found.entries}


def _one(
    desk: _Desk, texts: Texts, now: dict[Any, Entry], planned: Planned, one: DriftedObject, field: DriftedField
) -> tuple[Texts, dict[Any, Entry], Accepted]:
    entry = next(entry for entry in planned.entries if str(entry.address) == one.address)
    kind = planned.matcher.kinds[entry.address.kind]
    leaf = next(leaf for leaf in leaves(kind.fields, entry.values) if path_text(leaf.path) == field.path)
    live = from_json(field.live)
    if field.sensitive or leaf.field.secret or sources(leaf.value) or sources(live):
        raise VastplanError(f"--accept {one.address}.{field.path}: a secret is never written into the document")
    file = next((each for each in texts if entry.where is not None and str(each) == entry.where.file), None)
    there = now.get(entry.address)
    if there is None or value_at(there.values, leaf.path) != leaf.value:
        raise VastplanError(f"--accept {one.address}: the document was changed while it was looked at; try again")
    where = there.where
    if file is not None and where is not None:
        for text, line in edits(texts[file], where, entry.address.site, leaf.path, field.live, field.unit, field.units):
            tried = {**texts, file: text}
            try:
                then = desk.read(tried)
            except Invalid:
                continue
            if _says(then, now, entry, kind, leaf.path, live):
                shown = written(field.live, field.unit, field.units)
                return tried, then, Accepted(one.address, field.path, inert(shown, 200), Where(str(file), line, 1))
    origin = f"it comes from {entry.origin}" if entry.origin else "it does not stand there by itself"
    shown = inert(written(field.live, field.unit, field.units), 200)
    raise VastplanError(
        f"--accept {one.address}.{field.path}: no line of the document says that alone ({origin}, at {entry.where}); "
        f"make it say {shown} by hand, or leave the change with drift.ignore or plan --keep-drift"
    )


def _says(
    then: dict[Any, Entry], now: dict[Any, Entry], entry: Entry, kind: Kind, path: tuple[str, ...], live: Any
) -> bool:
    """Whether an edited document says the live value at one place, and everything else as it did."""
    if then.keys() != now.keys():
        return False
    others = all(_flat(then[one]) == _flat(now[one]) for one in now if one != entry.address)
    old, new = _flat(now[entry.address]), _flat(then[entry.address])
    moved = {key for key in old.keys() | new.keys() if old.get(key, ...) != new.get(key, ...)}
    inside = all(key[: len(path)] == path for key in moved)
    leaf = next((leaf for leaf in leaves(kind.fields, then[entry.address].values) if leaf.path == path), None)
    return bool(
        others and inside and leaf is not None and same(leaf.field, value_at(then[entry.address].values, path), live)
    )


def _flat(entry: Entry) -> dict[tuple[str, ...], Any]:
    """Every value of an entry by its path."""
    found: dict[tuple[str, ...], Any] = {}

    def walk(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, dict) and value:
            for key, item in value.items():
                walk(item, (*path, key))
        else:
            found[path] = value

    walk(to_json(entry.values), ())
    found["(after)",] = (entry.origin, entry.renamed_from, tuple(map(str, entry.after)))
    return found


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as problem:
        raise VastplanError(f"{file} cannot be read: {problem}") from None


def _write(file: Path, text: str, before: str) -> None:
    """Whole or not at all, with the rights it has; not over what somebody wrote meanwhile."""
    target = file.resolve()
    try:
        mode = target.stat().st_mode & 0o7777
    except OSError as problem:
        raise VastplanError(f"{file} cannot be read: {problem.strerror}") from None
    if _read(target) != before:
        raise VastplanError(f"{file} was changed while it was looked at; nothing was written to it")
    files.write(target, text.encode(), str(file), mode)
