"""What stands around a volume in a document: its project and tenant, its schedule, and the limits that its writes pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.checkpoint.demand import Frame
from vastplan.checks.checkpoint.limits import Limit, Sort
from vastplan.checks.checkpoint.qos import MB, limits_of, unknown_of
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry, Scope

Values = Mapping[str, Any]


class Around:
    """Looks things up for one volume; what it could not take into account collects in `unknown`."""

    def __init__(self, volume: Entry, scope: Scope) -> None:
        self.unknown: list[str] = []
        self._volume, self._scope, self._site = volume, scope, volume.address.site
        self._project = self._one("project", volume.values.get("project"), volume.values.get("tenant"))
        owner = volume.values.get("tenant") or (self._project.values.get("tenant") if self._project else None)
        self._tenant = owner if isinstance(owner, Ref) else None
        self.tenant_values: Values = self._values(self._tenant) or {}

    def pools(self, gpus: Values) -> None:
        """Refuse GPUs of a node pool that the project has none of."""
        project = self._project
        known = project.values.get("node_pools") if project else None
        for pool in gpus:
            if project and known and pool not in known:
                raise ValueError(
                    f"project {project.address.name} has no GPUs in node pool {pool}: "
                    f"give it some there, or take one of {', '.join(sorted(known))}"
                )

    def schedule(self) -> tuple[tuple[Frame, ...], str]:
        """The frames of the volume's snapshots, and the site that they replicate to."""
        wanted = self._volume.values.get("snapshots")
        values = self._values(wanted)
        if values is None:
            self._not_ours("snapshot schedule", wanted)
            return (), ""
        frames = tuple(
            Frame(every=one["every"], keep_local=one.get("keep_local") or 0, keep_remote=one.get("keep_remote") or 0)
            for one in values["frames"]
        )
        peering = self._values(values.get("replicate_to")) or {}
        return frames, next((one for one in peering.get("between", ()) if one != self._site), "")

    def limits(self, per_cnode: int | None) -> Iterator[Limit]:
        """Every QoS policy known to hold the volume's writes, and its VIP pool."""
        values = self._volume.values
        of_class = self._values(values.get("storage_class")) or {}
        self._not_ours("storage class", values.get("storage_class"))
        size = values.get("size")
        if isinstance(values.get("qos"), Mapping):
            yield from self._policy(values["qos"], f"volume {self._volume.address.name}", size)
        for named in (values.get("qos_policy"), of_class.get("qos_policy")):
            policy = self._values(named)
            if policy is not None:
                yield from self._policy(policy, f"policy {named}", size)
            else:
                self._not_ours("QoS policy", named)
        if isinstance(self.tenant_values.get("qos"), Mapping):
            yield from self._policy(self.tenant_values["qos"], f"tenant {self._tenant}", None)
        self._not_ours("tenant", self._tenant)
        for one in self._scope.owned_by(self._tenant, self._site, "qos_policy"):
            if one.values.get("policy_type") == "USER" and one.values.get("is_default") is True:
                yield from self._policy(one.values, f"policy {one.address.name}", None)
        pool = self._one("vip_pool", values.get("vip_pool") or of_class.get("vip_pool"), self._tenant)
        cnodes = pool.values.get("cnode_ids") if pool else None
        if per_cnode and cnodes and pool:  # a pool without a list is on all CNodes, and the site's bandwidth holds
            yield Limit(Sort.VIP_POOL, pool.address.name, per_cnode * MB * len(cnodes))

    def _policy(self, values: Values, owner: str, size: int | None) -> Iterator[Limit]:
        self.unknown += unknown_of(values, owner)
        yield from limits_of(values, owner, size)

    def _values(self, named: object) -> Values | None:
        entry = self._scope.get(named.target) if isinstance(named, Ref) else None
        return entry.values if entry else None

    def _not_ours(self, what: str, named: object) -> None:
        if isinstance(named, Ref) and self._values(named) is None:
            self.unknown.append(f"{what} {named} is not in this document: what it limits is not counted")

    def _one(self, kind: str, named: object, tenant: Ref | None) -> Entry | None:
        """The entry that is named, or the tenant's only one."""
        if isinstance(named, Ref):
            return self._scope.get(named.target)
        own = self._scope.owned_by(tenant, self._site, kind)
        return own[0] if len(own) == 1 else None
