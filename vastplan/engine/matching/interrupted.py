"""What an interrupted apply has done to an object. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.engine.live.diff import digests, leaf_digest, leaves, same, value_at
from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.site_ledger import REDACTED_DIGEST, Intent, SiteLedger, path_text
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Marker


def is_created_by(intent: Intent, kind: Kind, desired: Values, current: Values, key: str) -> bool:
    """Whether a live object is the one that an interrupted create sent: it has every leaf as it was sent.

    A leaf that the document still has also counts if it needs no change, because systems show null in several ways.
    """
    if intent.verb not in ("create", "replace"):
        return False
    current_digests = digests(kind, current, key)
    unseen = {field.name for field in kind.fields if field.has(Marker.WRITE_ONLY) or field.has(Marker.AFTER_CREATE)}
    kept = {
        path_text(leaf.path): leaf_digest(key, leaf.field, leaf.value)
        for leaf in leaves(kind.fields, desired)
        if same(leaf.field, leaf.value, value_at(current, leaf.path))
    }
    return all(
        sent in (current_digests.get(path), kept.get(path), REDACTED_DIGEST)
        for path, sent in intent.fields.items()
        if path.partition(".")[0] not in unseen
    )


def standing_intent(matches: Matches, ledger: Mapping[str, SiteLedger], address: Address) -> Intent | None:
    """The write to an object whose outcome no apply of vastplan could record, by the address that the ledger still has for it."""
    part = ledger.get(address.site)
    if part is None or not part.intents:
        return None
    return part.intents.get(str(matches.renames.moves.get(address, address)))


def is_noted(applied: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether the ledger's digests are those of the desired values, as far as a snapshot contains them."""
    return applied.keys() == now.keys() and all(was in (now[path], REDACTED_DIGEST) for path, was in applied.items())
