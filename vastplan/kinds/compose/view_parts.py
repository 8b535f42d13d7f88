"""What stands inside a view: its quota, its QoS policy, its snapshots; and the view policy that its tenant implies."""

from collections.abc import Iterable
from typing import Any

from vastplan.kinds.compose.peering import other_site
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope

_PARTS = ("quota", "qos", "snapshots", "names")


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values = entry.without(*_PARTS)
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
        limits = {"policy_type": "VIEW", **qos, "name": _called(entry, "qos_policy"), "tenant": tenant}
        yield entry.part("qos_policy", name, limits, defaults=_defaults(entry, "qos_policy"))
        values["qos_policy"] = entry.ref("qos_policy", name)
    yield entry.standing_for(values, chosen=tuple(chosen))
    after = (entry.address,)
    quota = entry.values.get("quota")
    if isinstance(quota, dict):
        yield entry.part(
            "quota",
            name,
            {"name": _called(entry, "quota"), "tenant": tenant, "path": path, "create_dir": True, **quota},
            after=after,
            defaults=_defaults(entry, "quota"),
        )
    schedule = entry.values.get("snapshots")
    if isinstance(schedule, Ref):
        protected = _protected(entry, scope, schedule)
        yield entry.part("protected_path", name, protected, after=after, defaults=_defaults(entry, "protected_path"))


def _called(entry: Entry, part: str) -> str:
    """What an object of the view is called."""
    name: str = entry.values.get("names", {}).get(part, entry.address.name)
    return name


def _defaults(entry: Entry, part: str) -> tuple[str, ...]:
    """What nobody wrote of an object of the view: as of what the view is part of, but for a name that is written."""
    written = part in entry.values.get("names", {})
    return tuple(field for field in entry.defaults if not (written and field == "name"))


def _protected(entry: Entry, scope: Scope, schedule: Ref) -> dict[str, Any]:
    """The path under its schedule: snapshots here, and replicas on the other site where the schedule replicates."""
    path, tenant = entry.values["path"], entry.values.get("tenant")
    values: dict[str, Any] = {
        "name": _called(entry, "protected_path"),
        "tenant": tenant,
        "source_dir": path,
        "target_exported_dir": path,
        "protection_policy": schedule,
        "capabilities": "ASYNC_REPLICATION",
    }
    policy = scope.get(schedule.target)
    replicate_to = policy.values.get("replicate_to") if policy else None
    peering = scope.get(replicate_to.target) if isinstance(replicate_to, Ref) else None
    if peering is not None and isinstance(tenant, Ref):
        remote = Address(other_site(peering, entry.address.site), "tenant", tenant.target.name)
        if tenant.managed and scope.get(remote) is None:
            scope.refuse(
                entry,
                "VP237",
                f"it replicates to {remote.site}, where tenant {remote.name} is not",
                f"add {remote.site} to its sites",
            )
        values["remote_tenant"] = Ref(remote, managed=tenant.managed)
    return values


COMPOSITION = Composition("view", _compose)
