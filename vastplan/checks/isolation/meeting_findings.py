"""The findings about meetings, for the two checks that report them: those in log-ins, and all others."""

from collections.abc import Callable, Iterator

from vastplan.checks.check import Violation
from vastplan.checks.facts import Facts
from vastplan.checks.isolation.sentences import meeting_text, where_met, who_meets


def met(facts: Facts, of_layer: Callable[[str], bool]) -> Iterator[Violation]:
    """The findings about meetings in these layers."""
    for proof in facts.isolation.values():
        for meeting in proof.meetings:
            if of_layer(meeting.layer):
                entry = facts.objects.at(meeting.address)
                yield Violation(entry, meeting_text(meeting), group=who_meets(meeting), item=where_met(meeting))
