"""The stage that says what the document wants, with what the systems say of themselves: load is behind it, observing ahead."""

from __future__ import annotations

from dataclasses import dataclass

from vastplan.app import checks
from vastplan.app.planning.source import Source
from vastplan.app.versions import check_versions
from vastplan.app.workspace import Composed, Workspace
from vastplan.checks.facts import Facts
from vastplan.model.finding import Finding
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class Desired:
    """What a document wants. `everything` is of all its sites, because references cross; `entries` of the planned ones."""

    sites: tuple[str, ...]
    entries: tuple[Entry, ...]
    everything: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    facts: Facts
    """What checks may know before anything is observed."""


def compose_with_versions(workspace: Workspace, sites: tuple[str, ...], offline: Composed, source: Source) -> Desired:
    """Compose again with what was probed, where the document depends on that. Raises `Invalid`, also for what versions lack."""
    probed = source.probed() if offline.probed else {}
    composed = workspace.composed(probed) if offline.probed else offline
    entries = tuple(entry for entry in composed.entries if entry.address.site in sites)
    return Desired(
        sites=sites,
        entries=entries,
        everything=composed.entries,
        findings=(*composed.findings, *check_versions(workspace, entries, source.probed)),
        facts=checks.facts_of(workspace, composed, probed if composed.probed else {}),
    )
