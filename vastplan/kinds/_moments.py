"""Times, as documents write them and as systems show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator

from vastplan.model.wording import quoted
from vastplan.schema.markers import Codec
from vastplan.schema.types import Text


def _canonical(text: str) -> str:
    """A time in UTC, to the second; one without a zone is in UTC. Raises `ValueError` for none."""
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _typed(text: str) -> str:
    try:
        return _canonical(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{quoted(text)} is not a time, such as 2027-03-01T06:00:00Z or 2027-03-01") from None


def _read(raw: Any) -> Any:
    """What a system shows, to the second; anything else is as it is shown, and so no time of a document."""
    try:
        return _canonical(str(raw))
    except (ValueError, OverflowError):
        return raw


Moment = Annotated[Text, AfterValidator(_typed)]
"""A time, in UTC where no zone is written; a day is its beginning."""
MOMENT = Codec(str, _read)
