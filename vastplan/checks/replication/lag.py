"""REP-17: a copy that is further behind than its schedule allows."""

from collections.abc import Iterator
from datetime import datetime

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model import formatting
from vastplan.model.finding import Severity
from vastplan.model.moments import parse_moment
from vastplan.model.units import SECONDS, show_amount
from vastplan.schema.entries import Entry

_SHORT = 7200  # seconds


def _run(facts: Facts) -> Iterator[Violation]:
    for path, newest, lag, shortest in _late(facts):
        text = (
            f"the newest snapshot is of {newest:%Y-%m-%d %H:%M}, the newest one at the destination "
            f"is {_long(lag)} older, and one is due every {show_amount(shortest, SECONDS)}"
        )
        yield Violation(path, text)


def _long(seconds: int) -> str:
    """Exact for short spans, else rounded."""
    return show_amount(seconds, SECONDS) if seconds < _SHORT else formatting.span(seconds)


def late(facts: Facts) -> dict[str, str]:
    """The paths that are further behind than their schedule allows, by address, in a few words; waived ones, too."""
    return {
        str(path.address): f"{_long(lag)} behind, and one is due every {show_amount(shortest, SECONDS)}"
        for path, _, lag, shortest in _late(facts)
    }


def _late(facts: Facts) -> Iterator[tuple[Entry, datetime, int, int]]:
    """Each late path, when its newest snapshot was taken, by how many seconds the newest arrived one is older, and its shortest frame."""
    for path in facts.objects.all("protected_path"):
        policy = facts.objects.get(path.values.get("protection_policy"))
        if policy is None or "remote_tenant" not in path.values:
            continue
        shortest = min(frame["every"] for frame in policy.values["frames"])
        for live in facts.seen.get((path.address.site, "protected_path"), ()):
            if live.address != path.address:
                continue
            taken, arrived = (
                parse_moment(live.attributes.get(name)) for name in ("newest_snapshot", "newest_restore_point")
            )
            if taken is None or arrived is None:
                continue
            lag = int((taken - arrived).total_seconds())
            if lag > shortest:
                yield path, taken, lag, shortest


def _wanted(facts: Facts) -> Iterator[str]:
    for path in facts.objects.all("protected_path"):
        if "remote_tenant" in path.values:
            yield path.address.site


CHECK = Check(
    code="REP-17",
    title="a copy that is further behind than its schedule allows",
    severity=Severity.WARNING,
    why="A failover now would lose more than the schedule allows: all writes since the newest snapshot at the destination.",
    fix="check the state of the path and of its peer in VMS and the bandwidth between the sites, or write a longer every",
    source="VMS 5.5 document, protectedpaths.last_snapshot_creation_time and last_restore_point_creation_time",
    run=_run,
    reads=("protected_path",),
    wanted=_wanted,
)
