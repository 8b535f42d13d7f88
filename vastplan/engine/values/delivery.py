"""Values that exist only once they are created: their destination, and whether they arrived there. Pure except for randomness."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from vastplan.engine.live.diff import leaf_digest, value_at
from vastplan.engine.live.matches import Matches, ValueFault
from vastplan.model.address import Address
from vastplan.model.sensitive import keep_token
from vastplan.model.site_ledger import NO_DIGESTS, Owned, keyed_digest
from vastplan.model.value import REDACTED, Ref
from vastplan.schema.codec import at
from vastplan.schema.creation import Delivers, Drawn
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.walk import field_table


class Destination(NamedTuple):
    """Where values are delivered: an object, and for each value by name its key in that object's mapping `into`."""

    target: Ref
    into: str
    keys: Mapping[str, str]

    def place(self, name: str) -> str:
        """The place of a value, as the ledger writes it: address and key."""
        return f"{self.target.target} {self.keys[name]}"


def delivers_of(kind: Kind, values: Mapping[str, Any]) -> Delivers | None:
    """What an object's kind delivers; `None` where its entry has no destination."""
    return kind.delivers if kind.delivers is not None and values.get(kind.delivers.to) is not None else None


def delivered_into(kind: Kind) -> set[str]:
    """The kinds of object into which values of a kind may be delivered."""
    if kind.delivers is None:
        return set()
    into = field_table(kind.field(kind.delivers.to).fields).by_name[kind.delivers.target]
    return set() if into.refers is None else set(into.refers.attributes)


def destinations(owned: Owned) -> set[Address]:
    """The addresses of the objects into which the values of an object were delivered."""
    return {Address.parse(place.rpartition(" ")[0]) for place in owned.delivered}


def destination(delivers: Delivers, values: Mapping[str, Any]) -> Destination:
    """The destination of the values of an object, from its entry."""
    to = values[delivers.to]
    return Destination(to[delivers.target], delivers.into, dict(to[delivers.keys]))


def delivery_places(kind: Kind, values: Mapping[str, Any]) -> list[str]:
    """The places where an entry delivers values, as the ledger writes them; empty if it delivers none."""
    delivers = delivers_of(kind, values)
    where = None if delivers is None else destination(delivers, values)
    return [] if where is None else [where.place(name) for name in where.keys]


def fillings(
    kinds: Mapping[str, Kind], desired: Mapping[Address, Entry], acting: Iterable[Address]
) -> dict[Address, list[Address]]:
    """By destination object, the actions that deliver a value into it: actions that refer to the object wait for them.

    Actions that deliver into the same object do not wait for one another.
    """
    by_destination: dict[Address, list[Address]] = {}
    for address in acting:
        entry = desired.get(address)
        delivers = delivers_of(kinds[address.kind], entry.values) if entry is not None else None
        if delivers is not None and entry is not None:
            by_destination.setdefault(destination(delivers, entry.values).target.target, []).append(address)
    return by_destination


def delivered_values(where: Destination, matches: Matches) -> dict[str, Any]:
    """The live values at the places of the values, by name: `None` where there is none, `REDACTED` where it is withheld."""
    live = matches.match(where.target.target).live
    return {
        name: None if live is None else value_at(live.values, (where.into, key)) for name, key in where.keys.items()
    }


def existing_names(kind: Kind, values: Values, matches: Matches) -> str | None:
    """The id of the object whose values are at the destination, if one of these values is the id."""
    assert kind.delivers is not None
    delivered = delivered_values(destination(kind.delivers, values), matches)
    ids = [delivered.get(attribute.name) for attribute in kind.attributes if attribute.path == kind.endpoint.id]
    return next((value for value in ids if isinstance(value, str)), None)


def fault(
    kind: Kind, delivers: Delivers, owned: Owned, values: Values, matches: Matches, key: str
) -> ValueFault | None:
    """Why new values have to be created for an owned object; `None` if none have to be, or if that cannot be determined.

    A ledger that has the object from another ledger, or has just adopted it, has no digests of its values: the values at the
    destination are taken for them.
    """
    where = destination(delivers, values)
    target = matches.match(where.target.target)
    noted = owned.fields.get(delivers.generation, "")
    wanted = leaf_digest(key, kind.field(delivers.generation), values.get(delivers.generation))
    number = generation_of(delivers, values)
    if number > owned.generation if number and owned.generation else noted not in (wanted, *NO_DIGESTS):
        return ValueFault.GENERATION
    if is_moved(where, owned):
        return ValueFault.MOVED
    expected = predicted(kind, values)
    for name, value in delivered_values(where, matches).items():
        was = owned.delivered.get(where.place(name), "")
        if was not in ("", *NO_DIGESTS) and name in expected and keyed_digest(key, expected[name]) != was:
            return ValueFault.OTHER
        if target.unknown or value is REDACTED or was in NO_DIGESTS or (value is not None and noted in NO_DIGESTS):
            continue
        if value is None or keyed_digest(key, value) != was:
            if target.live is None and target.owned is None and where.target.managed and owned.delivered_at:
                return ValueFault.DELETED
            return ValueFault.GONE if owned.delivered_at or owned.imported else ValueFault.LOST
    return None


def generation_of(delivers: Delivers, values: Values) -> int:
    """The generation that the document asks for, 0 if it has none."""
    number = values.get(delivers.generation)
    return number if isinstance(number, int) else 0


def is_lower(delivers: Delivers, values: Values, owned: Owned) -> bool:
    """Whether the document asks for a lower generation than the one for which the values of an object were created."""
    return 0 < generation_of(delivers, values) < owned.generation


def predicted(kind: Kind, values: Values) -> dict[str, str]:
    """The values by name that follow from the document alone, without those that are drawn."""
    assert kind.delivers is not None
    drawn = {rule.name for rule in kind.delivers.drawn}
    attributes = {
        attribute.name: attribute.predicted(values) for attribute in kind.attributes if attribute.name not in drawn
    }
    return {name: str(value) for name, value in attributes.items() if value is not None}


def is_moved(where: Destination, owned: Owned) -> bool:
    """Whether values were delivered, and the destination of one of them has changed since."""
    return bool(owned.delivered_at) and any(where.place(name) not in owned.delivered for name in where.keys)


def is_pending(owned: Owned) -> bool:
    """Whether the ledger last recorded the object before its values were delivered."""
    return bool(owned.delivered) and not owned.delivered_at


def as_delivered(where: Destination, attributes: Mapping[str, Any], key: str) -> dict[str, str]:
    """What the ledger records of values: a keyed digest of each, by its place."""
    return {
        where.place(name): keyed_digest(key, str(attributes[name]))
        for name in where.keys
        if attributes.get(name) is not None
    }


def draw(drawn: tuple[Drawn, ...]) -> dict[str, str]:
    """New random values by name; each is registered as a secret, so that no text shows it."""
    values = {}
    for rule in drawn:
        letters = [secrets.choice(alphabet) for alphabet in rule.alphabets]
        every = "".join(rule.alphabets)
        letters += [secrets.choice(every) for _ in range(rule.length - len(letters))]
        secrets.SystemRandom().shuffle(letters)
        values[rule.name] = "".join(letters)
        keep_token(values[rule.name])
    return values


def with_drawn(drawn: tuple[Drawn, ...], values: Mapping[str, str], body: Row) -> Row:
    """A body with the drawn values set at their paths."""
    for rule in drawn if values else ():
        body = _put(body, rule.path, values[rule.name])
    return body


def answered_once(kind: Kind, row: Row) -> dict[str, Any]:
    """The attributes that only the answer to a create has, such as the secret of a key."""
    return {
        attribute.name: at(row, attribute.path)
        for attribute in kind.attributes
        if attribute.path in kind.endpoint.answered_once
    }


def _put(body: Row, path: tuple[str, ...], value: str) -> Row:
    first, *rest = path
    return {**body, first: _put(body.get(first) or {}, tuple(rest), value) if rest else value}
