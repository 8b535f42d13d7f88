"""A planned restore, as it is saved in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.dataclass import dataclass
from vastplan.model.operation_plan import OperationPlan

FORMAT_VERSION = "1.0"
NEW, IN_PLACE = "new", "in place"
MODES = (NEW, IN_PLACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan(OperationPlan):
    """One restore. `subject` is the guid of the protected path, or the directory that is created; `snapshot` is the snapshot that
    is restored.

    `name` and `directory` are those of the new copy, "" for a restore in place; `lines` is what to write into the document for it.
    """

    subject: str
    snapshot: Mapping[str, Any]
    name: str = ""
    directory: str = ""
    lines: str = ""
    format_version: str = FORMAT_VERSION
    kind: str = "restore"
