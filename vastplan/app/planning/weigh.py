"""The stages of the engine: match and diff, read what only some actions need, then order and guard."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import replace

from vastplan.app.planning.named_addresses import named_nowhere
from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.source import LiveSource
from vastplan.engine.deciding.plan import Draft, PlanInputs, build, draft_plan
from vastplan.engine.guards.evidence_reads import reads_beside, second_read
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.names import names_to_read
from vastplan.engine.live.observe import Observed
from vastplan.engine.state.object_states import leaving_objects
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Plan


@dataclass(frozen=True, slots=True)
class Drafted:
    """The draft of a plan's actions, not ordered or guarded yet, and its inputs."""

    inputs: PlanInputs
    draft: Draft


@dataclass(frozen=True, slots=True)
class Weighed:
    """A plan that is not checked yet, and what it was created from."""

    observed: Observed
    plan: Plan
    matches: Matches


def draft_actions(inputs: PlanInputs, options: PlanOptions, sites: Collection[str], types: Collection[str]) -> Drafted:
    """Match and diff, with findings for named addresses that match nothing. `sites` are all sites of the document, `types` the
    kinds that its entries may have."""
    drafted = draft_plan(inputs)
    nowhere = [] if options.again else named_nowhere(options, inputs, drafted, sites, types)
    return Drafted(replace(inputs, findings=(*inputs.findings, *nowhere)), drafted)


def read_evidence(drafted: Drafted, source: LiveSource, systems: Mapping[str, Set[str]]) -> Drafted:
    """Read what only some actions need: what depends on objects to delete, and clients that would lose access; and what says more of
    objects that are going away."""
    inputs = drafted.inputs
    read = inputs.observed.collections.keys()
    evidence = second_read(inputs.kinds, drafted.draft.actions, systems) - read
    leaving = leaving_objects(drafted.draft.matches)
    beside = reads_beside(inputs.kinds, drafted.draft.actions, leaving, systems) - read - evidence
    if not evidence and not beside:
        return drafted
    single = any(inputs.kinds[kind].read_by_name for _, kind in evidence)
    names = names_to_read(inputs.kinds, inputs.entries, inputs.ledger) if single else {}
    observed = inputs.observed.joined(source.observe(evidence | beside, inputs.ledger, names).read_beside(beside))
    return Drafted(replace(inputs, observed=observed), drafted.draft.seeing(observed))


def read_claims(drafted: Drafted, source: LiveSource) -> Drafted:
    """Read what other documents own, if something would be adopted, an object has another document's mark, or the systems have
    further objects of an entry beside the one in the ledger."""
    matches = drafted.draft.matches
    matched = (matches.match(address) for address in (*drafted.draft.actions, *matches.owned))
    if not drafted.draft.beside and not any(
        match.live is not None
        and (match.owned is None or match.live.mark.document not in ("", drafted.inputs.document))
        for match in matched
    ):
        return drafted
    return replace(drafted, inputs=replace(drafted.inputs, claims=source.claims(drafted.inputs.ledger)))


def order_and_guard(drafted: Drafted) -> Weighed:
    """Order the actions and apply the guards."""
    plan, matches = build(drafted.inputs, drafted.draft)
    return Weighed(drafted.inputs.observed, plan, matches)
