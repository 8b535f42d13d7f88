"""What holds of every budget: units, limits, windows, and what is said to be the cure."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import inf, isfinite

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vastplan.checks.checkpoint.arithmetic import compute_budget
from vastplan.checks.checkpoint.capacity import model_bytes
from vastplan.checks.checkpoint.findings import longest_write_on_target, volume_findings
from vastplan.checks.checkpoint.inputs import CheckpointInputs, CheckpointWriter, SiteThroughput, SnapshotFrame, Targets
from vastplan.checks.checkpoint.intervals import CostModel, IntervalRange, intervals_on_target, mtbf_seconds
from vastplan.checks.checkpoint.summary import budget_figures, budget_line
from vastplan.checks.checkpoint.write_time import LimitKind, WriteLimit, iops_limit
from vastplan.model import units

rates = st.integers(10**6, 10**13)
spans = st.integers(1, 10**7)
limits = st.lists(
    st.builds(
        lambda sort, rate, burst, credit, shared: WriteLimit(sort, "x", rate, rate * burst if burst > 1 else None, credit, shared),
        st.sampled_from(LimitKind), rates, st.integers(1, 9), st.integers(0, 10**13), st.booleans(),
    ),
    max_size=5,
)  # fmt: skip
checkpoint_inputs = st.builds(
    CheckpointInputs,
    size_bytes=st.integers(1, 10**16),
    writer=st.builds(
        CheckpointWriter, ranks=st.integers(1, 10**5), jobs=st.integers(1, 9), aligned=st.booleans(), asynchronous=st.booleans(),
        staging_bytes_per_second=rates, rank_bytes_per_second=st.none() | rates,
    ),
    interval=st.none() | spans,
    keep=st.integers(1, 20),
    gpus=st.none() | st.integers(1, 10**6),
    limits=limits.map(tuple),
    capability=st.builds(
        SiteThroughput, read_bytes_per_second=st.none() | rates, write_bytes_per_second=st.none() | rates,
        wan_bytes_per_second=st.none() | rates, origin_bytes_per_second=st.none() | rates, reduction=st.floats(1, 10),
    ),
    frames=st.lists(st.builds(SnapshotFrame, every=spans, keep_local=st.integers(0, 10**8), keep_remote=st.integers(0, 10**8)), max_size=3).map(tuple),
    readers=st.none() | rates,
    restart=st.integers(0, 10**4),
    targets=st.builds(
        Targets, rpo=st.none() | spans, rto=st.none() | spans, remote_rpo=st.none() | spans,
        stall_fraction=st.none() | st.floats(1e-6, 0.999), overhead=st.none() | st.floats(1e-6, 0.999),
    ),
)  # fmt: skip


def test_a_worked_example() -> None:
    """70B in full precision over a network volume, synchronously, every 10 minutes."""
    size = model_bytes(70 * 10**9, 4)
    budget = compute_budget(
        CheckpointInputs(size_bytes=size, interval=600, limits=(WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 500 * 10**6),))
    )
    assert budget.write_seconds == 560
    assert budget.at_interval is not None
    assert (round(budget.at_interval.stall_fraction, 3), round(budget.at_interval.duty, 3)) == (0.483, 0.933)
    assert (budget.at_interval.rpo, budget.at_interval.lost_work) == (1160, 860)


def test_a_minute_is_too_short_for_a_disk_of_3_gb_a_second() -> None:
    disk = WriteLimit(LimitKind.NODES, "", 3 * 10**9)
    findings = volume_findings(compute_budget(CheckpointInputs(size_bytes=280 * 10**9, interval=60, limits=(disk,))))
    assert [finding.code for finding in findings] == ["CKP-01"]
    assert findings[0].fix == "use an interval of 93.4 s or more"


def test_the_slowest_limit_binds_and_jobs_share_it() -> None:
    policy = WriteLimit(LimitKind.QOS_BANDWIDTH, "view v", 500 * 10**6, 2500 * 10**6, 120 * 10**9)
    inputs = CheckpointInputs(size_bytes=280 * 10**9, limits=(policy, iops_limit("view v", 15000)))
    assert (compute_budget(inputs).write_seconds, str(compute_budget(inputs).binding)) == (
        320,
        "burst credit of view v",
    )
    two = compute_budget(replace(inputs, writer=CheckpointWriter(jobs=2)))
    assert two.write_seconds == (560 - 120) * 2
    assert two.bandwidth == pytest.approx(280e9 / 880)
    small = compute_budget(replace(inputs, size_bytes=20 * 10**9))
    assert str(small.binding) == "IOPS x I/O size of view v"
    fast = compute_budget(replace(inputs, size_bytes=20 * 10**9, limits=(policy,)))
    assert (fast.write_seconds, str(fast.binding)) == (8, "burst bandwidth of view v")


@given(checkpoint_inputs)
def test_figures_are_numbers_and_sentences_are_lines(inputs: CheckpointInputs) -> None:
    budget = compute_budget(inputs)
    findings = volume_findings(budget)
    if budget.write_seconds is None:
        assert budget.at_interval is None and budget.cost_model is None and budget.curve == ()
        assert "CKP-00" in [finding.code for finding in findings]
    else:
        assert isfinite(budget.write_seconds) and budget.write_seconds > 0
    if budget.at_interval is not None:
        figures = budget.at_interval
        assert all(
            isfinite(figure) and figure >= 0 for figure in (figures.rpo, figures.stall_fraction, figures.average)
        )
        assert figures.efficiency is None or 0 <= figures.efficiency <= 1
    for finding in findings:
        assert finding.message.isprintable() and finding.fix.isprintable() and finding.fix
        assert not re.search(r"\b(inf|nan|None)\b", f"{finding.message} {finding.fix}")
    json.dumps(budget_figures(budget), allow_nan=False)
    assert budget_line(budget).isprintable()


@pytest.mark.slow
@given(checkpoint_inputs, limits)
def test_a_further_limit_never_makes_a_write_faster(inputs: CheckpointInputs, more: list[WriteLimit]) -> None:
    before, after = compute_budget(inputs), compute_budget(replace(inputs, limits=(*inputs.limits, *more)))
    if before.write_seconds is not None:
        assert after.write_seconds is not None and after.write_seconds >= before.write_seconds
    if after.binding is not None:
        assert after.write_seconds == max(time.seconds for time in after.write_times)


@given(rates, rates, st.integers(1, 10**13), st.integers(1, 10**15))
def test_a_bucket_passes_what_a_bucket_passes(rate: int, faster: int, credit: int, size: int) -> None:
    """Against the bucket itself: at the burst rate until the credit is gone, then at what is sustained."""
    burst = rate + faster
    lasts = credit / (burst - rate)
    passed = burst * lasts
    slow = size / burst if size <= passed else lasts + (size - passed) / rate
    assert WriteLimit(LimitKind.QOS_BANDWIDTH, "v", rate, burst, credit).seconds(size) == pytest.approx(slow)


cost_models = st.builds(
    lambda write, share, asynchronous, mtbf: CostModel(write, write * share if asynchronous else write, asynchronous, mtbf),
    st.floats(0.1, 1e5), st.floats(1e-6, 1.0), st.booleans(), st.none() | st.floats(10.0, 1e7),
)  # fmt: skip


@given(
    cost_models,
    st.none() | st.floats(1, 1e6),
    st.none() | st.floats(0.001, 0.9),
    st.none() | st.floats(0.001, 0.9),
    st.floats(0.1, 1e6),
)
def test_the_window_is_where_every_target_is_met(
    model: CostModel, rpo: float | None, stall: float | None, cost: float | None, interval: float
) -> None:
    on_target = intervals_on_target(model, rpo=rpo, stall=stall, cost=cost)
    paid = model.overhead(interval)
    margins = [interval / model.write]
    if rpo is not None:
        margins.append(rpo / (interval + model.write))
    if stall is not None:
        margins.append(stall / (model.blocking / (interval + model.blocking)))
    if cost is not None and paid is not None:
        margins.append(cost / paid)
    if all(abs(margin - 1) > 1e-9 for margin in margins):  # on a bound itself rounding decides
        assert (on_target.shortest <= interval <= on_target.longest) == all(margin > 1 for margin in margins)


@given(checkpoint_inputs)
@example(
    CheckpointInputs(
        size_bytes=10**16, limits=(WriteLimit(LimitKind.SITE, "", 10**6),), targets=Targets(rpo=1, stall_fraction=1e-6)
    )
)  # its write takes three centuries, the one that would do a microsecond
def test_the_write_that_is_asked_for_would_do_and_no_slower_one(inputs: CheckpointInputs) -> None:
    budget = compute_budget(inputs)
    longest, model = longest_write_on_target(budget), budget.cost_model
    if longest is None or model is None or budget.on_target is None or not budget.on_target.empty:
        return

    def on_target(write: float) -> IntervalRange:
        targets, blocking = inputs.targets, model.blocking if model.asynchronous else write
        changed = replace(model, write=write, blocking=blocking)
        return intervals_on_target(changed, rpo=targets.rpo, stall=targets.stall_fraction, cost=targets.overhead)

    assert not on_target(longest).empty
    assert on_target(longest * 1.001).empty


def test_targets_that_nothing_meets_are_said_to_be_so() -> None:
    slow = WriteLimit(LimitKind.SITE, "", 10**9)
    base = CheckpointInputs(size_bytes=10**11, interval=500, limits=(slow,))
    both = compute_budget(replace(base, targets=Targets(rpo=300, stall_fraction=0.1)))
    assert [finding.code for finding in volume_findings(both)] == ["CKP-02", "CKP-03"]
    assert (
        "no interval meets the targets at this bandwidth: the write may take 30 s, so raise the bandwidth to 3.34 GB/s"
        in volume_findings(both)[0].fix
    )
    writer = CheckpointWriter(asynchronous=True, staging_bytes_per_second=10**9)
    never = compute_budget(replace(base, writer=writer, targets=Targets(rpo=300, stall_fraction=0.1)))
    assert "no interval and no bandwidth meets these targets together" in volume_findings(never)[0].fix


@pytest.mark.parametrize("asynchronous", [False, True])
def test_at_the_ends_of_the_window_the_overhead_is_the_target(asynchronous: bool) -> None:
    model = CostModel(10.0, 1.0 if asynchronous else 10.0, asynchronous, 1000.0)
    on_target = intervals_on_target(model, cost=0.15)
    assert model.overhead(on_target.longest) == pytest.approx(0.15)
    assert on_target.shortest == 10.0 if asynchronous else model.overhead(on_target.shortest) == pytest.approx(0.15)
    assert intervals_on_target(model, cost=0.02).empty


def test_what_a_copy_and_a_second_job_add() -> None:
    limit = WriteLimit(LimitKind.SITE, "", 10**9)
    writer = CheckpointWriter(jobs=2)
    base = CheckpointInputs(
        size_bytes=10**11, interval=1000, limits=(limit,), writer=writer, drain_bytes_per_second=10**9
    )
    together = compute_budget(base).at_interval
    assert together is not None
    assert (together.rpo, together.lost_work, together.average) == (1300, 800, 2e8)
    apart = compute_budget(replace(base, writer=replace(writer, aligned=False))).at_interval
    assert apart is not None
    assert (apart.rpo, apart.average) == (1200, 2e8)


def test_the_curve_is_lowest_at_the_best_interval() -> None:
    budget = compute_budget(
        CheckpointInputs(
            size_bytes=98 * 10**9, interval=3600, gpus=1024, limits=(WriteLimit(LimitKind.SITE, "", 10**9),)
        )
    )
    assert budget.best_interval is not None and budget.least_overhead is not None
    assert min(budget.curve, key=lambda point: point[1]) == pytest.approx((budget.best_interval, budget.least_overhead))
    assert (budget.curve[0][0], budget.curve[-1][0]) == pytest.approx(
        (budget.best_interval / 10, budget.best_interval * 10)
    )
    assert [cost for _, cost in budget.curve[:21]] == sorted((cost for _, cost in budget.curve[:21]), reverse=True)


@given(st.integers(1, 10**9), st.sampled_from(["KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"]))
def test_units_round_trip_and_are_never_mixed(count: int, unit: str) -> None:
    size = units.parse_bytes(f"{count} {unit}")
    base = 1024 if "i" in unit else 1000
    assert size == count * base ** ("KMGT".index(unit[0]) + 1)
    assert size % count == 0 and units.parse_bytes(f"{size} B") == size
    if "i" not in unit and unit != "KB":
        assert units.parse_bandwidth(f"{count} {unit}/s") * 10**6 == size
        seconds = compute_budget(
            CheckpointInputs(size_bytes=size, limits=(WriteLimit(LimitKind.SITE, "", size),))
        ).write_seconds
        assert seconds == 1


def test_figures_for_machines_and_a_line_for_people() -> None:
    policy = WriteLimit(LimitKind.QOS_BANDWIDTH, "volume v", 2 * 10**9)
    frames = (SnapshotFrame(every=900, keep_local=9000),)
    inputs = CheckpointInputs(size_bytes=980 * 10**9, interval=900, limits=(policy,), frames=frames, keep=3, mtbf=28800)
    assert budget_line(compute_budget(inputs)) == (
        "980 GB in 8.17 min at 2 GB/s (QoS bandwidth of volume v binds), stall 35.3 %, up to 23.2 min lost, "
        "best interval 88.5 min, 9.8 TB pinned by snapshots"
    )
    figures = budget_figures(compute_budget(inputs))
    assert (figures["write_seconds"], figures["write_bytes_per_second"], figures["rpo_seconds"]) == (490, 2e9, 1390)
    assert (figures["shortest_interval_seconds"], figures["longest_interval_seconds"]) == (490, None)
    assert budget_line(compute_budget(CheckpointInputs(size_bytes=980))) == "980 B"


def test_infinity_is_no_interval() -> None:
    assert IntervalRange(inf, 0.0).empty and not IntervalRange(1.0, inf).empty and not IntervalRange(5.0, 5.0).empty


def test_a_curve_promises_no_interval_that_an_asynchronous_write_cannot_keep() -> None:
    model = CostModel(write=490, blocking=0.1, asynchronous=True, mtbf=28800)
    assert model.best_interval() == 490
    at_its_write = model.overhead(490)
    assert at_its_write is not None and min(cost for _, cost in model.curve()) == at_its_write
    assert {cost for interval, cost in model.curve() if interval <= 490} == {at_its_write}
    free = replace(model, asynchronous=False)
    assert all(cost == free.overhead(interval) for interval, cost in free.curve())


def test_a_day_has_its_seconds() -> None:
    assert mtbf_seconds(1000, 2000.0) == 2 * 24 * 60 * 60
