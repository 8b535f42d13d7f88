"""Snapshot schedules that replicate: the peer that `replicate_to` names, and the site on which a schedule is created."""

from collections.abc import Iterable

from vastplan.kinds.compose._two_sites import stands_on
from vastplan.kinds.compose.peering import peer_at
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    wanted = entry.values.get("replicate_to")
    if not isinstance(wanted, Ref):
        yield entry
        return
    if not stands_on(entry, scope):
        return
    peering = scope.get(wanted.target)
    if peering is None:
        scope.refuse(
            entry,
            "VP235",
            "replicate_to has to name a replication peer of this document",
            "add the peer to replication_peers",
        )
        return
    peer, before = peer_at(peering, entry.address.site)
    values = {**entry.without("replicate_to"), "peer": peer, "clone_type": "NATIVE_REPLICATION"}
    yield entry.standing_for(values, after=before)


def _recover(pieces: Pieces) -> Iterable[Recovered]:
    """A schedule with `replicate_to` in place of its peer, if the peer is one end of a replication peer of the document."""
    for entry in pieces.of("protection_policy"):
        peer = entry.values.get("peer")
        if isinstance(peer, Ref) and entry.values.get("clone_type") == "NATIVE_REPLICATION":
            for site in pieces.sites:
                link = Address(site, "peering", peer.target.name)
                if pieces.get(link) is not None:
                    values = {
                        **entry.without("peer", "clone_type"),
                        "replicate_to": Ref(Address(entry.address.site, "peering", link.name)),
                    }
                    yield Recovered(entry.standing_for(values), (entry.address,))
                    break


COMPOSITION = Composition("protection_policy", _compose, recover=_recover, rank=1)
