"""What `vastplan ledger` takes: each of its verbs has a request of its own."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import Request, option, optional_positional, positional, positionals, switch
from vastplan.cli.requests.common import CONNECTIONS, DOCUMENT_BEFORE, LOCK_TIMEOUT, formats

_ADDRESSES = "addresses; patterns ('iad/view/*') and volumes (iad/volume/NAME) select from the ledger"
_WITH_PARTS = switch(
    "--with-parts",
    "also everything written below these entries in the document, and their parts: iad/tenant/NAME is a whole tenant",
)


class LedgerRequest(Request):
    command = "ledger"
    summary = "list and correct what the ledger has"
    example = "list examples/ai-factory"
    paths = DOCUMENT_BEFORE
    connections = CONNECTIONS


class LedgerListRequest(LedgerRequest):
    verb = "list"
    summary = "list the objects in the ledger"
    example = "examples/ai-factory iad"
    paths = positionals("PATH", Path, "a document; left out, that of the current folder", "?")
    site = optional_positional("SITE", "only this site, which the document need not have", None)
    format = formats("text", "json")


class LedgerLogRequest(LedgerRequest):
    verb = "log"
    summary = "list who applied what, when, from which commit and under whose approval"
    example = "examples/ai-factory 'iad/view/*'"
    addresses = positionals("ADDRESS", str, "only runs that named one of these addresses or patterns", "*")
    site = option("--site", str, "SITE", "only runs on this site, which the document need not have")
    limit = option("--limit", int, "N", "at most so many runs, the newest; the default is 20", default=20)
    format = formats("text", "json")


class LedgerMoveRequest(LedgerRequest):
    verb = "move"
    summary = "move an object in the ledger to another address, with all that is named after it"
    example = "examples/ai-factory iad/volume/team-a-data iad/volume/team-a-datasets"
    old = positional("OLD", str, "the address in the ledger")
    new = positional("NEW", str, "an address of the same kind and site; the document may use the old or the new name")
    dry_run = switch("--dry-run", "only show what would move")
    lock_timeout = LOCK_TIMEOUT


class LedgerForgetRequest(LedgerRequest):
    """`vastplan ledger forget`: the addresses, or a whole site."""

    verb = "forget"
    summary = "remove objects from the ledger without touching them"
    example = "examples/ai-factory iad/volume/team-a-data"
    addresses = positionals("ADDRESS", str, _ADDRESSES, "*")
    with_parts = _WITH_PARTS
    site = option("--site", str, "SITE", "everything on a site, which the document need not have")
    dry_run = switch("--dry-run", "only show what would be forgotten")
    lock_timeout = LOCK_TIMEOUT
    auto_approve = switch("--auto-approve", "do not ask before forgetting more than one address")


class LedgerExportRequest(LedgerRequest):
    verb = "export"
    summary = "write ledger entries to a file, for another document's ledger"
    example = "examples/ai-factory '*/tenant/team-b' --with-parts --out team-b.json --forget"
    addresses = positionals("ADDRESS", str, f"{_ADDRESSES}; none means all", "*")
    with_parts = _WITH_PARTS
    out = option("--out", Path, "FILE", "the file to write")
    forget = switch("--forget", "also remove from this ledger what was written")
    lock_timeout = LOCK_TIMEOUT


class LedgerImportRequest(LedgerRequest):
    verb = "import"
    summary = "adopt ledger entries that ledger export wrote for another document"
    example = "new.yaml team-b.json"
    file = positional("FILE", Path, "the file that ledger export wrote")
    dry_run = switch("--dry-run", "only show what would be adopted")
    lock_timeout = LOCK_TIMEOUT


class LedgerUnlockRequest(LedgerRequest):
    verb = "unlock"
    summary = "show who holds the lock of a site's ledger, and break it if the holder is gone"
    example = "examples/ai-factory iad"
    site = positional("SITE", str, "the site")


LedgerRequest.verbs = (
    LedgerListRequest, LedgerLogRequest, LedgerMoveRequest, LedgerForgetRequest, LedgerExportRequest, LedgerImportRequest,
    LedgerUnlockRequest,
)  # fmt: skip
