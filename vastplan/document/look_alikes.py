"""Names in a document that read like others: VP325. Reports mark such characters where they stand; this says that there are any."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity, Where
from vastplan.model.look_alikes import taken_for_others, unseen
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.entries import Entry

_FIX = "write it with the letters of one script, unless this is its real name"


def look_alikes(entries: Iterable[Entry]) -> list[Finding]:
    """A warning for each name, and each text that an entry has, with characters that are unseen or taken for others; once."""
    found: dict[tuple[Where | None, str], Finding] = {}
    for entry in entries:
        for name in (name for value in (entry.address.name, entry.values) for name in _texts(value)):
            marked = taken_for_others(name)
            odd = [char for place, char in enumerate(name) if place in marked or unseen(char)]
            if odd:
                which = some([f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed')}" for char in dict.fromkeys(odd)])
                text = f"{inert(name, 200)} has characters that are invisible or look like others: {which}"
                finding = Finding("VP325", Severity.WARNING, text, _FIX, str(entry.address), entry.where)
                found.setdefault((entry.where, name), finding)
    return list(found.values())


def _texts(value: Any) -> Iterator[str]:
    """What is not plain ASCII of the texts and names in a value, and of the keys."""
    if isinstance(value, str):
        if not value.isascii():
            yield value
    elif isinstance(value, Ref):
        yield from _texts(value.target.name)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
