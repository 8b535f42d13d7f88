"""The stage that composes the desired objects with the versions that the systems report: after loading, before observing."""

from __future__ import annotations

from vastplan.app import checks
from vastplan.app.planning.source import LiveSource
from vastplan.app.versions import check_versions
from vastplan.app.workspace import Composed, Workspace
from vastplan.checks.facts import Facts
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class Desired:
    """The desired objects of a document: `entries` on the planned sites, `everything` on all sites, because references cross sites."""

    sites: tuple[str, ...]
    entries: tuple[Entry, ...]
    everything: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    facts: Facts
    """The facts that checks have before anything is observed."""


def compose_with_versions(
    workspace: Workspace, sites: tuple[str, ...], offline: Composed, source: LiveSource
) -> Desired:
    """Compose again with the probed facts if the document depends on them. Raises `Invalid`, also for features a version lacks."""
    probed = source.probed() if offline.probed else {}
    composed = workspace.composed(probed) if offline.probed else offline
    entries = tuple(entry for entry in composed.entries if entry.address.site in sites)
    return Desired(
        sites=sites,
        entries=entries,
        everything=composed.entries,
        findings=(*composed.findings, *check_versions(workspace, entries, source.probed)),
        facts=checks.check_facts(workspace, composed, probed if composed.probed else {}),
    )
