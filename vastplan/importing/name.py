"""The stage that chooses the key of each entry: from the name that people gave its object, never from an id, a counter or a position."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType

from vastplan.engine.live.observe import Live
from vastplan.importing.lookup import Lookup
from vastplan.importing.model import LiveKey, object_key

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@:+-]{0,127}")
_NO_KEY = re.compile(r"[^A-Za-z0-9._@:+-]+")
_LONGEST = 128
_NO_LABELS: Mapping[LiveKey, str] = MappingProxyType({})


def entry_names(
    free: Sequence[Live], lookup: Lookup, used_keys: Mapping[str, Set[str]], labels: Mapping[LiveKey, str] = _NO_LABELS
) -> dict[LiveKey, str]:
    """The key of the entry of each object. `used_keys` are the keys that the document has, by kind: none is used again.

    Equal keys of one kind are one entry on several sites. If a key would be two entries on one site, or in two containers, all its
    objects get the name of their container in the key, and, where that is not enough, a digest of all that identifies them. Objects that
    nothing distinguishes have no key. `labels` are names of objects elsewhere: an object without a name of its own that can be a key
    gets its label, if nothing else has it.
    """
    claims: dict[tuple[str, str], list[tuple[Live, str]]] = {}
    unnamed: set[LiveKey] = set()
    for live in free:
        within = lookup.named_in(live, live.kind.keyed.within) if live.kind.keyed.within else ""
        key, named_so = _own(live, lookup)
        if live.kind.keyed.always:
            key = as_key(f"{within}-{key}")
        if live.kind.keyed.always or not named_so:
            unnamed.add(object_key(live))
        claims.setdefault((live.kind.name, key), []).append((live, within))
    named: dict[LiveKey, str] = {}
    second: dict[tuple[str, str], list[tuple[Live, str]]] = {}
    for (kind, key), group in claims.items():
        if key not in used_keys.get(kind, ()) and _one_entry(group):
            named |= {object_key(live): key for live, _ in group}
            continue
        for live, within in group:
            unnamed.add(object_key(live))
            second.setdefault((kind, as_key(f"{within}-{key}")), []).append((live, within))
    given = {(live.kind.name, named[object_key(live)]) for live in free if object_key(live) in named}
    for (kind, key), group in second.items():
        free_key = key not in used_keys.get(kind, ()) and (kind, key) not in given and _one_entry(group)
        named |= {object_key(live): key if free_key else _apart(key, live, within, lookup) for live, within in group}
    if labels:
        placed = [placed for group in claims.values() for placed in group]
        named |= _labelled(placed, named, {key: labels[key] for key in unnamed & labels.keys()}, unnamed, used_keys)
    return _alone(free, named)


def _alone(free: Sequence[Live], named: Mapping[LiveKey, str]) -> dict[LiveKey, str]:
    """The keys, without those that several objects on one site have."""
    had = Counter((live.site, live.kind.name, named[object_key(live)]) for live in free)
    return {
        object_key(live): named[object_key(live)]
        for live in free
        if had[live.site, live.kind.name, named[object_key(live)]] == 1
    }


def _labelled(
    placed: Sequence[tuple[Live, str]],
    named: Mapping[LiveKey, str],
    labels: Mapping[LiveKey, str],
    unnamed: Set[LiveKey],
    used_keys: Mapping[str, Set[str]],
) -> dict[LiveKey, str]:
    """The objects that get their label as key. What would be one entry stays one: objects with one key change it together, or not at
    all."""
    entries: dict[tuple[str, str], list[tuple[Live, str]]] = {}
    for live, within in placed:
        entries.setdefault((live.kind.name, named[object_key(live)]), []).append((live, within))
    wanted: dict[tuple[str, str], list[tuple[Live, str]]] = {}
    for (kind, _), group in entries.items():
        keys = {object_key(live) for live, _ in group}
        group_labels = {labels[key] for key in keys & labels.keys()}
        if len(group_labels) == 1 and keys <= unnamed:
            wanted.setdefault((kind, group_labels.pop()), []).extend(group)
    return {
        object_key(live): label
        for (kind, label), group in wanted.items()
        if label not in used_keys.get(kind, ()) and (kind, label) not in entries and _one_entry(group)
        for live, _ in group
    }


def _one_entry(group: Iterable[tuple[Live, str]]) -> bool:
    """Whether objects may be one entry: one on each site, all in the same container."""
    sites, places = [], set()
    for live, within in group:
        sites.append(live.site)
        places.add(within)
    return len(sites) == len(set(sites)) and len(places) == 1


def _own(live: Live, lookup: Lookup) -> tuple[str, bool]:
    """The key that an object has by itself, and whether it is the name of the object or of one that belongs to it."""
    keyed = live.kind.keyed
    for called in keyed.called_as:
        others = [
            other
            for other in lookup.equal(live, called.kind, called.same)
            if not other.system_owned and not other.controller
        ]
        if len(others) == 1 and _KEY.fullmatch(others[0].name):
            return others[0].name, True
    if keyed.path and not live.attributes.get("name"):
        return as_key(str(live.values.get(keyed.path))), False
    return (live.name, True) if _KEY.fullmatch(live.name) else (as_key(live.name), False)


def as_key(text: str) -> str:
    """A text as a key of an entry: characters that no key may have become a dash, and a text that is cut ends in a digest."""
    key = _NO_KEY.sub("-", text).strip("-._@:+").lower() or "unnamed"
    return key if len(key) <= _LONGEST else f"{key[: _LONGEST - 7]}-{_digest(text)}"


def _apart(key: str, live: Live, within: str, lookup: Lookup) -> str:
    """A key with a digest of what identifies the object: of names, never of ids."""
    identity = (live.kind.name, within, *(lookup.named_in(live, field) for field in live.kind.identity))
    return f"{key[: _LONGEST - 7]}-{_digest(chr(0).join(identity))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:6]
