"""The parts of a check for drift under their headings, which are the same in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vastplan.model.drift import Coverage, Drift, DriftedObject
from vastplan.model.escaping import inert
from vastplan.report.values import counted

UNKNOWN, UNMANAGED, COVERAGE = "Unknown: what could not be read", "Nobody manages", "Coverage"
IGNORED = "Ignored by rules of the document"
_TITLES = {
    "opens": "lets somebody in",
    "gone": "gone",
    "replaced": "deleted and recreated",
    "undelivered": "value missing where it was delivered",
    "changed": "changed outside vastplan",
}


def drift_groups(drift: Drift) -> Iterator[tuple[str, Sequence[DriftedObject]]]:
    """A heading and its objects: what lets somebody in first. What is new comes before all that an earlier check had found."""
    prefixed = (
        (("New: ", drift.news()), ("Found before: ", drift.earlier())) if drift.compared_with else (("", drift.news()),)
    )
    for prefix, objects in prefixed:
        for what, title in _TITLES.items():
            group = [drifted for drifted in objects if what == ("opens" if drifted.opens else drifted.what)]
            if group:
                yield prefix + (title if prefix else title.capitalize()), group


def unmanaged_title(drift: Drift) -> str:
    """The heading of the objects that nobody manages."""
    return f"New: {UNMANAGED.lower()}" if drift.compared_with else UNMANAGED


def gone_title(drift: Drift) -> str:
    """The heading of the drift that an earlier check had found."""
    return f"Not found any more since {inert(drift.compared_with, 40)}"


def partial_coverage(drift: Drift) -> list[Coverage]:
    """The kinds of which somebody should manage more."""
    return [coverage for coverage in drift.coverage if coverage.unmanaged]


def full_coverage(drift: Drift) -> str:
    """One line about the kinds of which nothing is left to manage; "" for none."""
    whole = [coverage for coverage in drift.coverage if not coverage.unmanaged]
    objects = counted(sum(coverage.managed for coverage in whole), "object")
    if not whole:
        return ""
    other = "other " if partial_coverage(drift) else ""
    return f"Managed in full: {objects} in {counted(len(whole), other + 'collection')}."
