"""Providers for a document's sites: real ones from addresses and credentials, or the embedded simulators."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from vastplan.app.secrets import lazily
from vastplan.document.load import Document
from vastplan.document.specs import (
    Connections,
    KubernetesEndpoint,
    KubernetesLedgerSpec,
    RunaiEndpoint,
    Tls,
    VastEndpoint,
    Verified,
)
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity
from vastplan.model.sensitive import keep_secret
from vastplan.schema.provider import Provider
from vastplan.sim.endpoints import SimEndpoint, running
from vastplan.systems.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from vastplan.ledger.kubernetes import KubernetesLedger
    from vastplan.sim.world import World
    from vastplan.systems.kubernetes.client import KubernetesProvider

Providers = dict[tuple[str, str], Provider | Exception]
SIM_FOLDER = Path(".vastplan") / "sim"
PARALLEL = 8
LEDGER_CALLS = 4  # at once: a renewal does not wait for what is being written
_worlds: dict[Path, tuple[World, list[SimEndpoint], int]] = {}
"""Simulated worlds that this process serves, by folder, and how many use each: a ledger may be kept in one of them."""
_worlds_lock = threading.Lock()
TRANSPORT_LIMITS = DEFAULT_LIMITS


@contextlib.contextmanager
def connected(document: Document, *, sites: tuple[str, ...], writable: bool) -> Iterator[Providers]:
    """A provider for every system of the named sites; one that cannot be made stands as the reason why."""
    with contextlib.ExitStack() as stack:
        providers: Providers = {}
        simulated = [name for name in document.head.sites if "sim" in document.connections[name].systems()]
        if set(simulated) & set(sites):
            providers |= _simulated(document, simulated, sites, writable, stack)
        for name in sites:
            given, parallel = document.connections[name], _parallel(document, name)
            for system in sorted(given.systems() - {"sim"}):
                providers[name, system] = _real(given, system, document.connections_folder, writable, parallel)
        for provider in providers.values():
            if not isinstance(provider, Exception):
                stack.callback(provider.close)
        yield providers


def _parallel(document: Document, site: str) -> int:
    said = document.head.sites[site].parallel
    return said if isinstance(said, int) else PARALLEL


def shared_ledger(document: Document, spec: KubernetesLedgerSpec, *, writable: bool) -> KubernetesLedger:
    """The ledger in a cluster; nothing is connected before it is used."""
    from vastplan.ledger import clock
    from vastplan.ledger.kubernetes import KubernetesLedger

    cluster = document.ledger_cluster

    @contextlib.contextmanager
    def api() -> Iterator[KubernetesProvider]:
        if cluster is not None:
            with contextlib.closing(_kubernetes(cluster, document.connections_folder, writable, LEDGER_CALLS)) as one:
                yield one
        else:
            assert isinstance(spec.site, str)
            with connected(document, sites=(spec.site,), writable=writable) as providers:
                provider = providers[spec.site, "kubernetes"]
                if isinstance(provider, Exception):
                    raise provider
                yield cast("KubernetesProvider", provider)

    where = spec.site if isinstance(spec.site, str) else _cluster_name(cluster)
    return KubernetesLedger(api, where, spec.namespace, document.head.name, clock=clock.SYSTEM)


def _cluster_name(cluster: KubernetesEndpoint | None) -> str:
    if cluster is None or cluster.in_cluster is True:
        return "this cluster"
    return cluster.context if isinstance(cluster.context, str) else "the current context"


def unverified(document: Document, sites: tuple[str, ...]) -> tuple[Finding, ...]:
    """A warning for every system whose certificate is not checked because the document says so."""
    given = {f"site {name}": document.connections[name] for name in sites}
    systems: list[tuple[str, object]] = [
        (place, system) for place, has in given.items() for system in (has.vast, has.runai, has.kubernetes)
    ]
    systems.append(("ledger", document.ledger_cluster))
    return tuple(
        _unchecked(place, one)
        for place, one in systems
        if isinstance(one, Verified) and one.insecure_skip_verify is True
    )


def _unchecked(place: str, system: Verified) -> Finding:
    if isinstance(system, KubernetesEndpoint):
        server, better = f"kubernetes ({_cluster_name(system)})", "its authority in the kubeconfig"
    else:
        server, better = getattr(system, "url", ""), "ca_file"
    text = f"{place}: the certificate of {server} is not verified, so anybody in between can read and answer"
    return Finding("VP320", Severity.WARNING, text, f"give {better} instead of insecure_skip_verify")


def _real(given: Connections, system: str, folder: Path, writable: bool, parallel: int) -> Provider | Exception:
    try:
        if system == "vast":
            assert isinstance(given.vast, VastEndpoint)
            return _vast(given.vast, folder, writable, parallel)
        if system == "kubernetes":
            assert isinstance(given.kubernetes, KubernetesEndpoint)
            return _kubernetes(given.kubernetes, folder, writable, parallel)
        assert isinstance(given.runai, RunaiEndpoint)
        return _runai(given.runai, folder, writable, parallel)
    except VastplanError as problem:
        return problem


def _vast(given: VastEndpoint, folder: Path, writable: bool, parallel: int) -> Provider:
    from vastplan.systems.vast.client import VastProvider

    user = None
    if isinstance(given.username, str) and not isinstance(given.password, str):
        user = (given.username, lazily(given.password, folder))  # type: ignore[arg-type]
    token = lazily(given.token, folder) if user is None else None  # type: ignore[arg-type]
    return VastProvider(
        given.url,
        verify=_verify(given, folder),
        token=token,
        user=user,
        tenant=given.tenant if isinstance(given.tenant, str) else None,
        api_version=given.api_version if isinstance(given.api_version, str) else "v5",
        writable=writable,
        parallel=parallel,
        limits=TRANSPORT_LIMITS,
    )


def _kubernetes(given: KubernetesEndpoint, folder: Path, writable: bool, parallel: int) -> KubernetesProvider:
    from vastplan.systems.kubernetes.client import KubernetesProvider
    from vastplan.systems.kubernetes.kubeconfig import connect

    api = connect(
        kubeconfig=str(folder / given.kubeconfig) if isinstance(given.kubeconfig, str) else None,
        context=given.context if isinstance(given.context, str) else None,
        in_cluster=given.in_cluster is True,
        unverified=given.insecure_skip_verify is True,
    )
    return KubernetesProvider(api, writable=writable, parallel=parallel, limits=TRANSPORT_LIMITS)


def _runai(given: RunaiEndpoint, folder: Path, writable: bool, parallel: int) -> Provider:
    from vastplan.systems.runai.client import RunaiProvider

    return RunaiProvider(
        given.url,
        cluster=given.cluster,
        verify=_verify(given, folder),
        client_id=given.client_id,
        client_secret=lazily(given.client_secret, folder),
        writable=writable,
        parallel=parallel,
        limits=TRANSPORT_LIMITS,
    )


def _verify(given: Tls, folder: Path) -> str | bool:
    if given.insecure_skip_verify is True:
        return False
    if isinstance(given.ca_file, str):
        path = folder / given.ca_file
        if not path.is_file():
            raise VastplanError(f"ca_file {given.ca_file} is not there")
        return str(path)
    return True


def _simulated(
    document: Document, simulated: list[str], sites: tuple[str, ...], writable: bool, stack: contextlib.ExitStack
) -> Providers:
    systems = {name: document.sites()[name].systems for name in simulated}
    endpoints = stack.enter_context(_world(document.folder / SIM_FOLDER, systems))
    providers: Providers = {}
    for one in endpoints:
        if one.site in sites:
            providers[one.site, one.system] = _simulator(one, writable, _parallel(document, one.site))
    return providers


@contextlib.contextmanager
def _world(folder: Path, systems: dict[str, frozenset[str]]) -> Iterator[list[SimEndpoint]]:
    """The simulators of a folder: those that run already, here or elsewhere, or new ones for as long as they are used."""
    folder = folder.absolute()
    with _worlds_lock:
        endpoints = running(folder)
        if endpoints is None:
            world, endpoints, users = _worlds.get(folder) or (*_open_or_join(folder, systems), 0)
            if world is not None:
                _worlds[folder] = (world, endpoints, users + 1)
        else:
            world = None
    try:
        yield endpoints
    finally:
        if world is not None:
            with _worlds_lock:
                _, _, users = _worlds.pop(folder)
                if users > 1:
                    _worlds[folder] = (world, endpoints, users - 1)
                else:
                    world.stop()


def _open_or_join(folder: Path, systems: dict[str, frozenset[str]]) -> tuple[World | None, list[SimEndpoint]]:
    try:
        from vastplan.sim.world import open_or_join
    except ImportError as problem:
        raise VastplanError(
            f"the simulators are not installed ({problem.name} is missing): pip install 'vastplan[sim]'"
        ) from None
    try:
        return open_or_join(folder, systems)
    except TimeoutError as problem:
        raise VastplanError(str(problem)) from None


def _simulator(one: SimEndpoint, writable: bool, parallel: int) -> Provider:
    keep_secret(one.password)
    if one.system == "vast":
        from vastplan.systems.vast.client import VastProvider

        user = (one.username, lambda: str(one.password))
        return VastProvider(
            one.url,
            verify=one.ca_file,
            token=None,
            user=user,
            writable=writable,
            parallel=parallel,
            limits=TRANSPORT_LIMITS,
        )
    if one.system == "kubernetes":
        from vastplan.systems.kubernetes.client import KubernetesProvider
        from vastplan.systems.kubernetes.kubeconfig import connect

        api = connect(kubeconfig=one.kubeconfig, context=None, in_cluster=False)
        return KubernetesProvider(api, writable=writable, parallel=parallel, limits=TRANSPORT_LIMITS)
    from vastplan.systems.runai.client import RunaiProvider

    return RunaiProvider(
        one.url,
        cluster=one.site,
        verify=one.ca_file,
        client_id=one.username,
        client_secret=lambda: str(one.password),
        writable=writable,
        parallel=parallel,
        limits=TRANSPORT_LIMITS,
    )
