"""A part as JSON, whichever backend keeps it."""

from __future__ import annotations

import json

from vastplan.ledger.upgrade import upgraded
from vastplan.model import canonical_json, strict_json
from vastplan.model.errors import VastplanError
from vastplan.model.site_ledger import LEDGER_VERSION, Intent, Owned, SiteLedger


def dump(part: SiteLedger) -> bytes:
    """A part as canonical JSON. What came to the format later is left out while it says nothing."""
    whole = canonical_json.plain(part)
    for name in ("systems", "head"):
        if not whole[name]:
            del whole[name]
    for owned in whole["entries"].values():
        if not owned["sources"]:
            del owned["sources"]
    return canonical_json.text(whole).encode()


def load(raw: bytes, shown: str) -> SiteLedger:
    """A part from JSON of this version or an older one; raises `VastplanError` that says what is wrong with it."""
    try:
        fields = strict_json.parse(raw)
        version = fields["version"]
        if not isinstance(version, int) or version > LEDGER_VERSION:
            raise VastplanError(
                f"the ledger {shown} has version {version}; this vastplan reads up to {LEDGER_VERSION}: upgrade it"
            )
        fields = upgraded(fields)
        fields["entries"] = {
            address: Owned(refers=tuple(owned.pop("refers")), **owned) for address, owned in fields["entries"].items()
        }
        fields["intents"] = {address: Intent(**intent) for address, intent in fields["intents"].items()}
        fields["plans"] = tuple(fields["plans"])
        part = SiteLedger(**fields)
        bytes.fromhex(part.key)
        for said in (part.head, *(owned.sources for owned in part.entries.values() if owned.sources)):
            if not isinstance(said, dict) or (said is not part.head and not all(map(_is_text, said.values()))):
                raise TypeError("what came from where is no mapping of texts")
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        reason = "it is not JSON" if isinstance(problem, json.JSONDecodeError) else "it is not a ledger"
        raise VastplanError(
            f"the ledger {shown} cannot be used: {reason}; restore it from a copy, or move it away to adopt anew"
        ) from None
    return part


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def checked(part: SiteLedger, document: str, site: str, shown: str) -> SiteLedger:
    """The part, when it is that of the document and the site; raises `VastplanError`."""
    if part.document != document:
        raise VastplanError(f"the ledger {shown} belongs to the document {part.document}, not to {document}")
    if part.site != site:
        raise VastplanError(f"the ledger {shown} belongs to the site {part.site}, not to {site}")
    return part
