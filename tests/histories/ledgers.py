"""Who owns what, read from the ledgers' files: JSON and the journal's lines, as they are documented and as nobody here wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

Key = tuple[str, str, str]
"""Site, kind and id of a live object."""


@dataclass(slots=True)
class Ownership:
    """What ledgers say: the address or addresses of each object, and the addresses with an outcome unknown."""

    owners: dict[Key, list[str]] = field(default_factory=dict)
    documents: dict[Key, set[str]] = field(default_factory=dict)
    intents: set[str] = field(default_factory=set)
    begun: set[Key] = field(default_factory=set)
    """The objects that these are about, where that is known."""
    sites: dict[str, int] = field(default_factory=dict)
    """How many objects are owned on each site that has a part."""


def read(folders: Iterable[Path]) -> Ownership:
    """All ledgers in these folders together."""
    found = Ownership()
    for folder in folders:
        for file in sorted(folder.glob("*.json")):
            part = json.loads(file.read_text())
            entries, intents = dict(part["entries"]), dict(part["intents"])
            journal = file.with_suffix(".journal")
            for line in journal.read_text().splitlines() if journal.exists() else ():
                event = json.loads(line)
                address = event.get("address", "")
                if "event" not in event:  # the first line says which file it follows
                    continue
                if event["event"] == "begin":
                    intents |= event["intents"]
                elif event["event"] == "own":
                    entries[address] = event["owned"]
                    intents.pop(address, None)
                elif event["event"] == "drop":
                    entries.pop(address, None)
                    intents.pop(address, None)
                elif event["event"] == "settle":
                    intents.pop(address, None)
                elif event["event"] == "move":
                    moved = dict(event["addresses"])
                    arrived = {new: entries[old] for old, new in moved.items() if old in entries}
                    entries = {one: owned for one, owned in entries.items() if one not in moved} | arrived
                    intents = {moved.get(one, one): intent for one, intent in intents.items()}
            for address, owned in entries.items():
                site, kind, _ = address.split("/", 2)
                key = (site, kind, str(owned["id"]))
                found.owners.setdefault(key, []).append(address)
                found.documents.setdefault(key, set()).add(part["document"])
            for address, intent in intents.items():
                site, kind, _ = address.split("/", 2)
                found.intents.add(address)
                found.begun.add((site, kind, str(intent.get("id", ""))))
            if entries:
                found.sites[part["site"]] = found.sites.get(part["site"], 0) + len(entries)
    return found
