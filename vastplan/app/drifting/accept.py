"""Writes drifted values into the document, one at a time and in place, or explains why a value cannot be written.

An edit is accepted if the document, read again, has the live value at that field and is otherwise unchanged. This catches
values that come from defaults, lines shared with another site, and entries that several objects are composed from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vastplan.app.drifting.accept_active import ACTIVE, edit_active
from vastplan.app.drifting.edited_document import (
    Accepted,
    EditedDocument,
    Entries,
    TrialCopy,
    flat,
    on_trial,
    write_texts,
)
from vastplan.app.planning.request import Planned
from vastplan.document.edit import Edit, edits, value_text
from vastplan.engine.live.diff import leaves, same, value_at
from vastplan.model.address import Address
from vastplan.model.drift import Drift, DriftedField, DriftedObject
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import Where
from vastplan.model.replication import Replication
from vastplan.model.shell import given, word, words
from vastplan.model.site_ledger import path_text
from vastplan.model.value import from_json, sources, to_json
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.markers import FollowsFrom

_TRIED = 3
_Chosen = tuple[DriftedObject, DriftedField]


def accept(
    paths: Sequence[Path], connections: Path | None, planned: Planned, drift: Drift, wanted: Sequence[str]
) -> list[Accepted]:
    """Write the live values of the fields that `wanted` names (`ADDRESS` or `ADDRESS.FIELD`) into the files of the document.

    Writes all of them or none: raises `VastplanError`, and writes nothing, if one cannot be written.
    """
    typed = words([*given("--connections", connections), *paths])
    origins = {str(entry.address): entry.origin for entry in planned.entries}
    moved = [text for text in wanted if text.endswith(f".{ACTIVE}")]
    sites = {Address.parse(row.address): row.leads for row in (_moved(text, drift, origins) for text in moved)}
    chosen = [pair for text in wanted if text not in moved for pair in _chosen(text, drift, typed, origins)]
    once = {(drifted.address, field.path): (drifted, field) for drifted, field in chosen}
    accepted = []
    with on_trial(paths, connections) as (trial, draft):
        before = draft.texts
        for drifted, field in once.values():
            draft, value = _accept_field(trial, draft, planned, drifted, field, typed)
            accepted.append(value)
        for address, site in sites.items():
            draft, value = edit_active(trial, draft, address, site)
            accepted.append(value)
    write_texts(draft.texts, before)
    return accepted


def _moved(wanted: str, drift: Drift, origins: Mapping[str, str]) -> Replication:
    """The replicated object whose `active` is to be what it is: by its address, or that of the entry it is composed from."""
    address = wanted.removesuffix(f".{ACTIVE}")
    for row in drift.replications:
        if address in (row.address, origins.get(row.address)):
            if row.leads:
                return row
            raise VastplanError(f"--accept {inert(wanted, 200)}: no site is known to be its source: {row.text}")
    raise VastplanError(f"--accept {inert(wanted, 200)}: no replicated object of that address is known")


def first_acceptable(paths: Sequence[Path], connections: Path | None, planned: Planned, drift: Drift) -> str:
    """The first `ADDRESS.FIELD` that `--accept` can take; "" if there is none.

    A field of an entry's own object is returned untested; for composed objects the first few fields are tried out.
    """
    parts = {str(entry.address) for entry in planned.entries if entry.origin}
    firsts = [
        (drifted, field)
        for drifted in drift.reported()
        for field in [field for field in drifted.fields if not field.sensitive][:1]
        if drifted.what == "changed"
    ]
    own = next((first for first in firsts if first[0].address not in parts), None)
    if own is None and firsts:
        own = _tried(paths, connections, planned, firsts[:_TRIED])
    return f"{own[0].address}.{own[1].path}" if own is not None else ""


def _tried(
    paths: Sequence[Path], connections: Path | None, planned: Planned, firsts: Iterable[_Chosen]
) -> _Chosen | None:
    """The first field whose edit succeeds in a copy of the document."""
    try:
        with on_trial(paths, connections) as (trial, draft):
            for drifted, field in firsts:
                with suppress(VastplanError):
                    _accept_field(trial, draft, planned, drifted, field, "")
                    return drifted, field
    except VastplanError:  # the document was changed meanwhile, and is no longer valid
        return None
    return None


def _chosen(wanted: str, drift: Drift, typed: str, origins: Mapping[str, str]) -> list[_Chosen]:
    named = max(
        (drifted for drifted in drift.drift if wanted == drifted.address or wanted.startswith(f"{drifted.address}.")),
        key=lambda drifted: len(drifted.address), default=None,
    )  # fmt: skip
    if named is None:
        raise VastplanError(
            f"--accept {inert(wanted, 200)}: no object or field of that address was changed outside vastplan (see vastplan drift {typed})"
        )
    if named.what == "gone" and (origin := origins.get(named.address)):
        raise VastplanError(
            f"--accept {named.address}: it is gone, and there is no value to accept; it is a part of {origin}, which the document has: recreate "
            f"it with vastplan apply {typed}; where a field there creates it, you may remove that field and type vastplan ledger forget {typed} "
            f"{word(named.address)}; or leave it with drift.ignore or plan --keep-drift {word(named.address)}"
        )
    if named.what == "gone":
        raise VastplanError(
            f"--accept {named.address}: it is gone, and there is no value to accept; remove its entry from the document and "
            f"type vastplan ledger forget {typed} {word(named.address)}, or recreate it with vastplan apply"
        )
    if named.what == "replaced":
        raise VastplanError(
            f"--accept {named.address}: it was deleted and recreated, and there is no value to accept; "
            "adopt the live object with vastplan apply --adopt"
        )
    if named.what == "undelivered":
        raise VastplanError(
            f"--accept {named.address}: its value is not where it was delivered, and there is none to accept; "
            "create another with vastplan apply, or deliver it elsewhere in the document"
        )
    path = wanted[len(named.address) + 1 :]
    fields = [field for field in named.fields if not path or field.path == path or field.path.startswith(f"{path}.")]
    if not fields:
        drifted_paths = ", ".join(field.path for field in named.fields)
        raise VastplanError(
            f"--accept {inert(wanted, 200)}: that field was not changed outside vastplan ({drifted_paths} was)"
        )
    return [(named, field) for field in fields]


def _accept_field(
    trial: TrialCopy, draft: EditedDocument, planned: Planned, drifted: DriftedObject, field: DriftedField, typed: str
) -> tuple[EditedDocument, Accepted]:
    entry = next(entry for entry in planned.entries if str(entry.address) == drifted.address)
    kind = planned.matches.kinds[entry.address.kind]
    leaf = next(leaf for leaf in leaves(kind.fields, entry.values) if path_text(leaf.path) == field.path)
    live = from_json(field.live)
    if field.sensitive or leaf.field.secret or sources(leaf.value) or sources(live):
        raise VastplanError(f"--accept {drifted.address}.{field.path}: a secret is never written into the document")
    file = next((file for file in draft.texts if entry.where is not None and str(file) == entry.where.file), None)
    drafted = draft.entries.get(entry.address)
    if drafted is None or value_at(drafted.values, leaf.path) != leaf.value:
        raise VastplanError(f"--accept {drifted.address}: the document changed while it was read; try again")
    where, live_text = drafted.where, inert(value_text(field.live, field.unit, field.units), 200)
    if file is not None and where is not None:
        edit = Edit(
            entry.address.site, leaf.path, to_json(leaf.value), field.live, field.unit, field.units,
            shared=any(other.where == where and other.address.site != entry.address.site for other in draft.entries.values()),
        )  # fmt: skip
        for text, line in edits(draft.texts[file], where, edit):
            try:
                edited = trial.read({**draft.texts, file: text})
            except Invalid:
                continue
            if _changes_only(draft.entries, edited.entries, entry.address, kind, leaf.path, live):
                return edited, Accepted(drifted.address, field.path, live_text, Where(str(file), line, 1))
    if leaf.field.follows is not None and entry.origin:
        raise VastplanError(_follows(entry, leaf.field.follows, drifted, field, live_text, typed))
    origin = f"it comes from {entry.origin}" if entry.origin else "it does not stand there by itself"
    raise VastplanError(
        f"--accept {drifted.address}.{field.path}: cannot make the document say {live_text} there and all else as before "
        f"({origin}, at {entry.where}): it is used for something else too, or the value there has an anchor or comments in brackets; "
        f"write it by hand, or leave the change with drift.ignore or plan --keep-drift {word(drifted.address)}"
    )


def _follows(
    entry: Entry, follows: FollowsFrom, drifted: DriftedObject, field: DriftedField, live: str, typed: str
) -> str:
    """Why a value that only another entry decides is not written, and what a person may do instead."""
    at = f" at {entry.where}" if entry.where is not None else ""
    write = f"write {follows.write}" if follows.write else "nothing in the document decides it"
    undo = "closes it again" if field.opens else "writes it again as it was"
    return (
        f"--accept {drifted.address}.{field.path}: it has no line of its own to say {live} in, and follows from {entry.origin}{at} ({write}; "
        f"or vastplan apply {typed}, which {undo}; or leave the change with drift.ignore or plan --keep-drift {word(drifted.address)})"
    )


def _changes_only(
    before: Entries, after: Entries, address: Address, kind: Kind, path: tuple[str, ...], live: Any
) -> bool:
    """Whether an edited document has the live value at `path` of `address` and is otherwise unchanged."""
    if after.keys() != before.keys():
        return False
    others = all(flat(after[other]) == flat(before[other]) for other in before if other != address)
    old, new = flat(before[address]), flat(after[address])
    changed = {key for key in old.keys() | new.keys() if old.get(key, ...) != new.get(key, ...)}
    inside = all(key[: len(path)] == path for key in changed)
    values = after[address].values
    leaf = next((leaf for leaf in leaves(kind.fields, values) if leaf.path == path), None)
    return bool(others and inside and leaf is not None and same(leaf.field, value_at(values, path), live))
