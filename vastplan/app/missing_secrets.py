"""Secrets that are missing at the source that the document names: reported as early as possible, once for each source.

`validate` may run without secrets, as in a review: there it is a warning for a source that may be read and holds none. A plan of live
systems runs where it will be applied: there it is an error for a source that an object is to be created or replaced with.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from vastplan.document.load import Document
from vastplan.document.secret_sources import SecretSources
from vastplan.engine.live.secret_sources import secret_leaves
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity
from vastplan.model.nearest import closest
from vastplan.model.plan import Action, Verb
from vastplan.model.value import Reveal, SecretSource, from_json, sources
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.types import FileSecret

CODE = "VP302"
_WRITES = frozenset({Verb.CREATE, Verb.REPLACE})  # an update has revealed its secrets already, to compare them
_Users = dict[tuple[str, str], dict[str, Entry | None]]


def not_here(document: Document, entries: Iterable[Entry]) -> list[Finding]:
    """A warning for each source of a secret that may be read here and holds none. Does not read any secret."""
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
    """An error for each source without a secret that an unblocked action creates or replaces an object with."""
    users: dict[tuple[str, str], dict[str, None]] = {}
    reasons: dict[tuple[str, str], str] = {}
    revealed: set[tuple[str, str]] = set()
    for action in actions:
        kind = kinds[action.address.kind]
        if action.verb not in _WRITES or action.blocked:
            continue
        for leaf in secret_leaves(kind, from_json(dict(action.desired))).values():
            for source in sources(leaf.value):
                if source not in revealed:
                    revealed.add(source)
                    try:
                        reveal(SecretSource(source))
                    except VastplanError as problem:
                        reasons[source] = str(problem)
                if source in reasons:
                    users.setdefault(source, {})[str(action.address)] = None
    for source, reason in reasons.items():
        first, *others = users[source]
        refused = document.secrets.refusal(*source)  # its reason already says what to do
        fix = "" if refused else _fix(*source, document.folder)
        also = f"; {some(others, 3)} need{'s' if len(others) == 1 else ''} it, too" if others else ""
        yield Finding(CODE, Severity.ERROR, f"{reason}{also}", fix, first)


def _missing(kind: str, where: str, allowed: SecretSources) -> str:
    """Why a source that may be read holds no secret; "" if it holds one, or may not be read here."""
    if allowed.refusal(kind, where):
        return ""  # reported elsewhere, or for the user of the command to allow
    if kind == "env":
        return "" if os.environ.get(where) else f"the environment variable {where} is not set"
    try:
        return "" if allowed.size(where) else f"the file {where} of a secret is empty"
    except OSError as problem:
        return f"the file {where} of a secret cannot be read: {problem.strerror}"
    except ValueError:
        return f"the file {where} of a secret is not a file name"


def _fix(kind: str, where: str, folder: Path) -> str:
    """What to type. Suggests a file beside the document with a similar name."""
    if kind == "env":
        return f"export {where}=..."
    try:
        present = [] if "/" in where else [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError:
        present = []
    if (folder / where).is_dir():
        return f"name a file: {{file: {where.rstrip('/')}/NAME}}"
    near = "" if where in present else closest(where, present)
    return f"did you mean {near}? Otherwise write the secret into {where}" if near else f"write the secret into {where}"
