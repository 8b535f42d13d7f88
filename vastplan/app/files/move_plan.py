"""Files of planned moves."""

from __future__ import annotations

from vastplan.app.files.operation_plan import file_of
from vastplan.app.files.versioned import VersionedFile
from vastplan.model.move_plan import FORMAT_VERSION, MODES, MovePlan

MOVE_FILE: VersionedFile[MovePlan] = file_of(MovePlan, "move", MODES, FORMAT_VERSION)
