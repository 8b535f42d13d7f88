"""Shared parts of departments and projects: name, quota by node pool, scheduling rules, access."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from vastplan.kinds.runai._access import Access
from vastplan.kinds.runai._common import OrgUnitName
from vastplan.kinds.runai._resources import Amount, Pools, in_bytes, spread, with_units
from vastplan.schema.kind import Row, Values
from vastplan.schema.markers import DOCUMENT, IDENTITY, IMMUTABLE, Clears, Wire
from vastplan.schema.types import MISSING, Span, Spec, Text, VendorName

_UNLIMITED = Clears(None, also=(0,))  # old systems stored zeros, which are refused now
KEEP = ("description", "schedulingRules", "defaultNodePools", "nodeTypes", "resources")


def _distinct(names: list[str]) -> list[str]:
    """The names, in their order. Raises `ValueError` for one that is given twice."""
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise ValueError(f"{twice} is given twice")
    return names


class SchedulingRules(Spec):
    """How long workloads may run or idle; null lifts a limit. A project can only be stricter than its department.

    The rules apply to workloads that are submitted afterwards.
    """

    interactive_job_time_limit: Annotated[Span | None | MISSING, _UNLIMITED, Wire("interactiveJobTimeLimitSeconds")] = (
        MISSING
    )
    """Longest time that a workspace may run, in seconds or as `12h`; null for no limit."""
    interactive_job_max_idle_duration: Annotated[
        Span | None | MISSING, _UNLIMITED, Wire("interactiveJobMaxIdleDurationSeconds")
    ] = MISSING
    """Longest time that the GPUs of a non-preemptible workspace may idle, in seconds or as `12h`; null for no limit."""
    interactive_job_preempt_idle_duration: Annotated[
        Span | None | MISSING, _UNLIMITED, Wire("interactiveJobPreemptIdleDurationSeconds")
    ] = MISSING
    """Longest time that the GPUs of a preemptible workspace may idle, in seconds or as `12h`; null for no limit."""
    training_job_max_idle_duration: Annotated[
        Span | None | MISSING, _UNLIMITED, Wire("trainingJobMaxIdleDurationSeconds")
    ] = MISSING
    """Longest time that the GPUs of a training may idle, in seconds or as `12h`; null for no limit."""
    training_job_time_limit: Annotated[Span | None | MISSING, _UNLIMITED, Wire("trainingJobTimeLimitSeconds")] = MISSING
    """Longest time that a training may run, in seconds or as `12h`; null for no limit."""


class OrgUnit(Spec):
    """The fields of departments and projects alike."""

    name: Annotated[OrgUnitName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    """Name of the project or department in Run:AI, where it is not the entry's key."""
    gpus: Annotated[dict[VendorName, Amount] | MISSING, DOCUMENT] = MISSING
    """Guaranteed GPUs by node pool, such as `{default: 64}`. Short form of `node_pools`, which it excludes."""
    node_pools: Pools = MISSING
    """Quotas of GPUs, CPU and memory by node pool. Node pools that are not written keep theirs. Excludes `gpus`."""
    description: Annotated[Text | None | MISSING, Clears("")] = MISSING
    """Description that Run:AI shows with the project or department; null for none."""
    default_node_pools: Annotated[
        Annotated[list[VendorName], Field(min_length=1), AfterValidator(_distinct)] | None | MISSING,
        Wire("defaultNodePools"),
    ] = MISSING
    """Node pools for workloads that name none, first choice first; null for none."""
    scheduling_rules: Annotated[SchedulingRules | None | MISSING, Wire("schedulingRules")] = MISSING
    """Limits on how long workloads may run or idle; null for none."""
    access: Annotated[Access | MISSING, DOCUMENT] = MISSING
    """Roles by name, each with its subjects. Text with an `@` is a user, other text a group of the single sign-on."""

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, values: Any) -> Any:
        return spread(values)


def finish_encode(body: Row, values: Values) -> Row:
    """Quota in the units of the API, which a create must contain; zeros in the scheduling rules are never sent back."""
    if "name" in body and "resources" not in body:  # the pool may be left out where the cluster has one
        body["resources"] = [{"gpu": {"deserved": 0}}]
    rules = body.get("schedulingRules")
    if rules:
        body["schedulingRules"] = {name: value or None for name, value in rules.items()}
    return with_units(body, values)


def finish_decode(values: Values, row: Row) -> Values:
    """Quota in the document's units; scheduling rules that are all unset are null."""
    rules = values.get("scheduling_rules")
    if isinstance(rules, dict) and not any(rules.values()):
        values["scheduling_rules"] = None
    return in_bytes(values, row)
