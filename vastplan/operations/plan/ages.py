"""How old a restore point is, by the clock that dated it."""

from __future__ import annotations

from datetime import datetime

from vastplan.model.formatting import span
from vastplan.model.moments import parse_moment
from vastplan.operations.ends import Ends


def age_of(ends: Ends, created: str) -> float | None:
    """How old a restore point of that date is, in seconds; `None` without a valid date."""
    moment = parse_moment(created)
    return None if moment is None else max(0.0, (dating(ends)[1] - moment).total_seconds())


def age_text(ends: Ends, created: str) -> str:
    """The same in words."""
    age = age_of(ends, created)
    return "of unknown age" if age is None else f"{span(age)} old"


def dating(ends: Ends) -> tuple[str, datetime]:
    """The site whose clock a restore point is compared with, and its time: the source, whose cluster dates it; else the target;
    else "" and the time of this machine."""
    times = ((replica.site, replica.now()) for replica in (ends.source, ends.target))
    return next(((site, now) for site, now in times if now is not None), ("", ends.clock.now()))
