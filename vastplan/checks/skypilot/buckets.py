"""The buckets of a document as an S3 client finds them: the tenant, its endpoint, and who may create more of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from vastplan.checks.facts import Facts
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_Key = TypeVar("_Key")
_CREATORS = ("bucket_creators", "bucket_creators_groups")


@dataclass(frozen=True, slots=True)
class BucketEndpoint:
    """A URL, and the pool that it belongs to."""

    url: str
    pool: Entry


@dataclass(frozen=True, slots=True)
class Buckets:
    """What S3 clients find. A tenant's `endpoints` are those of its own pools, else of the pools that serve all tenants."""

    endpoints: Mapping[Address, tuple[BucketEndpoint, ...]]
    views: Mapping[Address, tuple[Entry, ...]]
    """The buckets of a tenant."""
    by_name: Mapping[tuple[str, str], tuple[Entry, ...]]
    """The buckets by site and name: one for each tenant that has one of that name."""
    makers: Mapping[Address, tuple[Entry, ...]]
    """The views of a tenant below which users may create buckets by S3."""
    limited: frozenset[Address]
    """The views whose data has a limit: a QoS policy of their own, or a quota of their directory."""

    def endpoint(self, tenant: Address) -> BucketEndpoint | None:
        """The only endpoint; `None` for none or several (SKY-04)."""
        endpoints = self.endpoints.get(tenant, ())
        return endpoints[0] if len(endpoints) == 1 else None


@lru_cache(maxsize=2)  # every check calls this
def buckets_of(facts: Facts) -> Buckets:
    """The buckets, from one walk over the document's pools, views and quotas."""
    views, makers = (defaultdict[Address, list[Entry]](list) for _ in range(2))
    by_name = defaultdict[tuple[str, str], list[Entry]](list)
    quotas = {_home(quota) for quota in facts.objects.all("quota")}
    limited = set()
    for view in facts.objects.all("view"):
        tenant, protocols = view.values.get("tenant"), view.values.get("protocols") or ()
        if not isinstance(tenant, Ref):
            continue
        if "S3" in protocols and "bucket" in view.values:
            views[tenant.target].append(view)
            by_name[view.address.site, view.values["bucket"]].append(view)
        if "ENDPOINT" in protocols and any(view.values.get(name) for name in _CREATORS):
            makers[tenant.target].append(view)
        if view.values.get("qos_policy") or _home(view) in quotas:
            limited.add(view.address)
    return Buckets(_endpoints(facts), _frozen(views), _frozen(by_name), _frozen(makers), frozenset(limited))


def _home(entry: Entry) -> tuple[str, object, object]:
    return entry.address.site, entry.values.get("tenant"), entry.values.get("path")


def _endpoints(facts: Facts) -> dict[Address, tuple[BucketEndpoint, ...]]:
    own, shared = defaultdict[Address, list[BucketEndpoint]](list), defaultdict[str, list[BucketEndpoint]](list)
    for pool in facts.objects.all("vip_pool"):
        url, tenant = pool.values.get("s3_endpoint"), pool.values.get("tenant")
        if isinstance(url, str):
            (own[tenant.target] if isinstance(tenant, Ref) else shared[pool.address.site]).append(
                BucketEndpoint(url, pool)
            )
    by_tenant = {}
    for tenant in facts.objects.all("tenant"):
        of_tenant = own.get(tenant.address) or shared.get(tenant.address.site)
        if of_tenant:
            # two pools may have the same URL
            by_url = {
                endpoint.url: endpoint
                for endpoint in sorted(of_tenant, key=lambda endpoint: endpoint.pool.address, reverse=True)
            }
            by_tenant[tenant.address] = tuple(by_url[url] for url in sorted(by_url))
    return by_tenant


def _frozen(groups: Mapping[_Key, Sequence[Entry]]) -> dict[_Key, tuple[Entry, ...]]:
    return {key: tuple(sorted(entries, key=lambda entry: entry.address)) for key, entries in groups.items()}
