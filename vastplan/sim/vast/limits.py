"""Rules about numbers that several collections share: ranges, soft and hard limits, bursts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import durations
from vastplan.sim.vast.errors import Problem

LARGEST_QOS = 4294967296  # 0 is unlimited


def outside_range(row: Row, low: int, high: int, *names: str) -> Iterator[Problem]:
    """The fields that are set and lie outside of `low..high`."""
    for name in names:
        value = row.get(name)
        if isinstance(value, int) and not low <= value <= high:
            yield name, f"Ensure this value is between {low} and {high}."


def soft_below_hard(limits: Row, field: str = "") -> Iterator[Problem]:
    """Negative limits, and soft limits above their hard limit; 0 and null mean unlimited. `field` names a nested struct."""
    for hard_name, soft_name in (("hard_limit", "soft_limit"), ("hard_limit_inodes", "soft_limit_inodes")):
        hard, soft = limits.get(hard_name), limits.get(soft_name)
        for name, value in ((hard_name, hard), (soft_name, soft)):
            if isinstance(value, int) and value < 0:
                yield field or name, f"{name}: Ensure this value is greater than or equal to 0."
        if hard and soft and soft > hard:
            yield field or soft_name, f"{soft_name} must not exceed {hard_name}."


def grace_period(limits: Row, field: str = "") -> Iterator[Problem]:
    """A grace period that is not a duration."""
    text = limits.get("grace_period")
    if isinstance(text, str) and durations.seconds(text) is None:
        yield field or "grace_period", f"{text!r} is not a duration."


def qos(field: str, limits: dict[str, Any], *, fitting: bool) -> Iterator[Problem]:
    """QoS limits out of range and, with `fitting`, bursts below their maximum and minimums above it."""
    for name, value in limits.items():
        if isinstance(value, int) and not 0 <= value <= LARGEST_QOS:
            yield field, f"{name}: Ensure this value is between 0 and {LARGEST_QOS}."
    for name, most in limits.items():
        if not name.startswith("max_") or not most or not fitting:
            continue
        stem = name.removeprefix("max_")
        # The two spell bandwidth differently: max_reads_bw_mbps goes with burst_reads_bw_mb.
        burst = "burst_" + (stem.removesuffix("ps") if stem.endswith("mbps") else stem)
        least = f"min_{stem}"
        if limits.get(burst) and limits[burst] < most:
            yield field, f"{burst} must not be below {name}."
        if limits.get(least) and limits[least] > most:
            yield field, f"{least} must not exceed {name}."


def named_minimums(fields: Iterable[tuple[str, Row]]) -> Iterator[str]:
    """The structs that set a `min_*` limit."""
    for field, limits in fields:
        if any(value for name, value in limits.items() if name.startswith("min_")):
            yield field
