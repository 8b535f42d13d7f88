"""The time to write a checkpoint at a satellite, whose every write crosses the WAN. Reads only the document."""

from __future__ import annotations

from vastplan.model import formatting
from vastplan.operations.document import Document
from vastplan.operations.modes.global_access.stages import Crossing
from vastplan.operations.plan.pair import Pair


def crossing(document: Document, pair: Pair) -> Crossing | None:
    """The write time from the volume's checkpoint block and the site's bandwidth; `None` without such a block."""
    if not pair.volume or pair.target == pair.origin:
        return None
    found = document.wan_write(pair.volume, pair.target, pair.origin)
    if found is None or isinstance(found, str):
        return None if found is None else Crossing(f"unknown: {found}")
    mode = "async: workloads keep running" if found.asynchronous else "sync: workloads wait"
    size, rate = formatting.size(found.size), formatting.rate(found.rate)
    said = f"{size} take {formatting.span(found.seconds)} at {rate} ({mode})"
    if found.interval is None:
        return Crossing(f"{said}; the interval is unknown")
    said = f"{said}; one is written every {formatting.span(found.interval)}"
    too_long = not found.asynchronous and found.seconds > found.interval
    problem = f"writing a checkpoint over the WAN takes longer than the interval between two: {said}"
    return Crossing(said, problem if too_long else "")
