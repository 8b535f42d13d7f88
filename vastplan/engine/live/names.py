"""The names of objects read one by one: those of the document and the ledger completely, those referred to only for their existence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from vastplan.engine.live.observe import SiteKind
from vastplan.model.address import Address, kind_of
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts
from vastplan.schema.markers import Refers
from vastplan.schema.walk import fields_with_references, map_references


class Named(NamedTuple):
    """The locators to read. Of those in `whole` the values are needed, of the others only whether they exist.

    `called` are names of objects whose locator only the system knows: their values are needed too, where a list shows them.
    """

    locators: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()

    def joined(self, other: Named) -> Named:
        """Both together."""
        return Named(self.locators | other.locators, self.whole | other.whole, self.called | other.called)


NOTHING_NAMED = Named()


def names_to_read(
    kinds: Mapping[str, Kind], entries: Iterable[Entry], ledger: Mapping[str, SiteLedger]
) -> dict[SiteKind, Named]:
    """The names to read of kinds that are `read_by_name`, by site and kind.

    A locator that depends on what only the system knows is left out: its object is unknown where it cannot be listed.
    """
    single = {name for name, kind_facts in facts(kinds).items() if kind_facts.read_by_name}
    referring = {name for name, kind_facts in facts(kinds).items() if single & kind_facts.targets}
    desired = {entry.address: entry for entry in entries}
    referred: dict[SiteKind, set[str]] = {}
    whole: dict[SiteKind, set[str]] = {}
    called: dict[SiteKind, set[str]] = {}
    for address, entry in desired.items():
        kind = kinds[address.kind]
        if address.kind in single:
            locator = _locator(kinds, desired, kind, entry)
            name = kind.attribute("name").predicted(entry.values) if locator is None else locator
            if name is not None:
                (called if locator is None else whole).setdefault((address.site, address.kind), set()).add(name)
        for _, ref in fields_with_references(kind.fields, entry.values) if address.kind in referring else ():
            if ref.target.kind in single and not ref.managed:
                referred.setdefault((ref.target.site, ref.target.kind), set()).add(ref.target.name)
    for site, part in ledger.items():
        for text, owned in part.entries.items():
            if (name := kind_of(text)) in single:
                whole.setdefault((site, name), set()).add(owned.locator)
    return {
        key: Named(
            frozenset(referred.get(key, set()) | whole.get(key, set())),
            frozenset(whole.get(key, ())),
            frozenset(called.get(key, ())),
        )
        for key in {**referred, **whole, **called}
    }


def _locator(kinds: Mapping[str, Kind], desired: Mapping[Address, Entry], kind: Kind, entry: Entry) -> str | None:
    """The locator of an entry's object, where it follows from the document alone."""

    def change(refers: Refers, value: Any) -> Any:
        if not isinstance(value, Ref):
            return value
        target, attribute = value.target, refers.attribute(value.target.kind)
        if not value.managed:
            return target.name if attribute in ("name", "path") else value
        declared, referred = kinds[target.kind].attribute(attribute), desired.get(target)
        predicted = declared.predicted(referred.values) if referred is not None else None
        return value if predicted is None else predicted

    locator: str | None = kind.attribute("path").predicted(map_references(kind.fields, entry.values, change))
    return locator
