"""Times as systems say them."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(said: object) -> datetime | None:
    """The moment that is said, in UTC where it names no zone; `None` for what is none."""
    try:
        found = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
