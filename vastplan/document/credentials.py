"""What a document must not do with credentials: run a command to get one, or use one that is not its own.

Anybody who can open a pull request can write a document. So a document runs no commands (VP222); the files that it names must be
in its folder (VP224), and their content is data too (VP225); a credential or an environment variable of the user who runs
vastplan is not sent to a server whose certificate is not verified (VP242), and the account of a pod is not sent anywhere (VP243).
With a connections file the document's author is not trusted with that file's credentials, so none of them may become the value
of a Secret (VP223).
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
    """VP222 for every credential that a document gets from a command."""
    return [
        error(
            "VP222",
            f"{place}.{field} comes from a command, which a document must not run",
            fix="write {env: NAME} or {file: PATH}, or write the command in a file for --connections",
            where=place_in_file,
        )
        for place, spec, place_in_file in _places(head, tree)
        for field, source in spec.credentials()
        if isinstance(source, CommandSecret)
    ]


def check_named_files(head: Head, tree: Located, folder: Path) -> list[Finding]:
    """VP224 and VP225 for the files with credentials and certificate authorities that a document names for its systems."""
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
    """VP242 and VP243 where a document decides where a credential of the user who runs vastplan is sent.

    For a context of the user's kubeconfig this is checked when it is opened, because the kubeconfig may have the same setting.
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


def system_file_contents(head: Head, folder: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """What the files that a document names for its systems say, by the path of the system in the document; no credentials."""
    specs: list[tuple[tuple[str, ...], SystemSpec]] = [
        (("sites", name, system), spec) for name, site in head.sites.items() for system, spec in site.given().items()
    ]
    shared = head.shared_ledger()
    if shared is not None:
        specs.append((("ledger", shared[0]), shared[1]))
    return {path: contents for path, spec in specs if (contents := spec.contents(folder))}


def _outside(folder: Path, place: str, name: str, where: Where) -> Finding | None:
    try:
        regular_files.path_within(folder, name)
    except OSError as problem:
        fix = "put it beside the document, or give the address with --connections"
        return error("VP224", f"{place}: the file {name} is not read: {problem.strerror}", fix=fix, where=where)
    return None


def _places(head: Head, tree: Located) -> list[tuple[str, SystemSpec, Where]]:
    """The systems in a document: the name for messages, the spec, and the place."""
    places: list[tuple[str, SystemSpec, Where]] = [
        (f"site {name}: {system}", spec, tree["sites"].where(name))
        for name, site in head.sites.items()
        for system, spec in site.given().items()
    ]
    shared = head.shared_ledger()
    if shared is not None:
        places.append((f"ledger: {shared[0]}", shared[1], tree.where("ledger")))
    return places


def allowed_sources(
    folder: Path, allow_env: Iterable[str], file: ConnectionsFile | None, connections: Path | None
) -> SecretSources:
    """The sources that a document in that folder may take secrets from: those its connections file allows, else `allow_env`."""
    if file is None or connections is None:
        return SecretSources(folder.resolve(), tuple(allow_env))
    specs, home = list(file.opened()), connections.parent
    files_named = [connections, *(path for spec in specs for path in spec.named(home))]
    files = {path for name in files_named if (path := _real(Path(), str(name)))}
    allowed = file.secrets if isinstance(file.secrets, SecretsSpec) else SecretsSpec()
    env, given_folders = allowed.env, allowed.folders
    folders = (
        tuple(path for name in given_folders if (path := _real(home, name))) if isinstance(given_folders, list) else ()
    )
    parents = {parent for path in (folder.resolve(), *folders) for parent in path.parents}
    return SecretSources(
        folder=folder.resolve(),
        env=tuple(env) if isinstance(env, list) else (),
        folders=folders,
        connections=connections.name,
        taken_env=frozenset(
            source.env for spec in specs for _, source in spec.credentials() if isinstance(source, EnvironmentSecret)
        ),
        taken_files=frozenset(files - parents),  # a command that names a parent folder does not use all of its files
        taken_folder=home.resolve() if folder.resolve() in home.resolve().parents else None,
    )


def beside_the_document(folder: Path, connections: Path) -> list[Finding]:
    """VP241 for a connections file in the document's folder: its commands may read files there that it does not name."""
    if not connections.resolve().is_relative_to(folder.resolve()):
        return []
    text = f"{connections} is in the document's folder: the document could use the files that its commands read there as secrets"
    return [Finding("VP241", Severity.WARNING, text, "keep it and the files that it uses in another folder")]


def taken(entries: Iterable[Entry], allowed: SecretSources) -> list[Finding]:
    """VP223 (with a connections file) or VP224 for every secret of an entry whose source is not allowed.

    Without a connections file environment variables are not checked here: they are read only when a live system needs them.
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
    """VP242 for every entry by which a document would send a variable of the user to a server whose certificate is not verified."""
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
    """The path of a file with links resolved; `None` for an impossible name, and for circular links."""
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
