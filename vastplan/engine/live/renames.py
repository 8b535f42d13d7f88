"""Renames: which entries of the ledger move to which addresses of the document, and which renames are ambiguous. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import field
from typing import TypeVar

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Block
from vastplan.model.shell import words
from vastplan.model.site_ledger import Owned
from vastplan.schema.entries import Entry

Value = TypeVar("Value")
_SHOWN = 5  # addresses in a message


@dataclass(frozen=True, slots=True)
class Renames:
    """The moves still to be made. A `renamed_from` whose move was already made has no effect here."""

    moves: Mapping[Address, Address] = field(default_factory=dict)
    """From the address in the document to the one in the ledger."""
    by_former: Mapping[Address, Address] = field(default_factory=dict)
    """The same the other way."""
    contested: Mapping[Address, Block] = field(default_factory=dict)
    """Addresses with a `renamed_from` whose meaning cannot be determined: all of a chain, old names too.

    Their actions are blocked, and those of what refers to them.
    """

    def applied_to(self, recorded: Mapping[Address, Value]) -> dict[Address, Value]:
        """What the ledger has, at its new addresses. A record at the target of a move that is not moved itself is dropped."""
        if not self.moves:
            return dict(recorded)
        moved = {self.by_former[address]: value for address, value in recorded.items() if address in self.by_former}
        return {address: value for address, value in recorded.items() if address not in self.by_former} | moved


NO_RENAMES = Renames()


def resolve_renames(
    recorded: Mapping[Address, Owned], unsettled: Set[Address], desired: Mapping[Address, Entry], typed: str = "PATH"
) -> Renames:
    """The renames to make, from the ledger (entries, and `unsettled` writes) and the document.

    Renames may form a chain (`a` to `b`, `b` to `c`): all of it is made, or none.
    """
    former = {
        address: old
        for address, entry in desired.items()
        if entry.renamed_from
        and (old := address._replace(name=entry.renamed_from)) != address
        and (old in recorded or old in unsettled)
    }
    if not former:
        return NO_RENAMES
    chains = [_chain(address, former) for address in former if _is_free(address, former[address], recorded, unsettled)]
    claims: dict[Address, set[Address]] = {}
    for chain in chains:
        for address in chain:
            claims.setdefault(former[address], set()).add(address)
    moves: dict[Address, Address] = {}
    contested: dict[Address, Block] = {}
    for chain in chains:
        rivals = next((claimants for address in chain if len(claimants := claims[former[address]]) > 1), None)
        last = former[chain[-1]]
        if rivals is not None:
            contested |= dict.fromkeys(
                (*chain, *(former[address] for address in chain)), _claimed_twice(rivals, former)
            )
        elif last in desired:
            contested |= dict.fromkeys((*chain, last), _still_exists(chain[-1], last))
        else:
            moves |= {address: former[address] for address in chain}
    by_former = {old: address for address, old in moves.items()}
    for address, old in former.items():
        settled = address in moves or address in contested or old in desired or old in by_former or old in contested
        if not settled:
            contested[address] = contested[old] = _both_owned(address, old, typed)
    return Renames(moves, by_former, contested)


def _is_free(address: Address, old: Address, recorded: Mapping[Address, Owned], unsettled: Set[Address]) -> bool:
    """Whether the ledger has nothing at an address, or the same object as at the old one."""
    record, other = recorded.get(address), recorded.get(old)
    if record is None:
        return address not in unsettled
    return other is not None and record.id == other.id


def _chain(first: Address, former: Mapping[Address, Address]) -> list[Address]:
    """The renames that have to be made together, each making room for the next."""
    chain = [first]
    while (following := former[chain[-1]]) in former and following not in chain:
        chain.append(following)
    return chain


def _claimed_twice(rivals: set[Address], former: Mapping[Address, Address]) -> Block:
    names = ", ".join(sorted(map(str, rivals)))
    old = former[min(rivals)]
    return Block("renamed", f"{names} all say renamed_from: {old.name}", "keep it in the one that was renamed")


def _still_exists(address: Address, old: Address) -> Block:
    text = f"{address} says renamed_from: {old.name}, and {old} is still in the document"
    fix = (
        f"remove {old.name} from the document, or renamed_from from {address.name}; "
        f"for a new {old.name} beside the renamed one, apply the rename first and add it after"
    )
    return Block("renamed", text, fix)


def _both_owned(address: Address, old: Address, typed: str) -> Block:
    text = f"{address} says renamed_from: {old.name}, and the ledger owns both"
    fix = (
        f"to delete {old.name}, remove renamed_from from {address.name}; "
        f"to manage it as {address.name} instead, first: vastplan ledger forget {typed} {shlex.quote(str(address))}"
    )
    return Block("renamed", text, fix)


def moves_of(actions: Collection[Action]) -> dict[Address, Address]:
    """The moves in the ledger before any of these actions begins, from old to new: renames, and former objects that make room."""
    return {
        Address.parse(action.renamed_from): action.address
        for action in actions
        if action.renamed_from and not action.blocked
    } | {
        action.address: Address.parse(action.supersedes)
        for action in actions
        if action.supersedes and not action.blocked
    }


def way_to_rename(owned: Address, entry: Entry, typed: str) -> str:
    """What to write or type where an owned object to delete is the one that an entry would create."""
    place = f"renamed_from in {entry.origin} or in what it refers to" if entry.origin else f"renamed_from: {owned.name}"
    return f"{place}, or: vastplan ledger move {typed} {shlex.quote(str(owned))} {shlex.quote(str(entry.address))}"


def made_again(
    wanted_as: Mapping[Address, Address], desired: Mapping[Address, Entry], acting: Iterable[Address], typed: str
) -> Iterator[Finding]:
    """VP308: a warning for each entry that would create an object that the ledger has under another address."""
    owned: dict[str, list[tuple[Address, Address]]] = {}
    entries: dict[str, Entry] = {}
    acted_on = set(acting)
    for holder, wanted in wanted_as.items():
        if wanted in acted_on:
            entry = desired[wanted]
            origin = entry.origin or str(wanted)
            owned.setdefault(origin, []).append((holder, wanted))
            entries.setdefault(origin, entry)
    for origin, pairs in owned.items():
        holders = sorted(holder for holder, _ in pairs)
        names = ", ".join(map(str, holders[:_SHOWN])) + (", ..." if len(holders) > _SHOWN else "")
        text = f"the ledger has its live objects under other addresses: {names}"
        fix = f"if it was renamed, {_renaming(_place(origin, pairs), entries[origin], pairs, desired, typed)}"
        yield Finding("VP308", Severity.WARNING, text, fix, origin, entries[origin].where)


def _place(origin: str, pairs: list[tuple[Address, Address]]) -> Address:
    """The composite entry that an object comes from; the object's own address if it comes from a setting of the site."""
    return Address.parse(origin) if origin.count("/") > 1 else pairs[0][1]


def _renaming(
    new: Address, entry: Entry, pairs: Iterable[tuple[Address, Address]], desired: Collection[Address], typed: str
) -> str:
    """What to write or type for a renamed entry, with its former name if its objects of the entry's name agree on one.

    An entry that gets its name from the entry around it was renamed with that.
    """
    former = {holder.name for holder, wanted in pairs if wanted.name == new.name}
    if len(former) != 1:
        return "write its former name as renamed_from, or move its ledger entries: vastplan ledger move"
    old, place = new._replace(name=former.pop()), "it"
    if entry.inside is not None and entry.inside.shares_name:
        around = entry.inside.container
        if around._replace(name=old.name) not in desired:
            old, new, place = around._replace(name=old.name), around, str(around)
    return f"write renamed_from: {old.name} in {place}, or: vastplan ledger move {typed} {words((old, new))}"
