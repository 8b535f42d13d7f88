"""JSON from outside, read strictly: what another reader would not take, or what would break in our hands, is not JSON."""

from __future__ import annotations

import json
from collections.abc import Set
from functools import partial
from math import isfinite
from typing import Any, NoReturn

MAX_DEPTH = 64  # the systems' deepest objects have a dozen levels; what walks over values here recurses
MOST_DIGITS = 2000  # of a whole number in a file of ours
ANSWERED_DIGITS = 1000  # in an answer: sums of them, and they in other units, have a few more, and are in our files
DENSEST = 201  # bytes that `held` says at most of a byte of text


def held(raw: bytes | bytearray) -> int:
    """Bytes that the values of a JSON text take in memory, roughly; of a part of a text, what that part adds.

    Every value but the first has a comma or a bracket of its own. As CPython keeps them: an object 200, a list 72, what is in
    one 100 with its place and its key; commas in strings are counted as well.
    """
    return len(raw) + 200 * raw.count(b"{") + 72 * raw.count(b"[") + 100 * raw.count(b",")


def parse(raw: bytes | bytearray, keep: Set[str] | None = None, digits: int = MOST_DIGITS) -> Any:
    """The value of a JSON text; raises `ValueError`, also for NaN, half surrogates and what is nested too deep.

    A whole number has at most so many `digits`: what comes of it is written again, and Python writes 4300.
    So it does for a number that is too large for a float, such as 1e400: it would be infinite, which JSON cannot say.
    With `keep` an object has these keys alone: all else is dropped when its bracket closes, before anybody sees it. One that
    has such a key twice says two things, of which other readers might take the other.
    """
    # Asked of every number it costs a tenth: only where there may be such a one, or a string that has as many.
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
    if escapes and (b"\\ud" in raw or b"\\uD" in raw):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise ValueError("half of a surrogate pair") from None
    if escapes or not _shallow_text(raw):
        _shallow(value)
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
    """Whether a JSON text without escapes is told to be shallow by its brackets alone; false says nothing.

    Of the text only quotes and brackets are kept. A string without brackets is then two quotes side by side, and goes; one
    with brackets leaves a quote behind, and then the brackets say nothing. Each turn takes the innermost level away.
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
