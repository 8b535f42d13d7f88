"""The options of `vastplan ledger`: each of its commands has its own help and options. Imports nothing heavy."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeAlias

from vastplan.cli import options

_Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
_ADDRESSES = "addresses; patterns ('iad/view/*') and volumes (iad/volume/NAME) select from the ledger"
_WITH_PARTS = (
    "also everything written below these entries in the document, and their parts: iad/tenant/NAME is a whole tenant"
)


def ledger(commands: _Verbs) -> None:
    """Add `ledger` and its subcommands."""
    command = options.command(
        commands, "ledger", "list and correct what the ledger has", "vastplan ledger list examples/ai-factory"
    )
    verbs = command.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    for add in (_list, _move, _forget, _export, _import, _unlock):
        add(verbs)


def _verb(verbs: _Verbs, name: str, text: str, example: str, *, needed: bool = True) -> argparse.ArgumentParser:
    verb = options.command(verbs, name, text, f"vastplan ledger {name} {example}")
    if needed:
        verb.add_argument("paths", nargs=1, type=Path, metavar="PATH", help="a document")
    else:
        left_out = "a document; left out, that of the current folder"
        verb.add_argument("paths", nargs="?", type=Path, metavar="PATH", help=left_out)
    verb.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )
    return verb


def _list(verbs: _Verbs) -> None:
    verb = _verb(verbs, "list", "list the objects in the ledger", "examples/ai-factory iad", needed=False)
    verb.add_argument("site", nargs="?", metavar="SITE", help="only this site, which the document need not have")
    options.formats(verb, "text", "json")


def _move(verbs: _Verbs) -> None:
    verb = _verb(
        verbs, "move", "move an object in the ledger to another address, with all that is named after it",
        "examples/ai-factory iad/volume/team-a-data iad/volume/team-a-datasets",
    )  # fmt: skip
    verb.add_argument("subjects", action="append", metavar="OLD", help="the address in the ledger")
    text = "an address of the same kind and site; the document may use the old or the new name"
    verb.add_argument("subjects", action="append", metavar="NEW", help=text)
    verb.add_argument("--dry-run", action="store_true", help="only show what would move")


def _forget(verbs: _Verbs) -> None:
    verb = _verb(
        verbs,
        "forget",
        "remove objects from the ledger without touching them",
        "examples/ai-factory iad/volume/team-a-data",
    )
    verb.add_argument("subjects", nargs="*", metavar="ADDRESS", help=_ADDRESSES)
    verb.add_argument("--with-parts", action="store_true", help=_WITH_PARTS)
    verb.add_argument("--site", metavar="SITE", help="everything on a site, which the document need not have")
    verb.add_argument("--dry-run", action="store_true", help="only show what would be forgotten")
    verb.add_argument("--yes", action="store_true", help="do not ask before forgetting more than one address")


def _export(verbs: _Verbs) -> None:
    verb = _verb(
        verbs, "export", "write ledger entries to a file, for another document's ledger",
        "examples/ai-factory '*/tenant/team-b' --with-parts --out team-b.json --forget",
    )  # fmt: skip
    verb.add_argument("subjects", nargs="*", metavar="ADDRESS", help=f"{_ADDRESSES}; none means all")
    verb.add_argument("--with-parts", action="store_true", help=_WITH_PARTS)
    verb.add_argument("--out", type=Path, metavar="FILE", help="the file to write")
    verb.add_argument("--forget", action="store_true", help="also remove from this ledger what was written")


def _import(verbs: _Verbs) -> None:
    verb = _verb(
        verbs, "import", "adopt ledger entries that ledger export wrote for another document", "new.yaml team-b.json"
    )
    verb.add_argument("subjects", nargs=1, metavar="FILE", help="the file that ledger export wrote")
    verb.add_argument("--dry-run", action="store_true", help="only show what would be adopted")


def _unlock(verbs: _Verbs) -> None:
    verb = _verb(
        verbs, "unlock", "show who holds the lock of a site's ledger, and break it if the holder is gone",
        "examples/ai-factory iad",
    )  # fmt: skip
    verb.add_argument("site", metavar="SITE", help="the site")
