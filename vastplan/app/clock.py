"""What time it is."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def now() -> datetime:
    """The time, or that of `SOURCE_DATE_EPOCH` where a reproducible plan is wanted."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)


def timestamp() -> str:
    """The time as plans and ledgers have it: ISO, in whole seconds."""
    return now().isoformat(timespec="seconds")
