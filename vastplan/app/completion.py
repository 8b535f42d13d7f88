"""Shell completion: addresses, sites and other words, from local files.

Asks no system, looks up no secret and writes nothing. An exception from here means that nothing is completed.
Slow imports are inside the functions that need them: somebody waits at a prompt.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vastplan.document import merge
from vastplan.document.yaml import Mapping
from vastplan.ledger.file import FileLedger
from vastplan.model import gc_pause, regular_files, strict_json
from vastplan.model.address import Address
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import Severity

if TYPE_CHECKING:
    from vastplan.document.load import Document
    from vastplan.ledger.backend import Backend
    from vastplan.model.site_ledger import SiteLedger
    from vastplan.schema.discover import Registry
    from vastplan.schema.field import Field

_SITE = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_CODE = re.compile(r'"([A-Z]{3}-[0-9]{2})"')
_NO_SYSTEM = "VP220"
_ANY = ("*",)
"""The variables that secrets may come from: all, because none is read here."""


class CompletionSource(NamedTuple):
    """The document to complete from (the current folder if no path was typed), and its connections file, if one was typed."""

    paths: tuple[Path, ...] = ()
    connections: Path | None = None

    @property
    def places(self) -> list[Path]:
        """The document's files or folders."""
        return list(self.paths or (Path(),))


def is_plan(source: CompletionSource) -> bool:
    """Whether the single path is a saved plan."""
    try:
        return len(source.paths) == 1 and regular_files.begins(source.paths[0], 64).lstrip()[:1] == b"{"
    except OSError:
        return False


def site_names(source: CompletionSource) -> list[str]:
    """The sites in the document and in its local ledger. Reads only the top level of the document."""
    tree = merge.read_files(source.places)
    written = tree.get("sites")
    named = [name for name in written if isinstance(name, str)] if isinstance(written, Mapping) else []
    ledger = _ledger(tree, source)
    with contextlib.suppress(VastplanError):
        named += ledger.sites() if ledger else ()
    return sorted({name for name in named if _SITE.fullmatch(name)})


def _ledger(tree: Mapping, source: CompletionSource) -> FileLedger | None:
    """The ledger in local files; `None` if the ledger is elsewhere, or its folder is not allowed."""
    spec, name, first = tree.get("ledger"), tree.get("name"), source.places[0]
    place = regular_files.LEDGER_FOLDER if spec is None else spec.get("local") if isinstance(spec, Mapping) else None
    if source.connections is not None or not isinstance(place, str) or not isinstance(name, str):
        return None
    folder = first if first.is_dir() else first.parent
    try:
        regular_files.path_within(folder, place, own=True)
    except OSError:
        return None
    return FileLedger(folder / place, name, place)


def _parts(backend: Backend) -> list[SiteLedger]:
    """All parts that can be read."""
    parts = []
    for site in backend.sites():
        with contextlib.suppress(VastplanError):
            parts.append(backend.read(site))
    return parts


def _addresses_of(parts: Iterable[SiteLedger]) -> set[str]:
    """The addresses that the parts own or have intents for, and the entries those objects come from."""
    texts: set[str] = set()
    for part in parts:
        texts.update(part.entries, part.intents, (owned.origin for owned in part.entries.values() if owned.origin))
    return texts


@gc_pause.paused()
def addresses(source: CompletionSource) -> set[str]:
    """All addresses of a document: its entries, the objects composed from them, and those in its ledger.

    For a saved plan, those of its actions.
    """
    if is_plan(source):
        return _of_plan(source.paths[0])
    from vastplan.document import ledger_place
    from vastplan.schema.composition import Scope, compose

    registry = _registry()
    document = _opened(source, registry)
    scope = Scope(document.sites(), document.entries)
    composed = compose(scope, document.entries, registry.compositions, registry.kinds)
    if any(finding.severity is Severity.ERROR for finding in scope.findings):
        return set()
    result = {str(entry.address) for entry in (*document.entries, *composed)}
    if document.head.shared_ledger() is None:  # a ledger in a cluster would need a request
        folder = document.ledger_folder / ledger_place.local(document.head)
        result |= _addresses_of(_parts(FileLedger(folder, document.head.name)))
    return result


@gc_pause.paused()
def owned_addresses(source: CompletionSource) -> set[str]:
    """The addresses in the local ledger; all addresses of the document if that ledger has none or is not local."""
    ledger = _ledger(merge.read_files(source.places), source)
    return (_addresses_of(_parts(ledger)) if ledger else set()) or addresses(source)


def operation_names(source: CompletionSource, kind: str) -> set[str]:
    """The ids and addresses of the moves or restores (by `kind`) in the local ledger."""
    ledger = _ledger(merge.read_files(source.places), source)
    return {
        text
        for part in (_parts(ledger) if ledger else ())
        for operation in part.operations.values()
        if operation.kind == kind
        for text in (operation.id, operation.address)
    }


def kind_names() -> list[str]:
    """The kinds of objects."""
    return sorted(_registry().kinds)


def codes() -> list[str]:
    """The codes of the checks, found in the text of their modules without importing them."""
    import vastplan.checks

    return sorted(
        {
            code
            for folder in vastplan.checks.__path__
            for file in Path(folder).rglob("*.py")
            for code in _CODE.findall(file.read_text("utf-8"))
        }
    )


def explain_places(typed: str) -> list[str]:
    """The places that `explain` knows, one level at a time: the sections, then the fields below the name typed so far."""
    registry = _registry()
    above, dot, _ = typed.rpartition(".")
    if not dot:
        return sorted(registry.sections)
    section, *names = above.split(".")
    if section not in registry.sections:
        return []
    fields: tuple[Field, ...] = registry.sections[section].fields
    for name in names:
        fields = next((field.fields for field in fields if field.name == name), ())
    return sorted(f"{above}.{field.name}" for field in fields)


def _registry() -> Registry:
    import vastplan.kinds
    from vastplan.schema.discover import discover

    return discover(vastplan.kinds)


def _opened(source: CompletionSource, registry: Registry) -> Document:
    """The document as `validate` reads it. If its systems are in a connections file that was not typed, every site gets all systems."""
    import vastplan.systems
    from vastplan.document.load import load_document
    from vastplan.schema.system import discover_systems

    systems = discover_systems(vastplan.systems)
    try:
        return load_document(source.places, registry, systems, source.connections, allow_env=_ANY)
    except Invalid as problem:
        if source.connections is not None or not any(finding.code == _NO_SYSTEM for finding in problem.findings):
            raise
    assumed = {site: tuple(systems) for site in site_names(source)}
    return load_document(source.places, registry, systems, recorded=assumed, allow_env=_ANY)


def _of_plan(path: Path) -> set[str]:
    plan = strict_json.parse_json(regular_files.read_regular(path, regular_files.DATA_BYTES))
    texts = {text for action in plan["actions"] for text in (action["address"], action.get("origin")) if text}
    for text in texts:
        Address.parse(text)
    return texts
