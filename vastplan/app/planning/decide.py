"""The stage that decides: match, diff, order and guard, with a second look at what only some actions need to be read for."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from vastplan.app.planning.source import Source
from vastplan.engine.match import Matcher
from vastplan.engine.observe import Observed
from vastplan.engine.plan import PlanInputs, build, second_read
from vastplan.model.plan import Plan


@dataclass(frozen=True, slots=True)
class Decided:
    """A plan that is not checked yet, and all that was observed for it."""

    plan: Plan
    matcher: Matcher
    observed: Observed


def decide(inputs: PlanInputs, source: Source, systems: Mapping[str, Set[str]]) -> Decided:
    """The plan. Where something is to go or to be cut off, what hangs on it is read as evidence, and it is decided with that."""
    draft, matcher = build(inputs)
    evidence = second_read(inputs.kinds, draft.actions, systems) - inputs.observed.collections.keys()
    if not evidence:
        return Decided(draft, matcher, inputs.observed)
    read = source.observe(evidence, inputs.ledger)
    observed = Observed({**inputs.observed.collections, **read.collections})
    plan, matcher = build(replace(inputs, observed=observed))
    return Decided(plan, matcher, observed)
