"""Files of planned restores."""

from __future__ import annotations

from vastplan.app.files.operation_plan import file_of
from vastplan.app.files.versioned import VersionedFile
from vastplan.model.restore_plan import FORMAT_VERSION, MODES, RestorePlan

RESTORE_FILE: VersionedFile[RestorePlan] = file_of(RestorePlan, "restore", MODES, FORMAT_VERSION)
