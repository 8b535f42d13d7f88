"""Which of several objects of one name a live object refers to: a namespaced one only from within its namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.engine.live.observe import Live, Observed
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import KindFacts, facts_of


def referred_objects(observed: Observed, live: Live, target: str, attribute: str, raw: Any) -> list[Live]:
    """The objects of a kind on its site to which a raw value of a live object may refer; several if the object does not say which.

    A credential of a project refers to a Secret in the project's namespace, one without a project to none in a project's namespace.
    """
    first = observed.find(live.site, target, attribute, raw)
    if first is None:
        return []
    if attribute != "name" or not first.kind.endpoint.namespaced:
        return [first]
    places = _places(first.kind)
    for kind, by, own in _stands_in(live, places):
        place = observed.find(live.site, kind, by, own)
        where = _called(place, places[kind]) if place is not None else None
        if where is None:
            return observed.having(live.site, target, attribute, raw)
        return observed.having(live.site, target, "path", f"{where}/{raw}")
    place_kinds = facts_of(live.kind).places
    of = {kind: by for kind, by in places.items() if kind in place_kinds}
    return [other for other in observed.having(live.site, target, attribute, raw)
            if not any(observed.find(live.site, kind, by, other.values.get("namespace")) for kind, by in of.items())]  # fmt: skip


def shown_places(targets: Iterable[Kind], kind_facts: Iterable[KindFacts]) -> set[str]:
    """The kinds to read to determine which objects of `targets` are meant by name: those to which their namespaces belong."""
    places = {target.name: {*_places(target)} for target in targets if target.endpoint.namespaced}
    if not places:
        return set()
    return {
        place
        for each in kind_facts
        for target in each.targets & places.keys()
        for place in places[target] & each.places
    }


def _called(place: Live, attribute: str) -> Any:
    """The name of the namespace of a place, such as a project: as the system returns it, else as predicted, else `None`."""
    value = place.attributes.get(attribute)
    return place.kind.attribute(attribute).predicted(place.values) if value is None else value


def _places(kind: Kind) -> Mapping[str, str]:
    """The kinds to which the namespace of an object may belong, with the attribute that has its name."""
    refers = kind.field("namespace").refers
    return refers.attributes if refers is not None else {}


def _stands_in(live: Live, places: Mapping[str, str]) -> Iterator[tuple[str, str, Any]]:
    """The references of an object to places whose namespace its target may be in: kind, attribute and raw value."""
    for name, field, _ in live.kind.fields.referring:
        value = live.values.get(name)
        if field.refers is not None and value is not None and not isinstance(value, list):
            yield from ((kind, by, value) for kind, by in field.refers.targets if kind in places)
