"""What stands inside a view: its quota, its QoS policy, its snapshots; and the view policy that its tenant implies."""

from collections.abc import Iterable
from typing import Any

from vastplan.kinds.vast.quota import QuotaLimits
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope
from vastplan.schema.recovery import Pieces, Recovered, only

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


_LIMITS = tuple(QuotaLimits.model_fields)
_QUOTA = {"name", "tenant", "path", *_LIMITS}
_PATH = {"name", "tenant", "source_dir", "target_exported_dir", "protection_policy", "capabilities", "remote_tenant"}


def _recover(pieces: Pieces) -> Iterable[Recovered]:
    """A view with those parts that are called as it is, are of it alone, and say no more than can be written there."""
    for view in pieces.of("view"):
        values, parts, site, key = dict(view.values), [view.address], view.address.site, view.address.name
        directory = {"tenant": values.get("tenant"), "path": values["path"]}
        quota = only(pieces.having(site, "quota", **directory))
        if quota is not None and quota.called == key and quota.values.keys() <= _QUOTA:
            limits = {name: quota.values[name] for name in _LIMITS if name in quota.values}
            if limits:
                values["quota"] = limits
                parts.append(quota.address)
        path = only(pieces.having(site, "protected_path", tenant=directory["tenant"], source_dir=directory["path"]))
        if path is not None and path.called == key and path.values.keys() <= _PATH:
            values["snapshots"] = path.values["protection_policy"]
            parts.append(path.address)
        policy = values.get("qos_policy")
        entry = pieces.get(policy.target) if isinstance(policy, Ref) else None
        if (
            entry is not None
            and entry.called == key
            and pieces.referring(entry.address) == [view.address]
            and entry.values.get("policy_type", "VIEW") == "VIEW"
            and entry.values.get("tenant") == directory["tenant"]
        ):
            values["qos"] = entry.without("name", "tenant", "policy_type")
            del values["qos_policy"]
            parts.append(entry.address)
        if len(parts) > 1:
            yield Recovered(view.standing_for(values), tuple(parts))


COMPOSITION = Composition("view", _compose, recover=_recover)
