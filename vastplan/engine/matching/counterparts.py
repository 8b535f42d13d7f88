"""The entry of the document on another site that means an object of this site's ledger: by index, because both may be many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.engine.live.groups import group_key
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.model.address import Address

_Key = tuple[str, ...]


class Elsewhere:
    """The entries of grouped kinds, by everything that shows that an entry and an object are of one group. Complete once created."""

    def __init__(self, matches: Matches, desired: Iterable[Address]) -> None:
        self._entries: dict[_Key, list[tuple[int, Address]]] = {}
        for number, address in enumerate(desired):
            if matches.kinds[address.kind].grouped is None:
                continue
            for key in self._keys_of(matches, address):
                self._entries.setdefault(key, []).append((number, address))

    def of(self, address: Address, live: Live) -> Address | None:
        """The first entry on another site that is of one group with a live object, which the ledger has at an address."""
        keys = _keys(address, group_key(live))
        candidates = (
            entry for key in keys.values() for entry in self._entries.get(key, ()) if entry[1].site != address.site
        )
        return min(candidates, default=(0, None))[1]

    @staticmethod
    def _keys_of(matches: Matches, address: Address) -> Iterator[_Key]:
        match = matches.match(address)
        keys = _keys(address, "" if match.live is None else group_key(match.live))
        if match.live is not None:
            yield keys["group"]
        if match.member_of is not None:
            yield _keys(match.member_of, "")["member"]
        if match.unknown:  # its object cannot be read: an entry of the same name is taken for a member
            yield keys["name"]


def _keys(address: Address, group: str) -> Mapping[str, _Key]:
    return {
        "group": ("group", address.kind, group),
        "member": ("member", str(address)),
        "name": ("name", address.kind, address.name),
    }
