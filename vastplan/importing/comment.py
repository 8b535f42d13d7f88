"""The comments above entries, on what their text does not show: who uses their objects. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vastplan.engine.live.observe import Live
from vastplan.engine.live.users import UsersIndex
from vastplan.importing.flatten import Flat
from vastplan.importing.model import LiveKey
from vastplan.importing.place import Placed
from vastplan.importing.recover import Written
from vastplan.importing.write import Comment
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.value import Unknown
from vastplan.model.wording import some

_ROOMS = 8  # named, the others are counted
_NAME = 80


def rooms_of(users: UsersIndex, live: Live) -> Mapping[str, int] | None:
    """How many users an object has, by the room (such as a namespace) that they are in; `None` if that could not be read."""
    rooms: dict[str, int] = {}
    for used in users.of(live):
        if isinstance(used.counts, Unknown):
            return None
        for room, number in used.counts.items():
            rooms[room] = rooms.get(room, 0) + number
    return rooms


def comments(written: Iterable[Written], of_address: Mapping[Address, Flat], users: UsersIndex) -> Comment:
    """The comments above entries that have a note: who uses their object on each site, and the note."""
    notes: dict[LiveKey, str] = {}
    for entry in written:
        flat = of_address.get(entry.entry.address) if entry.note else None
        if flat is not None:
            notes[entry.stands_for[0]] = f"{_used(users, flat.live)}; {inert(entry.note)}"

    def comment(placed: Placed) -> Sequence[str]:
        by_site = {key[0]: notes[key] for key in placed.stands_for if key in notes}
        if len(by_site) == len(placed.sites) and len(set(by_site.values())) == 1:
            return tuple(dict.fromkeys(by_site.values()))
        return tuple(f"{site}: {text}" for site, text in by_site.items())

    return comment


def _used(users: UsersIndex, live: Live) -> str:
    counts = []
    for used in users.of(live):
        if isinstance(used.counts, Unknown):
            counts.append(f"{used.rule.name}: not known, they could not be read")
            continue
        rooms = [f"{inert(room, _NAME)} {number}" for room, number in used.counts.items()]
        counts.append(f"{used.rule.name}: {some(rooms, _ROOMS) or 'none'}")
    return "; ".join(counts)
