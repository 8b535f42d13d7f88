"""How a secret may come back from whoever was sent it: encoded, in other letters, backwards, taken apart.

All of it is told in a text of which only ASCII letters and digits are left, in lowercase letters: there separators, escapes and
capitals are gone, and an encoding is a row of letters and digits like any other.
"""

from __future__ import annotations

import base64
import html
import json
import re
import sys
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

SHORTEST = 8  # letters and digits: what is shorter is in too many texts
_BLOCK = 8  # bytes that are compared at once
_SMALL = bytes(range(256)).lower()
_NOISE = bytes(byte for byte in range(128) if not chr(byte).isalnum())
_ESCAPE = r"\\(?:u[0-9a-f]{4}|x[01][0-9a-f]|[bfnrt])"  # as JSON, and what we show, have what is no ASCII or not seen
_ESCAPED = re.compile(_ESCAPE)
_ALONE = rf"(?:{_ESCAPE}|[^a-z0-9])*"


def bare(text: str) -> bytes:
    """The letters and digits of a text, in lowercase letters."""
    if "\\" in text:
        text = _ESCAPED.sub("", text)
    return text.encode("ascii", "ignore").translate(_SMALL, _NOISE)


def encodings(value: str) -> set[str]:
    """A value, and what it becomes in JSON, Python, URLs, HTML and base64."""
    forms = {value, repr(value)[1:-1], json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    raw = value.encode("utf-8", "surrogatepass")
    forms |= {html.escape(value), quote(raw, safe=""), quote(raw), quote_plus(raw)}
    for before in range(3):  # in the middle of something encoded (user:password) it begins at any of three places
        skipped = (0, 2, 3)[before]
        for encoded in (base64.b64encode(b"\0" * before + raw), base64.urlsafe_b64encode(b"\0" * before + raw)):
            text = encoded.decode().rstrip("=")
            # the last character also holds bits of what follows
            forms.add(text[skipped : len(text) - (1 if (before + len(raw)) % 3 else 0)])
    return forms


def disguises(value: str) -> frozenset[bytes]:
    """What is looked for in a bare text. None of a value that could be a word, a number or a part of one."""
    word = value.isalpha() and value in (value.lower(), value.upper(), value.capitalize())
    if word or not any(char.isalpha() for char in value) or len(bare(value)) < SHORTEST:
        return frozenset()
    raw = value.encode("utf-8", "surrogatepass")
    forms = {bare(form) for form in encodings(value)}
    forms |= {bare(value)[::-1], raw.hex().encode(), raw[::-1].hex().encode(), raw.hex("x").encode()}
    return frozenset(form for form in forms if len(form) >= SHORTEST)


class Sought:
    """Many disguises, looked for in one pass over a text, however many they are."""

    def __init__(self) -> None:
        self._short: list[bytes] = []
        # A long one covers a whole block of a text that is cut into blocks, wherever it begins.
        self._by_block: dict[int, list[bytes]] = {}
        self._blocks: set[int] = set()

    def add(self, forms: Iterable[bytes]) -> None:
        """From now on these, too."""
        for form in forms:
            if len(form) < 2 * _BLOCK - 1:
                self._short.append(form)
                continue
            for at in range(len(form) - _BLOCK + 1):
                block = int.from_bytes(form[at : at + _BLOCK], sys.byteorder)
                self._by_block.setdefault(block, []).append(form)
                self._blocks.add(block)

    def found(self, text: str) -> set[bytes]:
        """Those that are in a text."""
        if not (self._blocks or self._short):
            return set()
        stripped = bare(text)
        whole = len(stripped) // _BLOCK * _BLOCK
        met = self._blocks.intersection(memoryview(stripped)[:whole].cast("Q")) if self._blocks else ()
        likely = {form for block in met for form in self._by_block[block]}
        return {form for form in (*self._short, *likely) if form in stripped}


def without(text: str, form: bytes, instead: str, *, one_value: bool) -> str:
    """The text with something else in the place of a disguise.

    Where the text is not `one_value` and the disguise is spread over several, their letters and digits become stars: what
    holds the values together stays.
    """

    def replaced(match: re.Match[str]) -> str:
        if one_value or not _STRUCTURE.search(match[0]):
            return instead
        return _LETTER.sub(lambda one: one[1] or "*", match[0])

    return _pattern(form).sub(replaced, text)


_STRUCTURE = re.compile(r'["<>{}\[\]\n]')
_LETTER = re.compile(rf"({_ESCAPE})|[A-Za-z0-9]")


def _pattern(form: bytes) -> re.Pattern[str]:
    return re.compile(_ALONE.join(form.decode()), re.IGNORECASE | re.ASCII)
