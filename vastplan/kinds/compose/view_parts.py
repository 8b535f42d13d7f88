"""The parts that are written inside a view: its quota, QoS policy, snapshots and lifecycle rules; and the view policy of its
tenant.

A view that two sites share is created on both, and replicated by a protected path on the active site.
"""

from collections.abc import Iterable
from dataclasses import replace

from vastplan.kinds.compose._people import user_of
from vastplan.kinds.compose._two_sites import path_between, shared
from vastplan.kinds.vast._two_sites import SHARED
from vastplan.kinds.vast.quota import QuotaRules
from vastplan.kinds.vast.s3_lifecycle_rule import LifecycleRule
from vastplan.model.address import Address
from vastplan.model.natural_order import natural
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered, only

_PARTS = ("quota", "qos", "snapshots", "lifecycle", "names", "active", *SHARED)
_OF_ITS_DIRECTORY = ("create_dir_mode", "owner", "owning_group")
"""The fields with which a view creates its directory. On the site of a copy the protected path creates it."""


_LIMITS = tuple(QuotaRules.model_fields)
_RULE = {"view", *LifecycleRule.model_fields}
_QUOTA = {"name", "tenant", "path", *_LIMITS}
_PATH = {
    "name",
    "tenant",
    "source_dir",
    "target_exported_dir",
    "protection_policy",
    "capabilities",
    "remote_tenant",
    "peer",
}


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values = entry.without(*_PARTS)
    name, tenant, path = entry.address.name, values.get("tenant"), values["path"]
    chosen = list(entry.chosen)
    if "view_policy" not in values:
        policy = scope.only(entry, "view_policy", "view_policy", tenant)
        if policy is not None:
            values["view_policy"] = policy
            chosen.append(f"view_policy {policy}, the only one of tenant {tenant}")
    among = shared(entry, scope)
    active = among is None or among.is_active(entry.address.site)
    if not active:
        values = {field: value for field, value in values.items() if field not in _OF_ITS_DIRECTORY}
        values["create_dir"] = False
    if "BLOCK" in (values.get("protocols") or ()) and "name" not in values:
        values["name"] = name
    qos = entry.values.get("qos")
    if isinstance(qos, dict):
        if "qos_policy" in values:
            scope.refuse(entry, "VP236", "gives both qos and qos_policy", "keep one of them")
        limits = {"policy_type": "VIEW", **qos, "name": _called(entry, "qos_policy"), "tenant": tenant}
        yield entry.part("qos_policy", name, limits, defaults=_defaults(entry, "qos_policy"))
        values["qos_policy"] = entry.ref("qos_policy", name)
    owner, first = values.get("bucket_owner"), entry.after
    if isinstance(owner, str) and isinstance(tenant, Ref):  # VMS refuses an owner who does not exist
        user = user_of(entry.address.site, tenant, owner, scope)
        first = (*first, user.address) if user is not None else first
        if user is None:
            entry = replace(entry, goes_by=(Ref(Address(entry.address.site, "user", owner), managed=False),))
    yield entry.standing_for(values, chosen=tuple(chosen), after=first)
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
    for rule in entry.values.get("lifecycle") or ():
        yield entry.part("s3_lifecycle_rule", f"{name}/{rule['name']}", {**rule, "view": entry.ref("view", name)})
    if among is not None and active:
        remote = among.copy.values
        yield path_between(entry, among, values["tenant"], remote["tenant"], path, remote["path"])
    schedule = entry.values.get("snapshots")
    if isinstance(schedule, Ref):
        protected = {"tenant": tenant, "source_dir": path, "protection_policy": schedule}
        yield entry.part(
            "protected_path",
            name,
            {"name": _called(entry, "protected_path"), **protected, "capabilities": "ASYNC_REPLICATION"},
            after=after,
            defaults=_defaults(entry, "protected_path"),
        )


def _called(entry: Entry, part: str) -> str:
    """The name of an object of the view."""
    name: str = entry.values.get("names", {}).get(part, entry.address.name)
    return name


def _defaults(entry: Entry, part: str) -> tuple[str, ...]:
    """The fields of one of the view's objects that nobody wrote: those of the view's entry, except a name that `names` gives."""
    written = part in entry.values.get("names", {})
    return tuple(field for field in entry.defaults if not (written and field == "name"))


def _recover(pieces: Pieces) -> Iterable[Recovered]:
    """A view with the parts that only it uses and that can be written inside it, and with `names` for parts of another name."""
    for view in pieces.of("view"):
        values, parts, site, key = dict(view.values), [view.address], view.address.site, view.address.name
        directory, names = {"tenant": values.get("tenant"), "path": values["path"]}, dict[str, str]()
        quota = only(pieces.having(site, "quota", **directory))
        if quota is not None and quota.values.keys() <= _QUOTA:
            limits = {name: quota.values[name] for name in _LIMITS if name in quota.values}
            if limits:
                values["quota"], names["quota"] = limits, quota.called
                parts.append(quota.address)
        path = only(pieces.having(site, "protected_path", tenant=directory["tenant"], source_dir=directory["path"]))
        if path is not None and "protection_policy" in path.values and path.values.keys() <= _PATH:
            values["snapshots"], names["protected_path"] = path.values["protection_policy"], path.called
            parts.append(path.address)
        policy = values.get("qos_policy")
        entry = pieces.get(policy.target) if isinstance(policy, Ref) else None
        if entry is not None and not pieces.known(entry.address) and _is_of(pieces, entry, view):
            values["qos"] = entry.without("name", "tenant", "policy_type")
            del values["qos_policy"]
            parts.append(entry.address)
        rules = pieces.having(site, "s3_lifecycle_rule", view=Ref(view.address))
        if rules and all(rule.values.keys() <= _RULE for rule in rules):
            named_rules = ({"name": rule.called, **rule.without("view", "name")} for rule in rules)
            values["lifecycle"] = sorted(named_rules, key=lambda rule: natural(rule["name"]))
            parts += [rule.address for rule in rules]
        names = {part: name for part, name in names.items() if name != key}
        if len(parts) > 1:
            yield Recovered(view.standing_for({**values, **({"names": names} if names else {})}), tuple(parts))


def _is_of(pieces: Pieces, policy: Entry, view: Entry) -> bool:
    """Whether a QoS policy has the name of the view, and only the view uses it."""
    return policy.called == view.address.name and pieces.referring(policy.address) == [view.address]


COMPOSITION = Composition("view", _compose, recover=_recover, rank=2, chooses=frozenset({"view_policy"}))
