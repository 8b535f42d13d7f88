"""Objects of other kinds that hold the data of an object, or use it, found by equal fields (`Linked`). Pure; each index is built once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from vastplan.engine.live.observe import Live, Observed
from vastplan.engine.live.users import listed
from vastplan.schema.dependents import Linked
from vastplan.schema.kind import Kind

_NOTHING: list[Live] = []
_Index = Mapping[tuple[str, ...], list[Live]]


class Links:
    """The linked objects of live objects. Its indexes are built when they are first needed."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._indexes: dict[tuple[str, Linked], _Index] = {}

    def of(self, live: Live, link: Linked) -> list[Live]:
        """The objects that are linked to an object; empty also where they could not be read, see `error`."""
        place = (live.site, link)
        if place not in self._indexes:
            self._indexes[place] = self._index(live.site, link)
        here = tuple(str(_own(live, name)) for name, _ in link.same)
        found = self._indexes[place].get(here, _NOTHING)
        return [other for other in found if self._agrees(live, other, link)] if link.agree else found

    def error(self, site: str, link: Linked) -> str:
        """Why the linked objects are unknown, "" where they are known or the site has no such system."""
        return "" if self._observed.absent(site, link.kind) else self._observed.error(site, link.kind)

    def _index(self, site: str, link: Linked) -> _Index:
        index: dict[tuple[str, ...], list[Live]] = {}
        for live in self._observed.objects(site, link.kind):
            if not link.counted or live.metrics[link.counted] != 0:
                for key in product(*(self._theirs(live, name) for _, name in link.same)):
                    index.setdefault(key, []).append(live)
        return index

    def _theirs(self, live: Live, name: str) -> list[str]:
        """The values of a field, or of a field of the object that it refers to."""
        field, _, inner = name.partition(".")
        values = listed(_own(live, field))
        if inner:
            refers = live.kind.field(field).refers
            targets = [] if refers is None else refers.targets
            places = (self._observed.find(live.site, kind, by, raw) for raw in values for kind, by in targets)
            values = [_own(place, inner) for place in places if place is not None]
        return [str(value) for value in values if value is not None]

    def _agrees(self, live: Live, other: Live, link: Linked) -> bool:
        pairs = ((self._theirs(live, here), self._theirs(other, there)) for here, there in link.agree)
        return all(not mine or not theirs or mine == theirs for mine, theirs in pairs)


def _own(live: Live, name: str) -> Any:
    """The id, an attribute as the system returns it or as it is predicted, or the value of a field; the attribute `path` is none of it."""
    if name == "id":
        return live.id
    attribute = next((each for each in live.kind.attributes if each.name == name and name != "path"), None)
    if attribute is None:
        return live.values.get(name)
    value = live.attributes.get(name)
    return attribute.predicted(live.values) if value is None else value


def linked_kinds(kind: Kind, kinds: Mapping[str, Kind]) -> set[str]:
    """The kinds to read to know what data goes with an object of a kind, and who uses it: all that its links lead to."""
    found, queue = set[str](), [kind]
    while queue:
        each = queue.pop()
        links = (*(each.held.links if each.held is not None else ()), *each.users)
        for link in links:
            if link.kind not in found:
                found.add(link.kind)
                queue.append(kinds[link.kind])
            found |= {*_between(each, link, kinds[link.kind])}
    return found


def _between(kind: Kind, link: Linked, other: Kind) -> Iterator[str]:
    """The kinds of the objects whose fields a link compares (`project.namespace`)."""
    pairs = (*link.same, *link.agree)
    for of, path in (*((kind, here) for here, _ in pairs), *((other, there) for _, there in pairs)):
        name, _, inner = path.partition(".")
        if inner and (refers := of.field(name).refers) is not None:
            yield from refers.attributes


def without(objects: Iterable[Live], seen: set[tuple[str, str]]) -> list[Live]:
    """Those of some objects that are not in `seen`, which then has them too."""
    new = []
    for live in objects:
        if (live.kind.name, live.id) not in seen:
            seen.add((live.kind.name, live.id))
            new.append(live)
    return new
