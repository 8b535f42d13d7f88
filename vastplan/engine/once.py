"""Objects that are made once: what is noted when they are made, and what is said when they are gone or were to be made otherwise. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vastplan.engine.diff import digests
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.plan import FieldChange
from vastplan.model.shell import word
from vastplan.model.site_ledger import REDACTED_DIGEST, UNKNOWN_DIGEST, Owned
from vastplan.model.wording import some
from vastplan.schema.codec import at
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.markers import Marker

_UNTOLD = (UNKNOWN_DIGEST, REDACTED_DIGEST)
_LONGEST = 200


def made_of(kind: Kind, row: Row) -> dict[str, str]:
    """What the answer to a create tells of what an object was made of, by the names of attributes."""
    names = () if kind.once is None else kind.once.noted
    return noted(kind, {name: at(row, kind.attribute(name).path) for name in names})


def noted(kind: Kind, attributes: Mapping[str, Any]) -> dict[str, str]:
    """The same of an object that was read."""
    told = {name: attributes.get(name) for name in (() if kind.once is None else kind.once.noted)}
    return {name: str(value) for name, value in told.items() if value is not None}


def refused(entry: Entry, kind: Kind, fields: Sequence[str]) -> Finding:
    """VP350: what an object was made of is not chosen again once it is there."""
    text = f"it was created already, and {some(sorted(fields))} cannot be changed afterwards"
    fix = kind.once.another if kind.once is not None else _another(kind, fields)
    return error("VP350", text, fix=fix, address=str(entry.address), where=entry.where)


def remade(kind: Kind, changes: Iterable[FieldChange]) -> list[str]:
    """The fields for which another object would have to be made, and none is."""
    return [change.path for change in changes if change.replaces and _is_fixed(kind, change)]


def _is_fixed(kind: Kind, change: FieldChange) -> bool:
    field = kind.field(change.path.partition(".")[0])
    of = field.made_with.of if field.made_with is not None else ()
    return kind.once is not None or field.has(Marker.MADE_WITH) or change.before in of or change.after in of


def _another(kind: Kind, fields: Iterable[str]) -> str:
    """How to have what is refused all the same."""
    ways = (kind.field(path.partition(".")[0]).made_with for path in fields)
    return next(
        (way.another for way in ways if way is not None),
        "leave it as it was, or declare another object under another name",
    )


def gone(entry: Entry, kind: Kind, owned: Owned, key: str) -> Finding | None:
    """Why what was ours and is not there any more is not made again, `None` where it is: VP350 where the document says otherwise by
    now how it was made, VP349 with how it was where it is made once."""
    now = digests(kind, entry.values, key)
    if kind.once is None:
        others = _otherwise(kind, Marker.MADE_WITH, owned, now)
        return _made_of_another(entry, others) if others else None
    others = [path for path in _otherwise(kind, Marker.IMMUTABLE, owned, now) if path in now]
    if others:
        return refused(entry, kind, others)
    text = f"it was created{_of_what(owned)} and is gone: it is created once and never recreated"
    # what it was the means to may be gone, too
    out = "" if kind.once.means else "; or take it out of the document"
    fix = f"{kind.once.another}; {_anew(entry)}{out}"
    return Finding("VP349", Severity.NOTE, text, fix, address=str(entry.address), where=entry.where)


def another_there(kind: Kind, owned: Owned) -> str:
    """Why what was made once is not ours where another object has its name, "" where nothing was made once."""
    if kind.once is None:
        return ""
    return f"what was created{_of_what(owned)} is gone, and the object of that name was created outside vastplan since"


def _made_of_another(entry: Entry, others: Sequence[str]) -> Finding:
    text = f"it is gone and was created with {some(sorted(others))}, which the document has changed since: it would be recreated without that data"
    fix = f"write it as it was, and the next apply recreates it from that; {_anew(entry)} as the document says now"
    return error("VP350", text, fix=fix, address=str(entry.address), where=entry.where)


def _otherwise(kind: Kind, marker: Marker, owned: Owned, now: Mapping[str, str]) -> list[str]:
    """What the ledger has of the fields with a marker and the document says otherwise, or not at all."""
    names = {field.name for field in kind.fields if field.has(marker)}
    return [
        path
        for path, digest in owned.fields.items()
        if path.partition(".")[0] in names and digest not in (now.get(path), *_UNTOLD)
    ]


def _anew(entry: Entry) -> str:
    return f"vastplan ledger forget PATH {word(entry.address)} lets the next apply recreate it"


def _of_what(owned: Owned) -> str:
    made = ", ".join(f"{name} {inert(value, _LONGEST)}" for name, value in owned.made_of.items())
    return f" ({made})" if made else ""
