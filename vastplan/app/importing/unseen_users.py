"""The notes of an import on users that nobody can see now: a rule that an apply creates and enforces also refuses those who come later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vastplan.app.planning.request import Planned
from vastplan.model.address import Address
from vastplan.model.value import from_json, references


def unseen_lines(planned: Planned, creates: Sequence[Address]) -> Iterator[str]:
    """A line, for people, for each rule that an apply creates and enforces."""
    kinds, made = planned.matches.kinds, {*creates}
    actions = [action for action in planned.plan.actions if action.address in made]
    enforced = {
        ref.target
        for action in actions
        if (rule := kinds[action.address.kind].enforces) is not None and rule.enforced(action.desired)
        for ref in references(from_json(action.desired.get(rule.field)))
    }
    for action in actions:
        for closes in kinds[action.address.kind].closes if action.address in enforced else ():
            if action.desired.get(closes.field) is None or action.desired.get(closes.unless) is True:
                continue
            later = f"vastplan cannot see {closes.unseen}" if closes.unseen else "vastplan cannot see what comes later"
            yield f"{action.address} refuses no {closes.name} that exists; {later} ({closes.fix})"
