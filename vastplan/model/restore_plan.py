"""A planned restore, as a file keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vastplan.model.operation_plan import OperationPlan

FORMAT_VERSION = "1.0"
NEW, IN_PLACE = "new", "in place"
MODES = (NEW, IN_PLACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan(OperationPlan):
    """One restore. `subject` is the guid of the protected path, or which directory is made; `snapshot` what is gone back to.

    `name` and `directory` are of what is made, "" in place; `lines` what to write into the document for it.
    """

    subject: str
    snapshot: Mapping[str, Any]
    name: str = ""
    directory: str = ""
    lines: str = ""
    format_version: str = FORMAT_VERSION
    kind: str = "restore"
