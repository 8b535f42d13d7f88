"""Finds characters in a text that are invisible, or that look like others.

Invisible are Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), blank characters that are not spaces, and all
spaces except the usual one. Look-alikes of ASCII are found as in UTS #39, by the scripts of a word, because no library with
the table of confusable characters is maintained well enough to depend on. A forged name has to mix scripts, except for a word
that consists of look-alikes only; the letters for that case are listed below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"  # fillers and blanks
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))  # variation selectors
)
_SPELLED_OUT = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}")
_SEEN_TO_DIFFER = ("<super>", "<sub>", "<circle>", "<square>", "<fraction>")
_WITH_LATIN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "MICRO"})
"""Scripts that are written beside Latin letters in one word (UTS #39, highly restrictive)."""
_LIKE_ASCII = frozenset(
    # Cyrillic, Greek, Armenian, as confusables.txt has them beside a letter of ASCII
    "асеһіјӏорԛѕԁвухѵԝзьАВСЕНІЈӀКМОРԚЅТХУҮԌѴԜЗЬαγικνορστυχωϲϳϱΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϷաԁցհյոսօքքզգՏԼՍՕ"
)
_TAKEN_FOR_ASCII = frozenset("ɡɑǀǃ‐−∕⁄⧸꞉։׃∶˸ː˗⁃∣∗۔" + "\u2011")


def is_invisible(char: str) -> bool:
    """Whether a character is invisible, or an unusual space: control, format and unassigned characters, fillers, selectors."""
    category = unicodedata.category(char)
    return category in _UNSEEN_CATEGORIES or char in _UNSEEN or (category == "Zs" and char != " ")


def taken_for_others(text: str) -> frozenset[int]:
    """The places of visible characters that look like others: letters of another script in a Latin word, all letters of a word
    that looks Latin from end to end, wide and mathematical letters, signs that look like `/` and `-`, marks on ASCII."""
    if text.isascii():
        return frozenset()
    places = {place for place, char in enumerate(text) if char > "\x7f" and _stands_for_ascii(char)}
    for start, word in _words(text):
        places |= {start + offset for offset in _foreign(word)}
    spelled_out = False  # a marked character is shown in ASCII, and so are the combining marks on it
    for place, char in enumerate(text):
        if spelled_out and unicodedata.category(char) in ("Mn", "Me"):
            places.add(place)
        else:
            spelled_out = char <= "\x7f" or place in places or is_invisible(char)
    return frozenset(places)


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The words of a text with their start: sequences of letters, digits and marks, without characters escaped already."""
    bare = _SPELLED_OUT.sub(lambda match: " " * len(match[0]), text)
    start = None
    for place, char in enumerate(bare):
        if char.isalnum() or unicodedata.category(char).startswith("M"):
            start = place if start is None else start
        elif start is not None:
            yield start, text[start:place]
            start = None
    if start is not None:
        yield start, text[start:]


def _foreign(word: str) -> list[int]:
    """The places of letters that do not belong with a word's Latin ones; of all letters where all look like Latin ones."""
    if word.isascii():
        return []
    letters = [(place, char) for place, char in enumerate(word) if char.isalpha()]
    others = [(place, char) for place, char in letters if _script(char) != "LATIN"]
    if not others:
        return []
    if len(others) == len(letters):
        return [place for place, _ in others] if all(char in _LIKE_ASCII for _, char in others) else []
    return [place for place, char in others if _script(char) not in _WITH_LATIN]


@lru_cache(4096)
def _script(char: str) -> str:
    """The script of a letter, from the first word of its Unicode name: `LATIN SMALL LETTER A`."""
    return "LATIN" if char <= "\x7f" or _stands_for_ascii(char) else unicodedata.name(char, "").split(" ", 1)[0]


@lru_cache(4096)
def _stands_for_ascii(char: str) -> bool:
    if char in _TAKEN_FOR_ASCII:
        return True
    same = unicodedata.normalize("NFKC", char)
    return len(same) == 1 and same < "\x80" and not unicodedata.decomposition(char).startswith(_SEEN_TO_DIFFER)
