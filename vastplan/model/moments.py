"""Times as systems write them."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_moment(value: object) -> datetime | None:
    """Parses a time in ISO 8601, in UTC where it has no zone; `None` for anything else."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
