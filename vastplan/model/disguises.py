"""Recognises a secret that a server sends back in another form: encoded, in other case, reversed, or split by separators.

The search runs on a bare text: only its ASCII letters and digits, in lowercase. Separators, escapes and capitals are gone
there, and an encoding is a sequence of letters and digits like any other.
"""

from __future__ import annotations

import base64
import html
import json
import re
import sys
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

SHORTEST = 8  # letters and digits: shorter sequences occur in too many texts
_BLOCK = 8  # bytes that are compared at once
_WINDOW = 2 * _BLOCK - 1
_SMALL = bytes(range(256)).lower()
_NOISE = bytes(byte for byte in range(128) if not chr(byte).isalnum())
_ESCAPE = r"\\(?:u[0-9a-f]{4}|x[01][0-9a-f]|[bfnrt])"  # how JSON and vastplan's output write invisible and non-ASCII
_ESCAPED = re.compile(_ESCAPE)
_ALONE = rf"(?:{_ESCAPE}|[^a-z0-9])*"


def bare(text: str) -> bytes:
    """The bare text: the ASCII letters and digits of a text, in lowercase."""
    if "\\" in text:
        text = _ESCAPED.sub("", text)
    return text.encode("ascii", "ignore").translate(_SMALL, _NOISE)


def encodings(value: str) -> set[str]:
    """A value and its forms in JSON, Python, URLs, HTML and base64."""
    forms = {value, repr(value)[1:-1], json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    raw = value.encode("utf-8", "surrogatepass")
    forms |= {html.escape(value), quote(raw, safe=""), quote(raw), quote_plus(raw)}
    for before in range(3):  # inside a longer encoded text (user:password) it begins at one of three offsets
        skipped = (0, 2, 3)[before]
        for encoded in (base64.b64encode(b"\0" * before + raw), base64.urlsafe_b64encode(b"\0" * before + raw)):
            text = encoded.decode().rstrip("=")
            # the last character also holds bits of what follows
            forms.add(text[skipped : len(text) - (1 if (before + len(raw)) % 3 else 0)])
    return forms


def disguises(value: str) -> frozenset[bytes]:
    """The forms of a value to look for in bare texts; empty for a value that could be a word, a number or part of one."""
    word = value.isalpha() and value in (value.lower(), value.upper(), value.capitalize())
    if word or not any(char.isalpha() for char in value) or len(bare(value)) < SHORTEST:
        return frozenset()
    raw = value.encode("utf-8", "surrogatepass")
    forms = {bare(form) for form in encodings(value)}
    forms |= {bare(value)[::-1], raw.hex().encode(), raw[::-1].hex().encode(), raw.hex("x").encode()}
    return frozenset(form for form in forms if len(form) >= SHORTEST)


class DisguiseSet:
    """A set of disguises that are all searched for in one pass over a text, however many they are."""

    def __init__(self) -> None:
        self._short: list[bytes] = []
        # In a text cut into blocks, any stretch of a long disguise as long as `_WINDOW` covers a whole block, wherever it begins.
        self._by_block: dict[int, list[bytes]] = {}
        self._blocks: set[int] = set()

    def add(self, forms: Iterable[bytes]) -> None:
        """Add disguises to the set."""
        for form in forms:
            if len(form) < _WINDOW:
                self._short.append(form)
                continue
            first = (len(form) - _WINDOW) // 2  # the middle: tokens of one issuer begin alike
            for at in range(first, first + _BLOCK):
                block = int.from_bytes(form[at : at + _BLOCK], sys.byteorder)
                self._by_block.setdefault(block, []).append(form)
                self._blocks.add(block)

    def matches(self, text: str) -> set[bytes]:
        """The disguises that occur in a text."""
        if not (self._blocks or self._short):
            return set()
        stripped = bare(text)
        whole = len(stripped) // _BLOCK * _BLOCK
        met = self._blocks.intersection(memoryview(stripped)[:whole].cast("Q")) if self._blocks else ()
        likely = {form for block in met for form in self._by_block[block]}
        return {form for form in (*self._short, *likely) if form in stripped}


def replace_disguises(text: str, form: bytes, instead: str, *, one_value: bool) -> str:
    """The text with each occurrence of a disguise replaced by `instead`.

    Where the text is not `one_value` and the disguise is spread over several values, their letters and digits become stars, so
    that the structure around the values stays.
    """

    def replaced(match: re.Match[str]) -> str:
        if one_value or not _STRUCTURE.search(match[0]):
            return instead
        return _LETTER.sub(lambda letter: letter[1] or "*", match[0])

    return _pattern(form).sub(replaced, text)


_STRUCTURE = re.compile(r'["<>{}\[\]\n]')
_LETTER = re.compile(rf"({_ESCAPE})|[A-Za-z0-9]")


def _pattern(form: bytes) -> re.Pattern[str]:
    return re.compile(_ALONE.join(form.decode()), re.IGNORECASE | re.ASCII)
