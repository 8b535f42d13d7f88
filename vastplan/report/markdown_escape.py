"""Untrusted text in Markdown: the only place that lets a name into a comment.

Backslashes and entities do not stop `@mentions`, `#1` and bare links, which code hosts find in the text after Markdown has
been read. Inside code they look for none of it, so whatever is not a plain word goes there. Sources: CommonMark 0.31 §6.1
(code spans: nothing in them is markup), GitHub Flavored Markdown §6.9 (autolinks without brackets).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

from vastplan.model.escaping import inert

# Letters with an inner dash or apostrophe, or a plain number (`12`, `1,200`), and what ends a clause. No dot inside: `a.com` is a link.
_PLAIN = re.compile(r"\(?(?:[A-Za-z]+(?:['-][A-Za-z]+)*|[0-9]{1,6}|[0-9]{1,3}(?:,[0-9]{3})+)[),.:;?]{0,2}")
_ENDS = ",.;:?"
_HASH = re.compile(r"[0-9a-f]{7,}", re.IGNORECASE)  # a commit, to a code host


def code_span(value: object, limit: int | None = 200) -> str:
    """`value` as a code span: one line, no mark-up in it, no way out of it."""
    text = inert(value, limit).replace("`", "\\x60")
    text = text.replace("<!--", "<\\x21--")  # so that no text looks like the marker of a comment
    # CommonMark drops one space on each side; a name that has them shows them.
    text = re.sub(r"^ | $", r"\\x20", text)
    return f"`{text}`" if text else "(empty)"


def prose(value: object, limit: int = 500) -> str:
    """A sentence that may hold names: plain words as they are, everything else as code."""
    words = inert(value, limit).split(" ")
    return " ".join(_joined(words))


def _joined(words: list[str]) -> Iterator[str]:
    clauses = 0

    def run(word: str) -> tuple[bool, int]:
        # Names that follow each other are one piece of code, up to the end of a clause.
        nonlocal clauses
        own = clauses
        clauses += word[-1] in _ENDS and not _is_plain(word)
        return _is_plain(word), own

    for (plain, _), some in groupby((word for word in words if word), key=run):
        together = " ".join(some)
        if plain:
            yield together
            continue
        # What ends a clause belongs to the sentence, not to the name before it; so does the bracket that holds the clause.
        before, bare = "", together.rstrip(_ENDS)
        if bare.endswith(")") and bare.count(")") > bare.count("("):
            bare = bare[:-1].rstrip(_ENDS)
        elif bare.startswith("(") and ")" not in bare:
            before, bare = "(", bare[1:]
        after = together[len(before) + len(bare) :]
        yield f"{before}{code_span(bare, 2000)}{after}" if bare else code_span(together, 2000)


def _is_plain(word: str) -> bool:
    return bool(_PLAIN.fullmatch(word)) and not _HASH.search(word)


def summary_code(value: object, limit: int = 200) -> str:
    """`value` as code inside a `<summary>`, where HTML applies and Markdown does not."""
    return f"<code>{escape(inert(value, limit))}</code>"


def text_length(text: str) -> int:
    """The length as the strictest host counts it: UTF-16 units, of which a character beyond the first 65,536 takes two."""
    return len(text) + sum(1 for char in text if ord(char) > 0xFFFF) if not text.isascii() else len(text)
