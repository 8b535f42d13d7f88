"""What departments and projects have in common: name, quota by node pool, scheduling rules, access."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from vastplan.kinds.runai._access import Access
from vastplan.kinds.runai._common import OrgUnitName
from vastplan.kinds.runai._resources import Amount, Pools, in_bytes, spread, with_units
from vastplan.schema.kind import Row, Values
from vastplan.schema.markers import DOCUMENT, IDENTITY, IMMUTABLE, Clears, Wire
from vastplan.schema.types import MISSING, Span, Spec, Text, VendorName

_UNLIMITED = Clears(None, also=(0,))  # old systems stored zeros, and refuse them now
KEEP = ("description", "schedulingRules", "defaultNodePools", "nodeTypes", "resources")


class SchedulingRules(Spec):
    """How long workloads may run or idle; null lifts a limit. A project can only be stricter than its department.

    They act on workloads that are submitted afterwards.
    """

    interactive_job_time_limit: Annotated[Span | None | MISSING, _UNLIMITED, Wire("interactiveJobTimeLimitSeconds")] = (
        MISSING
    )
    interactive_job_max_idle_duration: Annotated[
        Span | None | MISSING, _UNLIMITED, Wire("interactiveJobMaxIdleDurationSeconds")
    ] = MISSING
    interactive_job_preempt_idle_duration: Annotated[
        Span | None | MISSING, _UNLIMITED, Wire("interactiveJobPreemptIdleDurationSeconds")
    ] = MISSING
    training_job_max_idle_duration: Annotated[
        Span | None | MISSING, _UNLIMITED, Wire("trainingJobMaxIdleDurationSeconds")
    ] = MISSING
    training_job_time_limit: Annotated[Span | None | MISSING, _UNLIMITED, Wire("trainingJobTimeLimitSeconds")] = MISSING


class OrgUnit(Spec):
    """The fields of departments and projects alike."""

    name: Annotated[OrgUnitName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    gpus: Annotated[dict[VendorName, Amount] | MISSING, DOCUMENT] = MISSING
    """Guaranteed GPUs by node pool; short for node_pools."""
    node_pools: Pools = MISSING
    description: Annotated[Text | None | MISSING, Clears("")] = MISSING
    default_node_pools: Annotated[
        Annotated[list[VendorName], Field(min_length=1)] | None | MISSING, Wire("defaultNodePools")
    ] = MISSING
    """Where workloads go that name no node pool, first choice first."""
    scheduling_rules: Annotated[SchedulingRules | None | MISSING, Wire("schedulingRules")] = MISSING
    access: Annotated[Access | MISSING, DOCUMENT] = MISSING
    """Who may do what: a role, and the subjects that have it."""

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, values: Any) -> Any:
        return spread(values)


def finish_encode(body: Row, values: Values) -> Row:
    """Quota in the units of the API; a create must carry some, and zeros among the rules are never sent back."""
    if "name" in body and "resources" not in body:  # the pool may be left out where the cluster has one
        body["resources"] = [{"gpu": {"deserved": 0}}]
    rules = body.get("schedulingRules")
    if rules:
        body["schedulingRules"] = {name: value or None for name, value in rules.items()}
    return with_units(body, values)


def finish_decode(values: Values, row: Row) -> Values:
    """Quota in our units; rules that are all unset are no rules."""
    rules = values.get("scheduling_rules")
    if isinstance(rules, dict) and not any(rules.values()):
        values["scheduling_rules"] = None
    return in_bytes(values, row)
