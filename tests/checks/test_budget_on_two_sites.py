"""The budget of checkpoints follows how two sites share a volume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.checks.cases import cases, facts_of, laid, written
from vastplan.checks.checkpoint.summary import budgets

SHARED = next(case.document for case in cases() if case.title == "bad: a satellite by global access")


def lines(tmp_path: Path, **changes: Any) -> dict[str, str]:
    facts = facts_of(written(laid(SHARED, changes), tmp_path), {})
    return {one.address: one.line for one in budgets(facts)}


def test_a_satellite_reads_and_writes_over_the_wan(tmp_path: Path) -> None:
    told = lines(tmp_path)
    assert told["pdx/volume/v"].endswith("reads over the WAN, writes to the origin (iad) at 1 GB/s")
    assert "100 s at 1 GB/s (WAN binds)" in told["pdx/volume/v"] and "WAN" not in told["iad/volume/v"]


@pytest.mark.parametrize(("reads", "seconds"), [("500 MB/s", 200), ("20 GB/s", 100)])
def test_what_is_read_back_comes_over_it_too(reads: str, seconds: int, tmp_path: Path) -> None:
    facts = facts_of(written(laid(SHARED, {"sites": {"pdx": {"capability": {"reads_bw_mbps": reads}}}}), tmp_path), {})
    (there,) = [one for one in budgets(facts) if one.address == "pdx/volume/v"]
    assert there.figures["rto_seconds"] == pytest.approx(seconds)


def test_a_link_that_nobody_knows_is_told(tmp_path: Path) -> None:
    facts = facts_of(
        written(
            laid(SHARED, {"sites": {"pdx": {"capability": {"wan_bw_mbps": None, "writes_bw_mbps": "1 GB/s"}}}}),
            tmp_path,
        ),
        {},
    )
    told = {one.address: one.line for one in budgets(facts)}
    assert told["pdx/volume/v"].endswith("reads over the WAN, writes to the origin (iad)")


def test_a_volume_that_replicates_says_how_old_its_copy_may_be(tmp_path: Path) -> None:
    schedule = {"far": {"replicate_to": "link", "frames": [{"every": "1h", "keep_remote": "7d"}]}}
    shared = {"global_access": None, "replicate": "far"}
    writes = {"pdx": {"capability": {"writes_bw_mbps": "10 GB/s"}}}
    volumes = {"a": {"volumes": {"v": shared}}}
    facts = facts_of(
        written(laid(SHARED, {"sites": writes, "snapshot_schedules": schedule, "tenants": volumes}), tmp_path), {}
    )
    figures = {one.address: one.figures for one in budgets(facts)}
    for site in ("iad", "pdx"):
        assert figures[f"{site}/volume/v"]["remote_rpo_seconds"] is not None
        assert "WAN" not in str(figures[f"{site}/volume/v"]["binding_limit"])
