"""What can happen to a ledger part, as data: each event is one journal line and one pure change."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from vastplan.model.state import Intent, LedgerPart, Owned

Event = Mapping[str, Any]
KEPT_PLANS = 200  # ids of plans that were applied, so that none is applied twice


def new_part(document: str, site: str) -> LedgerPart:
    """An empty part with a lineage and a key of its own."""
    return LedgerPart(document=document, site=site, lineage=secrets.token_hex(16), key=secrets.token_hex(32))


def begin(plan: str, intents: Mapping[str, Intent], at: str) -> Event:
    """An apply begins; its intents stand until each has an outcome."""
    return {
        "event": "begin",
        "plan": plan,
        "intents": {address: asdict(one) for address, one in intents.items()},
        "at": at,
    }


def own(address: str, owned: Owned) -> Event:
    """An object was written: it is ours as it is described."""
    return {"event": "own", "address": address, "owned": asdict(owned)}


def drop(address: str) -> Event:
    """An object is no longer ours: deleted, gone or forgotten."""
    return {"event": "drop", "address": address}


def settle(address: str) -> Event:
    """The intent came to nothing; what we own did not change."""
    return {"event": "settle", "address": address}


def end(at: str, limits: Mapping[str, int]) -> Event:
    """The apply ended; intents that still stand have an unknown outcome."""
    return {"event": "end", "at": at, "limits": dict(limits)}


def applied(part: LedgerPart, event: Event) -> LedgerPart:
    """The part after the event; raises `KeyError` or `TypeError` for what is not an event."""
    entries, intents = dict(part.entries), dict(part.intents)
    name = event["event"]
    if name == "begin":
        intents |= {address: Intent(**one) for address, one in event["intents"].items()}
        plans = (*part.plans, event["plan"])[-KEPT_PLANS:]
        return replace(part, intents=intents, plans=plans, serial=part.serial + 1, applied=event["at"])
    if name == "end":
        return replace(part, limits=dict(event["limits"]), applied=event["at"])
    address = event["address"]
    intent = intents.pop(address, None)
    if name == "drop" and intent is not None and intent.verb == "replace":
        intents[address] = intent  # the old one is gone; what stands there next may be the new one, cut off
    if name == "own":
        owned = dict(event["owned"])
        entries[address] = Owned(**{**owned, "refers": tuple(owned["refers"])})
    elif name == "drop":
        entries.pop(address, None)
    elif name != "settle":
        raise KeyError(name)
    return replace(part, entries=entries, intents=intents)
