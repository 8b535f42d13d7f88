"""What somebody has to look at, whatever a plan changes and whatever drifted: paths that are not as the document has them, and objects that
are not well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from vastplan.model.live_state import AILING, ObjectState
from vastplan.model.replication import ASTRAY, WRITTEN_TWICE, Replication, ReplicationState
from vastplan.model.wording import counted


def standing_sentences(replications: Iterable[Replication], states: Iterable[ObjectState]) -> Iterator[str]:
    """`On two sites: 1 failed over (more than one site may be writing), 2 moved.`, `1 object being deleted.`; none if all is well."""
    counts = Counter(row.state for row in replications if row.state in ASTRAY)
    if counts:
        yield f"On two sites: {', '.join(_of_state(state, counts[state]) for state in ReplicationState if counts[state])}."
    ailing = [row for row in states if row.state.condition in AILING]
    going = sum(1 for row in ailing if row.state.going_away)
    if going:
        yield f"{counted(going, 'object')} being deleted."
    if len(ailing) > going:
        yield f"{counted(len(ailing) - going, 'object')} not well."


def _of_state(state: ReplicationState, count: int) -> str:
    return f"{count:,} {state.value}{' (more than one site may be writing)' if state in WRITTEN_TWICE else ''}"
