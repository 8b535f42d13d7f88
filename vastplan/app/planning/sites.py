"""Findings of a plan on whole sites: those that left the document while the ledger owns objects there, and retired ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.source import LiveSource
from vastplan.app.workspace import Workspace
from vastplan.model.address import kind_of
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.shell import word
from vastplan.model.site_ledger import SiteLedger
from vastplan.report.values import counted


def site_findings(
    workspace: Workspace, options: PlanOptions, ledger: Mapping[str, SiteLedger], source: LiveSource
) -> Iterator[Finding]:
    """Findings on the planned sites, and on sites that only the ledger still has."""
    document_sites = workspace.document.head.sites
    left = source.left(document_sites)
    if left.unread:
        text = (
            "cannot list the ledger's parts, so vastplan does not know what the ledger owns on sites that left the document, nor what "
            f"other documents own: {left.unread}"
        )
        yield Finding(
            "VP313", Severity.WARNING, text, "give the account the right to list leases in the namespace of the ledger"
        )
    for site, part in sorted(left.parts.items()):
        if part.entries or part.intents:
            # A run limited to some sites is not stopped by the others: for it the finding is a warning.
            finding = _not_in_the_document(workspace, site, part)
            yield Finding(finding.code, Severity.WARNING, finding.message, finding.fix) if options.limited else finding
    for site in options.sites:
        if document_sites[site].retired:
            yield _retired(site, ledger[site])


def held_ledgers(source: LiveSource, typed: str) -> Iterator[Finding]:
    """A warning for each site on which another apply may be at work while this plan is made."""
    for site, owner in source.holders().items():
        text = f"the ledger of {site} is held by {inert(str(owner), 200)}: an apply is at work there, and what this plan shows changes meanwhile"
        fix = f"plan again when it has ended; if it no longer runs: vastplan ledger unlock {typed} {word(site)}"
        yield Finding("VP359", Severity.WARNING, text, fix)


def _not_in_the_document(workspace: Workspace, site: str, part: SiteLedger) -> Finding:
    return error(
        "VP310",
        f"site {site} is not in the document, and the ledger owns {_owned(part)} there",
        fix=f"put {site} back under sites as it was, with retire: true, and apply, which deletes them; to release them: "
        f"vastplan ledger forget {workspace.document.typed} --site {site}",
    )


def _retired(site: str, part: SiteLedger) -> Finding:
    if not (part.entries or part.intents):
        text = f"site {site} is retired, and the ledger owns nothing there any more"
        return Finding("VP312", Severity.NOTE, text, f"remove {site} from the document")
    return Finding(
        "VP312",
        Severity.NOTE,
        f"site {site} is retired: this plan deletes all that the ledger owns there ({_owned(part)})",
        f"consent to all of it with --allow-delete '{site}/*' --max-changes {_of_one_kind(part)}; what holds data needs an entry "
        "in --approvals FILE",
    )


def _of_one_kind(part: SiteLedger) -> int:
    """The largest number of owned objects of one kind: the change limit applies to each kind."""
    return max(Counter(map(kind_of, part.entries)).values(), default=0)


def _owned(part: SiteLedger) -> str:
    """The number of owned objects, and of writes without a known outcome, which may have created something."""
    owned = counted(len(part.entries), "object")
    if not part.intents:
        return owned
    return f"{owned} and {counted(len(part.intents), 'write')} without a known outcome"
