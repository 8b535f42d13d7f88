"""What can happen to a ledger part, as data: each event is one journal line and one pure change."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from vastplan.model import operation as operations
from vastplan.model.canonical_json import plain
from vastplan.model.operation import Operation
from vastplan.model.site_ledger import KEPT_GONE, Intent, Owned, SiteLedger, intent_of

Value = TypeVar("Value")
Event = Mapping[str, Any]
NO_EVENT = (KeyError, TypeError, ValueError, AttributeError)  # what taking apart something else raises
LATER = (
    "sources",
    "delivered",
    "delivered_at",
    "generation",
    "origin",
    "group",
    "made_of",
)  # what came to an entry later is left out while it says nothing
KEPT_PLANS = 200  # ids of plans that were applied, so that none is applied twice


def new_part(document: str, site: str) -> SiteLedger:
    """An empty part with a lineage and a key of its own."""
    return SiteLedger(document=document, site=site, lineage=secrets.token_hex(16), key=secrets.token_hex(32))


def begin(plan: str, intents: Mapping[str, Intent], at: str, systems: Mapping[str, str] | None = None) -> Event:
    """An apply begins; its intents stand until each has an outcome. `systems` says where the site's systems are."""
    said = plain(intents)
    for intent in said.values():
        if intent["before"] is None:
            del intent["before"]
    event = {"event": "begin", "plan": plan, "intents": said, "at": at}
    return {**event, "systems": dict(systems)} if systems else event


def own(address: str, owned: Owned) -> Event:
    """An object was written: it is ours as it is described."""
    said = {**plain(owned), "refers": owned.refers}
    for name in LATER:
        if not said[name]:
            del said[name]
    return {"event": "own", "address": address, "owned": said}


def drop(address: str) -> Event:
    """An object is no longer ours: deleted, gone or forgotten."""
    return {"event": "drop", "address": address}


def move(addresses: Mapping[str, str], fields: Mapping[str, Mapping[str, str]] | None = None) -> Event:
    """What stood at some addresses stands at others, from old to new, all at once: entries and intents, and who refers to them.

    `fields` are digests of references to them, by the address that has them then, and path.
    """
    return {"event": "move", "addresses": dict(addresses), "fields": plain(fields or {})}


def settle(address: str) -> Event:
    """The intent came to nothing; what we own did not change."""
    return {"event": "settle", "address": address}


def operate(operation: Operation) -> Event:
    """An operation is as it is described; it takes the place of an earlier record of the same object."""
    return {"event": "operate", "operation": operations.to_data(operation)}


def end(at: str, limits: Mapping[str, int], head: Mapping[str, Any] | None = None) -> Event:
    """The apply ended; intents that still stand have an unknown outcome. `head` are the document's settings."""
    event = {"event": "end", "at": at, "limits": dict(limits)}
    return {**event, "head": plain(dict(head))} if head else event


class Reducer:
    """A part while it changes, event by event. It keeps its own tables: an apply of many objects copies none of them."""

    def __init__(self, part: SiteLedger) -> None:
        self._part = part
        self._entries = dict(part.entries)
        self._intents = dict(part.intents)
        self._operations = dict(part.operations)
        self._gone = dict.fromkeys(part.gone)

    def part(self) -> SiteLedger:
        """The part as it is now; later events do not show in it."""
        return replace(
            self._part,
            entries=dict(self._entries),
            intents=dict(self._intents),
            operations=dict(self._operations),
            gone=tuple(self._gone)[-KEPT_GONE:],
        )

    def add(self, event: Event) -> None:
        """What is so after the event; raises one of `NO_EVENT` for what is not an event, and may have changed then."""
        name = event["event"]
        if name == "begin":
            self._intents |= {address: intent_of(intent) for address, intent in event["intents"].items()}
            plans = (*self._part.plans, event["plan"])[-KEPT_PLANS:]
            systems = {**self._part.systems, **event.get("systems", {})}
            serial = self._part.serial + 1
            self._part = replace(self._part, plans=plans, serial=serial, applied=event["at"], systems=systems)
        elif name == "end":
            head = dict(event.get("head", self._part.head))
            self._part = replace(self._part, limits=dict(event["limits"]), applied=event["at"], head=head)
        elif name == "own":
            owned = Owned(**{**event["owned"], "refers": tuple(event["owned"]["refers"])})
            self._entries[event["address"]] = owned
            self._intents.pop(event["address"], None)
            self._gone.pop(event["address"], None)
            self._gone.pop(owned.origin, None)
        elif name == "drop":
            dropped = self._entries.pop(event["address"], None)
            if dropped is not None:
                self._left(event["address"], *filter(None, [dropped.origin]))
            intent = self._intents.get(event["address"])
            if intent is not None and intent.verb != "replace":
                del self._intents[event["address"]]
            # else the old one is gone, and what stands there next may be the new one, cut off
        elif name == "move":
            moved = {str(old): str(new) for old, new in event["addresses"].items()}
            left = [old for old in moved if old in self._entries]
            self._entries = _moved(self._entries, moved)
            for new in moved.values():
                self._gone.pop(new, None)
            self._left(*(old for old in left if old not in self._entries))
            self._intents = _moved(self._intents, moved)
            for address, owned in self._entries.items():
                refers = tuple(sorted({moved.get(target, target) for target in owned.refers}))
                self._entries[address] = replace(owned, refers=refers)
            for address, digests in event["fields"].items():
                if address in self._entries:
                    owned = self._entries[address]
                    self._entries[address] = replace(owned, fields={**owned.fields, **digests})
        elif name == "settle":
            self._intents.pop(event["address"], None)
        elif name == "operate":
            operation = operations.from_data(event["operation"])
            self._operations[operation.subject] = operation
        else:
            raise KeyError(name)

    def _left(self, *addresses: str) -> None:
        """Note what is here no more, the newest last."""
        for address in addresses:
            self._gone.pop(address, None)
            self._gone[address] = None


def _moved(table: Mapping[str, Value], moved: Mapping[str, str]) -> dict[str, Value]:
    """The table with what was at the old addresses at the new ones; what stood there and does not move gives way."""
    arrived = {new: table[old] for old, new in moved.items() if old in table}
    return {address: value for address, value in table.items() if address not in moved} | arrived
