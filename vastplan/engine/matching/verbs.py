"""What to do about an object that exists, and what an interrupted apply has done to it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.engine.live.diff import (
    Difference,
    digests,
    leaf_digest,
    leaves,
    moved_by,
    same,
    value_at,
)
from vastplan.engine.live.matches import Match, Matches
from vastplan.model.address import Address
from vastplan.model.plan import Verb
from vastplan.model.site_ledger import REDACTED_DIGEST, Intent, SiteLedger, path_text
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Marker


def verb_of(
    difference: Difference,
    match: Match,
    *,
    recovered: bool,
    noted: bool,
    renamed_from: str,
    imported: bool,
    resourced: str = "",
) -> tuple[Verb, str, tuple[str, ...]] | None:
    """What to do about an object that exists: verb, reason, and the released fields; `None` for nothing.

    `recovered` says that an interrupted apply created it, `noted` that the ledger has recorded all that such an apply did,
    `resourced` which secrets have the same values from other sources.
    """
    fixed = [change.path for change in difference.changes if change.replaces]
    if match.owned is None and not recovered:
        return Verb.ADOPT, "it exists and is not in the ledger", difference.released
    if fixed:
        return Verb.REPLACE, f"{', '.join(fixed)} cannot be changed in place", difference.released
    if difference.changes:
        return Verb.UPDATE, moved_by(difference.changes), difference.released
    # From here on the object is as the document says, and only the ledger has to be updated.
    if recovered:
        return Verb.RELEASE, "created by an interrupted apply; added to the ledger", difference.released
    if not noted:
        return Verb.RELEASE, "done by an interrupted apply; recorded in the ledger", ()
    if renamed_from:
        name = Address.parse(renamed_from).name
        return Verb.RELEASE, f"renamed from {name}; the live object does not change", difference.released
    if imported:
        return Verb.RELEASE, "imported from another ledger; recorded as it is", difference.released
    if resourced:
        return Verb.RELEASE, f"the same secret from another source: {resourced}; recorded", difference.released
    if difference.released:
        return Verb.RELEASE, "fields no longer in the document keep their values", difference.released
    return None


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
