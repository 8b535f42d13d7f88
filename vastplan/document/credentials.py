"""What a document may not do with credentials: run something for one, or take one that is not its own.

A document is written by whoever may open a pull request. What it says is read and never run (VP222); and with a connections
file its author is not trusted with that file's credentials, so none of them may become the value of a Secret (VP223).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from vastplan.document.specs import Head
from vastplan.document.yaml import Mapping as Located
from vastplan.model.finding import Finding, error
from vastplan.model.value import sources
from vastplan.schema.connection import CommandSecret, SystemSpec
from vastplan.schema.entries import Entry
from vastplan.schema.types import EnvironmentSecret


def commands(head: Head, tree: Located) -> list[Finding]:
    """VP222 for every credential that a document wants to get by running something."""
    places = [
        (f"site {name}: {system}", spec, tree["sites"].where(name))
        for name, site in head.sites.items()
        for system, spec in site.given().items()
    ]
    shared = head.shared_ledger()
    if shared is not None:
        places.append((f"ledger: {shared[0]}", shared[1], tree.where("ledger")))
    return [
        error(
            "VP222",
            f"{place}.{field} is to come from a command, which a document must not run",
            fix="write {env: NAME} or {file: PATH}, or give the address with --connections",
            where=where,
        )
        for place, spec, where in places
        for field, source in spec.credentials()
        if isinstance(source, CommandSecret)
    ]


def taken(entries: Iterable[Entry], folder: Path, systems: Iterable[SystemSpec], connections: Path) -> list[Finding]:
    """VP223 for every secret of an entry that is a credential of the connections file, or outside the document's folder.

    `systems` is what that file says of them.
    """
    specs = list(systems)
    names = {source.env for spec in specs for _, source in spec.credentials() if isinstance(source, EnvironmentSecret)}
    files = {file for spec in specs for name in spec.credential_files() if (file := _real(connections.parent, name))}
    files |= {file for file in (_real(Path(), str(connections)),) if file}
    home, findings = folder.resolve(), []
    for entry in entries:
        for kind, where in sources(entry.values):
            file = _real(home, where) if kind == "file" else None
            if (kind == "env" and where in names) or file in files:
                reason = f"takes {where}, which is a credential of {connections.name}"
            elif kind == "file" and (file is None or not file.is_relative_to(home)):
                reason = f"takes the file {where}, which is not in the document's folder"
            else:
                continue
            fix = "with --connections a document has no credentials but its own"
            findings.append(error("VP223", reason, fix=fix, address=str(entry.address), where=entry.where))
    return findings


def _real(folder: Path, name: str) -> Path | None:
    """The file behind a name and its links; `None` for what no file can be called, and for links in a ring."""
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
