"""The manifest: the one Secret that lists the chunks of the part and holds the tail of the journal.

Every change of a part is one update of its manifest, guarded by resourceVersion. So changes have one order, and a process
whose manifest is not the current one can change nothing. This relies on neither clocks nor leases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.ledger.chunks import Api, Chunks, PartPlace, content, damaged, read_object, version
from vastplan.ledger.codec import check_part, load_part
from vastplan.ledger.events import NO_EVENT, Event, Reducer
from vastplan.model import strict_json
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Unclear, VastplanError
from vastplan.model.site_ledger import SiteLedger

FORMAT = 1
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Manifest:
    """`fence` grows with every owner, `turn` with every change; `owner` differs if a manifest was recreated with the same fence."""

    fence: int
    owner: str
    turn: int
    part: tuple[str, ...]
    journal: tuple[tuple[str, ...], ...] = ()
    tail: tuple[Event, ...] = ()

    def used(self) -> set[str]:
        """The names of all chunks."""
        return {*self.part, *(name for names in self.journal for name in names)}

    def dumped(self) -> bytes:
        """As JSON."""
        whole = {"version": FORMAT, "fence": self.fence, "owner": self.owner, "turn": self.turn}
        return json.dumps({**whole, "part": self.part, "journal": self.journal, "tail": self.tail}).encode()


def read_manifest(api: Api, place: PartPlace) -> tuple[Manifest, str] | None:
    """The manifest and its resourceVersion, `None` if it does not exist. Raises `VastplanError`."""
    row = read_object(api, f"{place.secrets}/{place.base}")
    if row is None:
        return None
    raw = content(row, "head")
    try:
        whole: Mapping[str, Any] = strict_json.parse_json(raw or b"")
        number = whole["version"]
        if not isinstance(number, int) or number > FORMAT:
            where = f"the ledger of {place.site} in namespace {place.namespace}"
            raise VastplanError(f"{where} has format {number}; this vastplan reads up to {FORMAT}: upgrade vastplan")
        journal = tuple(tuple(map(str, names)) for names in whole["journal"])
        part = tuple(map(str, whole["part"]))
        manifest = Manifest(
            int(whole["fence"]), str(whole["owner"]), int(whole["turn"]), part, journal, tuple(whole["tail"])
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        raise VastplanError(damaged(place, f"Secret {place.base} is not a manifest")) from None
    if not manifest.part or any(not name.startswith(f"{place.base}-") for name in manifest.used()):
        raise VastplanError(damaged(place, f"Secret {place.base} names chunks that are not its own"))
    return manifest, version(row)


def put_together(api: Api, place: PartPlace) -> tuple[Manifest, str, SiteLedger] | None:
    """The manifest, its resourceVersion and its part. If the manifest changes meanwhile, it is read again."""
    before = ""
    for _ in range(_TRIES):
        current = read_manifest(api, place)
        if current is None:
            return None
        part = _part(Chunks(api, place), place, current[0])
        if part is not None:
            return *current, part
        if current[1] == before:
            break
        before = current[1]
    raise VastplanError(damaged(place, "chunks that its manifest names do not exist"))


def _part(chunks: Chunks, place: PartPlace, manifest: Manifest) -> SiteLedger | None:
    raw = chunks.get(manifest.part)
    if raw is None:
        return None
    label = f"of {place.site} in namespace {place.namespace}"
    reducer = Reducer(check_part(load_part(raw, label), place.document, place.site, label))
    for names in manifest.journal:
        lines = chunks.get(names)
        if lines is None:
            return None
        _replay(reducer, place, lines)
    _replay(reducer, place, manifest.tail)
    return reducer.part()


def _replay(reducer: Reducer, place: PartPlace, events: bytes | Iterable[Event]) -> None:
    try:
        for event in strict_json.parse_json(events) if isinstance(events, bytes) else events:
            reducer.add(event)
    except NO_EVENT:
        raise VastplanError(damaged(place, "its journal has an entry that is not an event")) from None


def write_manifest(api: Api, place: PartPlace, manifest: Manifest, before: str) -> str:
    """Replace the manifest of exactly that resourceVersion ("" for none), and return the new one. Raises what the API raises."""
    body = place.secret(place.base, "head", manifest.dumped())
    if not before:
        row = api.call("POST", place.secrets, body=body)
    else:
        body["metadata"]["resourceVersion"] = before
        row = api.call("PUT", f"{place.secrets}/{place.base}", body=body)
    if not isinstance(row, dict) or not isinstance(row.get("metadata"), dict):
        raise Unclear(f"the answer to writing Secret {place.base} is not an object")
    return version(row)
