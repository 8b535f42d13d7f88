"""An earlier drift check, as `drift --format json` wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vastplan.app.files import read_write
from vastplan.model.drift import FORMAT_VERSION, Drift
from vastplan.model.errors import VastplanError


def load_drift(path: Path, document: str) -> Drift:
    """The drift check in a file. Raises `VastplanError` for any other content, and for a check of another document."""
    from pydantic import TypeAdapter, ValidationError

    data, version = read_write.read_json(path, f"--since {path}")
    if not version or "drift" not in data:
        raise VastplanError(f"--since {path} is not the output of vastplan drift --format json")
    if not read_write.same_major(version, FORMAT_VERSION):
        raise VastplanError(f"--since {path} has format {version}; this vastplan reads {FORMAT_VERSION}")
    try:
        drift: Drift = TypeAdapter(Drift).validate_python(_without_percentages(data))
    except (ValidationError, TypeError, ValueError, KeyError):
        raise VastplanError(f"--since {path} does not have the form of vastplan drift --format json") from None
    for drifted in drift.drift:
        if drifted.address.count("/") < 2:
            raise VastplanError(f"--since {path}: {drifted.address[:80]!r} is not an address")
    if drift.document != document:
        raise VastplanError(f"--since {path} is of another document ({drift.document[:80]!r})")
    return drift


def _without_percentages(data: Mapping[str, object]) -> dict[str, object]:
    """The data without `percent`, which is computed."""
    coverage = data.get("coverage", ())
    if not isinstance(coverage, list | tuple):
        raise TypeError("coverage is a list")
    rows = [{name: value for name, value in dict(row).items() if name != "percent"} for row in coverage]
    return {**data, "coverage": rows}
