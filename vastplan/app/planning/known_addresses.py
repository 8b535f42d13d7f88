"""The addresses that can be named on the planned sites, of objects and of the entries that several are composed from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import escape

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.site_ledger import SiteLedger
from vastplan.schema.entries import Entry

_SIGNS = "*?["


@dataclass(frozen=True, slots=True)
class Known:
    """The addresses that can be named on the planned sites, and those of each composite entry.

    `elsewhere` are the document's sites that this run does not plan, `begun` the planned sites with an earlier apply. `leaving` are
    owned addresses that left the document, `whole` the composite entries of owned objects that have no object in the document any
    more. `kinds` are all names of kinds, also of composite entries. `unread` are pairs of site and kind with something undetermined.
    `gone` are addresses that the ledger once had. `occupied` are the destinations of delivered values: naming one consents to
    overwrite somebody else's value there.
    """

    addresses: frozenset[str]
    parts: Mapping[str, Sequence[str]]
    elsewhere: frozenset[str]
    begun: frozenset[str] = frozenset()
    leaving: frozenset[Address] = frozenset()
    kinds: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    unread: frozenset[tuple[str, str]] = frozenset()
    gone: frozenset[str] = frozenset()
    occupied: frozenset[str] = frozenset()


def known_objects(
    entries: Iterable[Entry], ledger: Mapping[str, SiteLedger], sites: Collection[str], kinds: Collection[str]
) -> Known:
    """The objects in the document and the ledger; `sites` are all sites of the document, those in `ledger` are planned."""
    owned = {text for part in ledger.values() for text in (*part.entries, *part.intents)}
    addresses, leaving = set(owned), set(owned)
    parts: dict[str, list[str]] = {}
    for entry in entries:
        addresses.add(str(entry.address))
        leaving.discard(str(entry.address))
        if entry.origin:
            parts.setdefault(entry.origin, []).append(str(entry.address))
    composites = {origin: of_it for origin, of_it in parts.items() if origin not in addresses}
    return Known(
        frozenset(addresses),
        composites,
        frozenset(sites) - ledger.keys(),
        frozenset(site for site, part in ledger.items() if part.applied),
        frozenset(map(Address.parse, leaving)),
        frozenset(kinds),
        frozenset(owned.origin for part in ledger.values() for owned in part.entries.values()) - {"", *parts},
        gone=frozenset(text for part in ledger.values() for text in part.gone),
    )


def targeted_objects(targets: Iterable[str], existing: Known) -> tuple[str, ...]:
    """The targets, and the objects of those that are a composite entry (the `origin` in reports) instead of an object."""
    aims: list[str] = []
    for target in targets:
        aims.append(target)
        if not matches_one(target, existing.addresses):
            origins = [origin for origin in existing.parts if origin == target or fnmatchcase(origin, target)]
            aims += [escape(part) for origin in origins for part in existing.parts[origin]]
    return tuple(aims)


def names_a_field(text: str, addresses: Collection[str]) -> bool:
    """Whether the text names a field of a known address, `ADDRESS.FIELD`; both parts may be patterns."""
    while "." in text:
        text = text.rpartition(".")[0]
        if matches_one(text, addresses):
            return True
    return False


def matches_one(text: str, addresses: Collection[str]) -> bool:
    """Whether a text is one of some addresses, or a pattern of one."""
    if text in addresses or text == "*":  # it stands for all objects, even if none exist
        return True
    return is_pattern(text) and any(fnmatchcase(address, text) for address in addresses)


def is_pattern(text: str) -> bool:
    """Whether a text has wildcards."""
    return any(sign in text for sign in _SIGNS)
