"""Published figures and worked examples, met to the digits given: each row of the case files is one call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from vastplan.checks.checkpoint import Limit, Sort, iops_limit
from vastplan.checks.checkpoint.limits import burst_seconds
from vastplan.checks.checkpoint.rhythm import overhead, young
from vastplan.checks.checkpoint.size import BYTES_PER_PARAMETER
from vastplan.checks.checkpoint.space import cap_window

HERE = Path(__file__).parent
FILES = ("size", "write", "rhythm", "failures", "space")
ROWS = [(file, row) for file in FILES for row in yaml.safe_load((HERE / f"{file}.yaml").read_text())]
UNITS = {
    "": 1, "%": 0.01, "s": 1, "min": 60, "h": 3600, "MB": 10**6, "GB": 10**9, "TB": 10**12, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip


def _bucket(rate: float, burst: float | None = None, credit: float = 0.0) -> Limit:
    return Limit(Sort.QOS_BANDWIDTH, "view v", rate, burst, credit)


def _best_overhead(write: float, mtbf: float) -> float:
    return overhead(young(write, mtbf), write, mtbf)


def _stacked(**rates: float) -> float:
    return 10**12 / max(_bucket(rate).seconds(10**12) for rate in rates.values())


SHORT: Mapping[str, Callable[..., Any]] = {
    "write": lambda size, **bucket: _bucket(**bucket).seconds(size),
    "burst": lambda **bucket: burst_seconds(_bucket(**bucket)),
    "iops": lambda **given: iops_limit("view v", **given).bytes_per_second,
    "stacked": _stacked,
    "best_overhead": _best_overhead,
    "lowest": lambda average, read, write, readers: cap_window(average, read, write, readers).lowest,
    "highest": lambda average, read, write, readers: cap_window(average, read, write, readers).highest,
}


def value(given: Any) -> Any:
    """A number, a quantity such as `980 GB`, or a call: `{module.function: {argument: value}}`."""
    if isinstance(given, str):
        number, unit = re.fullmatch(r"([\d.]+) (\w+)", given).groups()  # type: ignore[union-attr]
        return float(number) * UNITS[unit]
    if not isinstance(given, dict):
        return given
    ((name, arguments),) = given.items()
    if name == "preset":
        return BYTES_PER_PARAMETER[arguments]
    if name == "quotient":
        return value(arguments[0]) / value(arguments[1])
    if name == "constant":
        return _named(arguments)
    return (SHORT.get(name) or _named(name))(**{key: value(one) for key, one in arguments.items()})


def _named(dotted: str) -> Any:
    module, name = dotted.split(".")
    return getattr(import_module(f"vastplan.checks.checkpoint.{module}"), name)


@pytest.mark.parametrize(
    "row", [row for _, row in ROWS], ids=[f"{file}: {row['source']} {row['is']}" for file, row in ROWS]
)
def test_a_figure_is_met_to_its_digits(row: dict[str, Any]) -> None:
    digits, _, unit = str(row["is"]).partition(" ")
    places = len(digits.partition(".")[2])
    assert f"{value(row['call']) / UNITS[unit]:.{places}f}" == digits
