"""`vastplan record`: reads everything that a plan of this document, or of a change of it, may need; keeps all but secrets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from vastplan import __version__
from vastplan.app.claims import site_claims
from vastplan.app.clock import now
from vastplan.app.connect import connected
from vastplan.app.endpoints import endpoints, site_file_contents, system_addresses, trusts
from vastplan.app.files.snapshot import sealed, tables_digest
from vastplan.app.redact import digests_to_keep, seen_object, withheld_labels
from vastplan.app.workspace import Workspace, probe
from vastplan.engine.live.names import names_to_read
from vastplan.engine.live.observe import Observed
from vastplan.engine.live.read import Names, observe
from vastplan.ledger.backend import Backend, OtherParts
from vastplan.model.address import Address
from vastplan.model.claims import SiteClaims
from vastplan.model.errors import Invalid, NotAuthorised, VastplanError
from vastplan.model.nearest import nearest
from vastplan.model.site_ledger import REDACTED_DIGEST, Owned, SiteLedger
from vastplan.model.snapshot import SNAPSHOT_VERSION, RecordedSnapshot, SeenCollection, SeenSite
from vastplan.model.wording import counted
from vastplan.schema.kind import Kind


def record_snapshot(
    workspace: Workspace,
    sites: tuple[str, ...],
    without: Collection[str] = (),
    *,
    labels: Collection[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> RecordedSnapshot:
    """A snapshot of the sites, with every kind that they can have, not only those in the document. Only reads from systems.

    Labels and annotations that belong to others are kept if their key matches one of the patterns `labels`.
    Raises `VastplanError` for an unknown kind in `without`.
    """
    kinds, taken = workspace.registry.kinds, now()
    for name in without:
        if name not in kinds:
            raise VastplanError(f"--without {name}: no such kind {nearest(name, kinds)}".rstrip())
    with workspace.ledger() as backend:
        ledger = {site: backend.read(site) for site in sites}
        left, others = _beside(workspace, backend)
    with connected(workspace.document, sites=sites, writable=False) as providers:
        facts = probe(workspace, providers)
        collections, names = _all_collections(workspace, sites, without), _names(workspace, ledger, facts)
        progress(f"reading {counted(len(collections), 'collection')} of {', '.join(sites)}")
        observed = observe(collections, providers, ledger, names)
        count = sum(len(collection.objects) for collection in observed.collections.values())
        progress(f"read {counted(count, 'object')}")
        live_places = endpoints(providers, backend.describe())
    declared_places, of_files = system_addresses(workspace.document), site_file_contents(workspace.document)
    claims = site_claims(others, live_places, kinds)
    return sealed(
        RecordedSnapshot(
            format_version=SNAPSHOT_VERSION,
            document=workspace.name,
            taken=taken.isoformat(timespec="seconds"),
            vastplan=__version__,
            tables=tables_digest(kinds),
            sites=tuple(
                SeenSite(
                    site,
                    declared_places[site],
                    live_places.get(site, {}),
                    facts.get(site, {}),
                    _redacted_part(ledger[site], kinds),
                    claims=claims.get(site, SiteClaims()),
                    trust=trusts(workspace.document, site),
                    contents=of_files[site],
                )
                for site in sorted(sites)
            )
            + tuple(SeenSite(part.site, {}, {}, {}, _redacted_part(part, kinds)) for part in left),
            collections=_seen_collections(observed, ledger, labels),
        )
    )


def _beside(workspace: Workspace, backend: Backend) -> tuple[list[SiteLedger], OtherParts]:
    """The ledger's parts of sites that are not in the document (their systems are not read), and the parts of other documents.

    Both are empty if the credentials may not list the ledger's parts.
    """
    try:
        listed, others = backend.sites(), backend.others()
    except NotAuthorised:
        return [], OtherParts()
    parts = (backend.read(site) for site in listed if site not in workspace.document.head.sites)
    return [part for part in parts if part.entries or part.intents], others


def _names(workspace: Workspace, ledger: Mapping[str, SiteLedger], facts: Mapping[str, Mapping[str, Any]]) -> Names:
    """The objects to read by name: those of the document, or only the owned ones if the document cannot be composed."""
    try:
        entries, _ = workspace.entries(facts)
    except Invalid:
        entries = ()
    return names_to_read(workspace.registry.kinds, entries, ledger)


def _all_collections(workspace: Workspace, sites: tuple[str, ...], without: Collection[str]) -> list[tuple[str, Kind]]:
    systems = workspace.systems()
    return [
        (site, kind)
        for site in sites
        for name, kind in sorted(workspace.registry.kinds.items())
        if kind.system in systems[site] and name not in without
    ]


def _seen_collections(
    observed: Observed, ledger: Mapping[str, SiteLedger], labels: Collection[str]
) -> tuple[SeenCollection, ...]:
    owned_by_id: dict[tuple[str, str, str], Owned] = {}
    for site, part in ledger.items():
        for text, owned in part.entries.items():
            owned_by_id[site, Address.parse(text).kind, owned.id] = owned
    collections = []
    for (site, kind), collection in sorted(observed.collections.items()):
        objects = []
        for live in sorted(collection.objects, key=lambda live: live.id):
            owned_entry = owned_by_id.get((site, kind, live.id))
            objects.append(
                seen_object(live, {*(owned_entry.fields if owned_entry else ()), *withheld_labels(live, labels)})
            )
        collections.append(
            SeenCollection(
                site,
                kind,
                tuple(objects),
                collection.error,
                tuple(sorted(collection.asked)),
                tuple(sorted(collection.nobody)),
            )
        )
    return tuple(collections)


def _redacted_part(part: SiteLedger, kinds: Mapping[str, Kind]) -> SiteLedger:
    """A site's ledger part without the digests of secrets, and without the applied plans."""

    def digests(text: str, by_path: Mapping[str, str]) -> dict[str, str]:
        kind = kinds.get(Address.parse(text).kind)
        return digests_to_keep(kind, by_path) if kind else {}

    return replace(
        part,
        entries={
            text: replace(
                owned,
                fields=digests(text, owned.fields),
                wire=digests(text, owned.wire),
                delivered=dict.fromkeys(owned.delivered, REDACTED_DIGEST),
            )
            for text, owned in part.entries.items()
        },
        intents={text: replace(intent, fields=digests(text, intent.fields)) for text, intent in part.intents.items()},
        plans=(),
        runs=(),
    )
