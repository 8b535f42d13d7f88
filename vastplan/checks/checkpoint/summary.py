"""A budget for reports: flat figures with their units in the names, the same in one line, and what a plan changes of it."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from vastplan.checks.checkpoint.arithmetic import Budget
from vastplan.checks.checkpoint.catalogue import TITLES
from vastplan.checks.checkpoint.evaluate import budget_before, evaluated_volumes
from vastplan.checks.checkpoint.findings import volume_findings
from vastplan.checks.facts import Facts
from vastplan.model.budget import CheckpointBudget
from vastplan.model.formatting import rate, share, size, span
from vastplan.schema.entries import Entry

_CURVE_DIGITS = 6  # a curve is drawn, not used in computations

Figure = int | float | str | None


def budgets(facts: Facts) -> tuple[CheckpointBudget, ...]:
    """The budgets that could be computed, as reports show them; with `facts.before` also what a plan changes."""
    return tuple(
        _checkpoint_budget(item.volume, item.budget, facts)
        for item in evaluated_volumes(facts)
        if item.budget is not None
    )


def _checkpoint_budget(volume: Entry, budget: Budget, facts: Facts) -> CheckpointBudget:
    before = budget_before(facts, volume)
    curve = tuple((_rounded(interval), _rounded(cost)) for interval, cost in budget.curve)
    changes = budget_changes(before, budget) if before is not None else ()
    return CheckpointBudget(str(volume.address), budget_line(budget), budget_figures(budget), curve, changes)


def _rounded(value: float) -> float:
    return float(f"{value:.{_CURVE_DIGITS}g}")


def budget_figures(budget: Budget) -> dict[str, Figure]:
    """Every figure by name: bytes, bytes a second, seconds, and shares of 1. `None` means unknown; no figure is infinite."""
    at_interval, reads, replication = budget.at_interval, budget.reads, budget.replication
    on_target = budget.on_target if budget.on_target and not budget.on_target.empty else None
    caps = reads.caps if reads else None
    figures: dict[str, Figure] = {
        "size_bytes": budget.inputs.size_bytes,
        "shard_bytes": budget.shard_bytes,
        "write_bytes_per_second": budget.bandwidth,
        "binding_limit": str(budget.binding) if budget.binding else None,
        "write_seconds": budget.write_seconds,
        "blocking_seconds": budget.blocking_seconds,
        "interval_seconds": budget.inputs.interval,
        "stall_fraction": at_interval.stall_fraction if at_interval else None,
        "rpo_seconds": at_interval.rpo if at_interval else None,
        "remote_rpo_seconds": replication.rpo if replication else None,
        "transfer_seconds": replication.transfer if replication else None,
        "rto_seconds": budget.restore_seconds,
        "mtbf_seconds": budget.mtbf,
        "young_seconds": budget.best_interval,
        "daly_seconds": budget.best_interval_daly,
        "overhead": at_interval.overhead if at_interval else None,
        "overhead_at_best": budget.least_overhead,
        "efficiency": at_interval.efficiency if at_interval else None,
        "shortest_interval_seconds": on_target.shortest if on_target else None,
        "longest_interval_seconds": on_target.longest if on_target else None,
        "average_bytes_per_second": at_interval.average if at_interval else None,
        "readers_left_bytes_per_second": reads.left if reads else None,
        "lowest_cap_bytes_per_second": caps.lowest if caps else None,
        "highest_cap_bytes_per_second": caps.highest if caps else None,
        "live_bytes": budget.space.live,
        "pinned_bytes": budget.space.pinned,
        "remote_bytes": budget.space.remote,
        "files": budget.space.files,
    }
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value for name, value in figures.items()
    }


def budget_line(budget: Budget) -> str:
    """`980 GB in 8.17 min at 2 GB/s (QoS bandwidth of volume v binds), stall 0.011 %, up to 23.2 min lost, ...`."""
    size_text = size(budget.inputs.size_bytes)
    if budget.write_seconds is not None and budget.bandwidth is not None:
        size_text += f" in {span(budget.write_seconds)} at {rate(budget.bandwidth)} ({budget.binding} binds)"
    parts = [size_text]
    if budget.at_interval is not None:
        parts += [f"stall {share(budget.at_interval.stall_fraction)}", f"up to {span(budget.at_interval.rpo)} lost"]
    if budget.best_interval is not None:
        parts.append(f"best interval {span(budget.best_interval)}")
    if budget.space.pinned:
        parts.append(f"{size(budget.space.pinned)} pinned by snapshots")
    capability = budget.inputs.capability
    if capability.origin:
        wan = capability.origin_bytes_per_second
        how_fast = f" at {rate(wan)}" if wan else ""
        parts.append(f"reads over the WAN, writes to the origin ({capability.origin}){how_fast}")
    return ", ".join(parts)


def budget_changes(before: Budget, after: Budget) -> tuple[str, ...]:
    """What a plan changes about a volume's checkpoints, as short sentences; empty if it changes nothing."""
    return tuple(_changes(before, after))


def _changes(before: Budget, after: Budget) -> Iterator[str]:
    if before.write_seconds != after.write_seconds:
        yield f"write time {_span(before.write_seconds)} -> {_span(after.write_seconds)}"
    if str(before.binding) != str(after.binding):
        yield f"binding limit: {before.binding or 'nothing known'} -> {after.binding or 'nothing known'}"
    was, now = before.at_interval, after.at_interval
    if was and now and was.stall_fraction != now.stall_fraction:
        yield f"stall {share(was.stall_fraction)} -> {share(now.stall_fraction)}"
    if was and now and was.rpo != now.rpo:
        yield f"work that may be lost {span(was.rpo)} -> {span(now.rpo)}"
    if before.best_interval != after.best_interval:
        yield f"best interval {_span(before.best_interval)} -> {_span(after.best_interval)}"
    if before.space.pinned != after.space.pinned:
        yield f"pinned by snapshots {_size(before.space.pinned)} -> {_size(after.space.pinned)}"
    codes_before = {finding.code for finding in volume_findings(before)}
    breaks = sorted({finding.code for finding in volume_findings(after)} - codes_before)
    if breaks:
        yield f"breaks {', '.join(f'{code} ({TITLES[code]})' for code in breaks)}"


def _span(seconds: float | None) -> str:
    return "not known" if seconds is None else span(seconds)


def _size(count: int | None) -> str:
    return "not known" if count is None else size(count)
