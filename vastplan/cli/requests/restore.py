"""What `vastplan restore` takes."""

from __future__ import annotations

from vastplan.cli.request import option, positional, switch
from vastplan.cli.requests.operation import (
    OperationAbortRequest,
    OperationPlanRequest,
    OperationRequest,
    OperationRunRequest,
    OperationStatusRequest,
    filled,
    not_blank,
)

_EXAMPLE = "examples/ai-factory iad/volume/team-a-checkpoints --snapshot good --out restore.json"


class RestoreRequest(OperationRequest):
    command = "restore"
    summary = "go back to a snapshot, in a new volume or in place, stage by stage"
    example = f"plan {_EXAMPLE}"
    operand = "RESTORE"
    about = "what it restores"
    lost_after = ("SNAPSHOT", "in place: consent to go back to this snapshot and to lose what came later")


class RestorePlanRequest(OperationPlanRequest, RestoreRequest):
    """`vastplan restore plan`. `name` and `directory` are those of the new volume."""

    summary = "read the site, show what the restore would do, and save it with --out"
    example = _EXAMPLE
    subject = positional("ADDRESS", str, "a volume, view, bucket or protected path")
    snapshot = option("--snapshot", not_blank, "NAME", "a snapshot of its directory", required=True)
    name = filled("--as", "NAME", "name of the new volume (default: NAME-restored)")
    directory = filled("--directory", "DIR", "directory of the new volume (default: beside the old one)")
    in_place = switch("--in-place", "restore the directory itself, which needs a protected path")


class RestoreRunRequest(OperationRunRequest, RestoreRequest):
    """`vastplan restore run`."""


class RestoreStatusRequest(OperationStatusRequest, RestoreRequest):
    """`vastplan restore status`."""


class RestoreAbortRequest(OperationAbortRequest, RestoreRequest):
    """`vastplan restore abort`."""


RestoreRequest.verbs = (RestorePlanRequest, RestoreRunRequest, RestoreStatusRequest, RestoreAbortRequest)
