"""The guards' evidence once more, when a plan is carried out: what has grown since then stops what was weighed with less."""

from __future__ import annotations

from vastplan.engine.guards import access, figures
from vastplan.engine.guards.context import GOING
from vastplan.engine.match import Matcher
from vastplan.engine.stale import grown
from vastplan.model.address import Address
from vastplan.model.plan import Action, Plan


def moved(plan: Plan, matcher: Matcher) -> dict[Address, str]:
    """The actions that something has moved under: what hangs on an object, or what is behind it."""
    found = {action.address: _moved(action, matcher) for action in plan.actions if not action.blocked}
    return {address: text for address, text in found.items() if text}


def _moved(action: Action, matcher: Matcher) -> str:
    live = matcher.match(action.address).live
    if live is None:
        return ""
    now = [*figures.weighed(live, matcher)] if action.verb in GOING else []
    if access.lost_clients(action, live.kind, live):
        now += figures.reached(live, matcher)
    then = {one.name: one.value for one in action.evidence}
    for one in now:
        if grown(then.get(one.name, 0), one.value):
            return f"{one.name}: {then.get(one.name, 0)} when the plan was made and {one.value} now; plan again"
    return ""
