"""What a document may not do with credentials: run something for one, or take one that is not its own.

A document is written by whoever may open a pull request. What it says is read and never run (VP222); and with a connections
file its author is not trusted with that file's credentials, so none of them may become the value of a Secret (VP223).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from vastplan.document import specs
from vastplan.document.yaml import Mapping as Located
from vastplan.model.finding import Finding, error
from vastplan.model.value import sources
from vastplan.schema.entries import Entry


def commands(head: specs.Head, tree: Located) -> list[Finding]:
    """VP222 for every credential that a document wants to get by running something."""
    return [
        error(
            "VP222",
            f"site {name}: {place} is to come from a command, which a document must not run",
            fix="write {env: NAME} or {file: PATH}, or give the address with --connections",
            where=tree["sites"].where(name),
        )
        for name, spec in head.sites.items()
        for place, source in specs.credentials(spec)
        if isinstance(source, specs.CommandSecret)
    ]


def taken(
    entries: Iterable[Entry], folder: Path, given: Mapping[str, specs.Connections], connections: Path
) -> list[Finding]:
    """VP223 for every secret of an entry that is a credential of the connections file, or outside the document's folder."""
    names = {
        source.env
        for one in given.values()
        for _, source in specs.credentials(one)
        if isinstance(source, specs.EnvironmentSecret)
    }
    files = {file for one in given.values() for name in _files(one) if (file := _real(connections.parent, name))}
    files |= {file for file in (_real(Path(), str(connections)),) if file}
    home, found = folder.resolve(), []
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
            found.append(error("VP223", reason, fix=fix, address=str(entry.address), where=entry.where))
    return found


def _files(given: specs.Connections) -> list[str]:
    """The files that a site's credentials are in."""
    found = [source.file for _, source in specs.credentials(given) if isinstance(source, specs.FileSecret)]
    if isinstance(given.kubernetes, specs.KubernetesEndpoint) and isinstance(given.kubernetes.kubeconfig, str):
        found.append(given.kubernetes.kubeconfig)
    return found


def _real(folder: Path, name: str) -> Path | None:
    """The file behind a name and its links; `None` for what no file can be called, and for links in a ring."""
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
