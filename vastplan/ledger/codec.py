"""A part as JSON, the same for every backend."""

from __future__ import annotations

import json

from vastplan.ledger.events import LATER
from vastplan.ledger.history import run_of_data
from vastplan.ledger.upgrade import upgraded
from vastplan.model import canonical_json, operation, strict_json
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.site_ledger import LEDGER_VERSION, Owned, RefusedChange, SiteLedger, intent_of

_KEY_SIZE = 64  # bytes, at most: the limit of the keyed digest
_FIELDS = SiteLedger.__slots__
_TEXT, _COUNT = frozenset({str}), frozenset({int})


def dump(part: SiteLedger) -> bytes:
    """A part as canonical JSON. Fields that were added to the format later are left out while they are empty."""
    whole = canonical_json.plain_json(part)
    for name in ("systems", "head", "operations", "gone", "refused", "runs"):
        if not whole[name]:
            del whole[name]
    for owned in whole["entries"].values():
        for name in LATER:
            if not owned[name]:
                del owned[name]
    for intent in whole["intents"].values():
        if intent["before"] is None:
            del intent["before"]
    return canonical_json.json_file_text(whole).encode()


def load_part(raw: bytes, label: str) -> SiteLedger:
    """A part from JSON of this version or an older one. Raises `VastplanError`, which says what is wrong with it.

    A field of the part that this vastplan does not know is left out: what must not be ignored has another version.
    """
    try:
        fields = strict_json.parse_json(raw)
        version = fields["version"]
        if not isinstance(version, int) or version > LEDGER_VERSION:
            raise VastplanError(
                f"the ledger {label} has version {version}; this vastplan reads up to {LEDGER_VERSION}: upgrade vastplan"
            )
        fields = {name: value for name, value in upgraded(fields).items() if name in _FIELDS}
        fields["entries"] = {
            address: Owned(refers=tuple(owned.pop("refers")), **owned) for address, owned in fields["entries"].items()
        }
        fields["intents"] = {address: intent_of(intent) for address, intent in fields["intents"].items()}
        fields["plans"] = tuple(fields["plans"])
        fields["gone"] = tuple(fields.get("gone", ()))
        refused = fields.get("refused", {}).items()
        fields["refused"] = {name: RefusedChange(**known) for name, known in refused}
        operations = fields.get("operations", {}).items()
        fields["operations"] = {subject: operation.operation_from_data(record) for subject, record in operations}
        fields["runs"] = tuple(map(run_of_data, fields.get("runs", ())))
        part = SiteLedger(**fields)
        refuse_misshapen(part)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        reason = "it is not JSON" if isinstance(problem, json.JSONDecodeError) else "it is not a ledger"
        raise VastplanError(
            f"the ledger {label} cannot be used: {reason}; restore it from a copy, or move it away to adopt again"
        ) from None
    return part


def check_part(part: SiteLedger, document: str, site: str, label: str) -> SiteLedger:
    """The part, if it belongs to the document and the site. Raises `VastplanError`."""
    if part.document != document:
        raise VastplanError(f"the ledger {label} belongs to the document {part.document}, not to {document}")
    if part.site != site:
        raise VastplanError(f"the ledger {label} belongs to the site {part.site}, not to {site}")
    return part


def refuse_misshapen(part: SiteLedger) -> None:
    """Raises `ValueError` if a value has another type than its field: anybody may have written the ledger.

    Types are checked as one set, which costs next to nothing even for ten thousand objects.
    """
    texts = [part.document, part.site, part.lineage, part.key, part.applied, *part.plans, *part.gone]
    for owned in part.entries.values():
        texts += (
            owned.id,
            owned.locator,
            owned.applied,
            *owned.refers,
            *owned.fields.values(),
            *owned.wire.values(),
            *owned.sources.values(),
            *owned.delivered.values(),
            owned.delivered_at,
            owned.origin,
            owned.group,
            *owned.made_of.values(),
            owned.answered,
        )
    for intent in part.intents.values():
        texts += (intent.verb, intent.id, intent.at, *intent.fields.values(), *(intent.before or ()))
    texts += part.systems.values()
    texts += (text for known in part.refused.values() for text in (known.version, known.at, known.why))
    if not _TEXT.issuperset(map(type, texts)):
        raise ValueError("something else where a text belongs")
    if not isinstance(part.head, dict):
        raise ValueError("something else where the settings belong")
    if any(subject != record.subject for subject, record in part.operations.items()):
        raise ValueError("an operation that is not of what it stands for")
    counts = (part.serial, *part.limits.values(), *(owned.generation for owned in part.entries.values()))
    if not _COUNT.issuperset(map(type, counts)) or part.serial < 0:
        raise ValueError("something else where a number belongs")
    if len(bytes.fromhex(part.key)) > _KEY_SIZE:
        raise ValueError("a key that is too long")
    origins = {owned.origin for owned in part.entries.values()} - {""}
    for address in (*part.entries, *part.intents, *part.gone, *origins):
        if Address.parse(address).site != part.site:
            raise ValueError("an address that is none of this site")
