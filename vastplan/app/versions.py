"""Checks, before anything is written, that the versions of a document's systems have what it uses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from vastplan.app.workspace import Workspace
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding
from vastplan.schema import versions
from vastplan.schema.entries import Entry

Facts = Mapping[str, Mapping[str, Any]]


def check_versions(
    workspace: Workspace, entries: Collection[Entry], probe: Callable[[], Facts] | None = None
) -> tuple[Finding, ...]:
    """The warnings about declared versions. Raises `Invalid` for features that a version lacks.

    `probe` reads versions from the systems, and is called only if something depends on them; offline, declared versions decide.
    """
    sites = workspace.document.sites()
    involved = {entry.address.site for entry in entries}
    needed = versions.needs(workspace.registry.kinds, entries)
    if probe is not None and versions.to_probe((sites[name] for name in involved), needed):
        sites = workspace.document.sites(probe())
    refused = versions.lacking(sites, needed)
    if refused:
        raise Invalid(refused)
    return tuple(versions.contradicted(sites[name] for name in sorted(involved)))
