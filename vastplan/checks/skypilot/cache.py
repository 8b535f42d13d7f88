"""SKY-07: checkpoints that go through SkyPilot's cache."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

from vastplan.checks.check import Check, Violation
from vastplan.checks.checkpoint.arithmetic import Budget
from vastplan.checks.checkpoint.evaluate import evaluated_volumes
from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.buckets import buckets_of
from vastplan.checks.tasks import CACHE_BYTES
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.formatting import span
from vastplan.model.wording import quoted

WRITE_BACK = 1
"""Seconds after a file is closed until its upload begins (`--vfs-write-back 1s`)."""
CHECKPOINTS_IN_CACHE = 2
"""One is uploaded while the next one is written."""


@lru_cache(maxsize=2)
def budgets_by_view(facts: Facts) -> dict[Address, Budget]:
    """The checkpoint budgets by the view of the volume's directory."""
    return {
        item.volume.address._replace(kind="view"): item.budget
        for item in evaluated_volumes(facts)
        if item.budget is not None
    }


def needed_cache(budget: Budget) -> int:
    """The bytes that the cache of each node has to hold: two checkpoints, divided by the nodes that write (one if unknown)."""
    return max(ceil(CHECKPOINTS_IN_CACHE * budget.inputs.size_bytes / (budget.inputs.writer.nodes or 1)), CACHE_BYTES)


def upload_seconds(budget: Budget) -> float | None:
    """The seconds until a written checkpoint is safe: the upload takes as long as the write, at the same limits."""
    return None if budget.write_seconds is None else budget.write_seconds + WRITE_BACK


def _run(facts: Facts) -> Iterator[Violation]:
    buckets, budgets = buckets_of(facts), budgets_by_view(facts)
    for task in facts.tasks:
        for mount in task.mounts:
            views = (
                buckets.by_name.get((task.site, mount.bucket), ())
                if mount.of_vast and mount.mode == "MOUNT_CACHED"
                else ()
            )
            for mount_budget in (budgets[view.address] for view in views if view.address in budgets):
                cache, needed = mount.cache_bytes or CACHE_BYTES, needed_cache(mount_budget)
                if cache < needed:
                    text = f"{quoted(mount.path)}: the cache of a node holds {cache / 2**30:.4g}G, and two checkpoints take {in_rclone(needed)}"
                    yield Violation(mount.entry, text, fix=f"vfs_cache_max_size: {in_rclone(needed)}")
    for view in (view for tenant in sorted(buckets.endpoints) for view in buckets.views.get(tenant, ())):
        budget = budgets.get(view.address)
        if budget is None or budget.inputs.targets.rpo is None or budget.at_interval is None:
            continue
        lag, target = upload_seconds(budget), budget.inputs.targets.rpo
        if lag is not None and budget.at_interval.rpo <= target < budget.at_interval.rpo + lag:
            text = (
                f"up to {span(budget.at_interval.rpo + lag)} of work may be lost through SkyPilot's cache, "
                f"{span(lag)} of it for the upload; the target is {span(target)}"
            )
            yield Violation(view, text, fix="write checkpoints more often, or mount the claim instead of the bucket")


def in_rclone(count: int) -> str:
    """Bytes as a size of rclone, in GiB, rounded up."""
    return f"{ceil(count / 2**30)}G"


CHECK = Check(
    code="SKY-07",
    title="checkpoints through a SkyPilot cache that is too small or too slow",
    severity=Severity.WARNING,
    why="MOUNT_CACHED writes to the node's disk first: what does not fit waits for the upload, and what is not uploaded is lost with the node.",
    fix="set vfs_cache_max_size to two checkpoints of a node",
    source="SkyPilot 0.14.1, sky/data/mounting_utils.py, get_mount_cached_cmd: --vfs-cache-max-size 10G --vfs-write-back 1s",
    run=_run,
)
