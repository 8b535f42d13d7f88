"""Rewords the YAML parser's errors for people who write documents: what is wrong, and what to type."""

from __future__ import annotations

import re
from typing import Any

_OTHER = "this cannot be read as YAML", "check the quotes, brackets and colons up to here"
_OPENED = {"'": "quote", '"': "quote", "[": "list", "{": "mapping"}
_CLOSES = {"[": "]", "{": "}"}


def problem(text: str, problem: str, context: str, mark: Any, begun: Any) -> tuple[str, str]:
    """What is wrong at `mark` and what to write; `begun` is where the unfinished quote, list or mapping begins, if known."""
    character = text[mark.index : mark.index + 1] if mark is not None else ""
    if character == "\t" or "\\t" in problem:
        return "a tab, which YAML does not accept as indentation", "write spaces instead"
    if "cannot start any token" in problem:
        return f"text without quotes cannot begin with {character}", "put the text in quotes"
    if "mapping values are not allowed" in problem:
        return _before(text, mark)
    if "end of stream" in problem and "quoted" in context:
        return f"the quote that begins {_place(begun)} is not closed", "write the closing quote"
    if "expected ',' or" in problem:
        opened = text[begun.index : begun.index + 1] if begun is not None else ""
        noun = _OPENED.get(opened, "list or mapping")
        return (
            f"the {noun} that begins {_place(begun)} is not closed",
            f"write {_CLOSES.get(opened, '] or }')} at its end, or a comma before this",
        )
    if "could not find expected ':'" in problem:
        return "a key without a colon", "write KEY: VALUE"
    if "did not find expected key" in problem:
        return "a line that is indented unlike those around it", "indent it like the keys it belongs to"
    if "expected '-' indicator" in problem or "block sequence entries are not allowed" in problem:
        return (
            "a list item that is not allowed here",
            "write each item on a line of its own, with - in the column of the others",
        )
    if "alphabetic or numeric character" in problem:
        return "text without quotes cannot begin with * or &", "put the text in quotes"
    if "unexpected ':'" in problem:
        return "a colon that is not allowed here", "write a value before it, or put the text with a colon in quotes"
    if "escape" in problem:
        return "in double quotes, \\ begins an escape, and this is not one", "write \\\\, or use single quotes"
    return _OTHER


def _before(text: str, mark: Any) -> tuple[str, str]:
    """The message for a colon that is not allowed. Mostly a colon is missing before it; the key of its line may show where."""
    line = text[text.rfind("\n", 0, mark.index) + 1 : mark.index] if mark is not None else ""
    key = re.match(r"\s*(?:- )?([a-z_-]{1,40}) *([{\[])", line)
    if key:
        return f"a missing colon after {key[1]}", f"write {key[1]}: {key[2]}"
    return (
        "a colon that is not allowed here",
        "write the missing colon before it, or put the text with a colon in quotes",
    )


def _place(mark: Any) -> str:
    return f"at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else "before this"
