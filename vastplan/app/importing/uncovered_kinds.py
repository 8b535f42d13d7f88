"""The stage that reports what the systems have and no kind covers: by name, or with counts on request."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from vastplan.app.connect import PARALLEL, Providers, connected
from vastplan.app.workspace import Workspace
from vastplan.model.errors import VastplanError
from vastplan.model.import_result import UncountedCollection
from vastplan.schema.provider import Counting
from vastplan.schema.system import Uncovered


def uncounted_collections(
    workspace: Workspace, sites: Sequence[str], *, census: bool
) -> tuple[UncountedCollection, ...]:
    """The collections of these sites that vastplan has no kind for; with `census`, each with the number of its objects."""
    has, systems = workspace.systems(), workspace.document.systems
    collections = [
        (site, system, each)
        for site in sites
        for system in systems
        if system in has[site]
        for each in systems[system].uncovered
    ]
    if not census:
        return tuple(UncountedCollection(site, system, each.name) for site, system, each in collections)
    with (
        connected(workspace.document, sites=tuple(sites), writable=False) as providers,
        ThreadPoolExecutor(max_workers=PARALLEL) as pool,
    ):
        return tuple(pool.map(partial(_counted, providers), collections))


def _counted(providers: Providers, asked: tuple[str, str, Uncovered]) -> UncountedCollection:
    site, system, each = asked
    provider: object = providers.get((site, system))
    if isinstance(provider, Exception):
        return UncountedCollection(site, system, each.name, error=str(provider))
    if not each.path or not isinstance(provider, Counting):
        return UncountedCollection(site, system, each.name, error="no request counts them")
    try:
        return UncountedCollection(site, system, each.name, provider.count(each.path))
    except VastplanError as problem:
        return UncountedCollection(site, system, each.name, error=str(problem))
