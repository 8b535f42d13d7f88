"""The volumes of a document that have a `checkpoint`, with their budgets: now, and as they were before a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from vastplan.checks.checkpoint.arithmetic import Budget, compute_budget
from vastplan.checks.checkpoint.document import read_inputs
from vastplan.checks.checkpoint.findings import BudgetFinding, coinciding_findings, volume_findings
from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry

WITH_BUDGET = "volume"
"""The kind whose entries may have a budget."""
_KINDS_WITH_LIMITS = ("view", "qos_policy", "tenant")


@dataclass(frozen=True, slots=True)
class EvaluatedVolume:
    """A volume, its budget (`None` if the inputs contradict each other), and its findings."""

    volume: Entry
    budget: Budget | None
    findings: tuple[BudgetFinding, ...]


def evaluate_volume(volume: Entry, scope: Scope, site: Mapping[str, Any]) -> EvaluatedVolume:
    """The budget of a volume that has a `checkpoint`, from its `read_inputs`.

    Inputs that contradict each other are one finding, CKP-00, instead of figures.
    """
    try:
        budget = compute_budget(read_inputs(volume, scope, site))
    except ValueError as error:
        finding = BudgetFinding("CKP-00", Severity.ERROR, str(error), "correct this: the budget is computed after that")
        return EvaluatedVolume(volume, None, (finding,))
    return EvaluatedVolume(volume, budget, volume_findings(budget))


@lru_cache(maxsize=2)  # every check of checkpoints calls this
def evaluated_volumes(facts: Facts) -> tuple[EvaluatedVolume, ...]:
    """All volumes with a `checkpoint`, in the order of their addresses; what coincides is reported for a site's first one."""
    entries = sorted(
        (entry for entry in facts.written.all(WITH_BUDGET) if "checkpoint" in entry.values),
        key=lambda entry: entry.address,
    )
    by_site: dict[str, list[EvaluatedVolume]] = {}
    for entry in entries:
        site = entry.address.site
        by_site.setdefault(site, []).append(evaluate_volume(entry, facts.scope, facts.capability(site)))
    return tuple(volume for volumes in by_site.values() for volume in _with_coinciding(volumes))


def _with_coinciding(volumes: list[EvaluatedVolume]) -> Iterator[EvaluatedVolume]:
    """The volumes of one site; the first one also has the findings about all of them together."""
    budgets = {item.volume.address.name: item.budget for item in volumes if item.budget is not None}
    first_volume, *others = volumes
    yield EvaluatedVolume(
        first_volume.volume, first_volume.budget, (*first_volume.findings, *coinciding_findings(budgets))
    )
    yield from others


def budget_before(facts: Facts, volume: Entry) -> Budget | None:
    """The budget of the volume with the QoS limits that were read live, before the plan.

    Only limits are live: whatever else a plan changes of a volume, such as its size or its snapshots, is taken from
    the document. `None` for a volume that does not exist yet, or whose limits could not be read.
    """
    site, name = volume.address.site, volume.address.name
    live = facts.before
    if live is None or any((site, kind) not in facts.known for kind in _KINDS_WITH_LIMITS):
        return None
    if "path" in volume.values:
        view = live.on(site, "view").get(name)
        if view is None:
            return None
        volume = volume.standing_for(_with_live_policy(volume, view, live))
    elif Address(site, "persistent_volume_claim", name) not in facts.made:
        return None
    scope = Scope(facts.sites, _with_live_limits(facts, live, site))
    policy = live.get(volume.values.get("qos_policy"))
    if policy is not None:
        scope.add(policy)
    return evaluate_volume(volume, scope, facts.capability(site)).budget


def _with_live_policy(volume: Entry, view: Entry, live: Index) -> dict[str, Any]:
    """The volume's values with the policy that its view has now, in the form that the document uses."""
    policy = live.get(view.values.get("qos_policy"))
    values = volume.without("qos", "qos_policy")
    if policy is None:
        return values
    if "qos" in volume.values and policy.address.name == volume.address.name:
        return {**values, "qos": _without_none(policy.values)}
    return {**values, "qos_policy": Ref(policy.address)}


def _with_live_limits(facts: Facts, live: Index, site: str) -> Iterator[Entry]:
    """The document with the live QoS of its tenants and its live policies; a policy that does not exist yet limits nothing."""
    for entry in facts.written:
        if entry.address.site != site or entry.address.kind not in ("tenant", "qos_policy"):
            yield entry
            continue
        live_entry = live.on(site, entry.address.kind).get(entry.address.name)
        if entry.address.kind == "qos_policy":
            if live_entry is not None:
                yield entry.standing_for({**_without_none(live_entry.values), "tenant": entry.values.get("tenant")})
        else:
            qos = _without_none(live_entry.values).get("qos") if live_entry is not None else None
            yield entry.standing_for({**entry.without("qos"), **({"qos": qos} if qos else {})})


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
