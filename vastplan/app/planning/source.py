"""The source that a plan reads: the systems and the ledger as they are, or a snapshot of them. Each is read once."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from typing import Any, Protocol

from vastplan.app.claims import site_claims
from vastplan.app.connect import Providers, connected
from vastplan.app.endpoints import endpoints, system_addresses
from vastplan.app.files.snapshot import refuse_foreign_snapshot
from vastplan.app.secrets import revealer
from vastplan.app.workspace import Workspace, probe
from vastplan.engine.live.names import NOTHING_NAMED, Named
from vastplan.engine.live.observe import Live, Observed, ObservedCollection
from vastplan.engine.live.read import Names, observe
from vastplan.ledger.backend import Backend, LockOwner, OtherParts
from vastplan.ledger.events import new_part
from vastplan.model.claims import SiteClaims
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import NotAuthorised
from vastplan.model.live_state import WELL
from vastplan.model.plan import FromSnapshot, UnknownCollection
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.snapshot import RecordedSnapshot, SeenObject, SeenSite
from vastplan.model.value import REDACTED, Reveal, Unknown
from vastplan.model.watch import UNWATCHED, Watch
from vastplan.schema.endpoint import Asked, AskedMembers
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Mark

CollectionKey = tuple[str, str]  # site, kind
NOT_RECORDED = "the snapshot does not have it"


@dataclass(frozen=True, slots=True)
class LeftParts:
    """The ledger's parts of sites that are not in the document; `unread` says why they cannot be listed."""

    parts: Mapping[str, SiteLedger]
    unread: str = ""


class LiveSource(Protocol):
    """What exists. Repeated reads return the same, so that two documents can be compared with one observation."""

    @property
    def reveal(self) -> Reveal | None:
        """Resolves secrets; `None` if none may be resolved."""

    @property
    def taken_from(self) -> FromSnapshot | None:
        """The snapshot, if the source is one."""

    @property
    def providers(self) -> Providers:
        """The clients of the systems, to find who changed what; empty if no system may be contacted."""

    def probed(self) -> Mapping[str, Mapping[str, Any]]:
        """The facts that the systems report of themselves, such as versions, by site."""

    def ledger(self, sites: Iterable[str]) -> dict[str, SiteLedger]:
        """The ledger's parts of the sites."""

    def holders(self) -> Mapping[str, LockOwner]:
        """Who holds the ledger's parts of sites on which a write has no known outcome yet, by site: that write may be under way."""

    def left(self, sites: Container[str]) -> LeftParts:
        """The ledger's parts of all other sites."""

    def claims(self, sites: Iterable[str]) -> Mapping[str, SiteClaims]:
        """What other documents own in the sites' systems."""

    def observe(self, keys: Iterable[CollectionKey], ledger: Mapping[str, SiteLedger], names: Names) -> Observed:
        """The live objects of the collections; where listing is not allowed, those with the given names."""

    def endpoints(self) -> Mapping[str, Mapping[str, str]]:
        """The addresses of the systems and the ledger, by site."""


class LiveSystems:
    """The live systems; only reads."""

    taken_from: FromSnapshot | None = None

    def __init__(
        self,
        workspace: Workspace,
        providers: Providers,
        locked: Mapping[str, SiteLedger] | None = None,
        watch: Watch = UNWATCHED,
    ) -> None:
        """`locked` are the ledger parts that this process has locked: they are not read again."""
        self.reveal = revealer(workspace.document.secrets)
        self._workspace, self.providers, self._watch = workspace, providers, watch
        self._backend: Backend | None = None
        self._parts: dict[str, SiteLedger] = dict(locked or {})
        self._holders: dict[str, LockOwner] = {}
        self._held: tuple[str, ...] = ()
        self._unlisted = ""
        self._claims: Mapping[str, SiteClaims] | None = None
        self._read: dict[CollectionKey, ObservedCollection] = {}
        self._named: dict[CollectionKey, Named] = {}
        self._probed: Mapping[str, Mapping[str, Any]] | None = None

    def probed(self) -> Mapping[str, Mapping[str, Any]]:
        """The facts by site, probed once."""
        if self._probed is None:
            self._probed = probe(self._workspace, self.providers, self._watch)
        return self._probed

    def ledger(self, sites: Iterable[str]) -> dict[str, SiteLedger]:
        """The ledger's parts, read once and without a lock."""
        sites = tuple(sites)
        missing = [site for site in sites if site not in self._parts]
        if missing or self._backend is None:
            first = self._backend is None
            with self._workspace.ledger() as self._backend:
                self._parts |= {site: self._read_part(self._backend, site) for site in missing}
                if first:
                    self._list_sites(self._backend)
        return {site: self._parts[site] for site in sites}

    def _read_part(self, backend: Backend, site: str) -> SiteLedger:
        part = backend.read(site)
        if not part.intents:
            return part
        owner = backend.holder(site)
        if owner is None:
            return backend.read(site)  # the apply that was seen at work may have ended since
        self._holders[site] = owner
        return part

    def holders(self) -> Mapping[str, LockOwner]:
        """The holders that were seen when the parts were read."""
        return self._holders

    def _list_sites(self, backend: Backend) -> None:
        try:
            self._held = backend.sites()
        except NotAuthorised as problem:  # an older role allows reading the parts by name, but not listing them
            self._unlisted = str(problem)

    def left(self, sites: Container[str]) -> LeftParts:
        """The parts that the ledger lists for other sites."""
        assert self._backend is not None, "the ledger comes first"
        return LeftParts(self.ledger(site for site in self._held if site not in sites), self._unlisted)

    def claims(self, sites: Iterable[str]) -> Mapping[str, SiteClaims]:
        """The claims in other documents' ledger parts kept in the same place, read once."""
        if self._claims is None:
            self._claims = site_claims(self._others(), self.endpoints(), self._workspace.registry.kinds)
        return {site: self._claims.get(site, SiteClaims()) for site in sites}

    def _others(self) -> OtherParts:
        if self._unlisted:
            return OtherParts()  # `left` already reports that the parts cannot be listed
        with self._workspace.ledger() as backend:
            return backend.others()

    def observe(self, keys: Iterable[CollectionKey], ledger: Mapping[str, SiteLedger], names: Names) -> Observed:
        """Read the collections that were not read yet, or not completely, and return all of them."""
        wanted, kinds = sorted(keys), self._workspace.registry.kinds
        new = [key for key in wanted if key not in self._read or self._lacks(key, names)]
        if new:
            self._named |= {
                key: names.get(key, NOTHING_NAMED).joined(self._named.get(key, NOTHING_NAMED)) for key in new
            }
            self._read |= observe(
                [(site, kinds[name]) for site, name in new], self.providers, ledger, self._named, self._watch
            ).collections
        return Observed({key: self._read[key] for key in wanted})

    def _lacks(self, key: CollectionKey, names: Names) -> bool:
        """Whether a collection has to be read again: another document needs whole values of more objects, or more objects by name."""
        wanted, had, asked = names.get(key, NOTHING_NAMED), self._named[key], self._read[key].asked
        whole = wanted.whole <= had.whole and wanted.called <= had.called
        return not whole or (bool(asked) and not wanted.locators <= asked)

    def endpoints(self) -> Mapping[str, Mapping[str, str]]:
        """The addresses that the clients and the ledger report."""
        assert self._backend is not None, "the ledger comes first"
        return endpoints(self.providers, self._backend.describe())


class RecordedSystems:
    """A snapshot of the systems. Contacts no system and resolves no secret."""

    reveal: Reveal | None = None

    def __init__(self, workspace: Workspace, snapshot: RecordedSnapshot) -> None:
        self._workspace, self._snapshot = workspace, snapshot
        self._sites = {seen.site: seen for seen in snapshot.sites}
        self._collections = {(collection.site, collection.kind): collection for collection in snapshot.collections}
        self._name = f"the snapshot {snapshot.id[:12]} of {snapshot.taken}"
        self._new_parts: dict[str, SiteLedger] = {}
        self._declared_places = system_addresses(workspace.document)
        self.providers: Providers = {}
        self.taken_from = FromSnapshot(snapshot.id, snapshot.taken, tuple(self._uncovered()))

    def _uncovered(self) -> Iterator[UnknownCollection]:
        for site, systems in self._workspace.systems().items():
            for name, kind in sorted(self._workspace.registry.kinds.items()):
                reason, recorded = self._why_missing(site, kind, systems), self._collections.get((site, name))
                if reason and not (recorded and recorded.asked):
                    yield UnknownCollection(site, kind.system, name, reason)

    def _why_missing(self, site: str, kind: Kind, systems: Set[str]) -> str:
        """Why the snapshot lacks the objects of a kind; "" if it has them, or the site has no such system."""
        if kind.system not in systems:
            return ""
        seen, collection = self._sites.get(site), self._collections.get((site, kind.name))
        if seen is None:
            return f"{self._name} does not cover {site}"
        elsewhere = self._why_elsewhere(seen, site, kind.system)
        if elsewhere:
            return elsewhere
        if collection is None:
            return f"{self._name} does not cover it"
        return f"when {self._name} was taken: {collection.error}" if collection.error else ""

    def _why_elsewhere(self, seen: SeenSite, site: str, system: str) -> str:
        """Why the record does not apply to the system: the document gives another address; "" if it is the same or not given."""
        declared, recorded = self._declared_places[site].get(system, ""), seen.systems.get(system, "")
        if declared == recorded or self._workspace.document.offline(site):
            return ""
        return f"the document says that it is at {declared}, and {self._name} is of {recorded or 'none'}"

    def probed(self) -> Mapping[str, Mapping[str, Any]]:
        """The recorded facts by site."""
        return {name: seen.facts for name, seen in self._sites.items()}

    def ledger(self, sites: Iterable[str]) -> dict[str, SiteLedger]:
        """The recorded parts; an empty part for a site that is not in the snapshot."""
        parts = {}
        for site in sites:
            seen = self._sites.get(site)
            if seen is None and site not in self._new_parts:
                self._new_parts[site] = new_part(self._workspace.name, site)
            parts[site] = seen.ledger if seen else self._new_parts[site]
        return parts

    def holders(self) -> Mapping[str, LockOwner]:
        """Nobody: a snapshot does not have it."""
        return {}

    def left(self, sites: Container[str]) -> LeftParts:
        """The recorded parts of other sites."""
        return LeftParts({name: seen.ledger for name, seen in self._sites.items() if name not in sites})

    def claims(self, sites: Iterable[str]) -> Mapping[str, SiteClaims]:
        """The recorded claims of other documents."""
        return {site: self._sites[site].claims for site in sites if site in self._sites}

    def observe(self, keys: Iterable[CollectionKey], ledger: Mapping[str, SiteLedger], names: Names) -> Observed:
        """The recorded collections; a missing one has the reason as its error."""
        systems = self._workspace.systems()
        return Observed(
            {
                key: self._collection(key, systems.get(key[0], frozenset()), names.get(key, NOTHING_NAMED))
                for key in keys
            }
        )

    def _collection(self, key: CollectionKey, systems: Set[str], names: Named) -> ObservedCollection:
        site, kind = key[0], self._workspace.registry.kinds[key[1]]
        if kind.system not in systems:
            return ObservedCollection(error=f"site {site} has no {kind.system}", absent=True)
        reason = self._why_missing(site, kind, systems)
        recorded = self._collections.get(key)
        asked = frozenset(recorded.asked) if recorded else frozenset()
        if recorded is None or (reason and not asked):
            return ObservedCollection(error=reason)
        shape = kind.endpoint.shape
        wanted = (
            {shape.owner(locator) for locator in names.locators} if isinstance(shape, AskedMembers) else names.locators
        )
        if isinstance(shape, Asked | AskedMembers) and (new := sorted(wanted - asked)):
            reason = f"{self._name} was taken without reading {', '.join(new)}"
        objects, nobody = [_live(site, kind, seen) for seen in recorded.objects], frozenset(recorded.nobody)
        return ObservedCollection(objects, reason, asked=asked, nobody=nobody)

    def endpoints(self) -> Mapping[str, Mapping[str, str]]:
        """The recorded addresses by site."""
        return {name: seen.endpoints for name, seen in self._sites.items()}


def _live(site: str, kind: Kind, seen: SeenObject) -> Live:
    values = dict(seen.values)
    for path in seen.withheld:
        _withhold(values, path)
    return Live(
        site=site, kind=kind, id=seen.id, locator=seen.locator, values=values, attributes=dict(seen.attributes),
        metrics={fact.name: _figure(seen.facts.get(fact.name, NOT_RECORDED)) for fact in kind.metrics}, system_owned=seen.system_owned, writers=seen.writers,
        mark=Mark(seen.document, seen.marked),
        controller=seen.controller,
        owners=seen.owners,
        state=seen.state or WELL,
    )  # fmt: skip


def _withhold(values: dict[str, Any], path: tuple[str, ...]) -> None:
    for step in path[:-1]:
        inner = values.get(step)
        values[step] = inner = dict(inner) if isinstance(inner, dict) else {}
        values = inner
    values[path[-1]] = REDACTED


def _figure(value: Any) -> Any:
    """A metric as a live object has it: a text in a snapshot is the reason why the figure is unknown."""
    if isinstance(value, Mapping):
        return {key: _figure(inner) for key, inner in value.items()}
    return Unknown(value) if isinstance(value, str) else value


@contextlib.contextmanager
def open_source(
    workspace: Workspace, snapshot: RecordedSnapshot | None, watch: Watch = UNWATCHED
) -> Iterator[LiveSource]:
    """Opens the snapshot, or connects to the systems. Raises `VastplanError` for a snapshot of another document or version."""
    if snapshot is None:
        # Connects to all sites: an object may refer to one on a site that is not planned.
        sites = tuple(workspace.document.head.sites)
        with connected(workspace.document, sites=sites, writable=False) as providers:
            yield LiveSystems(workspace, providers, watch=watch)
        return
    refuse_foreign_snapshot(snapshot, workspace.name, workspace.registry.kinds)
    yield RecordedSystems(workspace, snapshot)
