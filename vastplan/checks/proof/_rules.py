"""What closes a way around the chain, rule by rule: each looks at one element and says what decides, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from vastplan.checks.proof._surroundings import Surroundings, WayTarget
from vastplan.checks.proof._ways import ENFORCE, Way
from vastplan.checks.proof.class_access import Projects, reference_name
from vastplan.kinds.kubernetes._rules import GUARD, QUEUE, SOURCES
from vastplan.model.dataclass import dataclass
from vastplan.model.isolation import WayState
from vastplan.model.wording import some
from vastplan.schema.entries import Entry

_ANY = {"*", "*.*.*.*", "0.0.0.0/0", "::/0"}  # texts that let in every host


@dataclass(frozen=True, slots=True)
class WayAnswer:
    """What a rule says: what becomes of the way, why, and the objects that decide. `projects` are those whose data an open or shared way
    leads to, `to` those that reach it; `None` is all. Without a state, the way does not lead to the element at all.
    """

    state: WayState | None
    reason: str = ""
    by: tuple[str, ...] = ()
    projects: Projects = ()
    to: Projects = ()
    ranges: tuple[str, ...] = ()
    fix: str = ""


Rule = Callable[[Surroundings, Way, WayTarget], WayAnswer | None]
_NOT_ATTACKED = WayAnswer(None)


def nothing_closes(way: Way, target: WayTarget, entries: Iterable[Entry]) -> WayAnswer:
    """The way is open to every project."""
    return WayAnswer(WayState.OPEN, way.otherwise, _addresses(entries), target.projects, None, fix=way.fix)


def _audited(policies: Iterable[Entry], projects: Projects) -> WayAnswer:
    return WayAnswer(WayState.OPEN, "seen, not enforced", _addresses(policies), projects, None, fix=ENFORCE)


def _closed(reason: str, *entries: Entry) -> WayAnswer:
    return WayAnswer(WayState.CLOSED, reason, _addresses(entries))


def _shared(reason: str, entries: Iterable[Entry], projects: Projects, to: Projects) -> WayAnswer:
    return WayAnswer(WayState.SHARED, reason, _addresses(entries), projects, to)


def _assumed(reason: str, entries: Iterable[Entry], ranges: Iterable[str]) -> WayAnswer:
    return WayAnswer(WayState.ASSUMED, reason, _addresses(entries), ranges=tuple(ranges))


def _addresses(entries: Iterable[Entry]) -> tuple[str, ...]:
    return tuple(sorted({str(entry.address) for entry in entries}))


def class_policy(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """An admission policy for the class."""
    if target.entry.address.kind != "storage_class":
        return _NOT_ATTACKED  # not managed: the chain has an open end
    policies = around.closing.get(target.name)
    if policies:
        allowed = around.projects_in(around.open_to[target.name])
        if len(allowed) < 2:
            return _closed("admission policies of the classes", *policies)
        return _shared("its class is open to them", policies, allowed, allowed)
    opened = around.opened.get(target.name)
    return _shared("its class is open to every namespace", [opened], None, None) if opened else None


def class_audit(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """An admission policy that sees and refuses nobody."""
    if target.name not in around.meant_for:
        return None
    return _audited(around.reporting[target.name], around.projects_in(around.meant_for[target.name]))


def class_quota(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """Resource quotas of zero in the other namespaces."""
    quota = around.quotas.get(target.name)
    if quota is None:
        return None
    projects = around.projects_in(around.open_to[target.name])
    if len(projects) < 2:
        return _closed("resource quotas of 0, which namespaces created later do not have", quota)
    return _shared("no resource quota keeps them out of its class", [quota], projects, projects)


def volumes_refused(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """An admission policy that refuses what the way needs in pods."""
    needs = way.needs or _NEEDED_BY_SOURCES.get(target.entry.address.kind, ())
    refusing = [policy for name in needs if (policy := around.refused.get(name)) is not None]
    if not refusing or len(refusing) < len(needs):
        return None
    to = tuple(name for name in around.queueless if (name,) != target.projects)
    if to and not {*SOURCES}.isdisjoint(needs):  # these are refused in namespaces of projects only
        if not way.fix:
            return None  # the next rule decides
        lost = f"their namespaces have no label {QUEUE}, so the admission policy for pods does not hold them"
        label = "; ".join(f"kubectl label namespace {around.namespaces[name]} {QUEUE}={name}" for name in to)
        return WayAnswer(WayState.OPEN, lost, _addresses(refusing), target.projects, to, fix=label)
    return _closed("admission policy for pods", *refusing)


def volumes_audit(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """An admission policy that sees what the way needs, and refuses nobody; without one nothing does, in any namespace."""
    seen = [around.refused.get(name) or around.reported.get(name) for name in way.needs]
    return _audited(filter(None, seen), target.projects) if all(seen) else nothing_closes(way, target, ())


def by_system(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """A system itself."""
    return _closed(way.system)


def unseen(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """Nothing that vastplan can see."""
    return _assumed(way.otherwise, (), ())


def pod_security(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The label by which Kubernetes itself refuses pods that reach their node."""
    if around.unguarded is None:
        return None
    if not around.unguarded:
        return _closed("Pod Security, by the label of each namespace")
    return _assumed(
        f"something else than Pod Security refuses them in {some(around.unguarded, 3)}: no label {GUARD}: baseline",
        (),
        (),
    )


def servers_of_others(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """A volume or class of another driver whose server is an address of the VIP pool."""
    found, to = list[Entry](), set[str]()
    everybody = False
    for entry in around.on_addresses(target.entry) if target.entry.address.kind == "vip_pool" else ():
        claimed = entry.values.get("claim_namespace")
        projects = (
            None
            if claimed is None
            else around.projects_by_namespace.get(reference_name(claimed, around.namespaces), ())
        )
        if projects is None or target.projects is None or not {*projects} <= {*target.projects}:
            found.append(entry)
            everybody = everybody or projects is None
            to.update(projects or ())
    if not found:
        return None
    whom = None if everybody else tuple(sorted(to))
    reason = "volumes or classes of other drivers name its server, or the directory of volumes on a node"
    return WayAnswer(WayState.OPEN, reason, _addresses(found), target.projects, whom, fix=way.fix)


def claim_reference(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The claim that a static volume is for."""
    if target.layer != "volume":
        return None
    if target.entry.values.get("claim_namespace") is not None:
        return _closed("the claim that each volume is for", target.entry)
    owned = replace(target, projects=around.owners_of_volume(target.entry))
    return nothing_closes(way, owned, [target.entry])


def cloned_for(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """A clone in the directory of another project than that of its source."""
    values = target.entry.values
    tenant = values.get("source_tenant") or values.get("tenant")
    sources = around.owners(tenant, str(values.get("source")))
    copies = around.owners(values.get("tenant"), str(values.get("path")))
    if not sources or set(copies) <= set(sources):
        return _NOT_ATTACKED
    return _shared("a declared copy", [target.entry], sources, copies)


def data_volume_scopes(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The projects that a data volume is shared with."""
    values = target.entry.values
    if values.get("shared_with_cluster") is True:
        return _shared("a data volume for every project", [target.entry], target.projects, None)
    shared = {reference_name(ref, {}) for ref in values.get("shared_with_projects") or ()}
    shared.update(around.projects_of(values.get("shared_with_departments") or ()))
    shared.difference_update(target.projects or ())
    if shared:
        return _shared("a data volume for them", [target.entry], target.projects, tuple(sorted(shared)))
    return _closed("data volumes that are not shared", target.entry)


def asset_scope(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The projects that may use a data source of a department or the cluster."""
    values = target.entry.values
    if values.get("scope") == "cluster":
        return _shared("a data source for every project", [target.entry], None, None)
    if values.get("department") is not None:
        projects = around.projects_of([values["department"]])
        return _shared("a data source for the department", [target.entry], projects, projects)
    return _NOT_ATTACKED


def secret_namespace(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """A Secret in the namespace of a project, whose pods can have it."""
    inside = around.projects_by_namespace.get(target.name.partition("/")[0], ())
    if not inside:
        return None
    if target.projects is not None and set(target.projects) <= set(inside):
        return _closed("a Secret in the namespace of its own project", target.entry)
    return replace(nothing_closes(way, target, [target.entry]), to=inside)


def pools_listed(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The VIP pools that a view policy allows."""
    if target.entry.address.kind != "view_policy":
        return _NOT_ATTACKED
    refs = [ref for field in ("vip_pools", "vip_pools_read_only") for ref in target.entry.values.get(field) or ()]
    common = [pool for pool in map(around.objects.get, refs) if pool is not None and pool.values.get("tenant") is None]
    if common:
        return nothing_closes(way, target, common)
    return _closed("VIP pools that the view policies list", target.entry) if refs else None


def pools_of_tenants(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The tenant of each VIP pool."""
    if around.common_pools:
        return nothing_closes(way, target, around.common_pools)
    return _closed("each VIP pool serves one tenant", *around.pools_of(target.entry.values.get("tenant")))


def hosts_listed(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The hosts of the view policies: those of the element itself, or of the NFS views around and below a directory."""
    if target.layer == "view policy":
        policies = [target.entry] if target.entry.address.kind == "view_policy" else []
    else:
        policies = around.exported_by(target.tenant, target.path)
    unlisted = [policy for policy in policies if not _ANY.isdisjoint(_hosts(policy, "nfs"))]
    if unlisted:
        ranges = (text for policy in unlisted for text in around.ranges_of_policy(policy))
        return _assumed("any host may mount", unlisted, ranges)
    return _closed("hosts that the view policies list", *policies) if policies else _NOT_ATTACKED


def _hosts(policy: Entry, protocol: str) -> list[str]:
    """The hosts that may read by a protocol; VMS opens a list that is left out to every host."""
    listed = policy.values.get(f"{protocol}_read_write", ["*"])
    return [*(listed or ()), *(policy.values.get(f"{protocol}_read_only") or ())]


def by_network(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The network around a VIP pool."""
    reason = "the network keeps pods away"
    if target.entry.address.kind != "vip_pool":  # not managed
        return _assumed(reason, (), [f"VIP pool {target.name}"])
    return _assumed(reason, [target.entry], [around.ranges(target.entry)])


def block_network(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The network around the VIP pool of a class of the block driver."""
    if target.entry.values.get("driver") != "block":
        return _NOT_ATTACKED
    pool = around.objects.get(target.entry.values.get("vip_pool"))
    return _assumed("a host is known by its NQN alone", [target.entry], [around.ranges(pool)] if pool else ())


def shares_restricted(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """The access list of an SMB share, or the hosts that may use it."""
    views = around.shares.near(target.tenant, target.path)
    loose = [view for view in views if not _restricted(around, view)]
    if loose:
        return nothing_closes(way, target, loose)
    return _closed("access lists or hosts of SMB shares", *views) if views else _NOT_ATTACKED


def _restricted(around: Surroundings, view: Entry) -> bool:
    acl, policy = view.values.get("share_acl"), around.objects.get(view.values.get("view_policy"))
    entries = (acl.get("acl") or ()) if isinstance(acl, dict) else ()
    everyone = any("everyone" in str(entry).lower() or "S-1-1-0" in str(entry) for entry in entries)
    enabled = isinstance(acl, dict) and acl.get("enabled") is True and not everyone
    return enabled or (policy is not None and _ANY.isdisjoint(_hosts(policy, "smb")))


def keys_needed(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer | None:
    """Whether a bucket can be read without a key: the bucket itself, or one below a directory."""
    bucket = target.layer == "bucket"
    views = [target.entry] if bucket else around.buckets.near(target.tenant, target.path)
    anonymous = [view for view in views if view.values.get("allow_s3_anonymous_access") is True]
    if anonymous:
        return nothing_closes(way, target, anonymous)
    return _closed("every request needs a key", *views) if views else _NOT_ATTACKED


_NEEDED_BY_SOURCES = {"nfs_data_source": ("nfs",), "host_path_data_source": ("hostPath",)}
RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        class_policy, class_audit, class_quota, volumes_refused, volumes_audit, by_system, unseen, claim_reference, cloned_for,
        pod_security, servers_of_others, data_volume_scopes, asset_scope, secret_namespace, pools_listed, pools_of_tenants, hosts_listed, by_network,
        block_network, shares_restricted, keys_needed,
    )
}  # fmt: skip
