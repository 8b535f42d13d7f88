"""The stages that decide: match, diff, order and guard; then once more where actions came out that need evidence."""

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
    """A plan that is not checked yet, and what it was made from."""

    inputs: PlanInputs
    plan: Plan
    matcher: Matcher

    @property
    def observed(self) -> Observed:
        """All that was read for it."""
        return self.inputs.observed


def decide(inputs: PlanInputs) -> Decided:
    """Match, diff, order, guard."""
    plan, matcher = build(inputs)
    return Decided(inputs, plan, matcher)


def decide_on_evidence(draft: Decided, source: Source, systems: Mapping[str, Set[str]]) -> Decided:
    """Read what only some actions need to be read for (what hangs on objects that are to go, who is cut off), and decide
    with that; the draft itself where there is nothing of the kind."""
    inputs = draft.inputs
    evidence = second_read(inputs.kinds, draft.plan.actions, systems) - inputs.observed.collections.keys()
    if not evidence:
        return draft
    read = source.observe(evidence, inputs.ledger)
    return decide(replace(inputs, observed=Observed({**inputs.observed.collections, **read.collections})))
