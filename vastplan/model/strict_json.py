"""Strict reader for JSON from outside: it refuses what other readers would not accept, and what would break vastplan."""

from __future__ import annotations

import json
from collections.abc import Set
from functools import partial
from math import isfinite
from typing import Any, NoReturn

MAX_DEPTH = 64  # the systems' deepest objects have a dozen levels; code that walks values recurses
MOST_DIGITS = 2000  # of a whole number in a file that vastplan wrote
ANSWERED_DIGITS = 1000  # in an answer: sums and other units have a few more digits, and are written to vastplan's files
DENSEST = 201  # most bytes that `held` counts for one byte of text


def json_memory(raw: bytes | bytearray) -> int:
    """The approximate memory in bytes of the values of a JSON text; for a part of a text, what that part adds.

    Every value except the first has a comma or a bracket of its own. In CPython an object takes 200 bytes, a list 72, and each
    member 100 with its slot and key; commas in strings are counted too.
    """
    return len(raw) + 200 * raw.count(b"{") + 72 * raw.count(b"[") + 100 * raw.count(b",")


def answer(raw: bytes | bytearray) -> Any:
    """The value of a JSON text that a system answered; raises `ValueError` as `parse_json` does.

    Half of a surrogate pair becomes U+FFFD: a name that somebody broke makes no other object unreadable.
    """
    return parse_json(raw, digits=ANSWERED_DIGITS, mend=True)


def parse_json(
    raw: bytes | bytearray, keep: Set[str] | None = None, digits: int = MOST_DIGITS, mend: bool = False
) -> Any:
    """The value of a JSON text; raises `ValueError`, also for NaN, half surrogates and deep nesting.

    It also raises for a whole number of more than so many `digits`, because results are written again and Python writes at most
    4300, and for a number that is too large for a float, such as 1e400: it would be infinite, which JSON cannot express.
    With `keep` objects get only these keys: the others are dropped as soon as the object is parsed. An object that has such a key
    twice is refused, because other readers might take the other value.
    """
    # The check of every number costs a tenth of the time, so it runs only if the text has that many digits in sequence.
    long = bytes(digits + 1) in raw.translate(_DIGITS)
    whole = partial(_whole, digits) if long else None
    prune = None if keep is None else partial(_kept, keep)
    try:
        value = json.loads(
            raw.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, parse_int=whole, object_pairs_hook=prune
        )
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    escapes = b"\\" in raw
    if escapes or not _shallow_text(raw):
        _shallow(value)
    if escapes and (b"\\ud" in raw or b"\\uD" in raw):
        return _whole_text(value, mend)
    return value


def _whole_text(value: Any, mend: bool) -> Any:
    """The value, if its texts can be written as UTF-8; with `mend` halves of surrogate pairs become U+FFFD."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        if mend:
            return json.loads(text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
        raise ValueError("half of a surrogate pair") from None
    return value


def _kept(keep: Set[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    kept = [pair for pair in pairs if pair[0] in keep]
    value = dict(kept)
    if len(value) < len(kept):
        raise ValueError("a key that is there twice")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError("a number is too large")
    return value


def _whole(most: int, text: str) -> int:
    if len(text.lstrip("-")) > most:
        raise ValueError(f"a number of more than {most} digits")
    return int(text)


_DIGITS = bytes.maketrans(b"0123456789", bytes(10))
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b'[]{}"'))


def _shallow_text(raw: bytes | bytearray) -> bool:
    """Whether the brackets alone show that a JSON text without escapes is shallow; false means that it may be shallow or not.

    Only quotes and brackets of the text are kept. A string without brackets is then two adjacent quotes, which are removed; one
    with brackets leaves a quote, and then the brackets show nothing. Each pass removes the innermost level.
    """
    brackets = raw.translate(_BRACKETS, _NO_BRACKETS).replace(b'""', b"")
    for _ in range(MAX_DEPTH + 1):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"")
    return False


def _shallow(value: Any) -> None:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for container in level
            for inner in (container.values() if type(container) is dict else container)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return
    raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
