"""Live objects, and collections of them. What could not be read is unknown, never empty."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Set
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

from vastplan.engine.live.condition import state_reader
from vastplan.model.dataclass import dataclass
from vastplan.model.live_state import WELL, LiveState
from vastplan.model.value import Unknown
from vastplan.schema.codec import at, controller_reader, decoder, dig, item_id, system_owned_test
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Metric
from vastplan.schema.provider import NO_MARK, Mark, Marking, Owning, Provider

SystemKey = tuple[str, str]  # site, system
SiteKind = tuple[str, str]  # site, kind


@dataclass(slots=True)
class Live:
    """One live object. In `values` references are still raw wire values; others refer to the object by its `attributes`."""

    site: str
    kind: Kind
    id: str
    locator: str
    values: Values
    attributes: dict[str, Any]
    metrics: dict[str, Any]
    system_owned: bool = False
    writers: tuple[str, ...] = ()
    controller: str = ""  # the driver or system that created it for itself
    mark: Mark = NO_MARK  # the document that wrote it last, where the system shows it
    owners: tuple[str, ...] = ()  # what it belongs to or was created by, where the system shows it: `StatefulSet web`
    state: LiveState = WELL

    @property
    def name(self) -> str:
        """The name for messages; the id for kinds of which one user may have several objects that differ only by it."""
        if self.kind.distinct_by_id and "name" not in self.attributes:
            return self.id
        return str(self.attributes.get("name") or self.values.get(self.kind.identity[0]) or self.locator)

    def identified(self, values: Mapping[str, Any]) -> Values:
        """The values with all fields of the identity, as an entry has them: null for those that the system left out."""
        return {**dict.fromkeys(self.kind.identity), **values}


@dataclass(slots=True)
class ObservedCollection:
    """All objects of a kind on a site, or why they could not be read.

    With `asked`, only the objects of those locators were looked for, and `error` says why all could not be listed. `nobody` are
    those whose user or group the system does not know. A collection that is `beside` was read for a message only, and does not
    count as one that the document uses.
    """

    objects: list[Live] = field(default_factory=list)
    error: str = ""
    absent: bool = False  # the site has no such system, so none of its objects can block anything
    asked: frozenset[str] = frozenset()
    nobody: frozenset[str] = frozenset()
    beside: bool = False


_Index = Mapping[str, Mapping[str, "Live | list[Live]"]]  # attribute -> value -> the object, or all that have it
_UNREAD = ObservedCollection(error="was not read")


class Observed:
    """The collections that were read, indexed by the attributes that references use. Complete once created."""

    def __init__(
        self, collections: Mapping[SiteKind, ObservedCollection], indexes: Mapping[SiteKind, _Index] | None = None
    ):
        self.collections: Mapping[SiteKind, ObservedCollection] = MappingProxyType(dict(collections))
        given = indexes or {}
        self._indexes = {key: given.get(key) or _indexed(read.objects) for key, read in self.collections.items()}
        self._sites: dict[str, list[str]] = {}
        for site, kind in self.collections:
            self._sites.setdefault(kind, []).append(site)

    def joined(self, other: Observed) -> Observed:
        """The collections of both."""
        return Observed({**self.collections, **other.collections}, {**self._indexes, **other._indexes})

    def read_beside(self, beside: Set[SiteKind]) -> Observed:
        """The same collections, those of `beside` marked as read for a message only."""
        collections = {
            key: replace(read, beside=True) if key in beside else read for key, read in self.collections.items()
        }
        return Observed(collections, self._indexes)

    def error(self, site: str, kind: str) -> str:
        """Why a collection is not known as a whole, "" when it was read."""
        return self.collections.get((site, kind), _UNREAD).error

    def asked(self, site: str, kind: str) -> frozenset[str]:
        """The locators that were looked for one by one, where the collection could not be listed."""
        return self.collections.get((site, kind), _UNREAD).asked

    def nobody(self, site: str, kind: str) -> frozenset[str]:
        """The locators whose user or group the system does not know."""
        return self.collections.get((site, kind), _UNREAD).nobody

    def absent(self, site: str, kind: str) -> bool:
        """Whether the site has no such system at all."""
        return self.collections.get((site, kind), _UNREAD).absent

    def objects(self, site: str, kind: str) -> list[Live]:
        """All objects of a kind on a site; none when it is unknown."""
        return self.collections.get((site, kind), _UNREAD).objects

    def having(self, site: str, kind: str, attribute: str, value: Any) -> list[Live]:
        """The objects whose attribute has the value; raises `KeyError` for an attribute that no reference uses."""
        index = self._indexes.get((site, kind))
        if not index:
            return []
        hit = index[attribute].get(str(value))
        return [] if hit is None else hit if isinstance(hit, list) else [hit]

    def find(self, site: str, kind: str, attribute: str, value: Any) -> Live | None:
        """The first object whose attribute has the value."""
        index = self._indexes.get((site, kind))
        if not index:
            return None
        hit = index[attribute].get(str(value))
        return hit[0] if isinstance(hit, list) else hit

    def named(self, site: str, kind: Kind, name: str) -> list[Live]:
        """The objects of that name; a namespaced one is also found by `namespace/name`, which only one can have."""
        by_path = self.having(site, kind.name, "path", name) if kind.endpoint.namespaced else []
        return by_path or self.having(site, kind.name, "name", name)

    def by_id(self, site: str, kind: str, id: str) -> Live | None:
        """The object with that id."""
        return self.find(site, kind, "id", id)

    def sites(self, kind: str) -> list[str]:
        """The sites where the kind was to be read."""
        return self._sites.get(kind, [])


def _indexed(objects: list[Live]) -> _Index:
    """By id, by path, and by every attribute of the kind."""
    if not objects:
        return {}
    attributes = [attribute.name for attribute in objects[0].kind.attributes if attribute.name not in ("id", "path")]
    by_id: dict[str, Live | list[Live]] = {}
    by_path: dict[str, Live | list[Live]] = {}
    indexes: dict[str, dict[str, Live | list[Live]]] = {"id": by_id, "path": by_path, "name": {}}
    indexes |= {name: {} for name in attributes}
    paths_apart = any(live.locator != live.id for live in objects)
    if not paths_apart:
        indexes["path"] = by_id  # one index serves both
    for live in objects:
        _put(by_id, live.id, live)
        if paths_apart:
            _put(by_path, live.locator, live)
        for name in attributes:
            value = live.attributes.get(name)
            if value is not None:
                _put(indexes[name], str(value), live)
    return indexes


def _put(index: dict[str, Live | list[Live]], key: str, live: Live) -> None:
    present = index.setdefault(key, live)
    if present is live:
        return
    if isinstance(present, list):
        present.append(live)
    else:
        index[key] = [present, live]


def live_of(site: str, kind: Kind, row: Row, provider: Provider) -> Live:
    """A row as an object."""
    return live_reader(site, kind, {}, provider)(row)


def live_reader(site: str, kind: Kind, example: Row, provider: Provider) -> Callable[[Row], Live]:
    """A function from a row to an object, fast for rows like `example`: what all rows of a collection share is prepared once."""
    attributes = [(attribute.name, attribute.path) for attribute in kind.attributes if attribute.path]
    # Most attributes and facts are at the top of their row.
    shallow = [(name, path[0]) for name, path in attributes if len(path) == 1]
    deep = [(name, path) for name, path in attributes if len(path) > 1]
    figures = [(fact.name, fact.path[0], _is_plain(fact), fact) for fact in kind.metrics]
    values_of, is_system_owned, controller_of = decoder(kind, example), system_owned_test(kind), controller_reader(kind)
    state_of = state_reader(kind)
    locator_of, writers_of, endpoint = provider.locator, provider.writers, kind.endpoint
    mark_of = provider.mark_of if isinstance(provider, Marking) else None
    owners_of = provider.owners_of if isinstance(provider, Owning) else None

    def live(row: Row) -> Live:
        locator, get = locator_of(kind, row), row.get
        named = {name: get(key) for name, key in shallow}
        for name, path in deep:
            named[name] = at(row, path)
        named["path"] = locator
        metrics = {}
        for name, key, plain, fact in figures:
            amount = get(key) if plain else None
            # a valid number needs no conversion
            metrics[name] = amount if type(amount) is int and amount >= 0 else metric_value(fact, row)
        return Live(
            site,
            kind,
            item_id(endpoint, row),
            locator,
            values_of(row),
            named,
            metrics,
            is_system_owned(row),
            writers_of(row),
            controller_of(row),
            mark_of(row) if mark_of else NO_MARK,
            owners_of(row) if owners_of else (),
            state_of(row),
        )

    return live


def _is_plain(fact: Metric) -> bool:
    """Whether a fact is a plain number at the top level of its row."""
    return len(fact.path) == 1 and not (fact.ones or fact.zeros or fact.by)


def metric_value(fact: Metric, row: Row) -> Any:
    """The value of a fact in a row: a number, a mapping of numbers, or `Unknown`."""
    *outer, last = fact.path
    holder = dig(row, tuple(outer))
    raw = dig(holder, (last,))
    if not isinstance(holder, dict) or (last not in holder and fact.absent is None):
        return Unknown("the answer does not have it")
    if last not in holder:
        return fact.absent
    if fact.ones or fact.zeros:
        is_listed = isinstance(raw, Hashable) and raw in fact.ones | fact.zeros
        return int(raw in fact.ones) if is_listed else Unknown(f"the answer says {json.dumps(raw)[:40]}")
    if fact.by:
        if not isinstance(raw, list):
            return Unknown(f"the answer says {json.dumps(raw)[:40]}")
        return {str(at(item, fact.by)): _number(dig(item, fact.each)) for item in raw}
    return len(raw) if isinstance(raw, list) else _number(raw)


LARGEST = 10**100
"""A figure of use is smaller than this, so that sums of figures, also of fractions, stay finite."""


def _number(raw: Any) -> int | float | Unknown:
    if isinstance(raw, int | float) and not isinstance(raw, bool) and 0 <= raw < LARGEST:
        return raw
    return Unknown(f"the answer says {json.dumps(raw, default=lambda _: 'nothing')[:40]}")
