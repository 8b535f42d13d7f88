"""What `vastplan move` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import option, positional, positionals, repeatable, switch
from vastplan.cli.requests.common import LOCK_TIMEOUT, report_files
from vastplan.cli.requests.operation import (
    OperationAbortRequest,
    OperationPlanRequest,
    OperationRequest,
    OperationRunRequest,
    OperationStatusRequest,
    filled,
    not_blank,
)

_EXAMPLE = "examples/ai-factory iad/volume/team-a-checkpoints --to pdx --out move.json"


class MoveRequest(OperationRequest):
    command = "move"
    summary = "move a volume that replicates to its other site, stage by stage"
    example = f"plan {_EXAMPLE}"
    operand = "MOVE"
    about = "what it moves"
    lost_after = (
        "RESTOREPOINT", "consent to go back to this restore point (or everything; for a project the one that its plan names) and to lose what came later"
    )  # fmt: skip


class MovePlanRequest(OperationPlanRequest, MoveRequest):
    summary = "read both sites, show what the move would do, and save it with --out"
    example = _EXAMPLE
    subject = positional(
        "ADDRESS", str, "a volume, view, bucket or protected path that two sites share, or a project or tenant: all its volumes (planned or --unplanned)"
    )  # fmt: skip
    to = filled("--to", "SITE", "the site to move it to", alternative=True)
    rejoin = filled(
        "--rejoin",
        "SITE",
        "a returned site that becomes the destination again: what only it has is lost, except for a snapshot",
        alternative=True,
    )
    keep = filled("--keep", "SITE", "where both sites took writes: the site that stays the source", alternative=True)
    unplanned = switch("--unplanned", "without the present source: what has not arrived is lost")
    broken = filled("--broken", "REASON", "why the present source is given up although it answers")
    through = switch(
        "--through-global-access",
        "move only the workloads, to a satellite of global access or back: no role changes, and every write there crosses the WAN",
    )
    warm = filled("--warm", "DIR", "with --through-global-access: prefetch only this directory of the satellite")
    fork = filled(
        "--fork",
        "NAME",
        "run the workloads at SITE too, on this volume of the document, a clone; the source stays the source",
    )
    live = switch("--live", "with --fork: suspend nothing; the clone is crash-consistent")
    rehearse = switch(
        "--rehearse",
        "try the move on a temporary clone at SITE: no role changes, and nothing stops at the source",
    )
    reports = report_files(".html")


class MoveRunRequest(OperationRunRequest, MoveRequest):
    """`vastplan move run`."""

    summary = "carry out a planned move, or go on with one that stopped; or plan one, show it, ask, and carry it out"
    paths = positionals(
        "FILE", Path, "what move plan saved; or [PATH] ID of one that has begun, to go on; or [PATH] ADDRESS, with --to, --rejoin or --keep, to plan it first", "+"
    )  # fmt: skip
    to = filled("--to", "SITE", "with an ADDRESS: plan a move to this site")
    rejoin = filled("--rejoin", "SITE", "with an ADDRESS: as for move plan")
    keep = filled("--keep", "SITE", "with an ADDRESS: as for move plan")
    unplanned = switch("--unplanned", "with an ADDRESS and --to: as for move plan")
    broken = filled("--broken", "REASON", "with --unplanned: as for move plan")
    rehearse = switch("--rehearse", "with an ADDRESS and --to: as for move plan")
    accept = switch("--accept", "afterwards write into the document where it is active now")
    checkpoints = repeatable(
        "--checkpoint",
        not_blank,
        "DIR",
        "the checkpoint's directory, where the document has {{checkpoint}} in resume; WORKLOAD=DIR for one of several workloads",
    )


class MoveStatusRequest(OperationStatusRequest, MoveRequest):
    """`vastplan move status`."""


class MoveAbortRequest(OperationAbortRequest, MoveRequest):
    """`vastplan move abort`."""


class MoveArmRequest(MoveRequest):
    """`vastplan move arm`."""

    verb = "arm"
    summary = (
        "keep in the ledger the workloads that a move without the source would submit at SITE; nothing else changes"
    )
    example = "examples/ai-factory iad/volume/team-a-checkpoints --to pdx"
    subject = positional(
        "ADDRESS", str, "as for move plan; or site/NAME: each project and each other path that moves from there"
    )
    to = filled("--to", "SITE", "the site that is to take over")
    out = option(
        "--out",
        Path,
        "FILE",
        "save the move without the source, too: vastplan move run FILE begins at once, for 36 hours",
    )
    lock_timeout = LOCK_TIMEOUT


MoveRequest.verbs = (MovePlanRequest, MoveArmRequest, MoveRunRequest, MoveStatusRequest, MoveAbortRequest)
