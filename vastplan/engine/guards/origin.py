"""The guard of objects that get their first data from another object: that must exist, or be created by the same plan."""

from __future__ import annotations

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.matching.originals import originals_of, rules_at_create
from vastplan.model.plan import Action, Block
from vastplan.model.value import from_json
from vastplan.schema.creation import CreatedFrom
from vastplan.schema.kind import Values


def no_origin(action: Action, context: GuardContext) -> Block | None:
    """What an object is to be created from, and does not exist: the system would refuse it during an apply."""
    for rule in rules_at_create(action, context.kind(action)):
        values = from_json(dict(action.desired))
        if not any(_exists(rule, name, values, action.address.site, context) for name in rule.kinds):
            return Block("no-source", *rule.missing(values))
    return None


def _exists(rule: CreatedFrom, name: str, values: Values, site: str, context: GuardContext) -> bool:
    """Whether one of the kind `name` exists, will be created by the plan, or cannot be determined."""
    if context.matches.observed.error(site, name):
        return True
    known = originals_of(context.originals, context.matches, site, rule, name, values)
    return any(rule.fits(values, called, created) for called, created in known)
