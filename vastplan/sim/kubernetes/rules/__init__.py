"""The rules of each kind of object: defaults, and the checks of a create and an update."""

from __future__ import annotations

from vastplan.sim.kubernetes.resources import (
    BINDINGS,
    CLAIMS,
    CLASSES,
    CONFIG_MAPS,
    DRIVERS,
    LEASES,
    NAMESPACES,
    PODS,
    POLICIES,
    QUOTAS,
    SECRETS,
    VOLUMES,
    Resource,
)
from vastplan.sim.kubernetes.rules import core, pods, policies, quotas, storage, volumes
from vastplan.sim.kubernetes.rules.rule import Rules

_RULES = {
    NAMESPACES: core.NAMESPACE,
    SECRETS: core.SECRET,
    CONFIG_MAPS: core.CONFIG_MAP,
    LEASES: core.LEASE,
    PODS: pods.POD,
    CLAIMS: volumes.CLAIM,
    VOLUMES: volumes.VOLUME,
    QUOTAS: quotas.QUOTA,
    CLASSES: storage.CLASS,
    DRIVERS: storage.DRIVER,
    POLICIES: policies.POLICY,
    BINDINGS: policies.BINDING,
}
_COMMON = Rules()


def rules_for(resource: Resource) -> Rules:
    """The rules of a resource; a custom resource has only those of its definition."""
    return _RULES.get(resource, _COMMON)
