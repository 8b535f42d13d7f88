"""Who is responsible for a live object: the document, another one, a system, or nobody. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from enum import Enum

from vastplan.engine.live.creator import creator_of
from vastplan.engine.live.groups import group_key
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.live.owners import Owners
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass


class Responsibility(Enum):
    """Who is responsible for a live object: the first that applies."""

    MANAGED = "ours"  # matched with one of the managed addresses
    SPOKEN_OF = "spoken of"  # matched with another address of the document or of its ledger
    COPY = "copy"  # the copy on another site of a managed object
    ELSEWHERE = "elsewhere"  # another document owns it
    MADE = "made"  # a driver, a controller or the system itself created it
    NOBODYS = "nobody's"


@dataclass(frozen=True, slots=True)
class Standings:
    """The standing of each live object that was read. Created by `standings`."""

    matches: Matches
    others: Owners
    managed: frozenset[Address]
    _copied: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    """Kinds and names of managed objects that have a copy on another site."""
    _groups: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    """Kinds and keys of managed objects that have other members elsewhere."""

    def of(self, live: Live) -> Responsibility:
        """The standing of a live object."""
        address = self.matches.address_of(live)
        if address is not None:
            return Responsibility.MANAGED if address in self.managed else Responsibility.SPOKEN_OF
        if live.kind.mirrored and (live.kind.name, live.name) in self._copied:
            return Responsibility.COPY
        if live.kind.grouped is not None and (live.kind.name, group_key(live)) in self._groups:
            return Responsibility.COPY
        if self.others.of(live):
            return Responsibility.ELSEWHERE
        return Responsibility.MADE if creator_of(live) else Responsibility.NOBODYS


def standings(matches: Matches, others: Owners, managed: Iterable[Address]) -> Standings:
    """The standings by `managed`, the addresses whose objects count as managed: those of the ledger, or of the future document."""
    own = frozenset(managed)
    copied, groups = set(), set()
    for address in own:
        live = matches.match(address).live
        if live is not None and group_key(live):
            groups.add((address.kind, group_key(live)))
        if matches.kinds[address.kind].mirrored:
            copied.add((address.kind, address.name if live is None else live.name))
    return Standings(matches, others, own, frozenset(copied), frozenset(groups))
