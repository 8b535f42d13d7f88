"""The time to write a checkpoint at a satellite, whose every write crosses the WAN. Reads only the document."""

from __future__ import annotations

from vastplan.app.checks import facts_of
from vastplan.app.workspace import Workspace
from vastplan.checks.checkpoint.arithmetic import Budget, WriteTime
from vastplan.checks.checkpoint.evaluate import WITH_BUDGET, evaluate_volume
from vastplan.checks.checkpoint.write_time import LimitKind
from vastplan.model import formatting
from vastplan.operations.modes.global_access.stages import Crossing
from vastplan.operations.plan.pair import Pair


def crossing(workspace: Workspace, pair: Pair) -> Crossing | None:
    """The write time from the volume's checkpoint block and the site's bandwidth; `None` without such a block."""
    if not pair.volume or pair.target == pair.origin:
        return None
    facts = facts_of(workspace, workspace.composed())
    volume = facts.written.on(pair.target, WITH_BUDGET).get(pair.volume)
    if volume is None or "checkpoint" not in volume.values:
        return None
    found = evaluate_volume(volume, facts.scope, facts.capability(pair.target))
    over = [one for one in found.budget.write_times if one.limit.kind is LimitKind.WAN] if found.budget else []
    if found.budget is None or not over:
        known = pair.origin in facts.capability(pair.target).get("wan_bw_mbps", {})
        why = "; ".join(finding.message for finding in found.findings)
        missing = f"sites.{pair.target}.capability.wan_bw_mbps.{pair.origin} is not given"
        return Crossing(f"unknown: {why if known else missing}")
    return _crossing(found.budget, over[0])


def _crossing(budget: Budget, over: WriteTime) -> Crossing:
    inputs, seconds = budget.inputs, over.seconds
    size, rate = formatting.size(inputs.size_bytes), formatting.rate(over.limit.bytes_per_second)
    mode = "async: workloads keep running" if inputs.writer.asynchronous else "sync: workloads wait"
    said = f"{size} take {formatting.span(seconds)} at {rate} ({mode})"
    if inputs.interval is None:
        return Crossing(f"{said}; the interval is unknown")
    said = f"{said}; one is written every {formatting.span(inputs.interval)}"
    too_long = not inputs.writer.asynchronous and seconds > inputs.interval
    problem = f"writing a checkpoint over the WAN takes longer than the interval between two: {said}"
    return Crossing(said, problem if too_long else "")
