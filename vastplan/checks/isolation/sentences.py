"""Meetings and open ends in sentences, and as the findings of the checks that report them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vastplan.checks.check import Violation
from vastplan.checks.facts import Facts
from vastplan.model.isolation import Meeting, OpenEnd

_SHOWN = 4


def projects_text(projects: tuple[str, ...], everybody: bool) -> str:
    """Projects by name, the first few of many."""
    if everybody:
        return "all projects"
    unlisted = len(projects) - _SHOWN
    return ("projects " if len(projects) > 1 else "project ") + (
        ", ".join(projects[:_SHOWN]) + (f" and {unlisted} more" if unlisted > 0 else "")
    )


def meeting_text(meeting: Meeting) -> str:
    """Who meets where, and how two of them get there."""
    ways = "; ".join(" > ".join(chain) for chain in meeting.chains)
    return f"{who_meets(meeting)} {where_met(meeting)}: {ways}"


def who_meets(meeting: Meeting) -> str:
    """Who meets, up to the place."""
    beneath = ""
    if meeting.inside or meeting.everybody_inside:
        beneath = f" with {projects_text(meeting.inside, meeting.everybody_inside)} beneath it"
    verb = "meets" if not meeting.everybody and len(meeting.projects) == 1 else "meet"
    return f"{projects_text(meeting.projects, meeting.everybody)}{beneath} {verb} in"


def where_met(meeting: Meeting) -> str:
    """Where they meet."""
    of_tenant = meeting.layer in ("path", "S3 user", "bucket")
    return f"{meeting.layer} {meeting.element.replace(':', ' ', 1) if of_tenant else meeting.element}"


def open_end_text(end: OpenEnd) -> str:
    """What cannot be followed, and for which projects."""
    return f"isolation of {projects_text(end.projects, end.everybody)} is not proven: {end.reason}"


def met(facts: Facts, of_layer: Callable[[str], bool]) -> Iterator[Violation]:
    """The findings about meetings in these layers."""
    for proof in facts.isolation.values():
        for meeting in proof.meetings:
            if of_layer(meeting.layer):
                entry = facts.objects.at(meeting.address)
                yield Violation(entry, meeting_text(meeting), group=who_meets(meeting), item=where_met(meeting))
