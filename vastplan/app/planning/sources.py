"""Secrets whose source differs from the base: reported whatever is live, because their values may be unknown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.engine.live.secret_sources import secret_sources
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_FIX = "have it reviewed by whoever answers for the secret, and for the new source"


def changed_sources(kinds: Mapping[str, Kind], entries: Iterable[Entry], base: Iterable[Entry]) -> Iterator[Finding]:
    """VP326 for each secret whose source differs, of objects in both documents."""
    of_base: dict[Address, dict[str, str]] = {}
    for entry in base:
        if sources := secret_sources(kinds[entry.address.kind], entry.values):
            of_base[entry.address] = sources
    for entry in entries:
        if (was := of_base.get(entry.address)) is None:
            continue
        for path, now in secret_sources(kinds[entry.address.kind], entry.values).items():
            before = was.get(path, "nothing")
            if before != now:
                text = f"{path} comes from {now or 'nothing'}, and from {before or 'nothing'} in the base"
                yield Finding("VP326", Severity.WARNING, text, _FIX, str(entry.address), entry.where)
