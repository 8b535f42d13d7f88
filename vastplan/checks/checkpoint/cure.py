"""What would have to change: another interval, or a faster write, or other targets."""

from __future__ import annotations

from dataclasses import replace
from math import isinf

from vastplan.checks.checkpoint.budget import Budget, window_of
from vastplan.model import formatting

_HALVINGS = 60


def cure(budget: Budget) -> str:
    """One sentence: the intervals that meet all targets, else how fast the write would have to be, else that none will do."""
    if budget.window is None:
        return ""
    if not budget.window.empty:
        if isinf(budget.window.longest):
            return f"an interval of {formatting.at_least(formatting.span, budget.window.shortest)} or more"
        least, most = formatting.between(formatting.span, budget.window.shortest, budget.window.longest)
        return f"an interval of {least} to {most}"
    wanted = write_needed(budget)
    if wanted is None:
        return (
            "no interval and no bandwidth meets these targets together: relax one of rpo, stall_fraction and overhead"
            + (", or stage faster" if budget.demand.writer.asynchronous else "")
        )
    return (
        f"no interval meets the targets at this bandwidth: the write may take {formatting.at_most(formatting.span, wanted)}, so raise it to "
        f"{formatting.at_least(formatting.rate, budget.demand.size_bytes / wanted)} for each job ({budget.binding} binds)"
    )


def write_needed(budget: Budget) -> float | None:
    """The longest write time, seconds, at which some interval meets all targets; `None` when none is short enough."""
    pace, demand = budget.pace, budget.demand
    if pace is None:
        return None

    def meets(write: float) -> bool:
        blocking = pace.blocking if pace.asynchronous else write
        return not window_of(demand, replace(pace, write=write, blocking=blocking), budget.drain).empty

    good, bad = pace.write * 2.0**-_HALVINGS, pace.write
    if meets(bad):
        return bad
    if not meets(good):
        return None
    for _ in range(_HALVINGS):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if meets(middle) else (good, middle)
    return good
