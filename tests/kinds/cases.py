"""Case files of kinds: one YAML file says all that the runner needs to take a kind through its life.

kind: qos_policy
systems: [vast]             # what the site has
sites: {pdx: [vast]}        # further sites, where the kind needs one
prepare: [{method, path, body}] # calls to the kind's system on iad before anything else
directory: {users: {NAME: {uid}}, groups: {NAME: {gid}}} # who is in the directory that the VMS of iad asks
elsewhere: {kind.field: site}   # fields that refer to another site, which a document cannot say
unexpanded: [view]          # kinds that stand for themselves only, whatever their expansions say
given: {tenants: {a: {}}}   # the rest of the document
goes_with: [section.name]   # entries of `given` that are removed along with the entry under test
name: gold                  # the entry under test, in the kind's own section
entry: {...}                # the entry with every field that can be set together
change: {path: value}       # each mutable field with a new value: one call, nothing else changes
with: {path: {path: value}} # what has to change along with a path, to stay valid
drops: {path: [path]}       # what has to go when a path changes
replace: {path: value}      # each immutable field with a new value
clear: [path]               # fields that null clears
release: path               # the field that is dropped from the document
by_hand: {method, path, body}   # a change through the system's own API; {id}, {locator} and, in the body, {tenants NAME} are filled in
by_hand: why                # or why the kind's other file makes it
moved: [path]               # the fields that by_hand changes
moved: gone                 # or: by_hand deletes the object, as nothing of it can be changed
fixed: {path: why}          # fields that neither change nor replace covers, in any of the kind's files
refused: [{entry: {...}, says: text}]   # entries (laid over `entry`) that are refused, and with which words
calls: {path: n}            # changes that take other than one call, with the number
unseen: [path]              # fields that no answer holds and that can be changed: an adoption sends them again
side_effects: [wire name]   # wire fields that the system itself moves along
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One case file."""

    file: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return self.file

    def get(self, name: str, default: Any) -> Any:
        """One part of the file."""
        return copy.deepcopy(self.data.get(name, default))

    @property
    def kind(self) -> str:
        """The kind's name."""
        return str(self.data["kind"])

    @property
    def by_hand(self) -> dict[str, Any]:
        """The call that somebody makes by hand; empty where the file gives a reason instead."""
        hand = self.get("by_hand", {})
        return hand if isinstance(hand, dict) else {}

    @property
    def gone(self) -> bool:
        """Whether that call deletes the object."""
        return self.data.get("moved") == "gone"

    @property
    def moved(self) -> list[str]:
        """The fields that the call changes."""
        return [] if self.gone else list(self.data.get("moved", []))

    @property
    def address(self) -> str:
        """The address of the entry under test."""
        return f"iad/{self.kind}/{self.data['name']}"


def cases(folder: Path = FOLDER) -> list[Case]:
    """All case files of a folder."""
    return [
        Case(file.name, yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader))
        for file in sorted(folder.glob("*.yaml"))
    ]


def with_value(entry: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The entry with one path set; a `null` value is set like any other."""
    changed = copy.deepcopy(entry)
    inner = changed
    *steps, last = path.split(".")
    for step in steps:
        inner = inner.setdefault(step, {})
    inner[last] = value
    return changed


def without(entry: dict[str, Any], path: str) -> dict[str, Any]:
    """The entry without one path."""
    changed = copy.deepcopy(entry)
    inner = changed
    *steps, last = path.split(".")
    for step in steps:
        inner = inner[step]
    del inner[last]
    return changed


def differing(before: Any, after: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths at which two rows differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from differing(before.get(key), after.get(key), (*prefix, key))
    elif before != after:
        yield prefix
