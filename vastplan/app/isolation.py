"""The isolation proof of what is live: the same proof as of the document, over what a plan observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from vastplan.checks.index import Index
from vastplan.checks.isolation.proof import prove
from vastplan.engine.match import Matches
from vastplan.engine.observe import Live, Observed
from vastplan.model.address import Address
from vastplan.model.isolation import Isolation
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

CHAIN = (
    "project", "storage_class", "admission_policy", "admission_binding", "resource_quota", "persistent_volume",
    "persistent_volume_claim", "vip_pool", "view_policy", "view", "tenant",
)  # fmt: skip
_DRIVERS = ("file", "block")


def collections(
    kinds: Mapping[str, Kind], sites: Iterable[str], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """What has to be read: the chain's kinds, on sites that have projects and classes at all."""
    return {
        (site, name)
        for site in sites
        if systems[site] >= {"kubernetes", "runai"}
        for name in CHAIN
        if kinds[name].system in systems[site]
    }


def live(
    sites: Iterable[str], observed: Observed, matcher: Matches, read: Set[tuple[str, str]]
) -> tuple[Isolation, ...]:
    """The proof of each site that has projects, or why there is none."""
    return tuple(_site(site, observed, matcher) for site in sites if (site, "project") in read)


def _site(site: str, observed: Observed, matcher: Matches) -> Isolation:
    lost = [
        f"{kind}: {observed.error(site, kind)}"
        for kind in CHAIN
        if observed.error(site, kind) and not observed.absent(site, kind) and (site, kind) in observed.collections
    ]
    if lost:
        return Isolation(site, {}, {}, (), (), (), "; ".join(lost))
    namespaces = {
        _address(one, matcher).name: str(one.attributes.get("namespace") or f"runai-{one.name}")
        for one in observed.objects(site, "project")
    }
    return prove(site, Index(_entries(site, observed, matcher)), namespaces)


def _entries(site: str, observed: Observed, matcher: Matches) -> Iterator[Entry]:
    others = {one.name for one in observed.objects(site, "storage_class") if one.values.get("driver") not in _DRIVERS}
    seen: set[Address] = set()
    for kind in (*CHAIN, "secret"):
        for one in observed.objects(site, kind):
            values = matcher.symbolic(one.kind, one)
            of = values.get("storage_class")
            if kind == "storage_class" and values.get("driver") not in _DRIVERS:
                continue
            if kind == "persistent_volume" and not str(values.get("volume_handle")).startswith("/"):
                continue  # of another driver, or provisioned: its class leads to it
            if kind == "persistent_volume_claim" and (of.target.name if isinstance(of, Ref) else of) in others:
                continue
            address = _address(one, matcher)
            if address in seen:
                address = Address(site, kind, f"{address.name} (id {one.id})")
            seen.add(address)
            yield Entry(address, values)


def _address(one: Live, matcher: Matches) -> Address:
    return matcher.address_of(one) or Address(one.site, one.kind.name, one.name)
