"""What a budget, several budgets of one site, or the budgets before and after a plan say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.checks.checkpoint.budget import Budget
from vastplan.checks.checkpoint.limits import Sort
from vastplan.checks.checkpoint.roomy import ROOMY
from vastplan.checks.checkpoint.timely import TIMELY, WARNING, Violation
from vastplan.model import formatting

TITLES: Mapping[str, str] = {
    "CKP-00": "what was asked for cannot be computed",
    "CKP-01": "a checkpoint is not written before the next one",
    "CKP-02": "jobs stall longer than wanted",
    "CKP-03": "more work may be lost than wanted",
    "CKP-04": "the interval is far from the best, or costs more than wanted",
    "CKP-05": "checkpoints do not outlive what they have to",
    "CKP-06": "a synchronous write outlasts its barrier",
    "CKP-07": "pods are killed before they are done writing",
    "CKP-08": "checkpoints and what snapshots pin exceed their room",
    "CKP-09": "readers get less than they need during a checkpoint",
    "CKP-10": "checkpoints of a site exceed what it writes when they coincide",
    "CKP-11": "a limit binds other than it was meant to",
    "CKP-12": "failures come as often as checkpoints, or their rate is a guess",
    "CKP-13": "a training's checkpoint is its weights only",
    "CKP-14": "checkpoints are more files than allowed",
    "CKP-15": "writes or replicas depend on the WAN",
    "CKP-16": "the interval is no time",
    "CKP-17": "a restore takes longer than wanted",
}


def findings(budget: Budget) -> tuple[Violation, ...]:
    """All findings of one volume, by code."""
    return tuple(
        sorted(
            (one for evaluate_guards in (*TIMELY, *ROOMY) for one in evaluate_guards(budget)), key=lambda one: one.code
        )
    )


def together(budgets: Mapping[str, Budget]) -> tuple[Violation, ...]:
    """CKP-10: the checkpoints of one site, by address, when those that are aligned coincide."""
    aligned = {name: one for name, one in budgets.items() if one.demand.writer.aligned}
    known = {name: cap for name, one in aligned.items() if (cap := cap_of(one)) is not None}
    writes = {one.demand.capability.write_bytes_per_second for one in aligned.values()}
    site = next(iter(writes)) if len(writes) == 1 else None
    if site is None or sum(known.values()) <= site:
        return ()
    most = ", ".join(
        f"{name} {formatting.rate(cap)}" for name, cap in sorted(known.items(), key=lambda one: -one[1])[:3]
    )
    what = f"checkpoints that coincide may ask for {formatting.rate(sum(known.values()))} of the site's {formatting.rate(site)}: {most}"
    return (Violation("CKP-10", WARNING, what, "lower the QoS limits, or do not let the jobs' checkpoints coincide"),)


def cap_of(budget: Budget) -> float | None:
    """The highest rate, bytes a second, that a volume's own limits let all its jobs write at together; not the site's."""
    jobs = budget.demand.writer.at_once
    own = [
        max(limit.bytes_per_second, limit.burst_bytes_per_second or limit.bytes_per_second)
        * (1 if limit.shared else jobs)
        for limit in (one.limit for one in budget.passages)
        if limit.sort is not Sort.SITE
    ]
    return min(own) if own else None


def change(before: Budget, after: Budget) -> tuple[str, ...]:
    """What a plan does to a volume's checkpoints, as short sentences; none when it does nothing to them."""
    return tuple(_changes(before, after))


def _changes(before: Budget, after: Budget) -> Iterator[str]:
    if before.write != after.write:
        yield f"write time {_span(before.write)} -> {_span(after.write)}"
    if str(before.binding) != str(after.binding):
        yield f"what binds: {before.binding or 'nothing known'} -> {after.binding or 'nothing known'}"
    if before.rhythm and after.rhythm:
        if before.rhythm.stall_fraction != after.rhythm.stall_fraction:
            stall = (formatting.share(one.rhythm.stall_fraction) for one in (before, after) if one.rhythm)
            yield f"stall {' -> '.join(stall)}"
        if before.rhythm.rpo != after.rhythm.rpo:
            yield f"work that may be lost {formatting.span(before.rhythm.rpo)} -> {formatting.span(after.rhythm.rpo)}"
    if before.best != after.best:
        yield f"best interval {_span(before.best)} -> {_span(after.best)}"
    if before.space.pinned != after.space.pinned:
        pinned = (
            "not known" if one is None else formatting.size(one) for one in (before.space.pinned, after.space.pinned)
        )
        yield f"pinned by snapshots {' -> '.join(pinned)}"
    was = {one.code for one in findings(before)}
    new = sorted({one.code for one in findings(after)} - was)
    if new:
        yield f"breaks {', '.join(f'{code} ({TITLES[code]})' for code in new)}"


def _span(seconds: float | None) -> str:
    return "not known" if seconds is None else formatting.span(seconds)
