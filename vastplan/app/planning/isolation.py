"""The isolation proof of the live objects: the same proof as for the document, over what a plan observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace

from vastplan.checks.index import Index
from vastplan.checks.isolation.live import CHAIN, IF_READ, STARTS_AT, SYSTEMS, followed, live_namespace
from vastplan.checks.proof._reach import unread_ways
from vastplan.checks.proof._surroundings import Beside
from vastplan.checks.proof.proof import prove
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live, Observed
from vastplan.kinds.kubernetes._rules import GUARD, QUEUE, REFUSING
from vastplan.model.address import Address
from vastplan.model.isolation import Isolation, WayState
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts

_BESIDE = ("persistent_volume", "storage_class")
"""The kinds of other drivers whose objects only administrators make. A data source of Run:AI becomes a volume of a pod, which is refused."""


def collections(
    kinds: Mapping[str, Kind], sites: Iterable[str], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """The collections to read: the kinds of the chain, on sites with all systems of a chain."""
    return {
        (site, name)
        for site in sites
        if systems[site] >= SYSTEMS
        for name in CHAIN
        if facts(kinds)[name].system in systems[site]
    }


def live_isolation(
    sites: Iterable[str], observed: Observed, matches: Matches, read: Set[tuple[str, str]]
) -> tuple[Isolation, ...]:
    """The proof of each site whose chain was read, or why it cannot be proved."""
    return tuple(_proof(site, observed, matches) for site in sites if (site, STARTS_AT) in read)


def _proof(site: str, observed: Observed, matches: Matches) -> Isolation:
    unread = [
        f"{kind}: {observed.error(site, kind)}"
        for kind in CHAIN
        if observed.error(site, kind) and not observed.absent(site, kind) and (site, kind) in observed.collections
    ]
    if unread:
        return Isolation(site, {}, {}, (), (), (), "; ".join(unread))
    namespaces = {
        _address(start, matches).name: live_namespace(start.name, start.attributes)
        for start in observed.objects(site, STARTS_AT)
    }
    # A namespace of which nothing is read does not exist: nobody is in it.
    labels = {live.name: live.values.get("labels") or {} for live in observed.objects(site, "namespace")}
    entries = list(_entries(site, observed, matches))
    beside = Beside(
        frozenset(name for name, of_it in labels.items() if QUEUE not in of_it),
        frozenset(name for name, of_it in labels.items() if of_it.get(GUARD) in REFUSING),
        tuple(
            entry for entry, _ in entries if entry.address.kind in _BESIDE and {"server", "node"} & entry.values.keys()
        ),
    )
    proof = prove(site, Index(followed(entries)), namespaces, beside)
    read = {
        kind
        for kind in (*CHAIN, *IF_READ)
        if (site, kind) in observed.collections and not observed.error(site, kind)
    }  # fmt: skip
    unread_kinds = unread_ways(read) if proof.ways else ()
    names = {one.way for one in unread_kinds}
    known = (one for one in proof.ways if one.state is not WayState.CLOSED or one.way not in names)
    return replace(proof, ways=(*known, *unread_kinds))


def _entries(site: str, observed: Observed, matches: Matches) -> Iterator[tuple[Entry, str]]:
    for kind in (*CHAIN, *IF_READ):
        for live in observed.objects(site, kind):
            values = live.identified(matches.symbolic(live.kind, live))
            server = live.attributes.get("server") or live.attributes.get("nfs_server")
            node = live.attributes.get("host_path") or live.attributes.get("local_path")
            more = {name: text for name, text in (("server", server), ("node", node)) if text}
            yield Entry(_address(live, matches), {**values, **more}), live.id


def _address(live: Live, matches: Matches) -> Address:
    return matches.address_of(live) or Address(live.site, live.kind.name, live.name)
