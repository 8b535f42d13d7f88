"""Times, as documents write them and as systems show them; and how a snapshot of now is declared."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator

from vastplan.model.moments import parse_moment
from vastplan.model.wording import quoted
from vastplan.schema.markers import Codec
from vastplan.schema.types import Text


def _canonical(text: str) -> str:
    """The time in UTC, to the second; without a zone it is UTC. Raises `ValueError` for text that is not a time."""
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _typed(text: str) -> str:
    try:
        return _canonical(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{quoted(text)} is not a time, such as 2027-03-01T06:00:00Z or 2027-03-01") from None


def _read(raw: Any) -> Any:
    """The time that a system returned, to the second. Anything else is returned unchanged, so it equals no time of a document."""
    try:
        return _canonical(str(raw))
    except (ValueError, OverflowError):
        return raw


Moment = Annotated[Text, AfterValidator(_typed)]
"""A time, in UTC where no zone is written; a date means the beginning of that day."""


def in_time(until: str, created: str) -> bool:
    """Whether an object was created at that time or before it; true for an unknown time of creation."""
    made = parse_moment(created)
    return made is None or made <= datetime.fromisoformat(until)


def take_one(name: str) -> str:
    """What to write so that a snapshot of the source is created before what is created from it."""
    return f"write snapshots: {{{name}: {{volume: SOURCE}}}} in the document, which takes one first"


MOMENT = Codec(str, _read)
