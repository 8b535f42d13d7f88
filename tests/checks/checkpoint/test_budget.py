"""What holds of every budget: units, limits, windows, and what is said to be the cure."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import inf, isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastplan.checks.checkpoint import (
    Demand,
    Frame,
    Limit,
    SiteThroughput,
    Sort,
    Targets,
    Writer,
    budget,
    figures,
    findings,
    iops_limit,
    line,
)
from vastplan.checks.checkpoint.cure import write_needed
from vastplan.checks.checkpoint.failures import mtbf_seconds
from vastplan.checks.checkpoint.rhythm import Pace, Window, window
from vastplan.checks.checkpoint.size import model_bytes
from vastplan.model import formatting, units

rates = st.integers(10**6, 10**13)
spans = st.integers(1, 10**7)
limits = st.lists(
    st.builds(
        lambda sort, rate, burst, credit, shared: Limit(sort, "x", rate, rate * burst if burst > 1 else None, credit, shared),
        st.sampled_from(Sort), rates, st.integers(1, 9), st.integers(0, 10**13), st.booleans(),
    ),
    max_size=5,
)  # fmt: skip
demands = st.builds(
    Demand,
    size_bytes=st.integers(1, 10**16),
    writer=st.builds(
        Writer, ranks=st.integers(1, 10**5), jobs=st.integers(1, 9), aligned=st.booleans(), asynchronous=st.booleans(),
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
    frames=st.lists(st.builds(Frame, every=spans, keep_local=st.integers(0, 10**8), keep_remote=st.integers(0, 10**8)), max_size=3).map(tuple),
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
    found = budget(Demand(size_bytes=size, interval=600, limits=(Limit(Sort.QOS_BANDWIDTH, "v", 500 * 10**6),)))
    assert found.write == 560
    assert found.rhythm is not None
    assert (round(found.rhythm.stall_fraction, 3), round(found.rhythm.duty, 3)) == (0.483, 0.933)
    assert (found.rhythm.rpo, found.rhythm.lost_work) == (1160, 860)


def test_a_minute_is_too_short_for_a_disk_of_3_gb_a_second() -> None:
    disk = Limit(Sort.NODES, "", 3 * 10**9)
    found = findings(budget(Demand(size_bytes=280 * 10**9, interval=60, limits=(disk,))))
    assert [one.code for one in found] == ["CKP-01"]
    assert found[0].fix == "an interval of 93.4 s or more"


def test_the_slowest_limit_binds_and_jobs_share_it() -> None:
    policy = Limit(Sort.QOS_BANDWIDTH, "view v", 500 * 10**6, 2500 * 10**6, 120 * 10**9)
    demand = Demand(size_bytes=280 * 10**9, limits=(policy, iops_limit("view v", 15000)))
    assert (budget(demand).write, str(budget(demand).binding)) == (320, "burst credit of view v")
    two = budget(replace(demand, writer=Writer(jobs=2)))
    assert two.write == (560 - 120) * 2
    assert two.bandwidth == pytest.approx(280e9 / 880)
    small = budget(replace(demand, size_bytes=20 * 10**9))
    assert str(small.binding) == "IOPS x I/O size of view v"
    fast = budget(replace(demand, size_bytes=20 * 10**9, limits=(policy,)))
    assert (fast.write, str(fast.binding)) == (8, "burst bandwidth of view v")


@given(demands)
def test_figures_are_numbers_and_sentences_are_lines(demand: Demand) -> None:
    found = budget(demand)
    if found.write is None:
        assert found.rhythm is None and found.pace is None and found.curve == ()
        assert "CKP-00" in [one.code for one in findings(found)]
    else:
        assert isfinite(found.write) and found.write > 0
    if found.rhythm is not None:
        rhythm = found.rhythm
        assert all(isfinite(one) and one >= 0 for one in (rhythm.rpo, rhythm.stall_fraction, rhythm.average))
        assert rhythm.efficiency is None or 0 <= rhythm.efficiency <= 1
    for one in findings(found):
        assert one.sentence.isprintable() and one.fix.isprintable() and one.fix
        assert not re.search(r"\b(inf|nan|None)\b", f"{one.sentence} {one.fix}")


@given(demands, limits)
def test_a_further_limit_never_makes_a_write_faster(demand: Demand, more: list[Limit]) -> None:
    before, after = budget(demand), budget(replace(demand, limits=(*demand.limits, *more)))
    if before.write is not None:
        assert after.write is not None and after.write >= before.write
    if after.binding is not None:
        assert after.write == max(one.seconds for one in after.passages)


@given(rates, rates, st.integers(1, 10**13), st.integers(1, 10**15))
def test_a_bucket_passes_what_a_bucket_passes(rate: int, faster: int, credit: int, size: int) -> None:
    """Against the bucket itself: at the burst rate until the credit is gone, then at what is sustained."""
    burst = rate + faster
    lasts = credit / (burst - rate)
    passed = burst * lasts
    slow = size / burst if size <= passed else lasts + (size - passed) / rate
    assert Limit(Sort.QOS_BANDWIDTH, "v", rate, burst, credit).seconds(size) == pytest.approx(slow)


paces = st.builds(
    lambda write, share, asynchronous, mtbf: Pace(write, write * share if asynchronous else write, asynchronous, mtbf),
    st.floats(0.1, 1e5), st.floats(1e-6, 1.0), st.booleans(), st.none() | st.floats(10.0, 1e7),
)  # fmt: skip


@given(
    paces,
    st.none() | st.floats(1, 1e6),
    st.none() | st.floats(0.001, 0.9),
    st.none() | st.floats(0.001, 0.9),
    st.floats(0.1, 1e6),
)
def test_the_window_is_where_every_target_is_met(
    pace: Pace, rpo: float | None, stall: float | None, cost: float | None, interval: float
) -> None:
    found = window(pace, rpo=rpo, stall=stall, cost=cost)
    paid = pace.overhead(interval)
    margins = [interval / pace.write]
    if rpo is not None:
        margins.append(rpo / (interval + pace.write))
    if stall is not None:
        margins.append(stall / (pace.blocking / (interval + pace.blocking)))
    if cost is not None and paid is not None:
        margins.append(cost / paid)
    if all(abs(one - 1) > 1e-9 for one in margins):  # on a bound itself rounding decides
        assert (interval in found) == all(one > 1 for one in margins)


@given(demands)
def test_the_write_that_is_asked_for_would_do_and_no_slower_one(demand: Demand) -> None:
    found = budget(demand)
    wanted = write_needed(found)
    if wanted is None or found.pace is None or found.window is None or not found.window.empty:
        return

    def of(write: float) -> Window:
        assert found.pace is not None
        blocking = found.pace.blocking if found.pace.asynchronous else write
        pace = replace(found.pace, write=write, blocking=blocking)
        targets = demand.targets
        return window(pace, rpo=targets.rpo, stall=targets.stall_fraction, cost=targets.overhead)

    assert not of(wanted).empty
    assert of(wanted * 1.001).empty


def test_targets_that_nothing_meets_are_said_to_be_so() -> None:
    slow = Limit(Sort.SITE, "", 10**9)
    base = Demand(size_bytes=10**11, interval=500, limits=(slow,))
    both = budget(replace(base, targets=Targets(rpo=300, stall_fraction=0.1)))
    assert [one.code for one in findings(both)] == ["CKP-02", "CKP-03"]
    assert (
        "no interval meets the targets at this bandwidth: the write may take 30 s, so raise it to 3.34 GB/s"
        in findings(both)[0].fix
    )
    writer = Writer(asynchronous=True, staging_bytes_per_second=10**9)
    never = budget(replace(base, writer=writer, targets=Targets(rpo=300, stall_fraction=0.1)))
    assert "no interval and no bandwidth meets these targets together" in findings(never)[0].fix


@pytest.mark.parametrize("asynchronous", [False, True])
def test_at_the_ends_of_the_window_the_overhead_is_the_target(asynchronous: bool) -> None:
    pace = Pace(10.0, 1.0 if asynchronous else 10.0, asynchronous, 1000.0)
    found = window(pace, cost=0.15)
    assert pace.overhead(found.longest) == pytest.approx(0.15)
    assert found.shortest == 10.0 if asynchronous else pace.overhead(found.shortest) == pytest.approx(0.15)
    assert window(pace, cost=0.02).empty


def test_what_a_copy_and_a_second_job_add() -> None:
    limit = Limit(Sort.SITE, "", 10**9)
    writer = Writer(jobs=2)
    base = Demand(size_bytes=10**11, interval=1000, limits=(limit,), writer=writer, drain_bytes_per_second=10**9)
    found = budget(base).rhythm
    assert found is not None
    assert (found.rpo, found.lost_work, found.average) == (1300, 800, 2e8)
    apart = budget(replace(base, writer=replace(writer, aligned=False))).rhythm
    assert apart is not None
    assert (apart.rpo, apart.average) == (1200, 2e8)


def test_the_curve_is_lowest_at_the_best_interval() -> None:
    found = budget(Demand(size_bytes=98 * 10**9, interval=3600, gpus=1024, limits=(Limit(Sort.SITE, "", 10**9),)))
    assert found.best is not None and found.best_overhead is not None
    assert min(found.curve, key=lambda point: point[1]) == pytest.approx((found.best, found.best_overhead))
    assert (found.curve[0][0], found.curve[-1][0]) == pytest.approx((found.best / 10, found.best * 10))
    assert [cost for _, cost in found.curve[:21]] == sorted((cost for _, cost in found.curve[:21]), reverse=True)


@given(st.integers(1, 10**9), st.sampled_from(["KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"]))
def test_units_round_trip_and_are_never_mixed(count: int, unit: str) -> None:
    size = units.parse_bytes(f"{count} {unit}")
    base = 1024 if "i" in unit else 1000
    assert size == count * base ** ("KMGT".index(unit[0]) + 1)
    assert size % count == 0 and units.parse_bytes(f"{size} B") == size
    if "i" not in unit and unit != "KB":
        assert units.parse_bandwidth(f"{count} {unit}/s") * 10**6 == size
        seconds = budget(Demand(size_bytes=size, limits=(Limit(Sort.SITE, "", size),))).write
        assert seconds == 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"size_bytes": 0}, "give size"),
        ({"size_bytes": -1}, "give size"),
        ({"interval": 0}, "give an interval"),
        ({"interval": -5}, "give an interval"),
        ({"keep": 0}, "1 or more"),
        ({"writer": Writer(ranks=0)}, "somebody writes"),
        ({"writer": Writer(jobs=0)}, "somebody writes"),
        ({"writer": Writer(asynchronous=True)}, "give staging_per_rank"),
        ({"writer": Writer(nodes=-1)}, "less than nothing"),
        ({"quota_bytes": -1}, "less than nothing"),
        ({"targets": Targets(rpo=-1)}, "less than nothing"),
    ],
)
def test_what_makes_no_sense_says_what_would(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(Demand(size_bytes=1), **wrong)


def test_limits_and_capabilities_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="leave it out when it is unlimited"):
        Limit(Sort.SITE, "", 0)
    with pytest.raises(ValueError, match="1 or more"):
        SiteThroughput(reduction=0.5)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (formatting.size(980 * 10**9), "980 GB"),
        (formatting.size(0), "0 B"),
        (formatting.size(1_234_567), "1.23 MB"),
        (formatting.rate(2.5e9), "2.5 GB/s"),
        (formatting.span(93.333), "93.3 s"),
        (formatting.span(299), "299 s"),
        (formatting.span(300), "5 min"),
        (formatting.span(5913), "98.5 min"),
        (formatting.span(7200), "2 h"),
        (formatting.span(86400 * 3), "3 days"),
        (formatting.share(0.4828), "48.3 %"),
    ],
)
def test_figures_as_they_are_said(said: str, shown: str) -> None:
    assert said == shown


def test_figures_for_machines_and_a_line_for_people() -> None:
    policy = Limit(Sort.QOS_BANDWIDTH, "volume v", 2 * 10**9)
    frames = (Frame(every=900, keep_local=9000),)
    demand = Demand(size_bytes=980 * 10**9, interval=900, limits=(policy,), frames=frames, keep=3, mtbf=28800)
    assert line(budget(demand)) == (
        "980 GB in 8.17 min at 2 GB/s (QoS bandwidth of volume v binds), stall 35.3 %, up to 23.2 min lost, "
        "best interval 88.5 min, 9.8 TB pinned by snapshots"
    )
    found = figures(budget(demand))
    assert (found["write_seconds"], found["write_bytes_per_second"], found["rpo_seconds"]) == (490, 2e9, 1390)
    assert (found["shortest_interval_seconds"], found["longest_interval_seconds"]) == (490, None)
    assert line(budget(Demand(size_bytes=980))) == "980 B"


@given(demands)
def test_figures_are_json(demand: Demand) -> None:
    json.dumps(figures(budget(demand)), allow_nan=False)
    assert line(budget(demand)).isprintable()


def test_infinity_is_no_interval() -> None:
    assert Window(inf, 0.0).empty and not Window(1.0, inf).empty and not Window(5.0, 5.0).empty


def test_a_curve_promises_no_interval_that_an_asynchronous_write_cannot_keep() -> None:
    pace = Pace(write=490, blocking=0.1, asynchronous=True, mtbf=28800)
    assert pace.best() == 490
    held = pace.overhead(490)
    assert held is not None and min(cost for _, cost in pace.curve()) == held
    assert {cost for interval, cost in pace.curve() if interval <= 490} == {held}
    free = replace(pace, asynchronous=False)
    assert all(cost == free.overhead(interval) for interval, cost in free.curve())


def test_a_day_has_its_seconds() -> None:
    assert mtbf_seconds(1000, 2000.0) == 2 * 24 * 60 * 60
