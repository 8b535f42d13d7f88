"""The place of the ledger: as the document says, inside its folder; with a connections file only that file says it.

Whoever chooses the ledger decides what vastplan regards as owned, and may delete.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import MISSING

from vastplan.document import specs
from vastplan.document.yaml import Mapping as Located
from vastplan.model import regular_files
from vastplan.model.finding import Finding, error
from vastplan.model.nearest import nearest
from vastplan.model.regular_files import LEDGER_FOLDER
from vastplan.schema.connection import SystemSpec
from vastplan.schema.entries import Site


def settled(
    head: specs.Head, outside: specs.ConnectionsFile | None, tree: Located, folder: Path, problems: list[Finding]
) -> specs.Head:
    """The head with the ledger's final place: with a connections file the one in that file, otherwise one inside `folder`."""
    ledger_at = tree.where("ledger")
    if outside is not None:
        if isinstance(head.ledger, specs.LedgerSpec) and not _agrees(head.ledger, outside.ledger):
            fix = "write it in that file, and remove it here"
            text = "ledger: the file of --connections says where the ledger is"
            text += ", and it says something else" if isinstance(outside.ledger, specs.LedgerSpec) else ""
            problems.append(error("VP228", text, fix=fix, where=ledger_at))
        shared = head.shared_ledger()
        if shared is not None and shared[1].addressed:
            problems.append(
                error("VP221", "ledger: with --connections the document holds no addresses", where=ledger_at)
            )
        head = head.model_copy(update={"ledger": outside.ledger})
        if isinstance(outside.ledger, specs.LedgerSpec):
            return head  # chosen by the user who runs vastplan, so it may be anywhere
    if head.shared_ledger() is None:
        try:
            regular_files.path_within(folder, local(head), own=True)
        except OSError as problem:
            fix = "keep the ledger in the document's folder, or give another place with --connections"
            text = f"ledger: {local(head)} is not used: {problem.strerror}"
            problems.append(error("VP227", text, fix=fix, where=ledger_at))
    return head


def local(head: specs.Head) -> str:
    """The folder of a ledger in local files, as it is written; the default where none is."""
    folder = head.ledger.local if isinstance(head.ledger, specs.LedgerSpec) else MISSING
    return folder if isinstance(folder, str) else LEDGER_FOLDER


def _agrees(written: specs.LedgerSpec, elsewhere: specs.LedgerSpec | MISSING) -> bool:
    """Whether everything that a document says about its ledger equals what the connections file says."""
    if not isinstance(elsewhere, specs.LedgerSpec):
        return False
    own, elsewhere_shared = written.shared(), elsewhere.shared()
    if own is None or elsewhere_shared is None or own[0] != elsewhere_shared[0]:
        return False
    fields = own[1].model_fields_set
    return all(getattr(own[1], name) == getattr(elsewhere_shared[1], name) for name in fields)


def cluster(head: specs.Head, sites: Mapping[str, Site], tree: Located, problems: list[Finding]) -> SystemSpec | None:
    """The system that keeps a shared ledger, `None` where that is a site's system or the ledger is local."""
    shared = head.shared_ledger()
    if shared is None:
        return None
    (system, spec), ledger_at = shared, tree.where("ledger")
    if not isinstance(spec.site, str):
        return spec
    if spec.site not in sites:
        fix = nearest(spec.site, sites)
        problems.append(error("VP202", f"ledger: no site {spec.site} in the document", fix=fix, where=ledger_at))
    elif system not in sites[spec.site].systems:
        problems.append(error("VP208", f"ledger: site {spec.site} has no {system}", where=ledger_at))
    return None
