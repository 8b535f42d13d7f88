"""What we own, as values: the ledger's parts, what happened to them, and keyed digests of what we last applied."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from vastplan.model.operation import Operation, last_of_each
from vastplan.model.value import canonical

LEDGER_VERSION = 4
KEPT_GONE = 1000
REDACTED_DIGEST = "withheld"
"""In the place of a digest that a snapshot does not hold; no digest is this text."""
UNKNOWN_DIGEST = "unknown"
"""In the place of a digest of what another ledger applied: that we set the field is known, and not to what."""
NO_DIGESTS = frozenset({REDACTED_DIGEST, UNKNOWN_DIGEST})


@dataclass(frozen=True, slots=True)
class Owned:
    """One object that we own. `fields` maps each leaf we set to a keyed digest of the value last applied.

    A reference is an address there. `wire` (since version 2) has digests of the same leaves as the system said them then,
    for those that hold references: what they refer to may be renamed or gone, and they be as they were. `sources` (since
    version 2) say where the values of secret leaves came from (`{env: NAME}`). `delivered` (since version 3) has a keyed digest of
    each value that only its making told, by the place it was meant for, and `delivered_at` when all of them were seen there, "" while
    they were not; `generation` is the number that they were made for, 0 where there are none or it is not known. `origin` (since
    version 3) is the composite entry that it is a part of, "" where it is none. `group` (since version 3) is what the members of its group
    on other sites are told by, "" where it has none. `made_of` (since version 4) is what it was made of, of an object that is made once:
    names, ids and times, as the system said them then.
    """

    id: str
    locator: str
    fields: Mapping[str, str] = field(default_factory=dict)
    refers: tuple[str, ...] = ()
    applied: str = ""
    wire: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    delivered: Mapping[str, str] = field(default_factory=dict)
    delivered_at: str = ""
    generation: int = 0
    origin: str = ""
    group: str = ""
    made_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def imported(self) -> bool:
        """Whether another ledger had it, and this one has not applied it yet."""
        return UNKNOWN_DIGEST in self.fields.values()

    def without(self, names: Set[str]) -> Owned:
        """The same with some fields no longer noted as applied."""
        fields, wire = (
            {path: digest for path, digest in digests.items() if path.partition(".")[0] not in names}
            for digests in (self.fields, self.wire)
        )
        return replace(self, fields=fields, wire=wire)


@dataclass(frozen=True, slots=True)
class Intent:
    """A write that was about to be sent; it stands until its outcome is known.

    `before` (since version 3) are the ids of what it is told from, where objects are told by their ids alone: what else is
    there of the same afterwards may be what it made. `None` where an object is told by what it is.
    """

    verb: str
    fields: Mapping[str, str] = field(default_factory=dict)
    id: str = ""
    at: str = ""
    before: tuple[str, ...] | None = None

    @property
    def takes_away(self) -> bool:
        """Whether the object may be gone by this write: then nobody else deleted it."""
        return self.verb in ("delete", "replace")


def intent_of(said: Mapping[str, Any]) -> Intent:
    """An intent as it is written; raises `TypeError` for what is none."""
    before = said.get("before")
    return Intent(**{**said, "before": None if before is None else tuple(before)})


@dataclass(frozen=True, slots=True)
class SiteLedger:
    """One site's share of the ledger. No attribute values and no secrets are in it, but the document's own settings."""

    document: str
    site: str
    lineage: str
    key: str
    serial: int = 0
    entries: Mapping[str, Owned] = field(default_factory=dict)
    intents: Mapping[str, Intent] = field(default_factory=dict)
    plans: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    applied: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)
    """Where the site's systems were when something was last applied there, by system, as a plan shows it."""
    head: Mapping[str, Any] = field(default_factory=dict)
    """The document's settings when something was last applied there, by path (since version 2); secrets by their source."""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """The last operation of each replicated object, by its guid, open or closed (since version 4)."""
    gone: tuple[str, ...] = ()
    """Addresses that it had and has no more, the newest last, and no more than `KEPT_GONE`: whoever names one again made no
    mistake (since version 4)."""
    version: int = LEDGER_VERSION


def digest(key: str, value: Any) -> str:
    """A keyed digest (64 bits, hex) of a value: equal values have equal digests, and it cannot be looked up elsewhere."""
    return hashlib.blake2b(canonical(value).encode(), key=bytes.fromhex(key), digest_size=8).hexdigest()


@lru_cache(4096)
def path_text(path: tuple[str, ...]) -> str:
    """A leaf's path as people read it; a key that holds dots is quoted."""
    return ".".join(f'"{step}"' if "." in step or '"' in step else step for step in path)


def last_on(parts: Mapping[str, SiteLedger], subject: str) -> Operation | None:
    """The last operation of a subject, `None` where there was none."""
    return next((one for one in operations(parts) if one.subject == subject), None)


def operations(parts: Mapping[str, SiteLedger]) -> tuple[Operation, ...]:
    """The last operation of each subject, by whichever part knows more of it; in the order in which they began."""
    return last_of_each(part.operations.values() for part in parts.values())
