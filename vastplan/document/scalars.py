"""Writes values on one line of YAML, as a person would type them; reading gives the same values.

Text is plain where every reader takes it for that text: vastplan's, one of YAML 1.1 and one of YAML 1.2. Otherwise it is quoted,
and characters that are invisible or look like others are escaped, because people read these files first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Any

from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.look_alikes import is_invisible, taken_for_others

_ENDLESS = 2**62
_LONGEST_NUMBER = 20  # characters before the point: a document may not have longer ones (VP113)
_EXACT = 2**53  # below it every whole float stands for one integer, above it for several
_LONGEST_KEY = 1000  # characters as written: YAML looks no further than 1024 for the colon after a key
_WORD = re.compile(r"[A-Za-z0-9/_.(+$](?:[A-Za-z0-9/_.()+$@=~*% -]*[A-Za-z0-9/_.()+$@=~*%-])?")
_LETTER = "a"  # stands for any letter outside ASCII
_READ_OTHERWISE = re.compile(
    r"null|true|false|yes|no|on|off|y|n|\.+|[-+]"
    r"|[-+]?0b[01_]+|[-+]?0o[0-7_]+|[-+]?0x[0-9a-f_]+"
    r"|[-+]?(?:\.[0-9_]+|[0-9_]+(?:\.[0-9_]*)?)(?:e[-+]?[0-9_]*)?|[-+]?\.inf|\.nan"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*",
    re.IGNORECASE,
)
"""Words that some reader takes for a number, a boolean, null or a date (YAML 1.1 types, YAML 1.2 §10.3)."""
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


class Unwritable(VastplanError):
    """A value that no document can hold."""


def flow(value: Any) -> str:
    """A value on one line, lists and mappings in brackets. Raises `Unwritable`."""
    parts: list[str] = []
    _collect(value, _ENDLESS, parts)
    return "".join(parts)


def flow_within(value: Any, room: int) -> str | None:
    """Like `flow` if the text has at most `room` characters, else `None`; it stops as soon as the text is too long."""
    parts: list[str] = []
    return "".join(parts) if _collect(value, room, parts) >= 0 else None


def key_text(key: object) -> str:
    """The text of a key, without the colon. Raises `Unwritable`."""
    if not isinstance(key, str):
        raise Unwritable(f"a key must be text, not {type(key).__name__}")
    if key == "<<":
        raise Unwritable("the key << is YAML's merge key, which a document must not have")
    written = text_scalar(key)
    if len(written) > _LONGEST_KEY:
        raise Unwritable(f"the key {inert(key, 60)} is longer than a YAML key may be")
    return written


def scalar_text(value: Any) -> str:
    """The text of a value that is neither a list nor a mapping. Raises `Unwritable`."""
    if isinstance(value, str):
        return text_scalar(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and isfinite(value):
        if not value.is_integer() or abs(value) >= _EXACT:
            # without an exponent, because YAML 1.1 and 1.2 read exponents differently
            written = format(Decimal(repr(value)), "f")
            return _short_enough(written if "." in written else f"{written}.0")
        value = int(value)
    if not isinstance(value, int):
        raise Unwritable(f"a document cannot hold a value of type {type(value).__name__}")
    return _short_enough(str(value))


def _short_enough(written: str) -> str:
    if len(written.partition(".")[0]) > _LONGEST_NUMBER:
        raise Unwritable(f"the number has more than {_LONGEST_NUMBER} digits")
    return written


@lru_cache(2**13)  # most of a document consists of a few words
def text_scalar(value: str) -> str:
    """Text without quotes where that is safe, else in quotes. Raises `Unwritable` for half a surrogate pair."""
    if value.isascii():
        hidden: frozenset[int] = frozenset()
        letters = value
    else:
        marked = taken_for_others(value)
        hidden = frozenset(place for place, char in enumerate(value) if place in marked or is_invisible(char))
        half = next((char for char in value if "\ud800" <= char <= "\udfff"), None)
        if half is not None:
            raise Unwritable(f"{inert(value, 60)} has half a character (U+{ord(half):04X}), which no file can hold")
        letters = "".join(_LETTER if char > "\x7f" and char.isalnum() else char for char in value)
    if not hidden and _WORD.fullmatch(letters) and not _READ_OTHERWISE.fullmatch(letters):
        return value
    if hidden or not value.isprintable() or ("'" in value and not ('"' in value or "\\" in value)):
        return f'"{"".join(_in_quotes(char, place in hidden) for place, char in enumerate(value))}"'
    return "'" + value.replace("'", "''") + "'"


def _in_quotes(char: str, hidden: bool) -> str:
    if char in _ESCAPED:
        return _ESCAPED[char]
    if not hidden and char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _collect(value: Any, room: int, parts: list[str]) -> int:
    """Appends the text of a value to `parts`; returns the room left, negative as soon as it does not fit."""
    if isinstance(value, Mapping):
        parts.append("{")
        room -= 2
        for place, (key, item) in enumerate(value.items()):
            before = f"{', ' if place else ''}{key_text(key)}: "
            parts.append(before)
            room -= len(before)
            if room < 0 or (room := _collect(item, room, parts)) < 0:
                return room
        parts.append("}")
        return room
    if isinstance(value, list | tuple):
        parts.append("[")
        room -= 2
        for place, item in enumerate(value):
            if place:
                parts.append(", ")
                room -= 2
            if room < 0 or (room := _collect(item, room, parts)) < 0:
                return room
        parts.append("]")
        return room
    written = scalar_text(value)
    parts.append(written)
    return room - len(written)
