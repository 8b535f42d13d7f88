"""The three formats in which VMS accepts durations, and the forms in which it returns them."""

from __future__ import annotations

import re

MINUTE, HOUR, DAY = 60, 3600, 86400
# `m` is a minute and `M` a month: case matters for this letter only.
UNITS = {
    "s": 1, "m": MINUTE, "h": HOUR, "H": HOUR, "d": DAY, "D": DAY, "w": 7 * DAY, "W": 7 * DAY,
    "M": 30 * DAY, "y": 365 * DAY, "Y": 365 * DAY,
}  # fmt: skip
_SUFFIXED = re.compile(r"(\d+)([smhHdDwWMyY])")
_CLOCK = re.compile(r"(?:(?P<days>\d+) +)?(?:(?:(?P<hours>\d+):)?(?P<minutes>\d+):)?(?P<seconds>\d+)")


def suffixed(text: str) -> int | None:
    """The seconds of `90m`, `7d`; `None` for any other text."""
    match = _SUFFIXED.fullmatch(text)
    return int(match[1]) * UNITS[match[2]] if match else None


def seconds(text: str) -> int | None:
    """The seconds of `[DD] [HH:[MM:]]ss` or of the suffixed form; `None` for any other text."""
    match = _CLOCK.fullmatch(text.strip())
    if not match:
        return suffixed(text.strip())
    days, hours, minutes, remaining = (int(match[name] or 0) for name in ("days", "hours", "minutes", "seconds"))
    return days * DAY + hours * HOUR + minutes * MINUTE + remaining


def clock_form(text: str) -> str:
    """The duration as VMS returns it: `[DD ]HH:MM:SS`; other text is returned unchanged."""
    total = seconds(text)
    if total is None:
        return text
    days, remaining = divmod(total, DAY)
    time = f"{remaining // HOUR:02}:{remaining % HOUR // MINUTE:02}:{remaining % MINUTE:02}"
    return f"{days} {time}" if days else time
