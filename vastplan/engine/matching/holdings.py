"""How much data goes with an object that is deleted, whether that is known to be none, and who uses the object. Pure.

What a system does not report, or what could not be read, is unknown and never empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vastplan.engine.live.floors import Figure
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.links import Links, without
from vastplan.model import units
from vastplan.model.dataclass import dataclass
from vastplan.model.units import show_amount
from vastplan.model.value import Reason, Unknown
from vastplan.schema.dependents import HeldData
from vastplan.schema.kind import Kind

_UNSAID = Unknown("no system reports it")
_LATE = "no other figure shows the same, and systems report use late"


@dataclass(frozen=True, slots=True)
class Holding:
    """The bytes of an object's data. `doubt` says why none reported does not show that there is none, "" where it does; `witnesses`
    are the objects whose figures were taken."""

    used: Figure
    doubt: str = ""
    witnesses: tuple[Live, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the object is known to hold no data."""
        return self.used == 0 and not self.doubt


class Holdings:
    """The data and the users of live objects, by what was read."""

    def __init__(self, links: Links, kinds: Mapping[str, Kind]) -> None:
        self._links = links
        self._kinds = kinds
        self._words: dict[str, frozenset[str]] = {}

    def of(self, live: Live, contents: Mapping[str, Figure]) -> Holding:
        """The data of an object; `contents` are its figures of what is in it."""
        held = live.kind.held
        if held is None:
            return Holding(_UNSAID)
        if (held.nothing and live.metrics[held.nothing] == 1) or (held.while_ and live.metrics[held.while_] == 0):
            return Holding(0, "", (live,))
        own = _own(live, held, contents)
        groups = [[*self._behind(held, others)] for others in self._linked(live, held)]
        behind = [other for group in groups for other in group]
        sizes = [*([own.used] if held.figures else []), *map(_sum, groups)]
        alone = held.alone or bool(behind) or bool(held.part)
        doubts = (own.doubt, *self._unread(live, held), *(other.doubt for other in behind), "" if alone else _LATE)
        witnesses = (*own.witnesses, *(seen for other in behind for seen in other.witnesses))
        used = _largest([own.used] if _above_zero(own.used) else sizes, held)
        return Holding(used, next(filter(None, doubts), ""), witnesses)

    def _linked(self, live: Live, held: HeldData) -> Iterator[list[Live]]:
        """The linked objects of each link that has some, each object once."""
        seen = {(live.kind.name, live.id)}
        for link in held.links:
            if found := without(self._links.of(live, link), seen):
                yield found

    def _behind(self, held: HeldData, others: Iterable[Live]) -> Iterator[Holding]:
        """What linked objects hold; beside an object that has figures itself, each by its own figures alone."""
        for other in others:
            theirs = other.kind.held
            if theirs is not None and theirs.figures and held.figures:
                yield _own(other, theirs, {})
            else:
                yield self.of(other, {})

    def _unread(self, live: Live, held: HeldData) -> Iterator[str]:
        for link in held.links:
            if problem := self._links.error(live.site, link):
                yield f"cannot determine whether a {link.kind} shows data in it: {problem}"

    def users(self, live: Live) -> dict[str, list[Live] | Unknown]:
        """Who uses an object, itself or through others: by their word the users, or why these are unknown. A word without any was read."""
        users: dict[str, list[Live] | Unknown] = {word: [] for word in sorted(self._words_of(live.kind))}
        seen, queue = {(live.kind.name, live.id)}, [live]
        while queue:
            each = queue.pop()
            for link in each.kind.users:
                kind = self._kinds[link.kind]
                if problem := self._links.error(each.site, link):
                    unknown = Unknown(problem, Reason.UNREAD)
                    users |= dict.fromkeys(({kind.user_word} - {""}) | self._words_of(kind), unknown)
                found = without(self._links.of(each, link), seen)
                queue += found
                known = users.get(kind.user_word)
                if isinstance(known, list):
                    known += found
        return users

    def _words_of(self, kind: Kind) -> frozenset[str]:
        """The words for those who may use objects of a kind, directly or through others."""
        if kind.name not in self._words:
            behind = [self._kinds[link.kind] for link in kind.users]
            words = {each.user_word for each in behind}.union(*map(self._words_of, behind)) - {""}
            self._words[kind.name] = frozenset(words)
        return self._words[kind.name]


def _own(live: Live, held: HeldData, contents: Mapping[str, Figure]) -> Holding:
    """What an object holds by its own figures alone."""
    unit_of = {fact.name: fact.unit for fact in live.kind.metrics}
    unit_of |= {total.name: total.unit for total in live.kind.contents}
    figures = [(name, {**live.metrics, **contents}[name]) for name in held.figures]
    sizes = [figure for name, figure in figures if unit_of[name] == units.BYTES]
    others = [f"{name}: {figure}" for name, figure in figures if unit_of[name] != units.BYTES and figure != 0]
    return Holding(_largest(sizes, held), next(iter(others), ""), (live,) if figures else ())


def shown_data(live: Live) -> str:
    """The data that a witness shows by its own figures, "" for none."""
    held = live.kind.held
    assert held is not None
    if held.nothing:
        return "" if live.metrics[held.nothing] == 1 else "a volume"
    own = _own(live, held, {})
    if isinstance(own.used, Unknown):
        return f"use that is {own.used}"
    return own.doubt or (show_amount(own.used, units.BYTES) if own.used else "")


def _largest(sizes: Sequence[Figure], held: HeldData) -> Figure:
    """The largest size; unknown where one is and none is above zero, or where there is none."""
    known = [size for size in sizes if not isinstance(size, Unknown) and _above_zero(size)]
    if known:
        return max(known)
    unknown = [size for size in sizes if isinstance(size, Unknown)]
    if unknown:
        return unknown[0]
    if held.part or not (sizes or held.alone):
        return Unknown(held.part or "nothing that was read shows its data")
    return 0


def _above_zero(size: Figure) -> bool:
    return not isinstance(size, Unknown) and size > 0


def _sum(group: Sequence[Holding]) -> Figure:
    known = [holding.used for holding in group if not isinstance(holding.used, Unknown)]
    unknown = [holding.used for holding in group if isinstance(holding.used, Unknown)]
    return unknown[0] if unknown and not any(known) else sum(known)
