"""A budget at its edges, by hand: what is refused, bounds that are just met and just missed, and sentences word for word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import inf, sqrt
from typing import Any

import pytest

from tests.checks.checkpoint.test_findings import BASE, WRITER
from vastplan.checks.checkpoint import capacity, intervals
from vastplan.checks.checkpoint.arithmetic import compute_budget
from vastplan.checks.checkpoint.capacity import model_bytes
from vastplan.checks.checkpoint.findings import (
    coinciding_findings,
    highest_rate,
    interval_fix,
    longest_write_on_target,
    volume_findings,
)
from vastplan.checks.checkpoint.inputs import CheckpointInputs, CheckpointWriter, SiteThroughput, SnapshotFrame, Targets
from vastplan.checks.checkpoint.intervals import CostModel, IntervalRange, intervals_on_target, mtbf_seconds
from vastplan.checks.checkpoint.summary import budget_changes, budget_figures, budget_line
from vastplan.checks.checkpoint.write_time import LimitKind, WriteLimit

GB = 10**9


SIZED = "a checkpoint needs a size: write size, for example 980 GB, or the model's params"
TIMED = "the interval is too short: write an interval of 1s or more"
SOMEBODY = "ranks, concurrent_jobs and files_per_rank have to be 1 or more"
FAILING = "mtbf has to be more than 0, for example 49h"
KEPT = "keep_last has to be 1 or more: without a checkpoint there is nothing to resume from"
STAGED = "mode: async needs staging_per_rank, the speed of the copy to host memory that blocks the job"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"size_bytes": 0}, SIZED),
        ({"interval": 0}, TIMED),
        ({"writer": CheckpointWriter(ranks=0)}, SOMEBODY),
        ({"writer": CheckpointWriter(jobs=0)}, SOMEBODY),
        ({"writer": CheckpointWriter(files_per_rank=0)}, SOMEBODY),
        ({"keep": 0}, KEPT),
        ({"writer": CheckpointWriter(asynchronous=True)}, STAGED),
        ({"writer": CheckpointWriter(asynchronous=True, staging_bytes_per_second=0)}, STAGED),
        ({"attach": -1}, "attach is -1, and has to be 0 or more"),
        ({"mtbf": -0.5}, FAILING),
        ({"mtbf": 0}, FAILING),
        ({"gpu_days_per_failure": -0.5}, "gpu_days_per_failure is -0.5, and has to be 0 or more"),
        ({"writer": CheckpointWriter(nodes=-2)}, "nodes is -2, and has to be 0 or more"),
        ({"capability": SiteThroughput(wan_bytes_per_second=-1)}, "wan_bytes_per_second is -1, and has to be 0 or more"),
        ({"targets": Targets(overhead=-0.5)}, "overhead is -0.5, and has to be 0 or more"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said_word_for_word(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(says)}$"):
        replace(CheckpointInputs(size_bytes=1), **wrong)


def test_the_least_that_makes_sense() -> None:
    least = CheckpointInputs(
        size_bytes=1, interval=1, mtbf=0.1, targets=Targets(rpo=0), capability=SiteThroughput(reduction=1)
    )
    assert compute_budget(least).write_seconds is None
    assert (compute_budget(BASE).mtbf, compute_budget(BASE).mtbf_derived) == (None, False)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: SiteThroughput(reduction=0.99), "reduction_ratio is the size before reduction divided by the size after it: 1 or more"),
        (lambda: model_bytes(0, 2), "params has to be 1 or more, for example 70B"),
        (
            lambda: model_bytes(1, 0),
            "bytes_per_param has to be more than 0 and at most 64: with optimizer state it is 10 to 16",
        ),
        (
            lambda: model_bytes(1, 64.1),
            "bytes_per_param has to be more than 0 and at most 64: with optimizer state it is 10 to 16",
        ),
        (lambda: mtbf_seconds(0), "the time between failures depends on the GPUs of a job: write gpus, or reliability.mtbf"),
        (
            lambda: mtbf_seconds(1, 0),
            "gpu_days_per_failure has to be more than 0, for example 2112",
        ),
        (
            lambda: WriteLimit(LimitKind.QOS_BANDWIDTH, "view v", 0),
            "QoS bandwidth of view v: a limit of 0 lets no checkpoint through; remove it where writes are unlimited",
        ),
        (
            lambda: WriteLimit(LimitKind.SITE, "", -1),
            "site's write bandwidth: a limit of 0 lets no checkpoint through; remove it where writes are unlimited",
        ),
    ],
)  # fmt: skip
def test_parts_that_make_no_sense(wrong: Callable[[], object], says: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(says)}$"):
        wrong()


def test_the_least_and_the_most_of_each_part() -> None:
    assert (model_bytes(1, 64), model_bytes(1, 0.6), model_bytes(3, 0.5)) == (64, 1, 2)
    assert mtbf_seconds(1, 0.5) == 43200


def test_a_limit_without_a_burst_is_its_rate() -> None:
    plain = WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 10, credit_bytes=500)
    assert (plain.seconds(1000), plain.binding_kind(1000)) == (100, LimitKind.QOS_BANDWIDTH)
    assert (
        WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 10, 20).binding_kind(1000) is LimitKind.QOS_BANDWIDTH
    )  # no credit to burst with
    assert WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 10, 20).seconds(1000) == 100
    assert WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 10, 5, 100).seconds(1000) == 100  # a burst that is none


def test_a_burst_lasts_as_long_as_its_credit() -> None:
    burst = WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 10, 20, 500)
    assert (burst.seconds(1000), burst.binding_kind(1000)) == (50, LimitKind.BURST)
    assert (burst.seconds(1001), burst.binding_kind(1001)) == (50.1, LimitKind.CREDIT)
    assert (burst.seconds(1000, 0), burst.binding_kind(1000, 0)) == (100, LimitKind.CREDIT)
    assert WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 10, 20, 1).binding_kind(1) is LimitKind.BURST
    assert WriteLimit(LimitKind.IOPS, "v", 10, 20, 500).binding_kind(1) is LimitKind.IOPS


@pytest.mark.parametrize(
    ("size", "interval", "asynchronous", "left"),
    [
        (1000, None, False, 500),
        (1000, None, True, 500),
        (1000, 100, True, 500),
        (1001, 100, True, 0),
        (1001, 100, False, 500),
        (1, 50, False, 500),
        (1, 49, False, 490),
    ],
)
def test_the_credit_that_a_write_finds(size: float, interval: float | None, asynchronous: bool, left: float) -> None:
    assert (
        WriteLimit(LimitKind.QOS_BANDWIDTH, "v", 10, 20, 500).credit_left(size, interval, asynchronous=asynchronous)
        == left
    )


def test_what_is_left_is_never_less_than_nothing() -> None:
    assert (capacity.readers_left(100, 10, 5), capacity.readers_left(100, 10, 20)) == (50, 0)
    assert (capacity.write_caps(1, 100, 10, 50).highest, capacity.write_caps(1, 100, 10, 150).highest) == (5, 0)
    assert intervals.efficiency_async(10, 95, 1, 100) == 0.0
    assert intervals.efficiency(699.5, 0, 1) > 0 and intervals.efficiency(700, 0, 1) == 0  # and no overflow beyond
    assert intervals.daly(200, 100) == 100 != intervals.daly(199, 100)


def test_what_a_checkpoint_costs_beside_the_job_and_in_its_way() -> None:
    sync, asynchronous = CostModel(8, 8, False, 100), CostModel(30, 2, True, 100)
    assert (sync.unsaved, asynchronous.unsaved) == (0.0, 30)
    assert [sync.effective_interval(5), *map(asynchronous.effective_interval, (5, 31))] == [5, 30, 31]
    assert sync.best_interval() == 40 and sync.best_interval(intervals.daly) == intervals.daly(8, 100)
    assert (asynchronous.best_interval(), replace(asynchronous, write=1).best_interval()) == (30, 20)
    assert (sync.least_overhead(), asynchronous.least_overhead()) == pytest.approx((0.4, 2 / 30 + 0.45))
    assert sync.efficiency(31) == intervals.efficiency(31, 8, 100)
    assert asynchronous.efficiency(31) == intervals.efficiency_async(31, 30, 2, 100)
    unknown = CostModel(8, 8, False)
    assert (unknown.best_interval(), unknown.least_overhead(), unknown.overhead(10), unknown.efficiency(10)) == (
        None,
    ) * 4
    assert unknown.curve() == () == CostModel(0, 0, False, 100).curve()
    assert [interval for interval, _ in sync.curve(3)] == pytest.approx([4, 40, 400])
    assert [cost for _, cost in sync.curve(3)] == pytest.approx([2.02, 0.4, 2.02])


def test_the_intervals_that_meet_the_targets() -> None:
    plain, failing = CostModel(8, 8, False), CostModel(8, 8, False, 100)
    assert intervals_on_target(plain) == IntervalRange(8, inf)
    assert intervals_on_target(plain, rpo=20) == IntervalRange(8, 12)
    assert intervals_on_target(plain, stall=0.2) == IntervalRange(32, inf)
    assert intervals_on_target(CostModel(8, 2, True), stall=0.5) == IntervalRange(8, inf)
    assert intervals_on_target(plain, stall=0.0) == IntervalRange(inf, inf)
    assert intervals_on_target(CostModel(0.5, 0, True), stall=0.0) == IntervalRange(0.5, inf)
    assert intervals_on_target(plain, cost=0.5) == IntervalRange(8, inf)  # how often it fails is not known
    cheap = intervals_on_target(failing, cost=0.5)
    assert (cheap.shortest, cheap.longest) == pytest.approx((20, 80))
    assert intervals_on_target(CostModel(2, 2, False, 16), cost=0.5) == IntervalRange(8, 8)
    assert intervals_on_target(CostModel(2, 2, False, 16), cost=0.49).empty
    assert intervals_on_target(CostModel(50, 0, True, 100), cost=0.5).empty  # what is unsaved costs as much already
    held_up = intervals_on_target(CostModel(50, 2, True, 100), cost=0.8)
    assert (held_up.shortest, held_up.longest) == pytest.approx((50, 100 * (0.3 + sqrt(0.05))))
    both = intervals_on_target(failing, cost=0.5, rpo=50)
    assert (both.shortest, both.longest) == pytest.approx((20, 42))


def test_the_cure() -> None:
    assert (
        interval_fix(compute_budget(CheckpointInputs(size_bytes=1))) == ""
        and longest_write_on_target(compute_budget(CheckpointInputs(size_bytes=1))) is None
    )
    assert interval_fix(compute_budget(BASE)) == "use an interval of 100 s or more"
    assert interval_fix(compute_budget(replace(BASE, targets=Targets(rpo=700)))) == "use an interval of 100 s to 10 min"
    late = compute_budget(replace(BASE, targets=Targets(rpo=150)))
    assert longest_write_on_target(late) == pytest.approx(75)
    assert interval_fix(late) == (
        "no interval meets the targets at this bandwidth: the write may take 75 s, so raise the bandwidth to 1.34 GB/s for each job (writing ranks binds)"
    )
    never = Targets(rpo=0)
    assert interval_fix(compute_budget(replace(BASE, targets=never))) == (
        "no interval and no bandwidth meets these targets together: relax one of rpo, stall_fraction and overhead"
    )
    beside = replace(BASE, targets=never, writer=replace(WRITER, asynchronous=True))
    assert interval_fix(compute_budget(beside)).endswith(
        "relax one of rpo, stall_fraction and overhead, or stage faster"
    )
    assert longest_write_on_target(compute_budget(BASE)) == 100  # it is short enough


UNKNOWN = replace(BASE, writer=CheckpointWriter(), capability=SiteThroughput())
PINNED = replace(BASE, frames=(SnapshotFrame(every=1000, keep_local=10000),))


@pytest.mark.parametrize(
    ("was", "becomes", "expected"),
    [
        (BASE, BASE, ()),
        (
            BASE,
            UNKNOWN,
            (
                "write time 100 s -> not known",
                "binding limit: writing ranks -> nothing known",
                "breaks CKP-00 (a figure cannot be computed)",
            ),
        ),
        (UNKNOWN, BASE, ("write time not known -> 100 s", "binding limit: nothing known -> writing ranks")),
        (
            BASE,
            replace(BASE, size_bytes=2 * 10**11),
            ("write time 100 s -> 200 s", "stall 9.09 % -> 16.7 %", "work that may be lost 18.3 min -> 20 min"),
        ),
        (BASE, replace(BASE, drain_bytes_per_second=GB), ("work that may be lost 18.3 min -> 20 min",)),
        (
            replace(BASE, writer=replace(WRITER, asynchronous=True)),
            replace(BASE, writer=replace(WRITER, asynchronous=True, staging_bytes_per_second=GB)),
            ("stall 0.99 % -> 9.09 %",),
        ),
        (replace(BASE, mtbf=20000), replace(BASE, mtbf=5000), ("best interval 33.3 min -> 16.7 min",)),
        (BASE, replace(BASE, mtbf=20000), ("best interval not known -> 33.3 min",)),
        (PINNED, BASE, ("pinned by snapshots 1 TB -> 0 B",)),
        (
            BASE,
            replace(PINNED, interval=None),
            ("pinned by snapshots 0 B -> not known", "breaks CKP-16 (the interval is not a time)"),
        ),
        (
            BASE,
            replace(BASE, quota_bytes=1, grace_period=1),
            (
                "breaks CKP-07 (pods are killed before they finish writing), CKP-08 (checkpoints and what snapshots pin "
                "exceed the capacity)",
            ),
        ),
        (replace(BASE, grace_period=1), BASE, ()),
    ],
)  # fmt: skip
def test_what_a_change_does(was: CheckpointInputs, becomes: CheckpointInputs, expected: tuple[str, ...]) -> None:
    assert budget_changes(compute_budget(was), compute_budget(becomes)) == expected


def capped(rate: float, burst: float | None = None, jobs: int = 1, **more: Any) -> CheckpointInputs:
    limit = WriteLimit(LimitKind.QOS_BANDWIDTH, "v", rate, burst, 10**10)
    return replace(BASE, limits=(limit,), writer=CheckpointWriter(jobs=jobs, **more))


def test_what_the_writers_bound_is_no_jobs_to_share() -> None:
    nodes = replace(UNKNOWN, writer=CheckpointWriter(jobs=3, nodes=2, node_bytes_per_second=GB))
    assert (str(compute_budget(nodes).binding), compute_budget(nodes).write_seconds) == ("nodes' network", 50)
    assert compute_budget(replace(UNKNOWN, writer=CheckpointWriter(node_bytes_per_second=GB))).write_times == ()
    assert (
        compute_budget(
            replace(UNKNOWN, writer=CheckpointWriter(jobs=3, ranks=2, rank_bytes_per_second=GB))
        ).write_seconds
        == 50
    )


def test_what_cannot_be_computed_breaks_nothing_else() -> None:
    none = replace(UNKNOWN, collective_timeout=1, grace_period=1, drain_bytes_per_second=1, interval=None)
    assert [finding.code for finding in volume_findings(compute_budget(none))] == ["CKP-00", "CKP-16"]
    remote = replace(BASE, interval=None, targets=Targets(remote_rpo=1))
    assert [finding.code for finding in volume_findings(compute_budget(remote))] == ["CKP-16"]


def test_jobs_at_once_use_the_credit_up_together() -> None:
    limit = WriteLimit(LimitKind.QOS_BANDWIDTH, "v", GB, 2 * GB, 10 * GB)
    single = replace(BASE, interval=100, limits=(limit,), writer=replace(WRITER, asynchronous=True))
    two = replace(single, writer=replace(single.writer, jobs=2))
    assert "CKP-11" not in [finding.code for finding in volume_findings(compute_budget(single))]
    assert "CKP-11" in [finding.code for finding in volume_findings(compute_budget(two))]


def test_the_rate_that_a_volume_may_have() -> None:
    assert highest_rate(compute_budget(UNKNOWN)) is None
    assert highest_rate(compute_budget(replace(BASE, writer=CheckpointWriter()))) is None  # the site's is everybody's
    assert highest_rate(compute_budget(capped(2 * GB))) == 2 * GB == highest_rate(compute_budget(capped(2 * GB, GB)))
    assert highest_rate(compute_budget(capped(2 * GB, 3 * GB, jobs=2))) == 3 * GB
    assert highest_rate(compute_budget(replace(BASE, writer=replace(WRITER, jobs=2)))) == 2 * GB
    assert highest_rate(compute_budget(capped(5 * GB, rank_bytes_per_second=GB))) == GB


def test_what_coincides_is_said_with_the_three_that_ask_for_most() -> None:
    four = {name: compute_budget(capped(rate * GB)) for name, rate in (("a", 1), ("b", 4), ("c", 2), ("d", 3))}
    assert coinciding_findings(four) == ()  # as much as the site can
    (finding,) = coinciding_findings({**four, "e": compute_budget(capped(GB / 2))})
    assert finding.message == (
        "checkpoints that coincide may ask for 10.5 GB/s of the site's 10 GB/s: b 4 GB/s, d 3 GB/s, c 2 GB/s"
    )
    assert finding.fix == "lower the QoS limits, or do not let the jobs' checkpoints coincide"
    assert finding.severity.value == "warning"
    two = {"a": compute_budget(capped(9 * GB)), "b": compute_budget(capped(9 * GB))}
    assert coinciding_findings(two) != ()
    assert (
        coinciding_findings(
            {**two, "b": compute_budget(replace(capped(9 * GB), capability=SiteThroughput(write_bytes_per_second=GB)))}
        )
        == ()
    )
    assert (
        coinciding_findings(
            {name: compute_budget(replace(capped(9 * GB), capability=SiteThroughput())) for name in "ab"}
        )
        == ()
    )
    assert coinciding_findings({}) == ()


def test_every_figure_where_nothing_is_known() -> None:
    known = {
        "size_bytes": 980,
        "shard_bytes": 980.0,
        "live_bytes": 1960,
        "pinned_bytes": 0,
        "remote_bytes": 0,
        "files": 4,
    }
    figures = budget_figures(compute_budget(CheckpointInputs(size_bytes=980)))
    assert {name: value for name, value in figures.items() if value is not None} == known
    assert budget_figures(compute_budget(BASE))["binding_limit"] == "writing ranks"
    empty = budget_figures(compute_budget(replace(BASE, targets=Targets(rpo=150))))
    assert (empty["shortest_interval_seconds"], empty["longest_interval_seconds"]) == (None, None)
    both = budget_figures(compute_budget(replace(BASE, targets=Targets(rpo=700), readers=GB)))
    assert (both["shortest_interval_seconds"], both["longest_interval_seconds"]) == (100, 600)
    assert (both["lowest_cap_bytes_per_second"], both["highest_cap_bytes_per_second"]) == (1e8, 9.5e9)


def test_a_line_says_what_is_known() -> None:
    assert (
        budget_line(compute_budget(replace(BASE, interval=None))) == "100 GB in 100 s at 1 GB/s (writing ranks binds)"
    )
    assert budget_line(compute_budget(replace(UNKNOWN, mtbf=10**6))) == "100 GB"
    assert (
        budget_line(compute_budget(BASE))
        == "100 GB in 100 s at 1 GB/s (writing ranks binds), stall 9.09 %, up to 18.3 min lost"
    )
    assert budget_line(compute_budget(replace(BASE, interval=None, mtbf=20000))).endswith(
        "(writing ranks binds), best interval 33.3 min"
    )
    assert budget_line(compute_budget(PINNED)).endswith("lost, 1 TB pinned by snapshots")


def test_a_cap_that_is_not_known_is_not_named() -> None:
    """Without an interval there is no average, and so no range of caps."""
    (finding, _) = volume_findings(compute_budget(replace(BASE, interval=None, readers=19 * GB)))
    assert (finding.message, finding.fix) == (
        "while a checkpoint is written, readers get 18 GB/s and need 19 GB/s",
        "cap the writes",
    )
    assert volume_findings(compute_budget(replace(BASE, readers=1, capability=SiteThroughput()))) == ()
