"""What a document may not do with credentials: run something for one, or take one that is not its own.

A document is written by whoever may open a pull request. What it says is read and never run (VP222); the files that it
names are in its folder (VP224), and what they say is data, too (VP225); a credential of the runner's own, or a secret from the
runner's environment, goes to no server that nobody vouches for (VP242), nor does the account of a pod (VP243) go anywhere; and
with a connections file its author is not trusted with that file's credentials, so none of them may become the value of a Secret (VP223).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from vastplan.document.secret_sources import SecretSources
from vastplan.document.specs import ConnectionsFile, Head, SecretsSpec
from vastplan.document.yaml import Mapping as Located
from vastplan.model import regular_files
from vastplan.model.finding import Finding, Severity, Where, error
from vastplan.model.value import sources
from vastplan.schema.connection import CommandSecret, SystemSpec, Verified
from vastplan.schema.entries import Entry, EntryType
from vastplan.schema.types import EnvironmentSecret


def commands(head: Head, tree: Located) -> list[Finding]:
    """VP222 for every credential that a document wants to get by running something."""
    return [
        error(
            "VP222",
            f"{place}.{field} comes from a command, which a document must not run",
            fix="write {env: NAME} or {file: PATH}, or write the command in a file for --connections",
            where=where,
        )
        for place, spec, where in _places(head, tree)
        for field, source in spec.credentials()
        if isinstance(source, CommandSecret)
    ]


def named_files(head: Head, tree: Located, folder: Path) -> list[Finding]:
    """VP224 and VP225 for the files that a document says its systems are opened and vouched for with."""
    findings = []
    for place, spec, where in _places(head, tree):
        outside = [finding for name in spec.files() if (finding := _outside(folder, place, name, where))]
        findings += outside
        if not outside:
            fix = "give the address with --connections"
            reasons = spec.unsafe(folder)
            findings += [error("VP225", f"{place}: {reason}", fix=fix, where=where) for reason in reasons]
    return findings


def of_the_runner(head: Head, tree: Located) -> list[Finding]:
    """VP242 and VP243 where a document decides what becomes of a credential that is not its own.

    Of a context of the runner's kubeconfig that is settled when it is opened: the kubeconfig may agree.
    """
    findings = []
    for place, spec, where in _places(head, tree):
        unchecked = isinstance(spec, Verified) and spec.insecure_skip_verify is True
        if unchecked and spec.variables():
            text = f"{place}: insecure_skip_verify would send the variable {', '.join(spec.variables())} to whoever answers there"
            fix = "take the credential from a file beside the document, or write both in a file for --connections"
            findings.append(error("VP242", text, fix=fix, where=where))
        if spec.withheld():
            text = f"{place}: {spec.withheld()} uses an account of the user who runs vastplan, which a document must not choose"
            findings.append(error("VP243", text, fix="write it in a file for --connections", where=where))
    return findings


def contents(head: Head, folder: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """What the files say that a document names for its systems, by the path of what names them: no credential."""
    named: list[tuple[tuple[str, ...], SystemSpec]] = [
        (("sites", name, system), spec) for name, site in head.sites.items() for system, spec in site.given().items()
    ]
    shared = head.shared_ledger()
    if shared is not None:
        named.append((("ledger", shared[0]), shared[1]))
    return {path: said for path, spec in named if (said := spec.contents(folder))}


def _outside(folder: Path, place: str, name: str, where: Where) -> Finding | None:
    try:
        regular_files.within(folder, name)
    except OSError as problem:
        fix = "put it beside the document, or give the address with --connections"
        return error("VP224", f"{place}: the file {name} is not read: {problem.strerror}", fix=fix, where=where)
    return None


def _places(head: Head, tree: Located) -> list[tuple[str, SystemSpec, Where]]:
    """What a document says of systems: what to call it, and where it stands."""
    places: list[tuple[str, SystemSpec, Where]] = [
        (f"site {name}: {system}", spec, tree["sites"].where(name))
        for name, site in head.sites.items()
        for system, spec in site.given().items()
    ]
    shared = head.shared_ledger()
    if shared is not None:
        places.append((f"ledger: {shared[0]}", shared[1], tree.where("ledger")))
    return places


def secret_sources(
    folder: Path, allow_env: Iterable[str], file: ConnectionsFile | None, connections: Path | None
) -> SecretSources:
    """What a document in that folder may take secrets from: what its connections file allows, else `allow_env`."""
    if file is None or connections is None:
        return SecretSources(folder.resolve(), tuple(allow_env))
    specs, home = list(file.opened()), connections.parent
    named = [connections, *(path for spec in specs for path in spec.named(home))]
    files = {path for name in named if (path := _real(Path(), str(name)))}
    allowed = file.secrets if isinstance(file.secrets, SecretsSpec) else SecretsSpec()
    env, given = allowed.env, allowed.folders
    folders = tuple(path for name in given if (path := _real(home, name))) if isinstance(given, list) else ()
    around = {parent for one in (folder.resolve(), *folders) for parent in one.parents}
    return SecretSources(
        folder=folder.resolve(),
        env=tuple(env) if isinstance(env, list) else (),
        folders=folders,
        connections=connections.name,
        taken_env=frozenset(
            source.env for spec in specs for _, source in spec.credentials() if isinstance(source, EnvironmentSecret)
        ),
        taken_files=frozenset(files - around),  # a command that is told its home is not told of all that lies there
        taken_folder=home.resolve() if folder.resolve() in home.resolve().parents else None,
    )


def beside_the_document(folder: Path, connections: Path) -> list[Finding]:
    """VP241 for a connections file in the document's folder: what its commands read without being told cannot be known."""
    if not connections.resolve().is_relative_to(folder.resolve()):
        return []
    text = f"{connections} is in the document's folder: the document could use the files that its commands read there as secrets"
    return [Finding("VP241", Severity.WARNING, text, "keep it and the files that it uses in another folder")]


def taken(entries: Iterable[Entry], allowed: SecretSources) -> list[Finding]:
    """VP223 (with a connections file) or VP224 for every secret of an entry that is to come from elsewhere than it may.

    Variables that only whoever runs a command can allow are not looked at: without a live system none is read.
    """
    findings = []
    for entry in entries:
        for kind, where in sources(entry.values):
            if kind == "env" and not allowed.connections:
                continue
            reason = allowed.refusal(kind, where)
            if reason:
                code, fix = "VP223" if allowed.connections else "VP224", allowed.fix(kind)
                findings.append(error(code, reason, fix=fix, address=str(entry.address), where=entry.where))
    return findings


def sent_unchecked(entries: Iterable[Entry], head: Head, types: Mapping[str, EntryType]) -> list[Finding]:
    """VP242 for every entry with a secret of the runner's that a document would have written to a server nobody vouches for."""
    unchecked = {
        (name, system)
        for name, site in head.sites.items()
        for system, spec in site.given().items()
        if isinstance(spec, Verified) and spec.insecure_skip_verify is True
    }
    findings = []
    for entry in entries if unchecked else ():
        names = sorted({where for kind, where in sources(entry.values) if kind == "env"})
        for system in sorted(types[entry.address.kind].systems(entry.values)) if names else ():
            if (entry.address.site, system) in unchecked:
                text = f"insecure_skip_verify of {system} would send the variable {', '.join(names)} to whoever answers there"
                fix = "take the secret from a file beside the document, or write both in a file for --connections"
                findings.append(error("VP242", text, fix=fix, address=str(entry.address), where=entry.where))
    return findings


def _real(folder: Path, name: str) -> Path | None:
    """The file behind a name and its links; `None` for what no file can be called, and for links in a ring."""
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
