"""A budget for reports: flat figures with their units in the names, and the same in one line."""

from __future__ import annotations

from math import isfinite

from vastplan.checks.checkpoint.budget import Budget
from vastplan.model import formatting

Figure = int | float | str | None


def figures(budget: Budget) -> dict[str, Figure]:
    """Every figure by name: bytes, bytes a second, seconds, and shares of 1. `None` is not known; nothing is infinite."""
    rhythm, window, sharing = budget.rhythm, budget.window, budget.sharing
    caps = sharing.caps if sharing else None
    found: dict[str, Figure] = {
        "size_bytes": budget.demand.size_bytes,
        "shard_bytes": budget.shard_bytes,
        "write_bytes_per_second": budget.bandwidth,
        "binding_limit": str(budget.binding) if budget.binding else None,
        "write_seconds": budget.write,
        "blocking_seconds": budget.blocking,
        "interval_seconds": budget.demand.interval,
        "stall_fraction": rhythm.stall_fraction if rhythm else None,
        "rpo_seconds": rhythm.rpo if rhythm else None,
        "remote_rpo_seconds": budget.replica.rpo if budget.replica else None,
        "transfer_seconds": budget.replica.transfer if budget.replica else None,
        "rto_seconds": budget.restore,
        "mtbf_seconds": budget.mtbf,
        "young_seconds": budget.best,
        "daly_seconds": budget.best_daly,
        "overhead": rhythm.overhead if rhythm else None,
        "overhead_at_best": budget.best_overhead,
        "efficiency": rhythm.efficiency if rhythm else None,
        "shortest_interval_seconds": window.shortest if window and not window.empty else None,
        "longest_interval_seconds": window.longest if window and not window.empty else None,
        "average_bytes_per_second": rhythm.average if rhythm else None,
        "readers_left_bytes_per_second": sharing.readers_left if sharing else None,
        "lowest_cap_bytes_per_second": caps.lowest if caps else None,
        "highest_cap_bytes_per_second": caps.highest if caps else None,
        "live_bytes": budget.space.live,
        "pinned_bytes": budget.space.pinned,
        "remote_bytes": budget.space.remote,
        "files": budget.space.files,
    }
    return {name: None if isinstance(one, float) and not isfinite(one) else one for name, one in found.items()}


def line(budget: Budget) -> str:
    """`980 GB in 8.17 min at 2 GB/s (QoS bandwidth of volume v binds), stall 0.011 %, up to 23.2 min lost, ...`."""
    first = formatting.size(budget.demand.size_bytes)
    if budget.write is not None and budget.bandwidth is not None:
        first += f" in {formatting.span(budget.write)} at {formatting.rate(budget.bandwidth)} ({budget.binding} binds)"
    said = [first]
    if budget.rhythm is not None:
        said.append(f"stall {formatting.share(budget.rhythm.stall_fraction)}")
        said.append(f"up to {formatting.span(budget.rhythm.rpo)} lost")
    if budget.best is not None:
        said.append(f"best interval {formatting.span(budget.best)}")
    if budget.space.pinned:
        said.append(f"{formatting.size(budget.space.pinned)} pinned by snapshots")
    return ", ".join(said)
