"""What a document says about checks: waivers with a reason and a day, and severities raised."""

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
    """The text, where it is a day; raises `ValueError` with what to write."""
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise ValueError(f"{quoted(text)} is not a day; write for example 2027-01-31")


def _pattern(text: str) -> str:
    if text.count("/") < 2 or not all(text.split("/", 2)) or not text.isprintable():
        raise ValueError(f"{quoted(text)} is no address: write site/kind/name, with * for anything")
    return text


Day = Annotated[str, AfterValidator(day)]
Pattern = Annotated[str, StringConstraints(max_length=512), AfterValidator(_pattern)]


class WaiverSpec(Spec):
    """A finding that is known and accepted for a while. `until` is the last day; after it the waiver is an error."""

    code: CheckCode
    address: Pattern
    """The address that the finding names; `*` stands for anything."""
    reason: Annotated[Text, StringConstraints(min_length=3)]
    until: Day


class ChecksSpec(Spec):
    """The document's word on checks; `vastplan validate --list-checks` lists them."""

    waive: list[WaiverSpec] | MISSING = MISSING
    raised: Annotated[dict[CheckCode, Literal["warning", "error"]] | MISSING, Field(alias="raise")] = MISSING
    """Findings that weigh more here, by code; only a waiver lowers one."""
