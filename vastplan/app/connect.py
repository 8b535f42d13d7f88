"""Clients for a document's sites: for the systems at the addresses it gives, or for the embedded simulators."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from vastplan.app.secrets import document_secrets, folder_reader, lazily
from vastplan.app.worlds import directories, simulators_of, world
from vastplan.document.load import Document
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.sensitive import keep_secret
from vastplan.schema.connection import SharedLedgerSpec, SystemSpec, Verified
from vastplan.schema.system import Client, Connection
from vastplan.schema.transport_limits import DEFAULT_LIMITS, TransportLimits

if TYPE_CHECKING:
    from vastplan.ledger.chunks import Api
    from vastplan.ledger.kubernetes import KubernetesLedger

Providers = dict[tuple[str, str], Client | Exception]
PARALLEL = 8
LEDGER_CALLS = 4  # in parallel: renewing the lock does not wait for a write
TRANSPORT_LIMITS = DEFAULT_LIMITS
OF_A_LOST_SITE = TransportLimits(connect=2.0, silence=5.0, whole=10.0, retries=0)


@contextlib.contextmanager
def connected(
    document: Document, *, sites: tuple[str, ...], writable: bool, lost: Collection[str] = ()
) -> Iterator[Providers]:
    """A client for every system of the named sites; for a client that cannot be created, the exception that says why.

    Raises `Invalid` for a connection that the document is not allowed to ask for, and `VastplanError` for a site that it does not have:
    an operation of the ledger may have begun there. Sites that are probably `lost` are asked briefly.
    """
    for site in sites:
        if site not in document.head.sites:
            raise VastplanError(f"site {inert(site, 80)} is not in the document: put it back under sites")
    with contextlib.ExitStack() as stack:
        providers: Providers = {}
        simulated = [name for name in document.head.sites if document.connections[name].simulated]
        if set(simulated) & set(sites):
            systems = {name: document.sites()[name].systems for name in simulated}
            for endpoint in stack.enter_context(world(simulators_of(document.folder), systems, directories(document))):
                simulate = document.systems[endpoint.system].simulate
                if endpoint.site in sites and simulate is not None:
                    keep_secret(endpoint.password)
                    connection = _connection(document, endpoint.site, writable, lost)
                    provider = simulate(endpoint, connection)
                    stack.callback(provider.close)
                    providers[endpoint.site, endpoint.system] = provider
        for site in sites:
            connection = _connection(document, site, writable, lost)
            for system, spec in sorted(document.connections[site].given().items()):
                made = _client_or_problem(document, system, spec, connection)
                if not isinstance(made, Exception):
                    stack.callback(made.close)
                providers[site, system] = made
        yield providers


def shared_ledger(
    document: Document,
    system: str,
    spec: SharedLedgerSpec,
    *,
    writable: bool,
    report: Callable[[str], None],
    timeout: int,
    duration: int = 0,
) -> KubernetesLedger:
    """The ledger in a cluster; connects at the first use."""
    from vastplan.ledger import clock
    from vastplan.ledger.kubernetes import KubernetesLedger

    cluster = document.ledger_cluster

    @contextlib.contextmanager
    def api() -> Iterator[Api]:
        if cluster is not None:
            client = document.systems[system].connect(cluster, _connection(document, "", writable))
            with contextlib.closing(client):
                yield cast("Api", client)
        else:
            assert isinstance(spec.site, str)
            with connected(document, sites=(spec.site,), writable=writable) as providers:
                provider = providers[spec.site, system]
                if isinstance(provider, Exception):
                    raise provider
                yield cast("Api", provider)

    where = spec.site if isinstance(spec.site, str) else cluster.label() if cluster is not None else "this cluster"
    name = document.head.name
    return KubernetesLedger(
        api, where, spec.namespace, name, clock=clock.SYSTEM, report=report, timeout=timeout, duration=duration
    )


def unverified(document: Document, sites: tuple[str, ...]) -> tuple[Finding, ...]:
    """A warning for every system whose certificate is not checked because the document says so."""
    specs = [(f"site {site}", spec) for site in sites for spec in document.connections[site].given().values()]
    if document.ledger_cluster is not None:
        specs.append(("ledger", document.ledger_cluster))
    return tuple(
        _unchecked(place, spec)
        for place, spec in specs
        if isinstance(spec, Verified) and spec.insecure_skip_verify is True
    )


def _unchecked(place: str, spec: Verified) -> Finding:
    text = f"{place}: the certificate of {spec.server()} is not verified, so anybody in between can read and answer"
    return Finding("VP320", Severity.WARNING, text, f"give {spec.TRUST} instead of insecure_skip_verify")


def _connection(document: Document, site: str, writable: bool, lost: Collection[str] = ()) -> Connection:
    """How to connect to the systems of a site; "" is where the ledger is."""
    folder = document.connections_folder
    secret = (
        partial(document_secrets, allowed=document.secrets)
        if document.by_document
        else partial(lazily, reading=folder_reader(folder))
    )
    limits, parallel = OF_A_LOST_SITE if site in lost else TRANSPORT_LIMITS, _parallel(document, site)
    return Connection(folder, secret, writable, parallel, limits, document.head.name, by_document=document.by_document)


def _parallel(document: Document, site: str) -> int:
    if not site:
        return LEDGER_CALLS
    configured = document.head.sites[site].parallel
    return configured if isinstance(configured, int) else PARALLEL


def _client_or_problem(document: Document, system: str, spec: SystemSpec, connection: Connection) -> Client | Exception:
    try:
        return document.systems[system].connect(spec, connection)
    except Invalid:
        raise
    except VastplanError as problem:
        return problem
