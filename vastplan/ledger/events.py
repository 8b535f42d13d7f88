"""The events that change a ledger part, as data: each is one journal line and one pure change."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from vastplan.ledger import history
from vastplan.model import operation as operations
from vastplan.model.canonical_json import plain_json
from vastplan.model.operation import Operation
from vastplan.model.outcome import State
from vastplan.model.site_ledger import KEPT_GONE, Intent, LoggedRun, Owned, RefusedChange, SiteLedger, intent_of

Value = TypeVar("Value")
Event = Mapping[str, Any]
NO_EVENT = (KeyError, TypeError, ValueError, AttributeError)  # raised when a value that is not an event is read as one
LATER = (
    "sources",
    "delivered",
    "delivered_at",
    "generation",
    "origin",
    "group",
    "made_of",
    "answered",
)  # fields of an entry that were added to the format later; left out while they are empty
KEPT_PLANS = 200  # ids of applied plans, so that none is applied twice


def new_part(document: str, site: str) -> SiteLedger:
    """An empty part with its own lineage and key."""
    return SiteLedger(document=document, site=site, lineage=secrets.token_hex(16), key=secrets.token_hex(32))


_NOT_DONE = "not done"
"""The state of a change that an apply gave up, until the end of the apply says why."""


def begin_event(
    plan: str,
    intents: Mapping[str, Intent],
    at: str,
    systems: Mapping[str, str] | None = None,
    run: LoggedRun | None = None,
) -> Event:
    """An apply begins; each intent stays until it has an outcome. `systems` is where the site's systems are, `run` is for the history."""
    data = plain_json(intents)
    for intent in data.values():
        if intent["before"] is None:
            del intent["before"]
    event = {"event": "begin", "plan": plan, "intents": data, "at": at}
    return {**event, **({"systems": dict(systems)} if systems else {}), **_noted(run)}


def own_event(address: str, owned: Owned) -> Event:
    """An object was written and is owned, as `owned` describes it."""
    data = {**plain_json(owned), "refers": owned.refers}
    for name in LATER:
        if not data[name]:
            del data[name]
    return {"event": "own", "address": address, "owned": data}


def drop_event(address: str) -> Event:
    """An object is no longer owned: deleted, gone or released."""
    return {"event": "drop", "address": address}


def move_event(addresses: Mapping[str, str], fields: Mapping[str, Mapping[str, str]] | None = None) -> Event:
    """Addresses change from old to new, all at once: of entries and intents, and of the references to them.

    `fields` are digests of references to the moved objects, by the address of the referring object after the move, and path.
    """
    return {"event": "move", "addresses": dict(addresses), "fields": plain_json(fields or {})}


def settle_event(address: str) -> Event:
    """An intent had no effect; what is owned did not change."""
    return {"event": "settle", "address": address}


def refuse_event(field: str, refused: RefusedChange | None) -> Event:
    """A system refused to change a field (`kind.field`) in place, or, with `None`, has changed it now."""
    return {"event": "refuse", "field": field, "refused": None if refused is None else plain_json(refused)}


def operate(operation: Operation, run: LoggedRun | None = None) -> Event:
    """An operation is in the state that `operation` describes; the event replaces an earlier record of the same object."""
    return {"event": "operate", "operation": operations.operation_to_data(operation), **_noted(run)}


def end(
    at: str, limits: Mapping[str, int], head: Mapping[str, Any] | None = None, run: LoggedRun | None = None
) -> Event:
    """The apply ended; intents that remain have an unknown outcome. `head` is the document's settings, `run` is for the history."""
    event = {"event": "end", "at": at, "limits": dict(limits)}
    return {**event, **({"head": plain_json(dict(head))} if head else {}), **_noted(run)}


def _noted(run: LoggedRun | None) -> Event:
    """The run in an event. Whoever knows no history ignores it."""
    return {} if run is None else {"run": plain_json(run)}


class Reducer:
    """A part that changes event by event. It has its own tables, so an apply of many objects copies none of them."""

    def __init__(self, part: SiteLedger) -> None:
        self._part = part
        self._entries = dict(part.entries)
        self._intents = dict(part.intents)
        self._operations = dict(part.operations)
        self._gone = dict.fromkeys(part.gone)
        self._runs = part.runs

    def part(self) -> SiteLedger:
        """The part as it is now; later events do not change the returned one."""
        return replace(
            self._part,
            entries=dict(self._entries),
            intents=dict(self._intents),
            operations=dict(self._operations),
            gone=tuple(self._gone)[-KEPT_GONE:],
            runs=self._runs,
        )

    def add(self, event: Event) -> None:
        """Apply an event. Raises one of `NO_EVENT` for a value that is not an event, and may have changed the part then."""
        name = event["event"]
        if name == "begin":
            self._intents |= {address: intent_of(intent) for address, intent in event["intents"].items()}
            plans = (*self._part.plans, event["plan"])[-KEPT_PLANS:]
            systems = {**self._part.systems, **event.get("systems", {})}
            serial = self._part.serial + 1
            self._part = replace(self._part, plans=plans, serial=serial, applied=event["at"], systems=systems)
            if "run" in event:
                run = replace(history.run_of_data(event["run"]), serial=serial)
                self._runs = history.with_run(self._runs, run)
        elif name == "end":
            head = dict(event.get("head", self._part.head))
            self._part = replace(self._part, limits=dict(event["limits"]), applied=event["at"], head=head)
            if "run" in event and self._runs and not self._runs[-1].ended:
                run = replace(history.run_of_data(event["run"]), serial=self._runs[-1].serial)
                self._runs = (*self._runs[:-1], run)
        elif name == "own":
            owned = Owned(**{**event["owned"], "refers": tuple(event["owned"]["refers"])})
            self._entries[event["address"]] = owned
            self._log(event["address"], State.DONE.value)
            self._intents.pop(event["address"], None)
            self._gone.pop(event["address"], None)
            self._gone.pop(owned.origin, None)
        elif name == "drop":
            dropped = self._entries.pop(event["address"], None)
            if dropped is not None:
                self._left(event["address"], *filter(None, [dropped.origin]))
            intent = self._intents.get(event["address"])
            if intent is None or intent.verb != "replace":
                self._log(event["address"], State.DONE.value)
            if intent is not None and intent.verb != "replace":
                del self._intents[event["address"]]
            # else the old object is deleted, and what exists next may be the new one, whose creation was interrupted
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
        elif name == "refuse":
            refused = {each: known for each, known in self._part.refused.items() if each != event["field"]}
            if event["refused"] is not None:
                refused[event["field"]] = RefusedChange(**event["refused"])
            self._part = replace(self._part, refused=refused)
        elif name == "settle":
            self._log(event["address"], _NOT_DONE)
            self._intents.pop(event["address"], None)
        elif name == "operate":
            operation = operations.operation_from_data(event["operation"])
            self._operations[operation.subject] = operation
            if "run" in event:
                run = replace(history.run_of_data(event["run"]), serial=self._part.serial)
                self._runs = history.with_operation(self._runs, run, operation)
        else:
            raise KeyError(name)

    def _log(self, address: str, state: str) -> None:
        """Note in the history what became of an address, before its intent is removed."""
        intent = self._intents.get(address)
        self._runs = history.with_outcome(self._runs, address, "" if intent is None else intent.verb, state)

    def _left(self, *addresses: str) -> None:
        """Record the addresses that are no longer owned, the newest last."""
        for address in addresses:
            self._gone.pop(address, None)
            self._gone[address] = None


def _moved(table: Mapping[str, Value], moved: Mapping[str, str]) -> dict[str, Value]:
    """The table with the entries of the old addresses at the new ones; an entry at a new address that does not move is replaced."""
    arrived = {new: table[old] for old, new in moved.items() if old in table}
    return {address: value for address, value in table.items() if address not in moved} | arrived
