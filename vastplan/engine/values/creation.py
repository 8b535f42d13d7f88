"""Objects that are created once: what the ledger records of their creation, and findings if they are gone or should differ. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vastplan.engine.live.diff import digests
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.plan import FieldChange
from vastplan.model.shell import word
from vastplan.model.site_ledger import NO_DIGESTS, Owned
from vastplan.model.wording import some
from vastplan.schema.codec import at
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.markers import Marker

_LONGEST = 200


def created_source(kind: Kind, row: Row) -> dict[str, str]:
    """What the answer to a create says about the source of an object, by the names of attributes."""
    names = () if kind.once is None else kind.once.noted
    return recorded_source(kind, {name: at(row, kind.attribute(name).path) for name in names})


def recorded_source(kind: Kind, attributes: Mapping[str, Any]) -> dict[str, str]:
    """The same for an object that was read."""
    sources = {name: attributes.get(name) for name in (() if kind.once is None else kind.once.noted)}
    return {name: str(value) for name, value in sources.items() if value is not None}


def changed_source(entry: Entry, kind: Kind, fields: Sequence[str]) -> Finding:
    """VP350: the source of an object cannot be changed after it was created."""
    text = f"it was created already, and {some(sorted(fields))} cannot be changed afterwards"
    fix = kind.once.another if kind.once is not None else _another(kind, fields)
    return error("VP350", text, fix=fix, address=str(entry.address), where=entry.where)


def remade(kind: Kind, changes: Iterable[FieldChange]) -> list[str]:
    """The fields whose change would need another object, which vastplan does not create."""
    return [change.path for change in changes if change.replaces and _is_fixed(kind, change)]


def _is_fixed(kind: Kind, change: FieldChange) -> bool:
    field = kind.field(change.path.partition(".")[0])
    of = field.created_with.of if field.created_with is not None else ()
    return kind.once is not None or field.has(Marker.CREATED_WITH) or change.before in of or change.after in of


def _another(kind: Kind, fields: Iterable[str]) -> str:
    """How to get what is refused in another way."""
    ways = (kind.field(path.partition(".")[0]).created_with for path in fields)
    return next(
        (way.another for way in ways if way is not None),
        "leave it as it was, or declare another object under another name",
    )


def recreation_finding(entry: Entry, kind: Kind, owned: Owned, key: str) -> Finding | None:
    """Why an owned object that is gone is not recreated, `None` if it is: VP350 if the document has changed how it is created, VP349 with
    how it was created if it is created once."""
    now = digests(kind, entry.values, key)
    if kind.once is None:
        others = _otherwise(kind, Marker.CREATED_WITH, owned, now)
        return _made_of_another(entry, others) if others else None
    others = [path for path in _otherwise(kind, Marker.IMMUTABLE, owned, now) if path in now]
    if others:
        return changed_source(entry, kind, others)
    text = f"it was created{_of_what(owned)} and is gone: it is created once and never recreated"
    # what it helped to create may be gone, too
    out = "" if kind.once.means else "; or take it out of the document"
    fix = f"{kind.once.another}; {_anew(entry)}{out}"
    return Finding("VP349", Severity.NOTE, text, fix, address=str(entry.address), where=entry.where)


def another_exists(kind: Kind, owned: Owned) -> str:
    """Why an object with the name of one that was created once is not owned, "" for a kind that is not created once."""
    if kind.once is None:
        return ""
    return f"what was created{_of_what(owned)} is gone, and the object of that name was created outside vastplan since"


def _made_of_another(entry: Entry, others: Sequence[str]) -> Finding:
    text = f"it is gone and was created with {some(sorted(others))}, which the document has changed since: it would be recreated without that data"
    fix = f"write it as it was, and the next apply recreates it from that; {_anew(entry)} as the document says now"
    return error("VP350", text, fix=fix, address=str(entry.address), where=entry.where)


def _otherwise(kind: Kind, marker: Marker, owned: Owned, now: Mapping[str, str]) -> list[str]:
    """The fields with a marker that the ledger has and the document has changed or left out."""
    names = {field.name for field in kind.fields if field.has(marker)}
    return [
        path
        for path, digest in owned.fields.items()
        if path.partition(".")[0] in names and digest not in (now.get(path), *NO_DIGESTS)
    ]


def _anew(entry: Entry) -> str:
    return f"vastplan ledger forget PATH {word(entry.address)} lets the next apply recreate it"


def _of_what(owned: Owned) -> str:
    made = ", ".join(f"{name} {inert(value, _LONGEST)}" for name, value in owned.made_of.items())
    return f" ({made})" if made else ""
