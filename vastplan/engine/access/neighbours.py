"""Whose hosts a change lets in: addresses that the document's lists name for another owner (tenant). Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.ip_ranges import Interval, client_addresses, divided, everybody_of
from vastplan.model.plan import Action, FieldChange, Stage
from vastplan.model.value import Ref, from_json
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.opening import admitted_items


class Neighbours:
    """The owners of all addresses that lists of clients in a document name, by site."""

    def __init__(self, matches: Matches, entries: Mapping[Address, Entry]) -> None:
        self._kinds = matches.kinds
        self._fields: dict[str, list[Field]] = {}
        owned: dict[str, list[tuple[Interval, Address]]] = {}
        for address, entry in entries.items():
            clients = [*self._clients(address.kind, entry.values)]
            owner = self._owner(address, entry.values) if clients else None
            if owner is not None:
                parts = [part for client in clients for part in client_addresses(client)]
                owned.setdefault(address.site, []).extend((part, owner) for part in parts)
        self._divided = {site: divided(parts) for site, parts in owned.items()}

    def named(self, action: Action) -> Action:
        """The action with the owners of the hosts that it lets in, where others than its own."""
        fields = {field.name for field in self._listing(action.address.kind)}
        own = (
            self._owner(action.address, {name: from_json(value) for name, value in action.desired.items()})
            if fields
            else None
        )
        if own is None:
            return action
        changes = (
            replace(change, whose=dict(self._whose(change, own))) if change.admits and change.path in fields else change
            for change in action.changes
        )
        return replace(action, changes=tuple(changes))

    def _whose(self, change: FieldChange, own: Address) -> Iterator[tuple[str, str]]:
        before = admitted_items(change.before)
        for client in admitted_items(change.after):
            theirs = (
                self._owners(own.site, client) - {own} if client not in before and not everybody_of([client]) else ()
            )
            if theirs:
                yield client, ", ".join(sorted(owner.name for owner in theirs))

    def _owners(self, site: str, client: str) -> set[Address]:
        """The owners of the addresses that a client stands for."""
        parts = self._divided.get(site, [])
        owners: set[Address] = set()
        for version, first, last in client_addresses(client):
            start = bisect_left(parts, (version, first), key=lambda part: (part[0][0], part[0][2]))
            end = bisect_right(parts, (version, last), key=lambda part: part[0][:2])
            owners.update(*(theirs for _, theirs in parts[start:end]))
        return owners

    def _listing(self, kind: str) -> list[Field]:
        """The fields of a kind that list hosts."""
        if kind not in self._fields:
            self._fields[kind] = [field for field in self._kinds[kind].fields if _lists_hosts(field)]
        return self._fields[kind]

    def _clients(self, kind: str, values: Mapping[str, Any]) -> Iterator[str]:
        for field in self._listing(kind):
            yield from (client for client in admitted_items(values.get(field.name)) if not everybody_of([client]))

    def _owner(self, address: Address, values: Mapping[str, Any]) -> Address | None:
        """The owner that an object is, or that it refers to."""
        if self._is_owner(self._kinds[address.kind]):
            return address
        refs = (values.get(field.name) for field in self._kinds[address.kind].fields if field.refers is not None)
        owners = (ref.target for ref in refs if isinstance(ref, Ref) and self._is_owner(self._kinds[ref.target.kind]))
        return next(owners, None)

    @staticmethod
    def _is_owner(kind: Kind) -> bool:
        return kind.stage is Stage.OWNER


def _lists_hosts(field: Field) -> bool:
    return field.admits is not None and not field.admits.addresses


def with_owners(actions: Iterable[Action], matches: Matches, entries: Mapping[Address, Entry]) -> tuple[Action, ...]:
    """The actions with the owners of the hosts that they let in."""
    shown = tuple(actions)
    if not any(change.admits for action in shown for change in action.changes):
        return shown
    neighbours = Neighbours(matches, entries)
    return tuple(map(neighbours.named, shown))
