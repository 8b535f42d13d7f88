"""The budget of a volume's checkpoints, as values for reports: figures with their units in their names, and one line of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vastplan.model.dataclass import dataclass

Figure = int | float | str | None


@dataclass(frozen=True, slots=True)
class CheckpointBudget:
    """The budget of one volume. The names in `figures` end in the unit: bytes, bytes per second, seconds, or a share of 1.

    An unknown figure is `None`. `curve` holds pairs (interval in seconds, overhead as a share of 1) around the best interval;
    it is empty where the best interval is not known. `changes` says what a plan does to the volume's checkpoints.
    """

    address: str
    line: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    curve: tuple[tuple[float, float], ...] = ()
    changes: tuple[str, ...] = ()
