"""Snapshot schedules that replicate: the peer behind `replicate_to`."""

from collections.abc import Iterable

from vastplan.kinds.compose.peering import peer_at
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    wanted = entry.values.get("replicate_to")
    if not isinstance(wanted, Ref):
        yield entry
        return
    peering = scope.get(wanted.target)
    if peering is None:
        scope.refuse(
            entry, "VP235", "replicate_to names a replication peer of this document", "add it to replication_peers"
        )
        return
    peer, before = peer_at(peering, entry.address.site)
    values = {**entry.without("replicate_to"), "peer": peer, "clone_type": "NATIVE_REPLICATION"}
    yield entry.standing_for(values, after=before)


COMPOSITION = Composition("protection_policy", _compose)
