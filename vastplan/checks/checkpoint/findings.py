"""What is wrong with a budget, or with those of one site together: CKP-00 to CKP-17, each with what would have to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil, isinf, sqrt
from typing import NamedTuple

from vastplan.checks.checkpoint import intervals
from vastplan.checks.checkpoint.arithmetic import Budget, target_intervals
from vastplan.checks.checkpoint.capacity import TRAINING_STATE
from vastplan.checks.checkpoint.write_time import LimitKind
from vastplan.model.finding import Severity
from vastplan.model.formatting import at_most, distinct_figures, range_within, rate, rounded_up, share, size, span

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
LOW_LIMIT = 100 * 10**6
"""Bytes a second below which VAST's best practices advise against a limit: windows of 0.1 s would hold too little."""
_HALVINGS = 60


class BudgetFinding(NamedTuple):
    """A stable code, the severity, the message, and what would have to change."""

    code: str
    severity: Severity
    message: str
    fix: str


def volume_findings(budget: Budget) -> tuple[BudgetFinding, ...]:
    """All findings of one volume, by code."""
    findings = (finding for check in _VOLUME_CHECKS for finding in check(budget))
    return tuple(sorted(findings, key=lambda finding: finding.code))


def coinciding_findings(budgets: Mapping[str, Budget]) -> tuple[BudgetFinding, ...]:
    """CKP-10: the checkpoints of one site, by volume, exceed what it writes when those that are aligned coincide."""
    aligned = {name: budget for name, budget in budgets.items() if budget.inputs.writer.aligned}
    rates = {name: highest for name, budget in aligned.items() if (highest := highest_rate(budget)) is not None}
    site_rates = {budget.inputs.capability.write_bytes_per_second for budget in aligned.values()}
    site = next(iter(site_rates)) if len(site_rates) == 1 else None
    if site is None or sum(rates.values()) <= site:
        return ()
    top = sorted(rates.items(), key=lambda item: -item[1])[:3]
    largest = ", ".join(f"{name} {rate(highest)}" for name, highest in top)
    message = f"checkpoints that coincide may ask for {rate(sum(rates.values()))} of the site's {rate(site)}: {largest}"
    fix = "lower the QoS limits, or do not let the jobs' checkpoints coincide"
    return (BudgetFinding("CKP-10", WARNING, message, fix),)


def highest_rate(budget: Budget) -> float | None:
    """The highest rate, bytes a second, at which a volume's own limits let all its jobs write together, without the site's limit."""
    jobs = budget.inputs.writer.at_once
    rates = [
        max(limit.bytes_per_second, limit.burst_bytes_per_second or limit.bytes_per_second)
        * (1 if limit.shared else jobs)
        for limit in (time.limit for time in budget.write_times)
        if limit.kind is not LimitKind.SITE
    ]
    return min(rates) if rates else None


def interval_fix(budget: Budget) -> str:
    """One sentence: the intervals that meet all targets, else how fast the write would have to be, else that nothing meets them."""
    if budget.on_target is None:
        return ""
    if not budget.on_target.empty:
        if isinf(budget.on_target.longest):
            return f"use an interval of {rounded_up(span, budget.on_target.shortest)} or more"
        shortest, longest = range_within(span, budget.on_target.shortest, budget.on_target.longest)
        return f"use an interval of {shortest} to {longest}"
    longest_write = longest_write_on_target(budget)
    if longest_write is None:
        return (
            "no interval and no bandwidth meets these targets together: relax one of rpo, stall_fraction and overhead"
            + (", or stage faster" if budget.inputs.writer.asynchronous else "")
        )
    return (
        f"no interval meets the targets at this bandwidth: the write may take {at_most(span, longest_write)}, so raise the "
        f"bandwidth to {rounded_up(rate, budget.inputs.size_bytes / longest_write)} for each job ({budget.binding} binds)"
    )


def longest_write_on_target(budget: Budget) -> float | None:
    """The longest write time, seconds, at which some interval meets all targets; `None` if none is short enough."""
    model, inputs = budget.cost_model, budget.inputs
    if model is None:
        return None

    def on_target(write: float) -> bool:
        blocking = model.blocking if model.asynchronous else write
        return not target_intervals(inputs, replace(model, write=write, blocking=blocking), budget.drain_seconds).empty

    short, long = model.write * 2.0**-_HALVINGS, model.write
    if on_target(long):
        return long
    if not on_target(short):
        return None
    for _ in range(_HALVINGS):
        middle = sqrt(short * long)  # as exact for a microsecond as for a year
        short, long = (middle, long) if on_target(middle) else (short, middle)
    return short


# In time: whether a checkpoint is written, kept, and read back soon enough.


def _not_computable(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-00: a figure that cannot be computed. No guess is given instead."""
    inputs, targets = budget.inputs, budget.inputs.targets
    if budget.write_seconds is None:
        fix = "give the site's capability.writes_bw_mbps, write_per_rank, or a QoS limit on writes"
        yield BudgetFinding("CKP-00", ERROR, "the write time cannot be computed: no limit on it is known", fix)
    for sentence in inputs.unknown:
        yield BudgetFinding("CKP-00", WARNING, sentence, "until this is known, the figures may be too good")
    if targets.overhead is not None and budget.mtbf is None:
        yield _target_unknown("overhead", "how often the job fails is not known", "give gpus, or reliability.mtbf")
    if targets.rto is not None and budget.restore_seconds is None:
        fix = "give the site's capability.reads_bw_mbps, or read_per_rank"
        yield _target_unknown("rto", "the read bandwidth is not known", fix)
    if targets.remote_rpo is not None and budget.replication is None and inputs.interval is not None:
        fix = "give snapshots that replicate with keep_remote, and the site's capability.wan_bw_mbps to the other site"
        yield _target_unknown("remote_rpo", "its replication is not known", fix)


def _target_unknown(target: str, why: str, fix: str) -> BudgetFinding:
    return BudgetFinding("CKP-00", WARNING, f"the target {target} cannot be checked: {why}", fix)


def _write_exceeds_interval(budget: Budget) -> Iterator[BudgetFinding]:
    at_interval, write = budget.at_interval, budget.write_seconds
    if at_interval and write is not None and write > at_interval.interval:
        write_text, interval_text = distinct_figures(span, write, at_interval.interval)
        message = f"a checkpoint takes {write_text} to write and the next one is due after {interval_text}: {budget.binding} binds"
        yield BudgetFinding("CKP-01", ERROR, message, interval_fix(budget))


def _stalls(budget: Budget) -> Iterator[BudgetFinding]:
    target = budget.inputs.targets.stall_fraction
    if budget.at_interval and target is not None and budget.at_interval.stall_fraction > target:
        stall_text, target_text = distinct_figures(share, budget.at_interval.stall_fraction, target)
        yield BudgetFinding(
            "CKP-02", WARNING, f"jobs stall {stall_text} of the time, the target is {target_text}", interval_fix(budget)
        )


def _recovery_point(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-03: the newest complete checkpoint may be older than its target, here or on the other site."""
    targets, replication = budget.inputs.targets, budget.replication
    if budget.at_interval and targets.rpo is not None and budget.at_interval.rpo > targets.rpo:
        rpo_text, target_text = distinct_figures(span, budget.at_interval.rpo, targets.rpo)
        message = f"up to {rpo_text} of work may be lost, the target is {target_text}: {budget.binding} binds"
        yield BudgetFinding("CKP-03", ERROR, message, interval_fix(budget))
    if replication and targets.remote_rpo is not None and replication.rpo > targets.remote_rpo:
        rpo_text, target_text = distinct_figures(span, replication.rpo, targets.remote_rpo)
        message = f"on the other site up to {rpo_text} of work may be lost, the target is {target_text}: {span(replication.transfer)} of it is the transfer"
        fix = "replicate more often, checkpoint more often, or use a faster WAN"
        yield BudgetFinding("CKP-03", ERROR, message, fix)


def _overhead(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-04: the interval is far from the best one, or its overhead is above the target."""
    at_interval, best, least = budget.at_interval, budget.best_interval, budget.least_overhead
    if at_interval is None or best is None or at_interval.overhead is None or least is None:
        return
    target = budget.inputs.targets.overhead
    if target is not None and at_interval.overhead > target:
        overhead_text, target_text = distinct_figures(share, at_interval.overhead, target)
        message = f"the overhead is {overhead_text}, the target is {target_text}; the least is {share(least)}, at an interval of {span(best)}"
        yield BudgetFinding("CKP-04", WARNING, message, interval_fix(budget))
    elif not best / 2 <= at_interval.effective <= 2 * best:
        message = f"an interval of {span(at_interval.effective)} costs {share(at_interval.overhead)}, the best one of {span(best)} costs {share(least)}"
        yield BudgetFinding("CKP-04", WARNING, message, f"use an interval near {span(best)}, if the targets allow it")


def _barrier(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-06: ranks that wait for a synchronous write give up. The usual 10 minutes of NCCL are not assumed."""
    write, timeout = budget.write_seconds, budget.inputs.collective_timeout
    if write is not None and timeout is not None and not budget.inputs.writer.asynchronous and write >= timeout:
        message = f"a synchronous write takes {span(write)} and its barrier times out after {span(timeout)}"
        fix = f"use mode: async, a longer timeout, or raise {budget.binding}"
        yield BudgetFinding("CKP-06", ERROR, message, fix)


def _eviction(budget: Budget) -> Iterator[BudgetFinding]:
    write, grace = budget.write_seconds, budget.inputs.grace_period
    if write is not None and grace is not None and grace < write:
        grace_text, write_text = distinct_figures(span, grace, write)
        message = f"Kubernetes gives a pod {grace_text} to end, and a checkpoint takes {write_text}"
        fix = f"raise terminationGracePeriodSeconds to {ceil(write)} or more"
        yield BudgetFinding("CKP-07", WARNING, message, fix)


def _failure_rate(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-12: failures occur about as often as checkpoints, or their rate is not known well."""
    interval, gpus, mtbf = budget.inputs.interval, budget.inputs.gpus, budget.mtbf
    if mtbf is None:
        return
    if interval is not None and interval >= mtbf / 2:
        message = f"a failure is expected every {span(mtbf)} and a checkpoint every {span(interval)}"
        yield BudgetFinding("CKP-12", WARNING, message, f"use an interval well below {span(mtbf / 2)}")
    if budget.mtbf_derived and gpus is not None and gpus < intervals.SMALL_JOB:
        message = (
            f"{span(mtbf)} between failures is derived from large jobs; on {gpus:,} GPUs it may be "
            f"{span(mtbf * intervals.SMALL_JOB_PESSIMISM)} (Meta measured 7.9 h where this rule says 28.8 h)"
        )
        yield BudgetFinding("CKP-12", WARNING, message, "write reliability.mtbf as measured")


def _no_interval(budget: Budget) -> Iterator[BudgetFinding]:
    if budget.inputs.interval is None:
        why = budget.inputs.no_interval or "no interval is given"
        message = f"{why}: the work that may be lost has no bound"
        yield BudgetFinding("CKP-16", WARNING, message, "write interval as a time, for example 30m")


def _recovery_time(budget: Budget) -> Iterator[BudgetFinding]:
    inputs, target, restore = budget.inputs, budget.inputs.targets.rto, budget.restore_seconds
    if target is not None and restore is not None and restore > target:
        restore_text, target_text = distinct_figures(span, restore, target)
        reading_text = span(restore - inputs.attach - inputs.restart)
        message = f"a restore takes {restore_text}, {reading_text} of it reading; the target is {target_text}"
        yield BudgetFinding("CKP-17", NOTE, message, "use faster reads, a smaller checkpoint, or a faster restart")


# In space: capacity, files, limits and links, and what is left for others.


def _durability(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-05: the storage of checkpoints is less durable than required, or their copy does not keep up."""
    inputs, target = budget.inputs, budget.inputs.targets.durability
    copied = inputs.drain_bytes_per_second is not None
    durability = max(inputs.durability, inputs.drained) if copied else inputs.durability
    if target is not None and durability < target:
        message = f"checkpoints need durability {target.name.lower()}, and their storage has durability {durability.name.lower()}"
        yield BudgetFinding("CKP-05", ERROR, message, "copy them to safer storage: tier.drain and tier.drain_to")
    if inputs.interval is not None and budget.drain_seconds > inputs.interval:
        drain_text, interval_text = distinct_figures(span, budget.drain_seconds, inputs.interval)
        message = f"copying a checkpoint takes {drain_text}, and the next one comes after {interval_text}"
        fix = f"drain at {rounded_up(rate, inputs.size_bytes / inputs.interval)} or more"
        yield BudgetFinding("CKP-05", ERROR, message, fix)


def _capacity(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-08: live checkpoints exceed the capacity, alone or with what snapshots pin."""
    inputs, live, pinned = budget.inputs, budget.space.live, budget.space.pinned
    if inputs.quota_bytes is not None and live > inputs.quota_bytes:
        live_text, quota_text = distinct_figures(size, live, inputs.quota_bytes)
        message = f"live checkpoints take {live_text} and the volume has {quota_text}"
        yield BudgetFinding(
            "CKP-08", ERROR, message, f"use a size of {rounded_up(size, live)} or more, or a smaller keep_last"
        )
    if pinned is not None and inputs.tenant_bytes is not None and live + pinned > inputs.tenant_bytes:
        message = (
            f"live checkpoints ({size(live)}) and those that snapshots pin (up to {size(pinned)}) "
            f"exceed the tenant's {size(inputs.tenant_bytes)}"
        )
        fix = "keep snapshots for a shorter time, or raise the tenant's hard_limit"
        yield BudgetFinding("CKP-08", WARNING, message, fix)


def _readers(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-09: readers get less than they need while a checkpoint is written."""
    needed, reads = budget.inputs.readers, budget.reads
    if needed is None or reads is None:
        return
    if reads.caps is not None and reads.caps.empty:
        average_rate, rest_rate = distinct_figures(rate, reads.caps.lowest, reads.caps.highest)
        message = f"no cap on writes suits both: checkpoints write {average_rate} on average, and readers that need {rate(needed)} leave {rest_rate}"
        yield BudgetFinding("CKP-09", WARNING, message, "checkpoint less often, or promise readers less")
    elif reads.left < needed:
        left_rate, needed_rate = distinct_figures(rate, reads.left, needed)
        message = f"while a checkpoint is written, readers get {left_rate} and need {needed_rate}"
        fix = f"cap writes at {at_most(rate, reads.caps.highest)}" if reads.caps else "cap the writes"
        yield BudgetFinding("CKP-09", WARNING, message, fix)


def _limits(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-11: a limit that probably binds without being meant to."""
    inputs, binding = budget.inputs, budget.binding
    if binding is not None and binding.kind is LimitKind.IOPS:
        message = f"{binding} binds: {rate(binding.limit.bytes_per_second)}, whatever the limit on bandwidth says"
        yield BudgetFinding("CKP-11", WARNING, message, "raise the limit on IOPS, or limit_by: BW")
    for limit in (time.limit for time in budget.write_times):
        if limit.kind in (LimitKind.QOS_BANDWIDTH, LimitKind.IOPS) and limit.bytes_per_second < LOW_LIMIT:
            message = f"{limit} is {rate(limit.bytes_per_second)}"
            yield BudgetFinding(
                "CKP-11", WARNING, message, "raise it to 100 MB/s or more, as VAST's best practices say"
            )
        written_bytes = inputs.size_bytes * inputs.writer.at_once
        if (
            limit.credit_left(written_bytes, inputs.interval, asynchronous=inputs.writer.asynchronous)
            < limit.credit_bytes
        ):
            message = f"the burst credit of {limit.owner} is not refilled when the next checkpoint comes"
            yield BudgetFinding("CKP-11", WARNING, message, "use a longer interval, or a higher sustained limit")


def _weights_only(budget: Budget) -> Iterator[BudgetFinding]:
    saved = budget.inputs.bytes_per_parameter
    if saved is not None and saved < TRAINING_STATE:
        message = f"{saved:g} bytes of each parameter hold weights only; a training that resumes saves 10 to 16"
        yield BudgetFinding("CKP-13", NOTE, message, "write model.state: mixed-adam, or size as measured")


def _inodes(budget: Budget) -> Iterator[BudgetFinding]:
    max_inodes, files = budget.inputs.max_inodes, budget.space.files
    if max_inodes is not None and files > max_inodes:
        message = f"the checkpoints that are kept have {files:,} files, and the volume may have {max_inodes:,}"
        yield BudgetFinding("CKP-14", WARNING, message, f"raise max_inodes to {files} or more")


def _wan(budget: Budget) -> Iterator[BudgetFinding]:
    """CKP-15: a satellite's writes go to its origin; replication may not keep up."""
    wan, replication = budget.inputs.capability.origin_bytes_per_second, budget.replication
    if wan is not None:
        message = f"the path is a satellite: every write goes over the WAN to its origin, at {rate(wan)}"
        yield BudgetFinding("CKP-15", WARNING, message, "write at the site of the origin")
    if replication is not None and replication.transfer > replication.every:
        transfer_text, interval_text = distinct_figures(span, replication.transfer, replication.every)
        message = f"replication falls behind: {size(replication.sent)} take {transfer_text} and the next cycle begins after {interval_text}"
        fix = "replicate less often, keep fewer checkpoints, or use a faster WAN"
        yield BudgetFinding("CKP-15", WARNING, message, fix)


_VOLUME_CHECKS = (
    _not_computable, _write_exceeds_interval, _stalls, _recovery_point, _overhead, _barrier, _eviction, _failure_rate,
    _no_interval, _recovery_time, _durability, _capacity, _readers, _limits, _weights_only, _inodes, _wan,
)  # fmt: skip
