"""Progress by reads: an asynchronous create, change or delete completes after a number of reads of the row."""

from __future__ import annotations

from collections.abc import Callable

from vastplan.sim.runai.context import Context
from vastplan.sim.store import Row

Finish = Callable[[Context, Row, str], None]


def begin_change(ctx: Context, kind: str, row: Row, goal: str, finish: Finish) -> None:
    """Start towards `goal`; `finish` is called once the row has been read often enough."""
    row["pending"] = {"goal": goal, "reads": ctx.settle_reads}
    ctx.put(kind, row)
    _advance(ctx, kind, row, finish)


def count_row_read(ctx: Context, kind: str, row: Row, finish: Finish) -> None:
    """Count one read, after it was answered."""
    if "pending" in row:
        row["pending"]["reads"] -= 1
        ctx.put(kind, row)
        _advance(ctx, kind, row, finish)


def _advance(ctx: Context, kind: str, row: Row, finish: Finish) -> None:
    cluster = row.get("clusterId")
    if row["pending"]["reads"] > 0 or (cluster and ctx.side(cluster) is None):
        return  # nothing makes progress on a cluster that is not connected
    goal = row.pop("pending")["goal"]
    ctx.put(kind, row)
    finish(ctx, row, goal)


def deleting(row: Row) -> bool:
    """Whether the row is being deleted."""
    return bool(row.get("pending", {}).get("goal") == "delete")
