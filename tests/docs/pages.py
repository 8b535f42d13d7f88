"""What the pages of the project have in fences."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def blocks(page: Path, kind: str) -> list[str]:
    """The blocks of one kind, such as `console`, in their order."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.M | re.S)
