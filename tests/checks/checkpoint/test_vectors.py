"""Published figures and worked examples, met to the digits given: each row of the case files is one call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from vastplan.checks.checkpoint import capacity, intervals
from vastplan.checks.checkpoint.write_time import LimitKind, WriteLimit, iops_limit

HERE = Path(__file__).parent
FILES = ("size", "write", "rhythm", "failures", "space")
ROWS = [(file, row) for file in FILES for row in yaml.safe_load((HERE / f"{file}.yaml").read_text())]
UNITS = {
    "": 1, "%": 0.01, "s": 1, "min": 60, "h": 3600, "MB": 10**6, "GB": 10**9, "TB": 10**12, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip


def _bucket(rate: float, burst: float | None = None, credit: float = 0.0) -> WriteLimit:
    return WriteLimit(LimitKind.QOS_BANDWIDTH, "view v", rate, burst, credit)


def _best_overhead(write: float, mtbf: float) -> float:
    return intervals.overhead(intervals.young(write, mtbf), write, mtbf)


def _burst_seconds(rate: float, burst: float, credit: float) -> float:
    """How long a burst lasts at its full rate, as VAST's best practices compute it: until its credit is used up."""
    return _bucket(rate, burst, credit).seconds(credit * burst / (burst - rate))


def _ettr(interval: float, write: float, mtbf: float, restart: float) -> float:
    """Meta's expected effective training time ratio (HPCA 2025): ours, without the write in the work lost."""
    return intervals.efficiency_async(interval, 0, write, mtbf, restart)


def _node_days(failures_per_node_day: float, gpus_per_node: int = 8) -> float:
    """GPU-days between failures from failures of a node a day: the form in which Meta publishes them."""
    return gpus_per_node / failures_per_node_day


def _stacked(**rates: float) -> float:
    return 10**12 / max(_bucket(rate).seconds(10**12) for rate in rates.values())


SHORT: Mapping[str, Callable[..., Any]] = {
    "write": lambda size, **bucket: _bucket(**bucket).seconds(size),
    "burst": _burst_seconds,
    "iops": lambda **limit: iops_limit("view v", **limit).bytes_per_second,
    "stacked": _stacked,
    "best_overhead": _best_overhead,
    "lowest": lambda average, read, write, readers: capacity.write_caps(average, read, write, readers).lowest,
    "highest": lambda average, read, write, readers: capacity.write_caps(average, read, write, readers).highest,
    "rhythm.ettr": _ettr,
    "failures.node_days": _node_days,
}
MODULES = {"size": capacity, "space": capacity, "rhythm": intervals, "failures": intervals}
"""Where the formulas of a case file are; a call names them by the file's name."""


def value(term: Any) -> Any:
    """A number, a quantity such as `980 GB`, or a call: `{file.function: {argument: term}}`."""
    if isinstance(term, str):
        number, unit = re.fullmatch(r"([\d.]+) (\w+)", term).groups()  # type: ignore[union-attr]
        return float(number) * UNITS[unit]
    if not isinstance(term, dict):
        return term
    ((name, arguments),) = term.items()
    if name == "preset":
        return capacity.BYTES_PER_PARAMETER[arguments]
    if name == "quotient":
        return value(arguments[0]) / value(arguments[1])
    if name == "constant":
        return _named(arguments)
    return (SHORT.get(name) or _named(name))(**{name: value(argument) for name, argument in arguments.items()})


def _named(dotted: str) -> Any:
    module, name = dotted.split(".")
    return getattr(MODULES[module], name)


@pytest.mark.parametrize(
    "row", [row for _, row in ROWS], ids=[f"{file}: {row['source']} {row['is']}" for file, row in ROWS]
)
def test_a_figure_is_met_to_its_digits(row: dict[str, Any]) -> None:
    digits, _, unit = str(row["is"]).partition(" ")
    places = len(digits.partition(".")[2])
    assert f"{value(row['call']) / UNITS[unit]:.{places}f}" == digits
