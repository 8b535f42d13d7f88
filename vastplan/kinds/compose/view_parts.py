"""What stands inside a view: its quota, its QoS policy, its snapshots; and the view policy that its tenant implies."""

from collections.abc import Iterable
from typing import Any

from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope

_PARTS = ("quota", "qos", "snapshots")


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values = entry.without(*_PARTS)
    named: dict[str, Any] = {"defaults": entry.defaults}  # as what the view is part of
    name, tenant, path = entry.address.name, values.get("tenant"), values["path"]
    chosen = list(entry.chosen)
    if "view_policy" not in values:
        policy = scope.only(entry, "view_policy", "view_policy", tenant)
        if policy is not None:
            values["view_policy"] = policy
            chosen.append(f"view_policy {policy}, the only one of tenant {tenant}")
    if "BLOCK" in (values.get("protocols") or ()) and "name" not in values:
        values["name"] = name
    qos = entry.values.get("qos")
    if isinstance(qos, dict):
        if "qos_policy" in values:
            scope.refuse(entry, "VP236", "gives both qos and qos_policy", "keep one of them")
        yield entry.part("qos_policy", name, {"policy_type": "VIEW", **qos, "name": name, "tenant": tenant}, **named)
        values["qos_policy"] = entry.ref("qos_policy", name)
    yield entry.standing_for(values, chosen=tuple(chosen))
    after = (entry.address,)
    quota = entry.values.get("quota")
    if isinstance(quota, dict):
        yield entry.part(
            "quota",
            name,
            {"name": name, "tenant": tenant, "path": path, "create_dir": True, **quota},
            after=after,
            **named,
        )
    schedule = entry.values.get("snapshots")
    if isinstance(schedule, Ref):
        protected = {"name": name, "tenant": tenant, "source_dir": path, "protection_policy": schedule}
        yield entry.part(
            "protected_path", name, {**protected, "capabilities": "ASYNC_REPLICATION"}, after=after, **named
        )


COMPOSITION = Composition("view", _compose)
