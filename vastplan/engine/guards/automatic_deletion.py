"""Fields with which a system deletes data automatically, more or sooner than before an action; and the data that exists. Pure.

Kinds declare this with `deleting`, and with `Deletes` of their fields. A change that deletes less loses nothing and is not reported.
"""

from __future__ import annotations

from typing import Any

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.floors import Figure
from vastplan.engine.live.observe import Live
from vastplan.engine.matching import usage
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Verb
from vastplan.model.value import from_json
from vastplan.schema.access import Deleting
from vastplan.schema.kind import Kind, Values
from vastplan.schema.walk import merge_values


@dataclass(frozen=True, slots=True)
class Deletion:
    """The fields by which more is deleted, or sooner, and the figures of use of the object from which it is deleted.

    `used` is `None` where that object cannot be determined.
    """

    fields: tuple[str, ...]
    used: tuple[tuple[str, Figure, str], ...] | None


def deletion(action: Action, context: GuardContext) -> Deletion | None:
    """What the system would delete because of an action; `None` for nothing, also where nothing exists yet or all is empty."""
    kind = context.kind(action)
    rule = kind.deleting
    fields = _fields(action, kind, rule, context.live(action)) if rule is not None else ()
    if rule is None or not fields:
        return None
    ref: Any = from_json(dict(action.desired)).get(rule.of)
    target = ref.target
    if ref.managed:
        made = context.actions.get(target)
        if made is not None and made.verb is Verb.CREATE and not made.deleted_outside:
            return None
        live = context.matches.match(target).live
    else:
        named = context.matches.observed.named(target.site, context.matches.kinds[target.kind], target.name)
        live = named[0] if len(named) == 1 else None
    if live is None:
        return Deletion(fields, None)
    used = tuple(held for held in usage.usage_figures(live, context.dependents) if held[1] != 0)
    return Deletion(fields, used) if used else None


def _fields(action: Action, kind: Kind, rule: Deleting, live: Live | None) -> tuple[str, ...]:
    """The fields by which an action lets the system delete more than before, or sooner, in the order of the kind."""
    if action.verb in (Verb.DELETE, Verb.RELEASE):
        return ()
    stays = live is not None and action.verb is not Verb.REPLACE
    before: Values = dict(live.values) if live is not None and stays else {}
    after = merge_values(kind.fields, before, from_json(dict(action.desired)))
    if after.get(rule.unless) is False:
        return ()
    if before.get(rule.unless) is False:
        before = {rule.unless: False}
    return tuple(
        field.name
        for field in kind.fields
        if field.deletes is not None and field.deletes.more(before.get(field.name), after.get(field.name))
    )
