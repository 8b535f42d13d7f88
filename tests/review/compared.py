"""What of a plan is the same however its observation was had."""

from __future__ import annotations

from typing import Any


def unauthored(action: dict[str, Any]) -> dict[str, Any]:
    """An action without who made the changes that it undoes: only the systems tell that, and a snapshot is no system."""
    changes = [{name: value for name, value in one.items() if name != "author"} for one in action["changes"]]
    whole = {**action, "changes": changes}
    return {name: value for name, value in whole.items() if name not in ("author", "fingerprint")}
