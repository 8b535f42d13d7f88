"""What decides about the ways around the chain, looked up once for a site: policies, quotas, pools, views and owners."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.checks.index import Index
from vastplan.checks.paths import names_around, path_names
from vastplan.checks.proof.class_access import (
    Namespaces,
    Projects,
    policies_in_force,
    quotas_of_zero,
    reference_name,
)
from vastplan.model.dataclass import dataclass
from vastplan.model.ip_ranges import Interval, parse_interval
from vastplan.model.wording import some
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class Beside:
    """What the live proof knows beside the objects of a chain. `queueless` are the namespaces without the label of Run:AI, `baseline` those
    whose label makes Pod Security refuse pods that reach their node (`None` where labels were not read), `on_servers` the volumes and
    classes of drivers that are not followed, each with the `server` that it names or the directory of the `node`.
    """

    queueless: frozenset[str] = frozenset()
    baseline: frozenset[str] | None = None
    on_servers: tuple[Entry, ...] = ()


_SHOWN = 6  # pools without a tenant that are named


@dataclass(frozen=True, slots=True)
class WayTarget:
    """An element that a way may lead to, and the projects that have it."""

    layer: str
    name: str
    entry: Entry
    projects: Projects
    tenant: str = ""
    path: str = ""


class Directories:
    """Views by their directory, to find those at, around and below another directory of the tenant."""

    def __init__(self, views: Iterable[Entry]) -> None:
        self._at: dict[tuple[str, tuple[str, ...]], list[Entry]] = {}
        self._within: dict[tuple[str, tuple[str, ...]], list[Entry]] = {}
        for view in views:
            tenant, path = reference_name(view.values.get("tenant"), {}), str(view.values["path"])
            self._at.setdefault((tenant, path_names(path)), []).append(view)
            for names in names_around(path):
                self._within.setdefault((tenant, names), []).append(view)

    def near(self, tenant: str, path: str) -> list[Entry]:
        """The views at, around and below a directory."""
        *outer, inner = names_around(path)
        around = [view for names in outer for view in self._at.get((tenant, names), ())]
        return [*around, *self._within.get((tenant, inner), ())]


class Surroundings:
    """What decides on one site. `open_to` has the namespaces of each class, `seen` those that a class is meant for whose
    policy only reports, `targets` the elements that projects reach."""

    def __init__(
        self,
        site: str,
        objects: Index,
        projects_by_namespace: Mapping[str, tuple[str, ...]],
        open_to: Mapping[str, Namespaces],
        seen: Mapping[str, frozenset[str]],
        targets: Iterable[WayTarget],
        beside: Beside,
        namespaces: Mapping[str, str],
    ) -> None:
        self.objects = objects
        self.projects_by_namespace = projects_by_namespace
        self.open_to = {name: allowed for name, allowed in open_to.items() if allowed is not None}
        self.meant_for, self.namespaces = seen, namespaces
        self.queueless = tuple(name for name, namespace in namespaces.items() if namespace in beside.queueless)
        self.unguarded = None if beside.baseline is None else tuple(sorted({*namespaces.values()} - beside.baseline))
        servers = [(str(entry.values.get("server", "")), entry) for entry in beside.on_servers]
        self._on_servers = [(found, entry) for server, entry in servers if (found := _interval(as_address(server)))]
        self._on_names = [(server.rstrip(".").lower(), entry) for server, entry in servers if server]
        self._on_nodes = [entry for entry in beside.on_servers if _shows_volumes(entry.values.get("node"))]
        self.closing: dict[str, list[Entry]] = {}
        self.opened: dict[str, Entry] = {}
        self.reporting: dict[str, list[Entry]] = {}
        self.refused, self.reported = dict[str, Entry](), dict[str, Entry]()
        for enforced in (True, False):
            for policy in policies_in_force(site, objects, enforced=enforced):
                self._add_policy(policy, enforced=enforced)
        self.quotas: dict[str, Entry] = {}  # one for each class
        for class_name, quota in quotas_of_zero(site, objects):
            self.quotas.setdefault(class_name, quota)
        pools = [pool for pool in objects.on(site, "vip_pool").values() if _serves(pool)]
        self.common_pools = [pool for pool in pools if pool.values.get("tenant") is None][:_SHOWN]
        self._pools: dict[str, list[Entry]] = {}
        for pool in pools:
            if pool.values.get("tenant") is not None:
                self._pools.setdefault(reference_name(pool.values["tenant"], {}), []).append(pool)
        views = objects.on(site, "view").values()
        self.buckets = Directories(view for view in views if "S3" in _protocols(view))
        self.shares = Directories(view for view in views if "SMB" in _protocols(view))
        self._exports = Directories(view for view in views if {"NFS", "NFS4"} & _protocols(view))
        self._of_departments: dict[str, list[str]] = {}
        for name, project in objects.on(site, "project").items():
            department = reference_name(project.values.get("department"), {})
            self._of_departments.setdefault(department, []).append(name)
        self._owners = {
            (target.tenant, path_names(target.path)): target.projects for target in targets if target.layer == "path"
        }

    def _add_policy(self, policy: Entry, *, enforced: bool) -> None:
        values = policy.values
        if values.get("storage_class") is None:
            by_name = self.refused if enforced else self.reported
            for name in (*(values.get("drivers") or ()), *(values.get("sources") or ())):
                by_name.setdefault(name, policy)
            return
        class_name = reference_name(values["storage_class"], {})
        if values.get("open") is True:
            self.opened.setdefault(class_name, policy)
        else:
            (self.closing if enforced else self.reporting).setdefault(class_name, []).append(policy)

    def projects_in(self, namespaces: Iterable[str]) -> tuple[str, ...]:
        """The projects of some namespaces."""
        return tuple(
            project for name in sorted(namespaces) for project in self.projects_by_namespace.get(name, ())
        )  # fmt: skip

    def projects_of(self, departments: Iterable[Any]) -> tuple[str, ...]:
        """The projects of departments."""
        names = (reference_name(department, {}) for department in departments)
        return tuple(project for name in names for project in self._of_departments.get(name, ()))

    def pools_of(self, tenant: Any) -> list[Entry]:
        """The VIP pools of a tenant."""
        return self._pools.get(reference_name(tenant, {}), [])

    def ranges_of_policy(self, policy: Entry) -> list[str]:
        """The addresses at which clients reach the views of a policy."""
        return [self.ranges(pool) for pool in self.pools_of(policy.values.get("tenant")) or self.common_pools]

    def ranges(self, pool: Entry) -> str:
        """The addresses and the VLAN of a VIP pool."""
        pairs = (str(each).split(" - ") for each in pool.values.get("ip_ranges") or ())
        listed = [" - ".join(dict.fromkeys(pair)) for pair in pairs]  # a range of one address is an address
        vlan = f"VLAN {pool.values['vlan']}" if pool.values.get("vlan") else "untagged"
        return (
            f"{some(listed, _SHOWN)} (VIP pool {pool.address.name}, {vlan})"
            if listed
            else f"VIP pool {pool.address.name}"
        )

    def on_addresses(self, pool: Entry) -> list[Entry]:
        """The volumes and classes of other drivers whose server is an address or the DNS name of a pool, or that show the directory of
        the node where volumes are mounted."""
        domain = str(pool.values.get("domain_name")).lower()
        ranges = [
            found for text in pool.values.get("ip_ranges") or () if self._on_servers and (found := _interval(text))
        ]
        by_address = [
            entry
            for (version, address, _), entry in self._on_servers
            if any(version == of and first <= address <= last for of, first, last in ranges)
        ]
        return [*by_address, *(entry for name, entry in self._on_names if name == domain), *self._on_nodes]

    def exported_by(self, tenant: str, path: str) -> list[Entry]:
        """The policies of the NFS views at, around and below a directory."""
        policies = (self.objects.get(view.values.get("view_policy")) for view in self._exports.near(tenant, path))
        return [policy for policy in policies if policy is not None]

    def owners(self, tenant: Any, path: str) -> tuple[str, ...]:
        """The projects that reach a directory, or one around it; none where every project does."""
        name = reference_name(tenant, {})
        found = (self._owners.get((name, names)) or () for names in names_around(path))
        return tuple(sorted({project for projects in found for project in projects}))

    def owners_of_volume(self, volume: Entry) -> Projects:
        """The projects whose directory a static volume shows; all where that is unknown."""
        pool = self.objects.get(volume.values.get("vip_pool"))
        tenant = pool.values.get("tenant") if pool is not None else None
        return self.owners(tenant, str(volume.values.get("volume_handle"))) or None


_MOUNTED = path_names("/var/lib/kubelet")  # Kubernetes: where the kubelet mounts volumes


def _shows_volumes(directory: Any) -> bool:
    if directory is None:
        return False
    names = path_names(str(directory))
    return names == _MOUNTED[: len(names)] or names[: len(_MOUNTED)] == _MOUNTED


def as_address(server: str) -> str:
    """The server as an address, in whichever form a node takes it: IPv4 in IPv6, fewer parts, one number; a name as it is."""
    try:
        address = ipaddress.ip_address(server)
    except ValueError:
        try:
            return socket.inet_ntoa(socket.inet_aton(server)) if server[:1].isdigit() else server
        except OSError:
            return server
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def _interval(text: Any) -> Interval | None:
    try:
        return parse_interval(str(text))
    except ValueError:
        return None


def _serves(pool: Entry) -> bool:
    """Whether clients can use a pool."""
    return pool.values.get("role", "PROTOCOLS") == "PROTOCOLS" and pool.values.get("enabled") is not False


def _protocols(view: Entry) -> set[str]:
    return set(view.values.get("protocols") or ("NFS",))  # what VMS assumes for none
