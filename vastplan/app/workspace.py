"""A loaded document with its registry: composes its objects, with probed versions if given, and opens its ledger."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vastplan.kinds
import vastplan.systems
from vastplan.document import ledger_place
from vastplan.document.load import Document, load_document
from vastplan.document.look_alikes import look_alikes
from vastplan.document.secret_sources import ALLOW_ENV, variable_names
from vastplan.engine.live.cycles import circular
from vastplan.engine.values.delivery import delivers_of, destination
from vastplan.model import gc_pause
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import Finding, Severity, error, once
from vastplan.model.regular_files import LEDGER_FOLDER
from vastplan.model.value import Ref, json_text
from vastplan.model.watch import UNWATCHED, Watch
from vastplan.schema.composition import Scope, compose, keep_one
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import Entry
from vastplan.schema.former_names import with_former_names
from vastplan.schema.kind import Kind
from vastplan.schema.precedence import with_precedence
from vastplan.schema.system import discover_systems

if TYPE_CHECKING:
    from vastplan.app.connect import Providers
    from vastplan.ledger.backend import Backend
    from vastplan.model.snapshot import RecordedSnapshot
    from vastplan.schema.system import Client

__all__ = ["LEDGER_FOLDER", "Composed", "Workspace", "open_workspace", "probe"]


@dataclass(frozen=True, slots=True)
class Composed:
    """All objects of a document, the findings of composing, and whether the result depends on probed versions."""

    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    probed: bool


@dataclass(frozen=True, slots=True)
class Workspace:
    """A document and the registry of kinds: all that is known without its systems. `lock_timeout` is for how many seconds a ledger
    that another run holds is waited for, `lock_duration` for how many seconds others leave this process one that it does not renew; 0 is a minute."""

    document: Document
    registry: Registry
    lock_timeout: int = 0
    lock_duration: int = 0

    @property
    def name(self) -> str:
        """The document's name."""
        return self.document.head.name

    def chosen(self, site: str | None) -> tuple[str, ...]:
        """The sites to work on, from a comma-separated text; all for `None`. Raises `Invalid` for an unknown site."""
        sites = tuple(self.document.head.sites)
        if site is None:
            return sites
        chosen = tuple(site.split(","))
        for name in chosen:
            if name not in sites:
                raise Invalid([error("VP202", f"no site {name}", fix=f"known: {', '.join(sites)}")])
        return chosen

    def ledger(self, *, writable: bool = False, report: Callable[[str], None] = lambda _: None) -> Backend:
        """The ledger, for use in a `with`. Its parts can be opened for writing only if it is `writable`; `report` takes what is waited
        for where another run holds one."""
        from vastplan.app.connect import shared_ledger
        from vastplan.ledger.file import FileLedger

        shared = self.document.head.shared_ledger()
        if shared is not None:
            return shared_ledger(
                self.document,
                *shared,
                writable=writable,
                report=report,
                timeout=self.lock_timeout,
                duration=self.lock_duration,
            )
        place = ledger_place.local(self.document.head)
        # Named as in the document, so that a plan shows the same name whatever the current folder is.
        return FileLedger(
            self.document.ledger_folder / place, self.name, place, report=report, timeout=self.lock_timeout
        )

    def composed(self, probed: Mapping[str, Mapping[str, Any]] | None = None) -> Composed:
        """The composed document; without `probed`, from declared versions only. Raises `Invalid` if composing finds an error."""
        sites, written, kinds = self.document.sites(probed), self.document.entries, self.registry.kinds
        scope = Scope(sites, written)
        entries = compose(scope, written, self.registry.compositions, kinds)
        entries = with_former_names(sites, written, entries, self.registry.compositions)
        entries = with_precedence(entries, kinds)
        errors = [finding for finding in scope.findings if finding.severity is Severity.ERROR]
        errors += _duplicates(entries, self.registry)
        errors += circular(self.registry.kinds, entries)
        if errors:
            raise Invalid(once(errors))
        findings = (*self.document.warnings, *scope.findings, *look_alikes(written))
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
        """A digest of the document's objects and settings: equal for two ways of writing the same."""
        from vastplan.app.head import head_settings

        resolved = {str(entry.address): entry.values for entry in entries}
        text = json_text({"name": self.name, "settings": head_settings(self.document), "entries": resolved})
        return hashlib.sha256(text.encode()).hexdigest()


@gc_pause.paused()
def open_workspace(
    paths: Iterable[Path],
    connections: Path | None = None,
    snapshot: RecordedSnapshot | None = None,
    folder: Path | None = None,
    lock_timeout: int = 0,
) -> Workspace:
    """The workspace of a document. With a `snapshot`, its sites need no addresses. Raises `Invalid`.

    `folder` is the document's own folder if `paths` are a copy of it.
    """
    registry = discover(vastplan.kinds)
    recorded = None
    if snapshot is not None:
        recorded = {seen.site: seen.systems.keys() - {"ledger"} for seen in snapshot.sites}
    systems = discover_systems(vastplan.systems)
    allow_env = variable_names(os.environ.get(ALLOW_ENV, ""))
    document = load_document(list(paths), registry, systems, connections, recorded, allow_env, folder)
    return Workspace(document, registry, lock_timeout)


def probe(workspace: Workspace, providers: Providers, watch: Watch = UNWATCHED) -> dict[str, dict[str, Any]]:
    """The facts that compositions may ask of sites: the versions of the systems that answer."""
    from concurrent.futures import ThreadPoolExecutor

    asked = {key: provider for key, provider in providers.items() if not isinstance(provider, Exception)}
    probed: dict[str, dict[str, Any]] = {}
    with ThreadPoolExecutor(max_workers=max(1, min(16, len(asked)))) as pool:
        versions = pool.map(lambda key: _version(key, asked[key], watch), asked)
        for (site, system), version in zip(asked, versions, strict=True):
            if version is not None:
                probed.setdefault(site, {})[f"{system}_version"] = version
    return probed


def _version(key: tuple[str, str], client: Client, watch: Watch) -> str | None:
    watch.begins(*key, "version")
    try:
        return client.version()
    except VastplanError:
        return None  # observing reports it
    finally:
        watch.ends(*key, "version")


def _duplicates(entries: list[Entry], registry: Registry) -> list[Finding]:
    """VP230 for two entries that would be the same object, or would deliver values to the same place. Two composite entries are
    reported once, for the first pair of their objects."""
    seen: dict[tuple[Any, ...], Entry] = {}
    reported: set[tuple[str, str]] = set()
    findings = []

    def is_reported(entry: Entry, first: Entry) -> bool:
        pair = (entry.origin, first.origin)
        is_known = all(pair) and pair in reported
        reported.add(pair)
        return is_known

    for entry in entries:
        kind = registry.kinds[entry.address.kind]
        if not kind.distinct_by_id:  # several objects that only their ids distinguish may be alike
            # several kinds may share one collection, in which a name is unique
            among = kind.endpoint.path if kind.endpoint.having else kind.name
            first = _first(seen, entry, kind, kind.identity, among)
            if first is not entry:
                same, fix = _listed(entry, kind.identity), keep_one(entry, first)
                text = f"is the same {kind.name} as {first.address.name} ({same})"
                if entry.origin and first.origin:
                    text = f"{entry.origin} and {first.origin} are the same {kind.name} ({same})"
                    fix = f"remove one of them, or give it another {kind.identity[0]}"
                if first.address.kind != kind.name:
                    noun, fix = kind.endpoint.manifest[1], "write another name for one of them"
                    text = f"is the same {noun} ({same}) as one that {first.origin or first.address} creates, at {first.where}"
                if not is_reported(entry, first):
                    findings.append(_twice(entry, text, fix))
                continue
        for together in kind.unique:
            if all(entry.values.get(name) is not None for name in together):
                first = _first(seen, entry, kind, together, kind.name)
                if first is not entry and not is_reported(entry, first):
                    text = f"{_listed(entry, together)} is also that of {first.origin or first.address}, and only one {kind.name} can have it"
                    findings.append(_twice(entry, text, f"write another {together[0]} for one of them"))
        delivers = delivers_of(kind, entry.values)
        if delivers is not None:
            where = destination(delivers, entry.values)
            for name, key in where.keys.items():
                first = seen.setdefault((where.place(name),), entry)
                if first is not entry:
                    text = f"its {name} would be {key} of {where.target.target}, which {first.address} writes too"
                    findings.append(_twice(entry, text, f"write another key in {delivers.to}"))
    return findings


def _first(seen: dict[tuple[Any, ...], Entry], entry: Entry, kind: Kind, names: tuple[str, ...], among: str) -> Entry:
    """The first entry on the site and in the group `among` with these values of the fields; references compare by their target."""
    values = (kind.field(name).meant(entry.values.get(name)) for name in names)
    others = (str(value.target if isinstance(value, Ref) else value) for value in values)
    return seen.setdefault((entry.address.site, among, *names, *others), entry)


def _listed(entry: Entry, names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {entry.values.get(name)}" for name in names)


def _twice(entry: Entry, text: str, fix: str) -> Finding:
    return error("VP230", text, fix=fix, address=str(entry.address), where=entry.where)
