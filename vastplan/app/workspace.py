"""A document made ready: read, checked, composed with what was probed, its ledger at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import vastplan.kinds
import vastplan.systems
from vastplan.app.connect import Providers, shared_ledger
from vastplan.app.head import BESIDE_THE_DOCUMENT, settings
from vastplan.document.load import Document, load
from vastplan.document.look_alikes import look_alikes
from vastplan.engine.circular import circular
from vastplan.engine.plan import document_digest
from vastplan.ledger.backend import Backend
from vastplan.ledger.file import FileLedger
from vastplan.model import gc_pause
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.snapshot import Snapshot
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import Entry, Scope, compose
from vastplan.schema.former import with_former_names
from vastplan.schema.precedence import with_precedence
from vastplan.schema.system import discover_systems

LEDGER_FOLDER = Path(BESIDE_THE_DOCUMENT)


@dataclass(frozen=True, slots=True)
class Composed:
    """All objects that a document stands for, what composing found, and whether it depends on what was probed."""

    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    probed: bool


@dataclass(frozen=True, slots=True)
class Workspace:
    """A document and all that is known about it without its systems."""

    document: Document
    registry: Registry

    @property
    def name(self) -> str:
        """The document's name."""
        return self.document.head.name

    def chosen(self, site: str | None) -> tuple[str, ...]:
        """The sites to work on; raises `Invalid` for one that is not there."""
        known = tuple(self.document.head.sites)
        if site is None:
            return known
        chosen = tuple(site.split(","))
        for name in chosen:
            if name not in known:
                raise Invalid([error("VP202", f"no site {name}", fix=f"sites are {', '.join(known)}")])
        return chosen

    def ledger(self, *, writable: bool = False) -> Backend:
        """Where what we own is written down; only what is `writable` can be opened. To be used in a `with`."""
        shared = self.document.head.shared_ledger()
        if shared is not None:
            return shared_ledger(self.document, *shared, writable=writable)
        local = getattr(self.document.head.ledger, "local", None)
        place = local if isinstance(local, str) else str(LEDGER_FOLDER)
        # A plan calls it as the document does: that is the same from whichever folder somebody works.
        return FileLedger(self.document.folder / place, self.name, place)

    def composed(self, probed: Mapping[str, Mapping[str, Any]] | None = None) -> Composed:
        """The document composed, offline without `probed`; raises `Invalid` when composing finds an error."""
        sites, written, kinds = self.document.sites(probed), self.document.entries, self.registry.kinds
        scope = Scope(sites, written)
        entries = compose(scope, written, self.registry.compositions, kinds)
        entries = with_former_names(sites, written, entries, self.registry.compositions)
        entries = with_precedence(entries, kinds)
        errors = [finding for finding in scope.findings if finding.severity is Severity.ERROR]
        errors += _duplicates(entries, self.registry)
        errors += circular(self.registry.kinds, entries)
        if errors:
            raise Invalid(errors)
        findings = (*scope.findings, *look_alikes(written))
        return Composed(tuple(sorted(entries, key=attrgetter("address"))), findings, scope.asked)

    def entries(
        self, probed: Mapping[str, Mapping[str, Any]] | None = None
    ) -> tuple[tuple[Entry, ...], tuple[Finding, ...]]:
        """The objects and the findings of the composed document."""
        composed = self.composed(probed)
        return composed.entries, composed.findings

    def systems(self) -> dict[str, frozenset[str]]:
        """The systems that each site has."""
        return {name: site.systems for name, site in self.document.sites().items()}

    def digest(self, entries: tuple[Entry, ...]) -> str:
        """What the document resolves to, its settings included, as a digest."""
        return document_digest(self.name, entries, settings(self.document))


@gc_pause.paused()
def open_workspace(
    paths: Iterable[Path], connections: Path | None = None, snapshot: Snapshot | None = None
) -> Workspace:
    """The workspace of a document; one that is only held against a snapshot needs no addresses. Raises `Invalid`."""
    registry = discover(vastplan.kinds)
    recorded = None
    if snapshot is not None:
        recorded = {seen.site: seen.systems.keys() - {"ledger"} for seen in snapshot.sites}
    systems = discover_systems(vastplan.systems)
    return Workspace(load(list(paths), registry, systems, connections, recorded), registry)


def probe(workspace: Workspace, providers: Providers) -> dict[str, dict[str, Any]]:
    """What compositions want to know of the sites: the versions that answer."""
    probed: dict[str, dict[str, Any]] = {}
    for (site, system), provider in providers.items():
        if not isinstance(provider, Exception):
            try:
                probed.setdefault(site, {})[f"{system}_version"] = provider.version()
            except VastplanError:
                continue  # observing will say so
    return probed


def _duplicates(entries: list[Entry], registry: Registry) -> list[Finding]:
    """Two entries that would be the same object."""
    seen: dict[tuple[Any, ...], Entry] = {}
    findings = []
    for entry in entries:
        kind = registry.kinds[entry.address.kind]
        identity = tuple(str(entry.values.get(name)) for name in kind.identity)
        key = (entry.address.site, entry.address.kind, *identity)
        first = seen.setdefault(key, entry)
        if first is not entry:
            same = ", ".join(f"{name} {value}" for name, value in zip(kind.identity, identity, strict=True))
            text = f"is the same {kind.name} as {first.address.name} ({same})"
            address = str(entry.address)
            findings.append(error("VP230", text, fix="remove one of them", address=address, where=entry.where))
    return findings
