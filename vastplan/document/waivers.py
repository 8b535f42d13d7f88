"""A document's settings for checks: waivers with a reason and a last day, and raised severities."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from vastplan.model.wording import quoted
from vastplan.schema.types import Says, Spec, Text

CheckCode = Annotated[
    str, StringConstraints(pattern=r"^[A-Z]{3}-[0-9]{2}$"), Says("the code of a check, such as CSI-04")
]


def day(text: str) -> str:
    """Returns the text if it is a date (`2027-01-31`); raises `ValueError` that says what to write."""
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise ValueError(f"{quoted(text)} is not a date; write for example 2027-01-31")


def _pattern(text: str) -> str:
    if text.count("/") < 2 or not all(text.split("/", 2)) or not text.isprintable():
        raise ValueError(f"{quoted(text)} is not an address: write site/kind/name, where * matches anything")
    return text


Day = Annotated[str, AfterValidator(day)]
Pattern = Annotated[str, StringConstraints(max_length=512), AfterValidator(_pattern)]


class WaiverSpec(Spec):
    """A waiver: findings of one check at an address that are known and accepted until a day."""

    code: CheckCode
    """Code of the check whose findings are accepted, such as CSI-04."""
    address: Pattern
    """Address that the finding names, SITE/KIND/NAME; `*` matches any text."""
    reason: Annotated[Text, StringConstraints(min_length=3)]
    """Why the finding is accepted; it stays in reports as a note with this text."""
    until: Day
    """Last day of the waiver, such as 2027-01-31; from the next day the waiver is an error (VP261)."""


class ChecksSpec(Spec):
    """Findings of checks that the document accepts, or whose severity it raises; `vastplan validate --list-checks` lists the checks."""

    waive: list[WaiverSpec] | MISSING = MISSING
    """Findings that are known and accepted, each with a reason and a last day."""
    raised: Annotated[dict[CheckCode, Literal["warning", "error"]] | MISSING, Field(alias="raise")] = MISSING
    """Severity, by code, of findings that this document raises; only a waiver lowers one."""
