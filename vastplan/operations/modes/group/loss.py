"""What several paths lose together: each goes back to a restore point of its own, and the oldest of these stands for all in a consent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from vastplan.model.dataclass import dataclass
from vastplan.model.formatting import span
from vastplan.model.moments import parse_moment
from vastplan.model.operation_plan import Fact
from vastplan.operations.ends import Ends
from vastplan.operations.plan.ages import age_text

Points: TypeAlias = Mapping[str, Mapping[str, str]]
"""The restore point of each path, by the address of the path: its guid and time."""


@dataclass(frozen=True, slots=True)
class GroupLoss:
    """The loss of all paths. `oldest` is the one of the restore points that a consent names; `facts` are a line for each path."""

    oldest: Mapping[str, str]
    points: Points
    text: str
    facts: tuple[Fact, ...] = ()


def loss_of(points: Points, ends: Mapping[str, Ends]) -> GroupLoss:
    """The loss if each path goes back to its restore point. `ends` are those of each path, by its address."""
    path = min(points, key=lambda path: (points[path]["created"], path))
    oldest = points[path]
    text = (
        f"all that was written to each of {len(points)} paths after its restore point, an unknown number of bytes; the oldest is "
        f"{oldest['guid']} of {path}, as of {oldest['created']}, {age_text(ends[path], oldest['created'])}"
    )
    facts = (
        Fact(
            f"{path}: goes back to",
            f"{point['guid']} as of {point['created']}, {age_text(ends[path], point['created'])}{_later(point, oldest)}",
        )
        for path, point in points.items()
    )
    return GroupLoss(oldest, points, text, tuple(facts))


def _later(point: Mapping[str, str], oldest: Mapping[str, str]) -> str:
    """How much later a restore point was taken than the oldest."""
    if point == oldest:
        return ", the oldest: it stands for all in the consent"
    taken, first = parse_moment(point["created"]), parse_moment(oldest["created"])
    if taken is None or first is None or taken == first:
        return ""
    return f", {span((taken - first).total_seconds())} later than the oldest"
