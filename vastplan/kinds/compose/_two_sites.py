"""A volume whose data two sites share: which of them writes, where it is on each, and what the schedule behind it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry, Scope

REPLICATE, GLOBAL_ACCESS = "replicate", "global_access"
_USERS = (
    ("view", "snapshots"), ("bucket", "snapshots"), ("volume", "snapshots"), ("protected_path", "protection_policy"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shared:
    """One volume on two sites: `active` is the site that writes, `copy` the entry of the other."""

    active: Entry
    copy: Entry
    link: Entry
    """The replication peer between them."""

    def leads(self, site: str) -> bool:
        """Whether a site is the one that writes."""
        return self.active.address.site == site


def sites_of(entry: Entry, scope: Scope) -> dict[str, Entry]:
    """The entries of a volume, by site."""
    found = ((site, scope.get(entry.address._replace(site=site))) for site in sorted(scope.sites))
    return {site: there for site, there in found if there is not None}


def shared(entry: Entry, scope: Scope) -> Shared | None:
    """How a volume is shared by two sites; `None` where it is not, or where what it says of that is refused."""
    if not entry.values.keys() & {REPLICATE, GLOBAL_ACCESS}:
        return None
    there = sites_of(entry, scope)
    link = _link(entry, there, scope)
    if isinstance(link, tuple):
        if entry.address.site == min(there):  # said once
            scope.refuse(entry, *link)
        return None
    active = entry.values["active"]
    return Shared(there.pop(active), next(iter(there.values())), link)


def _link(entry: Entry, there: Mapping[str, Entry], scope: Scope) -> Entry | tuple[str, str, str]:
    """By which peer a volume is shared, or what is wrong with how it is: code, message and fix."""
    active = entry.values["active"]
    if any(other.values.get("active") != active for other in there.values()):
        return "VP292", "its sites do not agree on which of them is active", "write active once, beside sites"
    if active not in there:
        return "VP292", f"active is {active}, which is none of its sites", f"active: {' or '.join(there)}"
    if REPLICATE not in entry.values:
        return _for_global_access(entry, there, scope)
    schedule = entry.values[REPLICATE]
    policy = scope.get(schedule.target)
    to = policy.values.get("replicate_to") if policy is not None else None
    peering = scope.get(to.target) if isinstance(to, Ref) else None
    if peering is None:
        text = f"{schedule} does not replicate to a site of this document"
        return "VP291", text, f"a snapshot schedule with replicate_to, or snapshots: {schedule}"
    between = sorted(peering.values["between"])
    if sorted(there) != between:
        text = f"{schedule} replicates between {' and '.join(between)}, and it is on {', '.join(there)}"
        return "VP291", text, f"sites: [{', '.join(between)}]"
    return peering


def _for_global_access(entry: Entry, there: Mapping[str, Entry], scope: Scope) -> Entry | tuple[str, str, str]:
    active = entry.values["active"]
    ends = sorted({active, *entry.values[GLOBAL_ACCESS]["at"]})
    if sorted(there) != ends or len(ends) != 2:
        text = (
            f"it is on {', '.join(there)}, and global access is between {active}, which is active, and one site of at"
        )
        return "VP291", text, "two sites: one is active, and at names the other"
    links = [one for one in scope.of(active, "peering") if sorted(one.values["between"]) == ends]
    if len(links) != 1:
        text = f"{'no' if not links else 'more than one'} replication peer links {' and '.join(ends)}"
        return "VP291", text, "one entry of replication_peers between them"
    return links[0]


def remote_tenant(volume: Ref, copy: Ref | None) -> dict[str, Any]:
    """Whose the copy is, where that is not the tenant of the same name."""
    if copy is None or (copy.target.name, copy.managed) == (volume.target.name, volume.managed):
        return {}
    return {"remote_tenant": copy.target.name if copy.managed else {"existing": copy.target.name}}


def stands_on(schedule: Entry, scope: Scope) -> bool:
    """Whether a schedule is wanted on its site: one that volumes replicate by runs where they are active.

    The system takes it to the other site by itself.
    """
    site, name = schedule.address.site, schedule.address.name
    active = {where for each in scope.sites for where in scope.indexed(each, "volume", _active).get(name, ())}
    if not active or site in active:
        return True
    return any(schedule.address in scope.indexed(site, kind, by) for (kind, _), by in _USED_BY.items())


def _active(volumes: Iterable[Entry]) -> dict[str, set[str]]:
    """By schedule, where the volumes are active that replicate by it."""
    found: dict[str, set[str]] = {}
    for volume in volumes:
        schedule = volume.values.get(REPLICATE)
        if isinstance(schedule, Ref):
            found.setdefault(schedule.target.name, set()).add(str(volume.values.get("active")))
    return found


def _used_by(field: str) -> Any:
    """What collects the schedules that entries refer to by a field."""

    def collected(entries: Iterable[Entry]) -> set[Address]:
        values = (entry.values.get(field) for entry in entries)
        return {value.target for value in values if isinstance(value, Ref)}

    return collected


_USED_BY = {(kind, field): _used_by(field) for kind, field in _USERS}
