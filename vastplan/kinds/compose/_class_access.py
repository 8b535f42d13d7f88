"""Who may use each StorageClass now, read from the objects that isolation creates: an entry for the class must give the same access,
so that nobody gains or loses any."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any

from vastplan.kinds.kubernetes._rules import AS_WRITTEN
from vastplan.kinds.runai.project import namespace_of
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Unsayable

_OF_TENANT = ("view_policy", "vip_pool", "qos_policy", "subsystem", "tenant_name")
_BY_QUOTA, _BY_POLICY = ("resource_quota", "namespace"), ("admission_policy", "admission_binding", "namespace")
"""The kinds that decide who may use a class."""
_WRITE_ACCESS = "write in its entry who may use it: a plan shows what that changes"


@dataclass(frozen=True, slots=True)
class ClassAccess:
    """Who may use a class: everybody if it is `open`, else the projects of `tenant`, in which its entry is to be written, those in
    `listing`, and the namespaces in `others`. `members` are the keys of the tenant's projects."""

    tenant: Ref | None
    open: bool
    members: tuple[str, ...] = ()
    listing: tuple[Address, ...] = ()
    others: tuple[str, ...] = ()


def class_access(pieces: Pieces, tenant_of: Callable[[Entry], Ref | None]) -> dict[Address, ClassAccess | Unsayable]:
    """Who may use each class; `tenant_of` returns the tenant of a project."""
    rooms = _Rooms(pieces, tenant_of)
    return {entry.address: rooms.access(entry) for entry in pieces.of("storage_class")}


class _Rooms:
    """The projects by namespace and by tenant, and the quotas by name; indexed once."""

    def __init__(self, pieces: Pieces, tenant_of: Callable[[Entry], Ref | None]) -> None:
        self._pieces = pieces
        self._projects: dict[str, dict[str, Entry]] = {site: {} for site in pieces.sites}
        self._members: dict[tuple[str, Address], dict[str, Entry]] = {}
        for project in pieces.around("project"):
            site, namespace, tenant = project.address.site, namespace_of(pieces.full(project)), tenant_of(project)
            if namespace is not None:
                self._projects[site][namespace] = project
                if tenant is not None:
                    self._members.setdefault((site, tenant.target), {})[namespace] = project
        self._quotas: dict[tuple[str, str], set[str]] = {}
        for quota in pieces.of("resource_quota"):
            namespace = self._name(pieces.full(quota).get("namespace"))
            self._quotas.setdefault((quota.address.site, quota.called), set()).add(namespace)

    def access(self, entry: Entry) -> ClassAccess | Unsayable:
        """Who may use a class, and the tenant in which its entry gives access to nobody else."""
        site, tenant = entry.address.site, self._pieces.tenant(entry, _OF_TENANT)
        if entry.values.get("driver") == "block" and "tenant_name" not in entry.values:
            tenant = None  # a class of a tenant names it
        home = self._members.get((site, tenant.target), {}) if tenant is not None else {}
        allowance = self._allowed(entry, home)
        if isinstance(allowance, Unsayable):
            return allowance
        is_open, allowed = allowance
        if not home.keys() <= allowed:
            tenant, home = None, {}
        projects = self._projects[site]
        of_projects = {name: projects[name].address for name in sorted(allowed - home.keys()) if name in projects}
        # the entry of a project that the document already has does not change
        listing = tuple(address for address in of_projects.values() if not self._pieces.known(address))
        strangers = allowed - projects.keys()
        others = tuple(sorted(strangers | {name for name in of_projects if of_projects[name] not in listing}))
        if is_open and strangers:
            return Unsayable(
                entry.address,
                f"its policy is open, and lists namespaces of no project: {_some(strangers)}",
                _WRITE_ACCESS,
            )
        members = tuple(sorted(project.address.name for project in home.values()))
        return ClassAccess(tenant, is_open, members, listing, others)

    def _allowed(self, entry: Entry, home: Mapping[str, Entry]) -> tuple[bool, Set[str]] | Unsayable:
        """Whether a class is open to all, and the namespaces that may use it even if it is not."""
        site, name = entry.address.site, f"vastplan-{entry.called}"
        isolation = self._pieces.sites[site].settings.get("isolation")
        for kind in _BY_QUOTA if isolation == "resource_quota" else _BY_POLICY:
            if self._pieces.sight.unread(site, kind):
                return Unsayable(entry.address, unread=kind)
        if isolation == "resource_quota":
            closed = self._quotas.get((site, name))
            namespaces = {each.called for each in self._pieces.of("namespace") if each.address.site == site}
            return (False, (self._projects[site].keys() | namespaces) - closed) if closed else (True, home.keys())
        policy = self._pieces.sight.live(site, "admission_policy", name)
        if policy is None:
            return self._narrowest(entry, home)
        listed = {str(each) for each in policy.get("namespaces") or ()}
        lists = f"the policy lists {_some(listed)}, and projects of its tenant are in {_some(home)}"
        if policy.get("rule") != AS_WRITTEN or str(policy.get("storage_class")) != entry.called:
            difference = policy.get("rule") if policy.get("rule") != AS_WRITTEN else "it is for another class"
            return Unsayable(
                entry.address, f"its policy {name} is not as vastplan writes it: {difference}; {lists}", _WRITE_ACCESS
            )
        is_open = policy.get("open") is True
        absent = {each for each in listed if self._pieces.sight.live(site, "namespace", each) is None}
        if absent:
            text = f"its policy {name} lists namespaces that do not exist: {_some(absent)}; {lists}"
            return Unsayable(entry.address, text, "remove them from that list")
        binding = self._pieces.sight.live(site, "admission_binding", name)
        if binding is not None:
            wrong = _departs(binding, name, audit=isolation == "audit")
            if wrong is not None:
                return Unsayable(entry.address, f"its binding {name} {wrong[0]}; {lists}", wrong[1])
            return is_open, listed
        if is_open or isolation == "audit" or self._allows_all_users(entry, listed):
            return is_open, listed
        text = f"its policy {name} has no effect without a binding, and an entry would create one; {lists}"
        return Unsayable(entry.address, text, "write isolation: audit on the site, or delete that policy")

    def _narrowest(self, entry: Entry, home: Mapping[str, Entry]) -> tuple[bool, Set[str]]:
        """The access of a class without a policy: open to all. With `close` it is open only to the projects of its tenant and to the
        namespaces seen to use it, if all of these are namespaces of projects."""
        users = self._pieces.sight.rooms(entry.address) if self._pieces.sight.close else None
        allowed = home.keys() | (users or {}).keys()
        closes = users is not None and allowed and users.keys() <= self._projects[entry.address.site].keys()
        return (False, allowed) if closes else (True, home.keys())

    def _allows_all_users(self, entry: Entry, allowed: set[str]) -> bool:
        users = self._pieces.sight.rooms(entry.address) if self._pieces.sight.close else None
        return users is not None and users.keys() <= allowed

    def _name(self, namespace: Any) -> str:
        if not isinstance(namespace, Ref):
            return str(namespace)
        project = self._pieces.get(namespace.target) if namespace.target.kind == "project" else None
        return self._pieces.name(namespace) if project is None else str(namespace_of(self._pieces.full(project)))


def _departs(binding: Mapping[str, Any], policy: str, *, audit: bool) -> tuple[str, str] | None:
    """How a live binding differs from what vastplan writes, and what to do."""
    actions = {str(action) for action in binding.get("validation_actions") or ()}
    if str(binding.get("policy")) != policy:
        return "binds another policy", _WRITE_ACCESS
    if binding.get("only"):
        return "applies to a part of the cluster only", _WRITE_ACCESS
    if actions == ({"Audit", "Warn"} if audit else {"Deny"}):
        return None
    text = f"says {_some(actions)}"
    if audit:
        return f"{text}, and the site says isolation: audit", "remove isolation: audit from the site"
    if "Deny" in actions:
        return f"{text}, and an entry says Deny", _WRITE_ACCESS
    return f"{text}, which refuses nobody", "write isolation: audit on the site"


def _some(names: Any) -> str:
    return some(sorted(names)) or "none"
