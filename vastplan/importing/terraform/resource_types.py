"""Which resource types of Terraform stand for which kinds, and how the object of a resource is found from its state.

VAST's provider has two generations: 1.x (SDKv2, the id is a text) and 2.x (framework, the id is a number). Most names are the same in
both; source: `resources/resources.go` of 1.x and the components' type names of 2.x in vast-data/terraform-provider-vastdata. Kubernetes'
provider has each resource under two names, with and without `_v1`. Run:AI has no provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from vastplan.model.dataclass import dataclass


class FoundBy(StrEnum):
    """The part of a state by which an object is found."""

    ID = "id"
    """The attribute `id`, which the system assigned."""
    NAME = "name"
    """The name in `metadata`, within its namespace if the kind has one; the provider builds `id` from them."""


@dataclass(frozen=True, slots=True)
class ResourceType:
    """What a resource type stands for."""

    kind: str
    found_by: FoundBy


_VAST = {
    "vastdata_group": "group",
    "vastdata_local_provider": "local_provider",
    "vastdata_administators_realms": "realm",  # 1.x, as it is spelled there
    "vastdata_administators_roles": "manager_role",  # 1.x
    "vastdata_apitoken": "api_token",  # 2.x
    "vastdata_administators_managers": "manager",  # 1.x
    "vastdata_administrator_manager": "manager",  # 2.x
    "vastdata_administrator_realm": "realm",  # 2.x
    "vastdata_administrator_role": "manager_role",  # 2.x
    "vastdata_protected_path": "protected_path",
    "vastdata_protection_policy": "protection_policy",
    "vastdata_qos_policy": "qos_policy",
    "vastdata_quota": "quota",
    "vastdata_replication_peer": "replication_peer",  # 2.x
    "vastdata_replication_peers": "replication_peer",  # 1.x
    "vastdata_s3_life_cycle_rule": "s3_lifecycle_rule",
    "vastdata_s3_policy": "s3_policy",
    "vastdata_tenant": "tenant",
    "vastdata_user": "user",
    "vastdata_view": "view",
    "vastdata_view_policy": "view_policy",
    "vastdata_vip_pool": "vip_pool",
}
_KUBERNETES = {
    "kubernetes_namespace": "namespace",
    "kubernetes_persistent_volume": "persistent_volume",
    "kubernetes_persistent_volume_claim": "persistent_volume_claim",
    "kubernetes_resource_quota": "resource_quota",
    "kubernetes_secret": "secret",
    "kubernetes_storage_class": "storage_class",
}
RESOURCE_TYPES: Mapping[str, ResourceType] = MappingProxyType(
    {name: ResourceType(kind, FoundBy.ID) for name, kind in _VAST.items()}
    | {
        name + generation: ResourceType(kind, FoundBy.NAME)
        for name, kind in _KUBERNETES.items()
        for generation in ("", "_v1")
    }
)
"""By the name of the type. No entry of a document can express a type that is not here."""
