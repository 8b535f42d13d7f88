"""Providers for a document's sites: real ones from addresses and credentials, or the embedded simulators."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from vastplan.app.secret import lazily
from vastplan.config.load import Document
from vastplan.config.sites import Connections, KubernetesEndpoint, RunaiEndpoint, Tls, VastEndpoint
from vastplan.model.diagnostic import Diagnostic, Severity
from vastplan.model.errors import VastplanError
from vastplan.model.sensitive import keep_secret
from vastplan.sim.endpoints import Endpoint, running
from vastplan.words.provider import Provider

Providers = dict[tuple[str, str], Provider | Exception]
SIM_FOLDER = Path(".vastplan") / "sim"
PARALLEL = 8


@contextlib.contextmanager
def connected(document: Document, *, sites: tuple[str, ...], writable: bool) -> Iterator[Providers]:
    """A provider for every system of the named sites; one that cannot be made stands as the reason why."""
    with contextlib.ExitStack() as stack:
        providers: Providers = {}
        simulated = [name for name in document.head.sites if "sim" in document.connections[name].systems()]
        if set(simulated) & set(sites):
            providers |= _simulated(document, simulated, sites, writable, stack)
        for name in sites:
            given = document.connections[name]
            parallel = document.head.sites[name].parallel
            for system in sorted(given.systems() - {"sim"}):
                with_limit = parallel if isinstance(parallel, int) else PARALLEL
                providers[name, system] = _real(given, system, document.connections_folder, writable, with_limit)
        for provider in providers.values():
            if not isinstance(provider, Exception):
                stack.callback(provider.close)
        yield providers


def unverified(document: Document, sites: tuple[str, ...]) -> tuple[Diagnostic, ...]:
    """A warning for every system whose certificate is not checked because the document says so."""
    found = []
    for name in sites:
        given = document.connections[name]
        for system in (given.vast, given.runai):
            if isinstance(system, Tls) and system.insecure_skip_verify is True:
                url = getattr(system, "url", "")
                text = (
                    f"site {name}: the certificate of {url} is not verified, so anybody in between can read and answer"
                )
                found.append(
                    Diagnostic("VP320", Severity.WARNING, text, "give ca_file instead of insecure_skip_verify")
                )
    return tuple(found)


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
    from vastplan.providers.vast import VastProvider

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
    )


def _kubernetes(given: KubernetesEndpoint, folder: Path, writable: bool, parallel: int) -> Provider:
    from vastplan.providers.kubernetes import KubernetesProvider, connect

    api = connect(
        kubeconfig=str(folder / given.kubeconfig) if isinstance(given.kubeconfig, str) else None,
        context=given.context if isinstance(given.context, str) else None,
        in_cluster=given.in_cluster is True,
    )
    return KubernetesProvider(api, writable=writable, parallel=parallel)


def _runai(given: RunaiEndpoint, folder: Path, writable: bool, parallel: int) -> Provider:
    from vastplan.providers.runai import RunaiProvider

    return RunaiProvider(
        given.url,
        cluster=given.cluster,
        verify=_verify(given, folder),
        client_id=given.client_id,
        client_secret=lazily(given.client_secret, folder),
        writable=writable,
        parallel=parallel,
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
    endpoints = running(document.folder / SIM_FOLDER)
    if endpoints is None:
        try:
            from vastplan.sim.world import open_or_join
        except ImportError as problem:
            raise VastplanError(
                f"the simulators are not installed ({problem.name} is missing): pip install 'vastplan[sim]'"
            ) from None
        systems = {name: document.sites()[name].systems for name in simulated}
        try:
            world, endpoints = open_or_join(document.folder / SIM_FOLDER, systems)
        except TimeoutError as problem:
            raise VastplanError(str(problem)) from None
        if world is not None:
            stack.callback(world.stop)
    providers: Providers = {}
    for one in endpoints:
        if one.site in sites:
            providers[one.site, one.system] = _simulator(one, writable)
    return providers


def _simulator(one: Endpoint, writable: bool) -> Provider:
    keep_secret(one.password)
    if one.system == "vast":
        from vastplan.providers.vast import VastProvider

        user = (one.username, lambda: str(one.password))
        return VastProvider(one.url, verify=one.ca_file, token=None, user=user, writable=writable)
    if one.system == "kubernetes":
        from vastplan.providers.kubernetes import KubernetesProvider, connect

        return KubernetesProvider(connect(kubeconfig=one.kubeconfig, context=None, in_cluster=False), writable=writable)
    from vastplan.providers.runai import RunaiProvider

    return RunaiProvider(
        one.url,
        cluster=one.site,
        verify=one.ca_file,
        client_id=one.username,
        client_secret=lambda: str(one.password),
        writable=writable,
    )
