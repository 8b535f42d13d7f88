"""The current time."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert


def now() -> datetime:
    """The current time, or that of `SOURCE_DATE_EPOCH` for a reproducible plan."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if not fixed:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        text = f"SOURCE_DATE_EPOCH is {inert(fixed, 80)}, and is a number of seconds since 1970"
        raise VastplanError(text) from None


def timestamp() -> str:
    """The current time as plans and ledgers write it: ISO, in whole seconds."""
    return now().isoformat(timespec="seconds")
