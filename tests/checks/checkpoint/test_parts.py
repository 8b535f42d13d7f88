"""The parts of a budget by hand: what stands where nothing was said, figures at their ends, and sentences word for word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import exp, inf, sqrt
from typing import Any

import pytest

from tests.checks.checkpoint.test_findings import BASE, WRITER
from vastplan.checks.checkpoint import (
    Demand,
    Durability,
    Frame,
    Limit,
    SiteThroughput,
    Sort,
    Targets,
    Writer,
    budget,
    change,
    figures,
    findings,
    iops_limit,
    line,
    together,
)
from vastplan.checks.checkpoint import rhythm as rhythms
from vastplan.checks.checkpoint.cure import cure, write_needed
from vastplan.checks.checkpoint.failures import mtbf_seconds, node_days
from vastplan.checks.checkpoint.findings import cap_of
from vastplan.checks.checkpoint.limits import burst_seconds
from vastplan.checks.checkpoint.rhythm import Pace, Window, window
from vastplan.checks.checkpoint.size import model_bytes
from vastplan.checks.checkpoint.space import CapWindow, cap_window, kept_in_snapshots, live_bytes, readers_left
from vastplan.model import formatting

GB = 10**9


def test_what_stands_where_nothing_is_said() -> None:
    assert Writer() == Writer(
        ranks=1, nodes=None, rank_bytes_per_second=None, node_bytes_per_second=None, staging_bytes_per_second=None,
        files_per_rank=1, jobs=1, aligned=True, asynchronous=False,
    )  # fmt: skip
    assert SiteThroughput() == SiteThroughput(
        read_bytes_per_second=None, write_bytes_per_second=None, wan_bytes_per_second=None,
        origin_bytes_per_second=None, reduction=1.0,
    )  # fmt: skip
    assert Demand(size_bytes=1) == Demand(
        size_bytes=1, bytes_per_parameter=None, writer=Writer(), interval=None, no_interval="", keep=1, gpus=None, mtbf=None,
        gpu_days_per_failure=None, restart=0, attach=0, read_per_rank=None, collective_timeout=None, grace_period=None,
        readers=None, durability=Durability.CLUSTER, drain_bytes_per_second=None, drained=Durability.CLUSTER, limits=(),
        capability=SiteThroughput(), frames=(), quota_bytes=None, tenant_bytes=None, max_inodes=None, targets=Targets(), unknown=(),
    )  # fmt: skip
    assert Frame(every=1) == Frame(every=1, keep_local=0, keep_remote=0)
    assert Durability.NODE < Durability.CLUSTER < Durability.REGION
    assert (Writer(jobs=3).at_once, Writer(jobs=3, aligned=False).at_once) == (3, 1)


SIZED = "a checkpoint has a size: give size, for example 980 GB, or the model's params"
TIMED = "checkpoints follow each other after some time: give an interval of 1s or more"
SOMEBODY = "somebody writes: ranks, concurrent_jobs and files_per_rank are 1 or more"
FAILING = "some time passes between failures: give a mtbf of more than 0, as 49h"
KEPT = "keep_last is how many checkpoints are kept: 1 or more, or there is nothing to resume from"
STAGED = "what an asynchronous checkpoint blocks is its copy to host memory: give staging_per_rank"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"size_bytes": 0}, SIZED),
        ({"interval": 0}, TIMED),
        ({"writer": Writer(ranks=0)}, SOMEBODY),
        ({"writer": Writer(jobs=0)}, SOMEBODY),
        ({"writer": Writer(files_per_rank=0)}, SOMEBODY),
        ({"keep": 0}, KEPT),
        ({"writer": Writer(asynchronous=True)}, STAGED),
        ({"writer": Writer(asynchronous=True, staging_bytes_per_second=0)}, STAGED),
        ({"attach": -1}, "attach is -1: it cannot be less than nothing"),
        ({"mtbf": -0.5}, FAILING),
        ({"mtbf": 0}, FAILING),
        ({"gpu_days_per_failure": -0.5}, "gpu_days_per_failure is -0.5: it cannot be less than nothing"),
        ({"writer": Writer(nodes=-2)}, "nodes is -2: it cannot be less than nothing"),
        ({"capability": SiteThroughput(wan_bytes_per_second=-1)}, "wan_bytes_per_second is -1: it cannot be less than nothing"),
        ({"targets": Targets(overhead=-0.5)}, "overhead is -0.5: it cannot be less than nothing"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said_word_for_word(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(says)}$"):
        replace(Demand(size_bytes=1), **wrong)


def test_the_least_that_makes_sense() -> None:
    least = Demand(size_bytes=1, interval=1, mtbf=0.1, targets=Targets(rpo=0), capability=SiteThroughput(reduction=1))
    assert budget(least).write is None
    assert (budget(BASE).mtbf, budget(BASE).mtbf_derived) == (None, False)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: SiteThroughput(reduction=0.99), "reduction_ratio is stored size before over after reduction: 1 or more"),
        (lambda: model_bytes(0, 2), "a model has parameters: give how many, for example 70B"),
        (
            lambda: model_bytes(1, 0),
            "what is saved of a parameter is more than 0 and at most 64 bytes: with its optimizer state it is 10 to 16",
        ),
        (
            lambda: model_bytes(1, 64.1),
            "what is saved of a parameter is more than 0 and at most 64 bytes: with its optimizer state it is 10 to 16",
        ),
        (lambda: mtbf_seconds(0), "the time between failures depends on how many GPUs a job has: give gpus, or its mtbf"),
        (
            lambda: mtbf_seconds(1, 0),
            "gpu_days_per_failure is how many GPU-days pass between failures: more than 0, as 2112",
        ),
        (
            lambda: Limit(Sort.QOS_BANDWIDTH, "view v", 0),
            "QoS bandwidth of view v: a limit of nothing lets no checkpoint through; leave it out when it is unlimited",
        ),
        (
            lambda: Limit(Sort.SITE, "", -1),
            "site's write bandwidth: a limit of nothing lets no checkpoint through; leave it out when it is unlimited",
        ),
        (
            lambda: burst_seconds(Limit(Sort.QOS_BANDWIDTH, "view v", 5)),
            "QoS bandwidth of view v: a burst is faster than what is sustained",
        ),
        (
            lambda: burst_seconds(Limit(Sort.QOS_BANDWIDTH, "view v", 5, 5, 100)),
            "QoS bandwidth of view v: a burst is faster than what is sustained",
        ),
    ],
)  # fmt: skip
def test_parts_that_make_no_sense(wrong: Callable[[], object], says: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(says)}$"):
        wrong()


def test_the_least_and_the_most_of_each_part() -> None:
    assert (model_bytes(1, 64), model_bytes(1, 0.6), model_bytes(3, 0.5)) == (64, 1, 2)
    assert mtbf_seconds(1, 0.5) == 43200
    assert (node_days(0.5), node_days(0.5, 4)) == (16, 8)
    assert Limit(Sort.SITE, "", 1).seconds(5) == 5
    assert burst_seconds(Limit(Sort.QOS_BANDWIDTH, "", 5, 6, 7)) == 7


def test_a_limit_without_a_burst_is_its_rate() -> None:
    plain = Limit(Sort.QOS_BANDWIDTH, "v", 10, credit_bytes=500)
    assert (plain.seconds(1000), plain.binding(1000)) == (100, Sort.QOS_BANDWIDTH)
    assert Limit(Sort.QOS_BANDWIDTH, "v", 10, 20).binding(1000) is Sort.QOS_BANDWIDTH  # no credit to burst with
    assert Limit(Sort.QOS_BANDWIDTH, "v", 10, 20).seconds(1000) == 100
    assert Limit(Sort.QOS_BANDWIDTH, "v", 10, 5, 100).seconds(1000) == 100  # a burst that is none
    assert Limit(Sort.VIP_POOL, "p", 10) == Limit(Sort.VIP_POOL, "p", 10, None, 0.0, True)


def test_a_burst_lasts_as_long_as_its_credit() -> None:
    burst = Limit(Sort.QOS_BANDWIDTH, "v", 10, 20, 500)
    assert (burst.seconds(1000), burst.binding(1000)) == (50, Sort.BURST)
    assert (burst.seconds(1001), burst.binding(1001)) == (50.1, Sort.CREDIT)
    assert (burst.seconds(1000, 0), burst.binding(1000, 0)) == (100, Sort.CREDIT)
    assert Limit(Sort.QOS_BANDWIDTH, "v", 10, 20, 1).binding(1) is Sort.BURST
    assert Limit(Sort.IOPS, "v", 10, 20, 500).binding(1) is Sort.IOPS


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
    assert Limit(Sort.QOS_BANDWIDTH, "v", 10, 20, 500).credit_left(size, interval, asynchronous=asynchronous) == left


def test_ios_are_bytes() -> None:
    assert iops_limit("v", 3) == Limit(Sort.IOPS, "v", 3 * 65536, None, 0)
    assert iops_limit("v", 3, 5, 7, 4096) == Limit(Sort.IOPS, "v", 3 * 4096, 5 * 4096, 7 * 4096)


def test_room() -> None:
    assert (live_bytes(10, 3), live_bytes(10, 3, asynchronous=True)) == (40, 50)
    assert kept_in_snapshots(100, 30, 50, 4) == 4 and kept_in_snapshots(100, 30, 50, 1) == 2
    assert readers_left(100, 10, 5) == 50 and readers_left(100, 10, 20) == 0
    assert cap_window(1, 100, 10, 50) == CapWindow(1, 5.0) and cap_window(1, 100, 10, 150) == CapWindow(1, 0.0)
    assert not CapWindow(5, 5).empty and CapWindow(5.1, 5).empty


def test_rhythm_at_its_ends() -> None:
    assert rhythms.overhead(10, 2, 100) == rhythms.overhead(10, 2, 100, 0.0) == 0.25
    assert rhythms.overhead(10, 2, 100, 30) == 0.55
    assert rhythms.daly(200, 100) == 100 and rhythms.daly(199, 100) != 100
    assert rhythms.daly(8, 100) == pytest.approx(40 * (1 + 0.2 / 3 + 0.04 / 9) - 8)
    assert rhythms.efficiency(10, 0, 100) == rhythms.efficiency(10, 0, 100, 0.0) == pytest.approx(0.1 / (exp(0.1) - 1))
    assert rhythms.efficiency(699.5, 0, 1) > 0 and rhythms.efficiency(700, 0, 1) == 0 == rhythms.efficiency(10**6, 0, 1)
    assert rhythms.efficiency_async(10, 5, 1, 100) == rhythms.efficiency_async(10, 5, 1, 100, 0.0)
    assert rhythms.efficiency_async(10, 5, 1, 100, 20) == pytest.approx(0.7 / 1.1)
    assert rhythms.efficiency_async(10, 95, 1, 100) == 0.0
    assert rhythms.ettr(10, 1, 100, 20) == pytest.approx(0.75 / 1.1)


def test_a_pace() -> None:
    assert Pace(8, 8, False) == Pace(8, 8, False, None, 0.0)
    still, beside = Pace(8, 8, False, 100), Pace(30, 2, True, 100)
    assert (still.unsaved, beside.unsaved) == (0.0, 30)
    assert (still.kept(5), beside.kept(5), beside.kept(31)) == (5, 30, 31)
    assert still.best() == 40 == rhythms.young(8, 100) and still.best(rhythms.daly) == rhythms.daly(8, 100)
    assert (still.least(), beside.least()) == pytest.approx((0.4, 2 / 30 + 0.45))
    assert beside.efficiency(31) == rhythms.efficiency_async(31, 30, 2, 100)
    assert still.efficiency(31) == rhythms.efficiency(31, 8, 100)
    assert beside.best() == 30 and replace(beside, write=1).best() == 20
    unknown = Pace(8, 8, False)
    assert (unknown.best(), unknown.least(), unknown.overhead(10), unknown.efficiency(10)) == (None, None, None, None)
    assert unknown.curve() == ()
    assert len(Pace(1 / 256, 1 / 256, False, 2).curve()) == 41
    assert Pace(0, 0, False, 100).curve() == ()
    curve = still.curve()
    assert len(curve) == 41 and len(still.curve(3)) == 3
    assert [interval for interval, _ in still.curve(3)] == pytest.approx([4, 40, 400])
    assert [cost for _, cost in still.curve(3)] == pytest.approx([2.02, 0.4, 2.02])


def test_a_window() -> None:
    ends = Window(3, 5)
    assert [one in ends for one in (2.9, 3, 4, 5, 5.1)] == [False, True, True, True, False]
    assert window(Pace(8, 8, False)) == Window(8, inf)
    assert window(Pace(8, 8, False), rpo=20) == Window(8, 12)
    assert window(Pace(8, 8, False), stall=0.2) == Window(32, inf)
    assert window(Pace(8, 2, True), stall=0.5) == Window(8, inf)
    assert window(Pace(8, 8, False), stall=0.0) == Window(inf, inf)
    assert window(Pace(0.5, 0, True), stall=0.0) == window(Pace(0.5, 0, True), stall=0.5) == Window(0.5, inf)
    assert window(Pace(8, 8, False), cost=0.5) == Window(8, inf)  # how often it fails is not known
    found = window(Pace(8, 8, False, 100), cost=0.5)
    assert (found.shortest, found.longest) == pytest.approx((20, 80))
    assert window(Pace(2, 2, False, 16), cost=0.5) == Window(8, 8)
    assert window(Pace(2, 2, False, 16), cost=0.49) == Window(inf, 0.0)
    assert window(Pace(50, 0, True, 100), cost=0.5) == Window(inf, 0.0)  # what is unsaved costs as much already
    found = window(Pace(50, 2, True, 100), cost=0.8)
    assert (found.shortest, found.longest) == pytest.approx((50, 100 * (0.3 + sqrt(0.05))))
    found = window(Pace(8, 8, False, 100), cost=0.5, rpo=50)
    assert (found.shortest, found.longest) == pytest.approx((20, 42))


def test_the_cure() -> None:
    assert cure(budget(Demand(size_bytes=1))) == "" and write_needed(budget(Demand(size_bytes=1))) is None
    assert cure(budget(BASE)) == "an interval of 100 s or more"
    assert cure(budget(replace(BASE, targets=Targets(rpo=700)))) == "an interval of 100 s to 10 min"
    late = budget(replace(BASE, targets=Targets(rpo=150)))
    assert write_needed(late) == pytest.approx(75)
    assert cure(late) == (
        "no interval meets the targets at this bandwidth: the write may take 75 s, so raise it to 1.34 GB/s for each job "
        "(writing ranks binds)"
    )
    never = Targets(rpo=0)
    assert cure(budget(replace(BASE, targets=never))) == (
        "no interval and no bandwidth meets these targets together: relax one of rpo, stall_fraction and overhead"
    )
    beside = replace(BASE, targets=never, writer=replace(WRITER, asynchronous=True))
    assert cure(budget(beside)).endswith("relax one of rpo, stall_fraction and overhead, or stage faster")
    assert write_needed(budget(BASE)) == 100  # it is short enough


UNKNOWN = replace(BASE, writer=Writer(), capability=SiteThroughput())
PINNED = replace(BASE, frames=(Frame(every=1000, keep_local=10000),))


@pytest.mark.parametrize(
    ("was", "becomes", "told"),
    [
        (BASE, BASE, ()),
        (
            BASE,
            UNKNOWN,
            (
                "write time 100 s -> not known",
                "what binds: writing ranks -> nothing known",
                "breaks CKP-00 (what was asked for cannot be computed)",
            ),
        ),
        (UNKNOWN, BASE, ("write time not known -> 100 s", "what binds: nothing known -> writing ranks")),
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
            ("pinned by snapshots 0 B -> not known", "breaks CKP-16 (the interval is no time)"),
        ),
        (
            BASE,
            replace(BASE, quota_bytes=1, grace_period=1),
            (
                "breaks CKP-07 (pods are killed before they are done writing), CKP-08 (checkpoints and what snapshots pin "
                "exceed their room)",
            ),
        ),
        (replace(BASE, grace_period=1), BASE, ()),
    ],
)  # fmt: skip
def test_what_a_change_does(was: Demand, becomes: Demand, told: tuple[str, ...]) -> None:
    assert change(budget(was), budget(becomes)) == told


def held(rate: float, burst: float | None = None, jobs: int = 1, **more: Any) -> Demand:
    limit = Limit(Sort.QOS_BANDWIDTH, "v", rate, burst, 10**10)
    return replace(BASE, limits=(limit,), writer=Writer(jobs=jobs, **more))


def test_what_the_writers_bound_is_no_jobs_to_share() -> None:
    nodes = replace(UNKNOWN, writer=Writer(jobs=3, nodes=2, node_bytes_per_second=GB))
    assert (str(budget(nodes).binding), budget(nodes).write) == ("nodes' network", 50)
    assert budget(replace(UNKNOWN, writer=Writer(node_bytes_per_second=GB))).passages == ()
    assert budget(replace(UNKNOWN, writer=Writer(jobs=3, ranks=2, rank_bytes_per_second=GB))).write == 50


def test_what_cannot_be_computed_breaks_nothing_else() -> None:
    none = replace(UNKNOWN, collective_timeout=1, grace_period=1, drain_bytes_per_second=1, interval=None)
    assert [one.code for one in findings(budget(none))] == ["CKP-00", "CKP-16"]
    remote = replace(BASE, interval=None, targets=Targets(remote_rpo=1))
    assert [one.code for one in findings(budget(remote))] == ["CKP-16"]


def test_jobs_at_once_use_the_credit_up_together() -> None:
    limit = Limit(Sort.QOS_BANDWIDTH, "v", GB, 2 * GB, 10 * GB)
    one = replace(BASE, interval=100, limits=(limit,), writer=replace(WRITER, asynchronous=True))
    two = replace(one, writer=replace(one.writer, jobs=2))
    assert "CKP-11" not in [each.code for each in findings(budget(one))]
    assert "CKP-11" in [each.code for each in findings(budget(two))]


def test_the_rate_that_a_volume_may_have() -> None:
    assert cap_of(budget(UNKNOWN)) is None
    assert cap_of(budget(replace(BASE, writer=Writer()))) is None  # the site's is everybody's
    assert cap_of(budget(held(2 * GB))) == 2 * GB == cap_of(budget(held(2 * GB, GB)))
    assert cap_of(budget(held(2 * GB, 3 * GB, jobs=2))) == 3 * GB
    assert cap_of(budget(replace(BASE, writer=replace(WRITER, jobs=2)))) == 2 * GB
    assert cap_of(budget(held(5 * GB, rank_bytes_per_second=GB))) == GB


def test_what_coincides_is_said_with_the_three_that_ask_for_most() -> None:
    four = {name: budget(held(rate * GB)) for name, rate in (("a", 1), ("b", 4), ("c", 2), ("d", 3))}
    assert together(four) == ()  # as much as the site can
    (found,) = together({**four, "e": budget(held(GB / 2))})
    assert found.sentence == (
        "checkpoints that coincide may ask for 10.5 GB/s of the site's 10 GB/s: b 4 GB/s, d 3 GB/s, c 2 GB/s"
    )
    assert found.fix == "lower the QoS limits, or do not let the jobs' checkpoints coincide"
    assert found.severity.value == "warning"
    two = {"a": budget(held(9 * GB)), "b": budget(held(9 * GB))}
    assert together(two) != ()
    assert (
        together({**two, "b": budget(replace(held(9 * GB), capability=SiteThroughput(write_bytes_per_second=GB)))})
        == ()
    )
    assert together({name: budget(replace(held(9 * GB), capability=SiteThroughput())) for name in "ab"}) == ()
    assert together({}) == ()


def test_every_figure_where_nothing_is_known() -> None:
    known = {
        "size_bytes": 980,
        "shard_bytes": 980.0,
        "live_bytes": 1960,
        "pinned_bytes": 0,
        "remote_bytes": 0,
        "files": 4,
    }
    found = figures(budget(Demand(size_bytes=980)))
    assert {name: value for name, value in found.items() if value is not None} == known
    assert list(found) == [
        "size_bytes", "shard_bytes", "write_bytes_per_second", "binding_limit", "write_seconds", "blocking_seconds",
        "interval_seconds", "stall_fraction", "rpo_seconds", "remote_rpo_seconds", "transfer_seconds", "rto_seconds",
        "mtbf_seconds", "young_seconds", "daly_seconds", "overhead", "overhead_at_best", "efficiency",
        "shortest_interval_seconds", "longest_interval_seconds", "average_bytes_per_second",
        "readers_left_bytes_per_second", "lowest_cap_bytes_per_second", "highest_cap_bytes_per_second", "live_bytes",
        "pinned_bytes", "remote_bytes", "files",
    ]  # fmt: skip
    assert figures(budget(BASE))["binding_limit"] == "writing ranks"
    empty = figures(budget(replace(BASE, targets=Targets(rpo=150))))
    assert (empty["shortest_interval_seconds"], empty["longest_interval_seconds"]) == (None, None)
    both = figures(budget(replace(BASE, targets=Targets(rpo=700), readers=GB)))
    assert (both["shortest_interval_seconds"], both["longest_interval_seconds"]) == (100, 600)
    assert (both["lowest_cap_bytes_per_second"], both["highest_cap_bytes_per_second"]) == (1e8, 9.5e9)


def test_a_line_says_what_is_known() -> None:
    assert line(budget(replace(BASE, interval=None))) == "100 GB in 100 s at 1 GB/s (writing ranks binds)"
    assert line(budget(replace(UNKNOWN, mtbf=10**6))) == "100 GB"
    assert line(budget(BASE)) == "100 GB in 100 s at 1 GB/s (writing ranks binds), stall 9.09 %, up to 18.3 min lost"
    assert line(budget(replace(BASE, interval=None, mtbf=20000))).endswith(
        "(writing ranks binds), best interval 33.3 min"
    )
    assert line(budget(PINNED)).endswith("lost, 1 TB pinned by snapshots")


def test_a_cap_that_is_not_known_is_not_named() -> None:
    """Without an interval there is no average, and so no window of caps."""
    from vastplan.checks.checkpoint.roomy import shared

    (found,) = shared(budget(replace(BASE, interval=None, readers=19 * GB)))
    assert (found.sentence, found.fix) == (
        "while a checkpoint is written 18 GB/s are left for reads that need 19 GB/s",
        "cap the writes",
    )
    assert list(shared(budget(replace(BASE, readers=1, capability=SiteThroughput())))) == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (formatting.size(10**15), "1 PB"), (formatting.size(10**15 - 10**13), "990 TB"), (formatting.size(10**18), "1 EB"),
        (formatting.size(10**12), "1 TB"), (formatting.size(10**9), "1 GB"), (formatting.size(10**6), "1 MB"), (formatting.size(-2000), "-2 kB"),
        (formatting.size(0.5), "0.5 B"), (formatting.rate(10**15), "1 PB/s"), (formatting.span(86400 * 3 - 1, 5), "72 h"),
        (formatting.size(123456, 5), "123.46 kB"), (formatting.size(1234 * 10**18, 4), "1,234 EB"), (formatting.span(1234.5, 3, "ROUND_CEILING"), "20.6 min"),
    ],
)  # fmt: skip
def test_figures_of_every_size(said: str, shown: str) -> None:
    assert said == shown


def test_as_many_digits_as_it_takes_and_no_more() -> None:
    assert formatting.between(formatting.span, 100.04, 100.46) == ("100.1 s", "100.4 s")
    assert formatting.between(formatting.span, 100.25, 101.5) == ("100.3 s", "101.5 s")
    assert formatting.between(formatting.span, 100.5, 103.0) == ("101 s", "103 s")
    assert formatting.between(formatting.span, 0.0, 100.0) == ("0 s", "100 s")
    assert formatting.apart(formatting.span, 100.04, 100.46) == ("100 s", "100.5 s")
    assert formatting.apart(formatting.span, 1.0, 1.0 + 2e-11) == ("1 s", "1.00000000002 s")
    assert formatting.apart(formatting.span, 1.0, 1.0 + 2e-12) == ("1 s", "1 s")  # nobody can see so many
