"""Findings about time: whether a checkpoint is written, kept, and read back soon enough."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from vastplan.checks.checkpoint import failures
from vastplan.checks.checkpoint.budget import Budget
from vastplan.checks.checkpoint.cure import cure
from vastplan.model import formatting
from vastplan.model.finding import Severity

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


class Violation(NamedTuple):
    """A stable code, how bad it is, what is the case, and what would have to change."""

    code: str
    severity: Severity
    sentence: str
    fix: str


def unanswered(budget: Budget) -> Iterator[Violation]:
    """CKP-00: what was asked for and cannot be computed. A figure that only looks right is not given instead."""
    demand = budget.demand
    if budget.write is None:
        fix = "give the site's capability.writes_bw_mbps, write_per_rank, or a QoS limit on writes"
        yield Violation("CKP-00", ERROR, "the write time cannot be computed: nothing is known to limit it", fix)
    for one in demand.unknown:
        yield Violation("CKP-00", WARNING, one, "the figures may be too good")
    targets = demand.targets
    if targets.overhead is not None and budget.mtbf is None:
        yield _unjudged("overhead", "how often the job fails is not known", "give gpus, or reliability.mtbf")
    if targets.rto is not None and budget.restore is None:
        yield _unjudged(
            "rto", "how fast it is read back is not known", "give the site's capability.reads_bw_mbps, or read_per_rank"
        )
    if targets.remote_rpo is not None and budget.replica is None and demand.interval is not None:
        fix = "give snapshots that replicate with keep_remote, and the site's capability.wan_bw_mbps to the other site"
        yield _unjudged("remote_rpo", "how it is replicated is not known", fix)


def _unjudged(target: str, why: str, fix: str) -> Violation:
    return Violation("CKP-00", WARNING, f"the target {target} cannot be judged: {why}", fix)


def written_in_time(budget: Budget) -> Iterator[Violation]:
    """CKP-01: the write takes longer than the interval."""
    if budget.rhythm and budget.pace and budget.pace.write > budget.rhythm.interval:
        takes, due = formatting.apart(formatting.span, budget.pace.write, budget.rhythm.interval)
        what = f"a checkpoint takes {takes} to write and the next one is due after {due}: {budget.binding} binds"
        yield Violation("CKP-01", ERROR, what, cure(budget))


def stalls(budget: Budget) -> Iterator[Violation]:
    """CKP-02: the job stands still for too much of its time."""
    wanted = budget.demand.targets.stall_fraction
    if budget.rhythm and wanted is not None and budget.rhythm.stall_fraction > wanted:
        stall, target = formatting.apart(formatting.share, budget.rhythm.stall_fraction, wanted)
        what = f"{stall} of the time is stall, the target is {target}"
        yield Violation("CKP-02", WARNING, what, cure(budget))


def recovery_point(budget: Budget) -> Iterator[Violation]:
    """CKP-03: the newest complete checkpoint may be older than its target, here or on the other site."""
    targets = budget.demand.targets
    if budget.rhythm and targets.rpo is not None and budget.rhythm.rpo > targets.rpo:
        lost, target = formatting.apart(formatting.span, budget.rhythm.rpo, targets.rpo)
        what = f"up to {lost} of work is lost, the target is {target}: {budget.binding} binds"
        yield Violation("CKP-03", ERROR, what, cure(budget))
    if budget.replica and targets.remote_rpo is not None and budget.replica.rpo > targets.remote_rpo:
        lost, target = formatting.apart(formatting.span, budget.replica.rpo, targets.remote_rpo)
        what = (
            f"on the other site up to {lost} of work is lost, the target is {target}: "
            f"{formatting.span(budget.replica.transfer)} of it is the transfer"
        )
        yield Violation("CKP-03", ERROR, what, "replicate more often, checkpoint more often, or use a faster WAN")


def best_interval(budget: Budget) -> Iterator[Violation]:
    """CKP-04: far from the best interval, or more overhead than wanted."""
    rhythm, best = budget.rhythm, budget.best
    if rhythm is None or best is None or rhythm.overhead is None or budget.best_overhead is None:
        return
    wanted = budget.demand.targets.overhead
    if wanted is not None and rhythm.overhead > wanted:
        costs, target = formatting.apart(formatting.share, rhythm.overhead, wanted)
        least = formatting.share(budget.best_overhead)
        what = f"the overhead is {costs}, the target is {target}; the least is {least}, at {formatting.span(best)}"
        yield Violation("CKP-04", WARNING, what, cure(budget))
    elif not best / 2 <= rhythm.kept <= 2 * best:
        what = (
            f"an interval of {formatting.span(rhythm.kept)} costs {formatting.share(rhythm.overhead)}, "
            f"the best one of {formatting.span(best)} {formatting.share(budget.best_overhead)}"
        )
        yield Violation("CKP-04", WARNING, what, f"an interval near {formatting.span(best)}, if the targets allow it")


def barrier(budget: Budget) -> Iterator[Violation]:
    """CKP-06: ranks that wait for a synchronous write give up. The usual 10 minutes of NCCL are not assumed."""
    limit = budget.demand.collective_timeout
    if (
        budget.write is not None
        and limit is not None
        and not budget.demand.writer.asynchronous
        and budget.write >= limit
    ):
        what = f"a synchronous write takes {formatting.span(budget.write)} and its barrier times out after {formatting.span(limit)}"
        yield Violation("CKP-06", ERROR, what, f"mode: async, a longer timeout, or more than {budget.binding} allows")


def eviction(budget: Budget) -> Iterator[Violation]:
    """CKP-07: a pod that is told to go is killed before its last checkpoint is written."""
    grace = budget.demand.grace_period
    if budget.write is not None and grace is not None and grace < budget.write:
        has, takes = formatting.apart(formatting.span, grace, budget.write)
        what = f"a pod has {has} to end and a checkpoint takes {takes}"
        yield Violation("CKP-07", WARNING, what, f"a terminationGracePeriodSeconds of {ceil(budget.write)} or more")


def failing(budget: Budget) -> Iterator[Violation]:
    """CKP-12: failures come about as often as checkpoints, or how often they come is not known well."""
    demand, mtbf = budget.demand, budget.mtbf
    if mtbf is None:
        return
    if demand.interval is not None and demand.interval >= mtbf / 2:
        what = f"a failure is expected every {formatting.span(mtbf)} and a checkpoint every {formatting.span(demand.interval)}"
        yield Violation("CKP-12", WARNING, what, f"an interval well below {formatting.span(mtbf / 2)}")
    if budget.mtbf_derived and demand.gpus is not None and demand.gpus < failures.SMALL_JOB:
        worse = formatting.span(mtbf * failures.SMALL_JOB_PESSIMISM)
        what = (
            f"{formatting.span(mtbf)} between failures is derived from large jobs; on {demand.gpus:,} GPUs it may be {worse} "
            "(Meta measured 7.9 h where the law said 28.8 h)"
        )
        yield Violation("CKP-12", WARNING, what, "give reliability.mtbf as measured")


def open_interval(budget: Budget) -> Iterator[Violation]:
    """CKP-16: an interval that is no time has no recovery point."""
    if budget.demand.interval is None:
        why = budget.demand.no_interval or "no interval is given"
        yield Violation("CKP-16", WARNING, f"{why}: work that may be lost has no bound", "an interval in time, as 30m")


def recovery_time(budget: Budget) -> Iterator[Violation]:
    """CKP-17: getting back takes longer than its target."""
    wanted, demand = budget.demand.targets.rto, budget.demand
    if wanted is not None and budget.restore is not None and budget.restore > wanted:
        reading = budget.restore - demand.attach - demand.restart
        takes, target = formatting.apart(formatting.span, budget.restore, wanted)
        what = f"a restore takes {takes}, {formatting.span(reading)} of it reading; the target is {target}"
        yield Violation("CKP-17", NOTE, what, "faster reads, a smaller checkpoint, or a quicker restart")


TIMELY = (
    unanswered, written_in_time, stalls, recovery_point, best_interval, barrier, eviction, failing, open_interval,
    recovery_time,
)  # fmt: skip
