"""Findings about room: capacity, files, limits and links, and what is left for others."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.checkpoint.budget import Budget
from vastplan.checks.checkpoint.limits import Sort
from vastplan.checks.checkpoint.size import TRAINING_STATE
from vastplan.checks.checkpoint.timely import ERROR, NOTE, WARNING, Violation
from vastplan.model import formatting

LOW_CAP = 100 * 10**6
"""Bytes a second below which VAST's best practices advise against a limit: windows of 0.1 s would hold too little."""


def durable(budget: Budget) -> Iterator[Violation]:
    """CKP-05: what a checkpoint lies on is lost with what it has to outlive, or its copy does not keep up."""
    demand = budget.demand
    wanted, drained = demand.targets.durability, demand.drain_bytes_per_second is not None
    reached = max(demand.durability, demand.drained) if drained else demand.durability
    if wanted is not None and reached < wanted:
        what = f"checkpoints have to outlive a {wanted.name.lower()} and lie on what goes with a {reached.name.lower()}"
        yield Violation("CKP-05", ERROR, what, "copy them on: tier.drain and tier.drain_to")
    if demand.interval is not None and budget.drain > demand.interval:
        takes, due = formatting.apart(formatting.span, budget.drain, demand.interval)
        enough = formatting.at_least(formatting.rate, demand.size_bytes / demand.interval)
        what = f"copying a checkpoint on takes {takes} and the next comes after {due}"
        yield Violation("CKP-05", ERROR, what, f"drain at {enough} or more")


def capacity(budget: Budget) -> Iterator[Violation]:
    """CKP-08: no room for what is live, or for that and what snapshots pin."""
    demand, room = budget.demand, budget.space
    if demand.quota_bytes is not None and room.live > demand.quota_bytes:
        take, has = formatting.apart(formatting.size, room.live, demand.quota_bytes)
        enough = formatting.at_least(formatting.size, room.live)
        what = f"live checkpoints take {take} and the volume has {has}"
        yield Violation("CKP-08", ERROR, what, f"a size of {enough} or more, or a smaller keep_last")
    if room.pinned is None:
        return
    together = room.live + room.pinned
    if demand.tenant_bytes is not None and together > demand.tenant_bytes:
        what = (
            f"live checkpoints ({formatting.size(room.live)}) and those that snapshots pin (up to {formatting.size(room.pinned)}) "
            f"exceed the tenant's {formatting.size(demand.tenant_bytes)}"
        )
        yield Violation("CKP-08", WARNING, what, "keep snapshots for less long, or raise the tenant's hard_limit")


def shared(budget: Budget) -> Iterator[Violation]:
    """CKP-09: while a checkpoint is written readers get less than they need."""
    wanted, left = budget.demand.readers, budget.sharing
    if wanted is None or left is None:
        return
    if left.caps is not None and left.caps.empty:
        average, rest = formatting.apart(formatting.rate, left.caps.lowest, left.caps.highest)
        what = f"no cap on writes suits both: checkpoints average {average} and {formatting.rate(wanted)} of reads leave {rest}"
        yield Violation("CKP-09", WARNING, what, "checkpoint less often, or promise readers less")
    elif left.readers_left < wanted:
        rest, need = formatting.apart(formatting.rate, left.readers_left, wanted)
        what = f"while a checkpoint is written {rest} are left for reads that need {need}"
        fix = (
            f"cap writes at {formatting.at_most(formatting.rate, left.caps.highest)}" if left.caps else "cap the writes"
        )
        yield Violation("CKP-09", WARNING, what, fix)


def limits(budget: Budget) -> Iterator[Violation]:
    """CKP-11: a limit that probably binds other than it was meant to."""
    first = budget.binding
    if first is not None and first.sort is Sort.IOPS:
        what = f"{first} binds: {formatting.rate(first.limit.bytes_per_second)}, whatever the limit on bandwidth says"
        yield Violation("CKP-11", WARNING, what, "raise the limit on IOPS, or limit_by: BW")
    for one in budget.passages:
        limit, demand = one.limit, budget.demand
        if limit.sort in (Sort.QOS_BANDWIDTH, Sort.IOPS) and limit.bytes_per_second < LOW_CAP:
            what = f"{limit} is {formatting.rate(limit.bytes_per_second)}"
            yield Violation("CKP-11", WARNING, what, "100 MB/s or more, as VAST's best practices say")
        size = demand.size_bytes * demand.writer.at_once
        if limit.credit_left(size, demand.interval, asynchronous=demand.writer.asynchronous) < limit.credit_bytes:
            what = f"the burst credit of {limit.owner} is not back when the next checkpoint comes"
            yield Violation("CKP-11", WARNING, what, "a longer interval, or a higher sustained limit")


def complete(budget: Budget) -> Iterator[Violation]:
    """CKP-13: the optimizer's state is missing, and with it most of a checkpoint."""
    saved = budget.demand.bytes_per_parameter
    if saved is not None and saved < TRAINING_STATE:
        what = f"{saved:g} bytes of each parameter are its weights; a training that resumes saves 10 to 16"
        yield Violation("CKP-13", NOTE, what, "model.state: mixed-adam, or what is measured as size")


def inodes(budget: Budget) -> Iterator[Violation]:
    """CKP-14: more files than the volume may have."""
    most = budget.demand.max_inodes
    if most is not None and budget.space.files > most:
        what = f"the checkpoints kept are {budget.space.files:,} files and the volume may have {most:,}"
        yield Violation("CKP-14", WARNING, what, f"a max_inodes of {budget.space.files} or more")


def far(budget: Budget) -> Iterator[Violation]:
    """CKP-15: a satellite's writes go to its origin; replication may not keep up."""
    wan = budget.demand.capability.origin_bytes_per_second
    if wan is not None:
        what = f"the path is a satellite: every write goes over the WAN to its origin, at {formatting.rate(wan)}"
        yield Violation("CKP-15", WARNING, what, "write on the origin's site")
    replica = budget.replica
    if replica is not None and replica.transfer > replica.every:
        takes, due = formatting.apart(formatting.span, replica.transfer, replica.every)
        what = f"replication falls behind: {formatting.size(replica.sent)} take {takes} and the next cycle begins after {due}"
        yield Violation("CKP-15", WARNING, what, "replicate less often, keep fewer checkpoints, or use a faster WAN")


ROOMY = (durable, capacity, shared, limits, complete, inodes, far)
