"""Progress by requests: an asynchronous create, change or delete completes after a number of requests, whichever rows they ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.sim.agenda import Key
from vastplan.sim.runai.context import Context, Finish
from vastplan.sim.store import Row, Store


def begin_change(ctx: Context, kind: str, row: Row, goal: str) -> None:
    """Start towards `goal`; the kind's `finish` is called once enough requests were answered."""
    row["pending"] = {"goal": goal}
    ctx.put(kind, row)
    if ctx.settle_reads:
        ctx.agenda.add((kind, str(row["id"])))
    else:
        _advance(ctx, kind, row)


def pending_rows(store: Store, name: str, finishes: Mapping[str, Finish]) -> Iterator[Key]:
    """The kind and the id of each row of a plane that is changing."""
    for kind in finishes:
        yield from ((kind, str(row["id"])) for row in store.rows(f"{name}/{kind}") if "pending" in row)


def settle_changes(ctx: Context) -> None:
    """Complete the changes whose time has come."""
    for kind, key in ctx.agenda.due():
        row = ctx.get(kind, key)
        if row is not None and "pending" in row:
            _advance(ctx, kind, row)


def _advance(ctx: Context, kind: str, row: Row) -> None:
    cluster = row.get("clusterId")
    if not cluster or ctx.side(cluster) is not None:  # nothing makes progress on a cluster that is not connected
        goal = row.pop("pending")["goal"]
        ctx.put(kind, row)
        ctx.finishes[kind](ctx, row, goal)
    if "pending" in row:  # still, or again
        ctx.agenda.add((kind, str(row["id"])), 1)


def deleting(row: Row) -> bool:
    """Whether the row is being deleted."""
    return bool(row.get("pending", {}).get("goal") == "delete")
