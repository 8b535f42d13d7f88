"""What a volume's checkpoints take, as values for reports: figures with their units in their names, and one line of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Figure = int | float | str | None


@dataclass(frozen=True, slots=True)
class CheckpointBudget:
    """The budget of one volume. `figures` end in their unit: bytes, bytes a second, seconds, or are shares of 1.

    A figure that is not known is `None`. `curve` holds (interval in seconds, overhead as a share of 1) around the best
    interval; it is empty where none is known. `changes` says what a plan does to the volume's checkpoints.
    """

    address: str
    line: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    curve: tuple[tuple[float, float], ...] = ()
    changes: tuple[str, ...] = ()
