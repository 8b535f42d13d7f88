"""Secrets that are missing where a document says they are: reported as early as possible, once for each source.

`validate` runs where secrets may not be, as in a review: there it is a warning, of what may be read and is not there. A plan of
live systems is made where it will be carried out: there it is an error for each object that is to be written with the secret.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from vastplan.document.load import Document
from vastplan.document.secret_sources import SecretSources
from vastplan.engine.secret_sources import secret_leaves
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity
from vastplan.model.nearest import closest
from vastplan.model.plan import Action, Verb
from vastplan.model.value import Reveal, Secret, from_json, sources
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.types import FileSecret

CODE = "VP302"
_WRITES = frozenset({Verb.CREATE, Verb.REPLACE})  # what is updated was compared, and so revealed
_Users = dict[tuple[str, str], dict[str, Entry | None]]


def not_here(document: Document, entries: Iterable[Entry]) -> list[Finding]:
    """A warning for each source of a secret that may be read here and holds none. No secret is read."""
    users: _Users = {}
    for name, site in document.head.sites.items() if document.by_document else ():
        for system, spec in site.given().items():
            for _, credential in spec.credentials():
                if isinstance(credential, FileSecret):
                    users.setdefault(("file", credential.file), {})[f"{system} of {name}"] = None
    for entry in entries:
        for source in sources(entry.values):
            users.setdefault(source, {}).setdefault(entry.origin or str(entry.address), entry)
    findings = []
    for (kind, where), by in users.items():
        reason = _missing(kind, where, document.secrets)
        if reason:
            first = next((entry for entry in by.values() if entry is not None), None)
            text = f"{reason}; a plan of live systems needs it for {some(list(by), 3)}"
            place = first.where if first else None
            findings.append(Finding(CODE, Severity.WARNING, text, _fix(kind, where, document.folder), where=place))
    return findings


def needed(
    actions: Iterable[Action], kinds: Mapping[str, Kind], reveal: Reveal, document: Document
) -> Iterator[Finding]:
    """An error for each source that holds no secret, and that something is to be made with."""
    users: dict[tuple[str, str], dict[str, None]] = {}
    reasons: dict[tuple[str, str], str] = {}
    known: set[tuple[str, str]] = set()
    for action in actions:
        kind = kinds[action.address.kind]
        if action.verb not in _WRITES or action.blocked:
            continue
        for leaf in secret_leaves(kind, from_json(dict(action.desired))).values():
            for source in sources(leaf.value):
                if source not in known:
                    known.add(source)
                    try:
                        reveal(Secret(source))
                    except VastplanError as problem:
                        reasons[source] = str(problem)
                if source in reasons:
                    users.setdefault(source, {})[str(action.address)] = None
    for source, reason in reasons.items():
        first, *others = users[source]
        refused = document.secrets.refusal(*source)  # whose reason says what to do
        fix = "" if refused else _fix(*source, document.folder)
        also = f"; {some(others, 3)} need{'s' if len(others) == 1 else ''} it, too" if others else ""
        yield Finding(CODE, Severity.ERROR, f"{reason}{also}", fix, first)


def _missing(kind: str, where: str, allowed: SecretSources) -> str:
    """Why there is no secret where one may be read; "" where there is one, or nobody here may know."""
    if allowed.refusal(kind, where):
        return ""  # told already, or for whoever runs a command to allow
    if kind == "env":
        return "" if os.environ.get(where) else f"the environment variable {where} is not set"
    try:
        return "" if allowed.size(where) else f"the file {where} of a secret is empty"
    except OSError as problem:
        return f"the file {where} of a secret cannot be read: {problem.strerror}"
    except ValueError:
        return f"the file {where} of a secret is not a file name"


def _fix(kind: str, where: str, folder: Path) -> str:
    """What to type; a file beside the document may be there under another name."""
    if kind == "env":
        return f"export {where}=..."
    try:
        there = [] if "/" in where else [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError:
        there = []
    if (folder / where).is_dir():
        return f"name a file: {{file: {where.rstrip('/')}/NAME}}"
    near = "" if where in there else closest(where, there)
    return f"did you mean {near}? Otherwise write the secret into {where}" if near else f"write the secret into {where}"
