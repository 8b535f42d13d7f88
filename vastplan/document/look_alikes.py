"""VP325: names in a document with characters that are invisible or look like others. Reports escape such characters; this check
warns of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity, Where
from vastplan.model.look_alikes import is_invisible, taken_for_others
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.entries import Entry

_FIX = "write it with the letters of one script, unless this is its real name"


def look_alikes(entries: Iterable[Entry]) -> list[Finding]:
    """One warning for each name or text of an entry with characters that are invisible or look like others."""
    by_text: dict[tuple[Where | None, str], Finding] = {}
    for entry in entries:
        for name in _texts([entry.address.name, entry.values]):
            marked = taken_for_others(name)
            odd_characters = [char for place, char in enumerate(name) if place in marked or is_invisible(char)]
            if odd_characters:
                names = some(
                    [f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed')}" for char in dict.fromkeys(odd_characters)]
                )
                text = f"{inert(name, 200)} has characters that are invisible or look like others: {names}"
                finding = Finding("VP325", Severity.WARNING, text, _FIX, str(entry.address), entry.where)
                by_text.setdefault((entry.where, name), finding)
    return list(by_text.values())


def _texts(whole: Any) -> list[str]:
    """The texts, names and keys in a mapping or list that are not plain ASCII. Runs for every entry: what is plain costs no call."""
    texts: list[str] = []
    for value in (part for pair in whole.items() for part in pair) if isinstance(whole, dict) else whole:
        if isinstance(value, str):
            if not value.isascii():
                texts.append(value)
        elif isinstance(value, dict | list):
            texts += _texts(value)
        elif isinstance(value, Ref) and not value.target.name.isascii():
            texts.append(value.target.name)
    return texts
