"""QOS-06: minimums and limits that have no effect."""

from collections.abc import Iterator
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.kinds.vast.cluster import FLOORS
from vastplan.model.finding import Severity
from vastplan.schema.entries import Entry

STRUCTS = ("static_limits", "static_total_limits", "capacity_limits", "capacity_total_limits")


def _limits_set(policy: Entry) -> Iterator[tuple[str, str, int]]:
    for struct in STRUCTS:
        for name, value in (policy.values.get(struct) or {}).items():
            if value:
                yield struct, name, value


def _run(facts: Facts) -> Iterator[Violation]:
    for policy in facts.objects.all("qos_policy"):
        floors = [(struct, name) for struct, name, _ in _limits_set(policy) if name.startswith("min_")]
        mode = policy.values.get("mode", "STATIC")
        for struct, name in floors:
            if mode != "STATIC":
                yield Violation(policy, f"{struct}.{name} needs mode STATIC, and the mode is {mode}")
        if floors and facts.figure(policy.address.site, "vms", FLOORS) == 0:
            text = (
                f"{floors[0][0]}.{floors[0][1]} is set, and this VMS does not keep minimums (min_qos_supported: false)"
            )
            yield Violation(policy, text, "remove the min_* limits on this site")
        total: dict[str, Any] = policy.values.get("static_total_limits") or {}
        for unit in ("bw_mbps", "iops"):
            low, high = total.get(f"min_{unit}"), total.get(f"max_{unit}")
            if low and high and low > high:
                yield Violation(policy, f"static_total_limits.min_{unit} {low} is above max_{unit} {high}")
        yield from _limits_switched_off(policy)


def _limits_switched_off(policy: Entry) -> Iterator[Violation]:
    limit_by, totals = policy.values.get("limit_by"), policy.values.get("use_total_limits")
    for struct, name, _ in _limits_set(policy):
        other = {"BW": "iops", "IOPS": "_mb"}.get(str(limit_by))
        if other is not None and other in name:
            yield Violation(policy, f"{struct}.{name} has no effect with limit_by {limit_by}")
        if "total" in struct and policy.values.get("policy_type") == "USER":
            yield Violation(
                policy, f"{struct}.{name} has no effect: a USER policy has no total limits", "write it in static_limits"
            )
        elif "total" in struct and totals is not True:
            yield Violation(policy, f"{struct}.{name} has no effect without use_total_limits: true")


def _wanted(facts: Facts) -> Iterator[str]:
    for policy in facts.objects.all("qos_policy"):
        if any(name.startswith("min_") for _, name, _ in _limits_set(policy)):
            yield policy.address.site


CHECK = Check(
    code="QOS-06",
    title="a QoS limit that has no effect",
    severity=Severity.ERROR,
    why="VAST does not keep a minimum that it does not support, nor a limit that another setting switches off.",
    fix="set limit_by, mode and use_total_limits to match the limit, or remove the limit",
    source="VMS 5.5 document, qospolicies and vms.min_qos_supported; VAST knowledge base, qospolicy-create",
    run=_run,
    reads=("vms",),
    figures=(FLOORS,),
    wanted=_wanted,
)
