"""Volumes, views and buckets that two sites share: which site is active, what replicates them, and where a schedule runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.kinds.compose.peering import peer_at
from vastplan.kinds.vast._two_sites import SHARED
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry

REPLICATE, GLOBAL_ACCESS, SYNCHRONOUS = SHARED
SHARING = ("volume", "view", "bucket")
"""The types of entries that two sites may share."""
_USERS = (
    ("view", "snapshots"), ("bucket", "snapshots"), ("volume", "snapshots"), ("protected_path", "protection_policy"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shared:
    """One directory on two sites: `active` is the entry of the site that writes, `copy` that of the other site."""

    active: Entry
    copy: Entry
    link: Entry
    """The replication peer between the two sites."""

    def is_active(self, site: str) -> bool:
        """Whether a site is the one that writes."""
        return self.active.address.site == site


def sites_of(entry: Entry, scope: Scope) -> dict[str, Entry]:
    """The same entry of the document on all its sites, by site. Entries of one name inside two tenants are two entries."""
    entries = ((site, scope.get(entry.address._replace(site=site))) for site in sorted(scope.sites))
    return {site: other for site, other in entries if other is not None and _container(other) == _container(entry)}


def _container(entry: Entry) -> tuple[str, str] | None:
    """The kind and name of the entry that contains it in the document."""
    return (entry.inside.container.kind, entry.inside.container.name) if entry.inside is not None else None


def shared(entry: Entry, scope: Scope) -> Shared | None:
    """How two sites share an entry; `None` if they do not, or if that is refused."""
    if entry.values.keys().isdisjoint(SHARED):
        return None
    by_site = sites_of(entry, scope)
    link = _link(entry, by_site, scope)
    if isinstance(link, tuple):
        if entry.address.site == min(by_site):  # reported once
            scope.refuse(entry, *link)
        return None
    active = entry.values["active"]
    return Shared(by_site.pop(active), next(iter(by_site.values())), link)


def _link(entry: Entry, by_site: Mapping[str, Entry], scope: Scope) -> Entry | tuple[str, str, str]:
    """The replication peer over which an entry is shared, or what is wrong: code, message and fix."""
    active = entry.values["active"]
    if any(other.values.get("active") != active for other in by_site.values()):
        return "VP292", "its sites do not agree on which of them is active", "write active once, beside sites"
    if active not in by_site:
        return "VP292", f"active is {active}, and that is not one of its sites", f"write active: {' or '.join(by_site)}"
    if GLOBAL_ACCESS in entry.values:
        return _for_global_access(entry, by_site, scope)
    if SYNCHRONOUS in entry.values:
        return _synchronously(by_site, active, scope)
    schedule = entry.values[REPLICATE]
    policy = scope.get(schedule.target)
    to = policy.values.get("replicate_to") if policy is not None else None
    peering = scope.get(to.target) if isinstance(to, Ref) else None
    if peering is None:
        text = f"{schedule} does not replicate to a site of this document"
        return "VP291", text, f"name a snapshot schedule with replicate_to, or write snapshots: {schedule}"
    between = sorted(peering.values["between"])
    if sorted(by_site) != between:
        text = f"{schedule} replicates between {' and '.join(between)}, and it is on {', '.join(by_site)}"
        return "VP291", text, f"write sites: [{', '.join(between)}]"
    return peering


def _for_global_access(entry: Entry, by_site: Mapping[str, Entry], scope: Scope) -> Entry | tuple[str, str, str]:
    active = entry.values["active"]
    ends = sorted({active, *entry.values[GLOBAL_ACCESS]["at"]})
    if sorted(by_site) != ends or len(ends) != 2:
        text = (
            f"it is on {', '.join(by_site)}, and global access is between the active site {active} and one site of at"
        )
        return "VP291", text, "write two sites: one is active, and at names the other"
    return _only_link(ends, active, scope)


def _synchronously(by_site: Mapping[str, Entry], active: str, scope: Scope) -> Entry | tuple[str, str, str]:
    if len(by_site) != 2:
        text = f"it is on {', '.join(by_site)}, and synchronous replication needs two sites"
        return "VP291", text, "write the active site and another one in sites"
    return _only_link(sorted(by_site), active, scope)


def _only_link(ends: list[str], active: str, scope: Scope) -> Entry | tuple[str, str, str]:
    links = [link for link in scope.of(active, "peering") if sorted(link.values["between"]) == ends]
    if len(links) != 1:
        text = f"{'no' if not links else 'more than one'} replication peer links {' and '.join(ends)}"
        return "VP291", text, "write one entry of replication_peers between them"
    return links[0]


def may_read(entry: Entry) -> bool:
    """Whether an entry is mounted on its site for reading while another site is active."""
    return bool(entry.values.get("access", {}).get(entry.address.site) == "read")


def offers(entry: Entry, *, active: bool) -> bool:
    """Whether an entry is mounted on its site; `active` says whether that site is active."""
    return active or GLOBAL_ACCESS in entry.values or may_read(entry)


def path_between(
    entry: Entry, among: Shared, tenant: Ref, remote: Ref | None, path: str, to: str, defaults: tuple[str, ...] = ()
) -> Entry:
    """The protected path that replicates the directory `path` of an entry, on the active site, to `to` in the tenant `remote` on
    the other site.

    It is created after the view of the entry, which creates the directory `path`. `defaults` are the fields that nobody wrote, unless
    `names` gives the path a name.
    """
    values, name, names = entry.values, entry.address.name, entry.values.get("names", {})
    sent = {
        "name": names.get("protected_path", name),
        "tenant": tenant,
        "source_dir": path,
        "target_exported_dir": to,
        **_remote_tenant(tenant, remote),
    }
    before: tuple[Address, ...] = ()
    if REPLICATE in values:
        sent |= {"protection_policy": values[REPLICATE], "capabilities": "ASYNC_REPLICATION"}
    else:
        peer, before = peer_at(among.link, entry.address.site)
        sent["peer"] = peer
        if GLOBAL_ACCESS in values:
            lease = values[GLOBAL_ACCESS]["lease"]
            sent |= {"capabilities": "STARED_GLOBAL_NAMESPACE", "lease_expiry_time": lease}
        else:
            after_which = values[SYNCHRONOUS]["disconnect_after"]
            sent |= {"capabilities": "SYNC_REPLICATION", "sync_disconnect_time": after_which}
    after = (entry.ref("view", name).target, *before)
    return entry.part("protected_path", name, sent, after=after, defaults=() if "protected_path" in names else defaults)


def _remote_tenant(local: Ref, remote: Ref | None) -> dict[str, Any]:
    """The tenant of the copy, if its name differs from that of `local`."""
    if remote is None or (remote.target.name, remote.managed) == (local.target.name, local.managed):
        return {}
    return {"remote_tenant": remote.target.name if remote.managed else {"existing": remote.target.name}}


def stands_on(schedule: Entry, scope: Scope) -> bool:
    """Whether a schedule is created on its site: where an entry that replicates by it is active, and where an entry has it in
    `snapshots` or `protection_policy`; on every site if no entry replicates by it.

    The system copies a schedule that replicates to the other site by itself.
    """
    site, name = schedule.address.site, schedule.address.name
    places = ((each, kind) for each in scope.sites for kind in SHARING)
    active = {where for each, kind in places for where in scope.indexed(each, kind, _active).get(name, ())}
    if not active or site in active:
        return True
    return any(schedule.address in scope.indexed(site, kind, by) for (kind, _), by in _USED_BY.items())


def _active(entries: Iterable[Entry]) -> dict[str, set[str]]:
    """By schedule, the active sites of the entries that replicate by it."""
    active_sites: dict[str, set[str]] = {}
    for entry in entries:
        schedule = entry.values.get(REPLICATE)
        if isinstance(schedule, Ref):
            active_sites.setdefault(schedule.target.name, set()).add(str(entry.values.get("active")))
    return active_sites


def _used_by(field: str) -> Any:
    """A function that collects the schedules to which entries refer by `field`."""

    def collected(entries: Iterable[Entry]) -> set[Address]:
        values = (entry.values.get(field) for entry in entries)
        return {value.target for value in values if isinstance(value, Ref)}

    return collected


_USED_BY = {(kind, field): _used_by(field) for kind, field in _USERS}
