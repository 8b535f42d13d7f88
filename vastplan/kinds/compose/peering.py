"""Replication peers: one entry for two sites. The peer is created on the first; the system mirrors it on the second."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from vastplan.model.address import Address
from vastplan.model.nearest import nearest
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry, composite
from vastplan.schema.markers import DOCUMENT
from vastplan.schema.recovery import Pieces, Recovered
from vastplan.schema.types import MISSING, Count, Spec


class PeerSite(Spec):
    """One end of a replication peer: the site's VIP pool for replication."""

    vip_pool: str
    """VIP pool with role REPLICATION on that site, through which replication goes."""


class Peering(Spec):
    """A replication peer: the link between the VAST clusters of two sites, over which snapshots and writes are replicated."""

    between: Annotated[dict[str, PeerSite], Field(min_length=2, max_length=2), DOCUMENT]
    """The two sites, each with its pool. The peer is created on the site written first; VMS mirrors it on the other."""
    secure_mode: Literal["NONE", "SECURE"] | MISSING = MISSING
    """SECURE encrypts replication by mTLS and needs certificates uploaded to both clusters; NONE sends it unencrypted."""
    transport_mode: Literal["TCP", "QUIC"] | MISSING = MISSING
    """Transport of the link: TCP, which is FIPS compliant, or QUIC, which is not and suits networks of high latency."""
    mss: Count | MISSING = MISSING
    """Largest TCP segment (MSS), in bytes, that the peer can receive."""


def _sites(values: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(values["between"])


def peer_at(entry: Entry, site: str) -> tuple[Ref, tuple[Address, ...]]:
    """The peer as `site` sees it, and what must exist first: on the second site it is the system's mirror."""
    first = next(iter(entry.values["between"]))
    created = Address(first, "replication_peer", entry.address.name)
    if site == first:
        return Ref(created), ()
    return Ref(Address(site, "replication_peer", entry.address.name), managed=False), (created,)


def other_site(entry: Entry, site: str) -> str:
    """The other end of the link."""
    return str(next(end for end in entry.values["between"] if end != site))


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    between = entry.values["between"]
    first, second = between
    pools = {}
    for site in between:
        address = Address(site, "vip_pool", between[site]["vip_pool"])
        pool = scope.get(address)
        if pool is None:
            if entry.address.site == first:  # reported once: the entry is on both sites
                scope.refuse(
                    entry,
                    "VP209",
                    f"no vip_pool {address.name} on {site}, which this replication peer uses",
                    _hint(scope, site, address.name),
                )
        elif pool.values.get("role") != "REPLICATION" and entry.address.site == first:
            scope.refuse(
                entry,
                "VP234",
                f"vip_pool {address.name} on {site} has role {pool.values.get('role')}",
                "role: REPLICATION",
            )
        pools[site] = Ref(address)
    if entry.address.site == first:
        options: dict[str, Any] = {
            name: entry.values[name] for name in ("secure_mode", "transport_mode", "mss") if name in entry.values
        }
        values = {"name": entry.address.name, "pool": pools[first], "leading_vip": pools[second], **options}
        yield entry.part("replication_peer", entry.address.name, values)


def _hint(scope: Scope, site: str, name: str) -> str:
    """The fix for a missing pool: name one that fits, or write a new one."""
    fit = [pool.address.name for pool in scope.of(site, "vip_pool") if pool.values.get("role") == "REPLICATION"]
    if not fit:
        return f"write a pool with role: REPLICATION on {site}"
    return nearest(name, fit) or f"pools with role REPLICATION on {site}: {some(sorted(fit))}"


PEERING = composite(
    Peering, name="peering", section="replication_peers", systems=lambda _: frozenset({"vast"}), sites=_sites
)


def _recover(pieces: Pieces) -> Iterable[Recovered]:
    """One entry for two live peers of the same name on two sites, where the first leads to a pool of the second site.

    Both peers look alike. The first is the one over which schedules of its site replicate, else the first by address;
    the entry creates the peer on its site.
    """
    ends: dict[str, list[Entry]] = {}
    for peer in pieces.of("replication_peer"):
        ends.setdefault(peer.called, []).append(peer)
    for name, rows in ends.items():
        if len(rows) != 2 or rows[0].address.site == rows[1].address.site:
            continue
        first, second = sorted(rows, key=lambda row: (not _used(pieces, row), row.address))
        pool, far = first.values.get("pool"), first.values.get("leading_vip")
        if not isinstance(pool, Ref) or not isinstance(far, Ref) or far.target.site != second.address.site:
            continue
        between = {
            first.address.site: {"vip_pool": pool.target.name},
            second.address.site: {"vip_pool": far.target.name},
        }
        options: dict[str, Any] = {
            option: first.values[option]
            for option in ("secure_mode", "transport_mode", "mss")
            if option in first.values
        }
        address = Address(first.address.site, "peering", name)
        yield Recovered(Entry(address, {"between": between, **options}), (first.address, second.address))


def _used(pieces: Pieces, peer: Entry) -> bool:
    return any(address.kind == "protection_policy" for address in pieces.referring(peer.address))


COMPOSITION = Composition("peering", _compose, creates=frozenset({"replication_peer"}), recover=_recover)
