"""Words of Terraform and kubectl, and what to type here. Imports nothing, because every command is parsed with it."""

from __future__ import annotations

_REMOVE = "remove the entries from the document, then: vastplan apply PATH"
_REPLACE = "nothing is replaced on demand: remove its entry, type vastplan apply PATH, and write it again"
_VALUES = "write values in the document, by site under per_site, and secrets in files: vastplan explain"
COMMANDS = {
    "state": "vastplan ledger list",
    "state list": "vastplan ledger list",
    "state show": "vastplan show ADDRESS",
    "state mv": "vastplan ledger move OLD NEW",
    "state rm": "vastplan ledger forget ADDRESS",
    "state pull": "vastplan ledger export --out FILE",
    "state push": "vastplan ledger import FILE",
    "ledger show": "vastplan show ADDRESS",
    "ledger mv": "vastplan ledger move OLD NEW",
    "ledger rm": "vastplan ledger forget ADDRESS",
    "force-unlock": "vastplan ledger unlock SITE",
    "fmt": "nothing formats a document; to check it: vastplan validate PATH",
    "graph": "the picture is in the report of a plan: vastplan plan PATH --report plan.html",
    "output": "vastplan show ADDRESS",
    "refresh": "every plan reads the systems; to see what changed there: vastplan drift PATH",
    "workspace": "each document has a ledger of its own; for some of its sites: vastplan plan PATH --site SITE",
    "taint": _REPLACE,
    "untaint": "nothing is marked: vastplan plan PATH",
    "console": "vastplan explain",
    "login": "credentials are in the document or beside it: vastplan plan PATH --connections FILE",
    "logout": "nothing is logged in between two commands: vastplan plan PATH --connections FILE",
    "destroy": _REMOVE,
    "delete": _REMOVE,
    "create": "write the entries into the document, then: vastplan apply PATH",
    "get": "one object: vastplan show ADDRESS; all of them: vastplan ledger list",
    "describe": "vastplan show ADDRESS",
    "diff": "vastplan plan PATH",
    "help": "vastplan -h",
    "version": "vastplan --version",
}
"""By command, with its verb where that decides."""
OPTIONS = {
    "-v": "--version",
    "-version": "--version",
    "--yes": "--auto-approve",
    "-y": "--auto-approve",
    "--json": "--format json",
    "-o": "--format json",
    "--output": "--format json",
    "--input": "--auto-approve",
    "--dry-run": "vastplan plan PATH",
    "--refresh-only": "vastplan drift PATH",
    "--replace": _REPLACE,
    "--destroy": _REMOVE,
    "--var": _VALUES,
    "--var-file": _VALUES,
    "-f": "files and folders need no option: vastplan apply PATH",
    "--filename": "files and folders need no option: vastplan apply PATH",
}
"""By option: an option, which the command may have, or another command. `-NAME`, as Terraform writes it, stands for `--NAME`."""
