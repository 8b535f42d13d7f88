"""`vastplan restore`."""

from __future__ import annotations

from vastplan.app.files.operation_plan import RESTORE_FILE
from vastplan.app.operations import Operations
from vastplan.model.restore_plan import RestorePlan
from vastplan.operations.restore import Restores
from vastplan.operations.wanted import WantedRestore

_RESTORES: Operations[WantedRestore, RestorePlan] = Operations(Restores(), RESTORE_FILE)
plan_restore, run_restore, abort_restore, restores = _RESTORES.plan, _RESTORES.run, _RESTORES.abort, _RESTORES.known
go_on_with_restore = _RESTORES.go_on
