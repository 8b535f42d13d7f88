"""Loads a document from paths: read, merge, check the head, instantiate, resolve. All findings at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from pydantic import MISSING, BaseModel, ValidationError

from vastplan.document import credentials, ledger_place, merge, other_files, specs
from vastplan.document.instantiate import Instantiator
from vastplan.document.mistakes import mistakes
from vastplan.document.nearest import Nearest, no_site_hint
from vastplan.document.renames import renamed_in_a_ring
from vastplan.document.resolve import Resolver
from vastplan.document.secret_sources import SecretSources
from vastplan.document.shared_systems import shared_systems
from vastplan.document.yaml import Mapping as Located
from vastplan.document.yaml import Sequence as LocatedList
from vastplan.document.yaml import load_mapping as load_yaml
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error, once
from vastplan.model.shell import given, words
from vastplan.schema.capability import Capability
from vastplan.schema.composition import Scope, composed
from vastplan.schema.connection import SystemSpec
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, Site
from vastplan.schema.system import Systems


@dataclass(frozen=True, slots=True)
class Document:
    """A document with validated entries that are not composed yet.

    Its relative paths are relative to `folder` (absolute), those of a connections file to `connections_folder`.
    """

    head: specs.Head
    folder: Path
    source: str
    entries: tuple[Entry, ...]
    connections: Mapping[str, specs.Connections]
    connections_folder: Path
    systems: Systems
    ledger_cluster: SystemSpec | None = None
    """The system that keeps a shared ledger, unless it is a site's system."""
    places: Mapping[tuple[str, ...], Where] = field(default_factory=dict)
    """The places of the parts of `checks`: `("raise", CODE)`, `("waive", INDEX)`."""
    assumed: frozenset[str] = frozenset()
    """The sites whose systems are known only from a snapshot: their addresses are not known."""
    paths: tuple[Path, ...] = ()
    """The paths that it was read from, as given; `source` shows the same to people."""
    secrets: SecretSources = field(default_factory=lambda: SecretSources(Path()))
    """The allowed sources of its secrets."""
    contents: Mapping[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)
    """What the files that it names for its systems said when it was read, by the system's path (`("sites", SITE, SYSTEM)`):
    the address, and the digest of the certificate authority."""
    by_document: bool = True
    """Whether the document itself gives the addresses of its systems and its ledger; false with a connections file."""
    warnings: tuple[Finding, ...] = ()
    """Findings that do not stop the command."""
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The default values for the entries of each section, as written."""
    connections_file: Path | None = None
    tree: Located = field(default_factory=lambda: Located(Where("", 1, 1)))
    """Its files as one tree, as written."""

    @property
    def typed(self) -> str:
        """Its files as somebody types them after a command, with the option for its connections file, before any other operand."""
        return words([*given("--connections", self.connections_file), *self.paths])

    @property
    def ledger_folder(self) -> Path:
        """The folder to which the ledger's folder is relative: that of the file that gives it."""
        return self.folder if self.by_document or self.head.ledger is MISSING else self.connections_folder

    def offline(self, site: str) -> bool:
        """Whether the site's systems are known only from a snapshot."""
        return site in self.assumed

    def sites(self, probed: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Site]:
        """The sites as compositions see them."""
        return {
            name: _site(name, self.connections[name], spec, self.systems, (probed or {}).get(name, {}))
            for name, spec in self.head.sites.items()
        }


def load_document(
    paths: list[Path],
    registry: Registry,
    systems: Systems,
    connections: Path | None = None,
    recorded: Mapping[str, Collection[str]] | None = None,
    allow_env: Iterable[str] = (),
    folder: Path | None = None,
) -> Document:
    """The document at `paths`, whose sites may have these `systems`. Raises `Invalid` with every finding.

    `recorded` are the systems by site in a snapshot, for a document without addresses: then nothing is ever connected.
    `allow_env` are the variables that secrets may come from without a connections file. `folder` is the document's own folder
    where `paths` are a copy.
    """
    tree = merge.read_files(paths)
    problems: list[Finding] = []
    nearest = Nearest()
    models = specs.models(systems)
    head = _head(tree, models.head, problems, nearest)
    if head is None:
        raise Invalid(problems)
    folder = folder or folder_of(paths)
    problems += credentials.commands(head, tree)
    problems += _links(head, tree, nearest)
    outside = _connections(connections, models.connections_file, head, tree, problems, nearest) if connections else None
    if connections is None:
        problems += credentials.check_named_files(head, tree, folder)
        problems += credentials.of_the_runner(head, tree)
    head = ledger_place.settled(head, outside, tree, folder, problems)
    of_sites, assumed = _of_sites(head, outside, recorded or {})
    for name, connected in of_sites.items():
        if not connected.systems():
            fix, where = (
                f"give {', '.join(systems)} or sim, here or in a file: --connections FILE",
                tree["sites"].where(name),
            )
            problems.append(error("VP220", f"site {name} has no system", fix=fix, where=where))
    connections_folder = connections.parent.absolute() if connections else folder
    problems += shared_systems(of_sites, connections_folder, tree)
    sites = {name: _site(name, of_sites[name], spec, systems, {}) for name, spec in head.sites.items()}
    ledger_cluster = None if recorded is not None else ledger_place.cluster(head, sites, tree, problems)
    instantiator = Instantiator(tree, registry, tuple(head.sites), nearest, models.head)
    raws = list(instantiator.instantiate())
    retired = head.retired()

    def created(entries: list[Entry]) -> Iterator[Entry]:
        kept = [entry for entry in entries if entry.address.site not in retired]
        scope, done = Scope(sites, kept), set[Address]()
        for entry in kept:
            if entry.address.kind in registry.compositions:
                yield from composed(entry, scope, registry.compositions, done)

    resolver = Resolver(sites, nearest, retired, registry.types, instantiator.obscured, instantiator.halved, created)
    # Entries for a retired site are validated as usual, so that it is enough to remove `retire` to get them back.
    entries = [entry for entry in resolver.resolve(raws) if entry.address.site not in retired]
    problems += [*instantiator.problems, *resolver.problems, *renamed_in_a_ring(entries)]
    allowed = credentials.allowed_sources(folder, allow_env, outside, connections)
    problems += credentials.taken(entries, allowed)
    if connections is None:
        problems += credentials.sent_unchecked(entries, head, registry.types)
    if problems:
        raise Invalid(once(problems))
    warnings = merge.unread_subfolders(paths)
    warnings += credentials.beside_the_document(folder, connections) if connections else []
    return Document(
        head, folder, ", ".join(map(str, paths)), tuple(entries), of_sites, connections_folder,
        systems, ledger_cluster, _places(tree), assumed, tuple(paths), allowed,
        credentials.system_file_contents(head, folder) if connections is None else {}, connections is None, tuple(warnings),
        instantiator.defaults, connections, tree,
    )  # fmt: skip


def folder_of(paths: Sequence[Path]) -> Path:
    """The folder to which a document's relative paths are relative (absolute)."""
    return (paths[0] if paths[0].is_dir() else paths[0].parent).absolute()


def _of_sites(
    head: specs.Head, outside: specs.ConnectionsFile | None, recorded: Mapping[str, Collection[str]]
) -> tuple[dict[str, specs.Connections], frozenset[str]]:
    """The systems of each site, from the connections file or the document; and the sites that only a snapshot has."""
    connections: dict[str, specs.Connections] = {}
    assumed = set()
    for name, spec in head.sites.items():
        connections[name] = outside.sites[name] if outside and name in outside.sites else spec
        if name in recorded and not connections[name].systems():
            assumed.add(name)
            stand_in = specs.SimEndpoint.model_validate({"systems": sorted(recorded[name])})
            connections[name] = specs.Connections(sim=stand_in)
    return connections, frozenset(assumed)


def _places(tree: Located) -> dict[tuple[str, ...], Where]:
    """The place of each entry of `checks`; the head was validated before."""
    checks = tree.get("checks")
    places: dict[tuple[str, ...], Where] = {}
    for part, entries in checks.items() if isinstance(checks, Located) else ():
        if isinstance(entries, Located):
            places |= {(part, key): entries.where(key) for key in entries}
        elif isinstance(entries, LocatedList):
            places |= {(part, str(index)): where for index, where in enumerate(entries.items_at)}
    return places


def _site(
    name: str, connections: specs.Connections, spec: specs.SiteSpec, known: Systems, probed: Mapping[str, Any]
) -> Site:
    systems = frozenset(connections.given())
    if isinstance(connections.sim, specs.SimEndpoint):
        systems_named = connections.sim.systems
        simulators = [system.name for system in known.values() if system.simulate is not None]
        systems = frozenset(systems_named if isinstance(systems_named, list) else simulators)
    settings = {
        # from the document itself: a plan from a snapshot must yield the same objects
        "addresses": {
            name: url
            for name, endpoint in spec.given().items()
            if isinstance(url := getattr(endpoint, "url", None), str)
        },
        "versions": spec.declared_versions(),
        "isolation": spec.isolation if isinstance(spec.isolation, str) else "admission_policy",
        "inline_volumes": _inline_volumes(spec),
    }
    return Site(name, systems, settings, probed)


def _inline_volumes(spec: specs.SiteSpec) -> str:
    """The reason why pods may define volumes of the VAST drivers themselves; "" where they may not."""
    inline_volumes = spec.inline_volumes
    return inline_volumes.reason if isinstance(inline_volumes, specs.InlineVolumesSpec) and inline_volumes.allow else ""


def _head(tree: Located, model: type[specs.Head], problems: list[Finding], near: Nearest) -> specs.Head | None:
    description, fix = other_files.of_tree(tree, tree.at.file)
    if description:
        raise Invalid([error("VP105", description, fix=fix, where=tree.at)])
    plain = {key: value for key, value in tree.items() if key in specs.HEAD_KEYS}
    try:
        return model.model_validate(plain)
    except ValidationError as invalid:
        _explain(tree, model, invalid, problems, near)
        return None


def _links(head: specs.Head, tree: Located, near: Nearest) -> list[Finding]:
    """VP202 for each WAN link to a site that the document does not have, or to the site itself."""
    findings = []
    for name, spec in head.sites.items():
        links = spec.capability.wan_bw_mbps if isinstance(spec.capability, Capability) else MISSING
        others = head.sites.keys() - {name}
        for other in links if isinstance(links, dict) else ():
            if other not in others:
                where = tree["sites"][name]["capability"]["wan_bw_mbps"].where(other)
                findings.append(
                    error(
                        "VP202",
                        f"the document has no other site {other}",
                        fix=no_site_hint(other, others, near),
                        where=where,
                    )
                )
    return findings


def _connections(
    path: Path,
    model: type[specs.ConnectionsFile],
    head: specs.Head,
    tree: Located,
    problems: list[Finding],
    near: Nearest,
) -> specs.ConnectionsFile:
    for name, spec in head.sites.items():
        if spec.given():
            where = tree["sites"].where(name)
            problems.append(
                error("VP221", f"site {name}: with --connections the document holds no addresses", where=where)
            )
    content = load_yaml(path, str(path))
    if other_files.is_document(content):
        fix = f"give a file of its own, with version: 1 and sites: {{{', '.join(f'{name}: {{...}}' for name in head.sites)}}}"
        problems.append(error("VP105", "this is a document, not a connections file", fix=fix, where=content.at))
        raise Invalid(problems)
    try:
        file = model.model_validate(content)
    except ValidationError as invalid:
        _explain(content, model, invalid, problems, near)
        raise Invalid(problems) from None  # otherwise every site would seem to lack its systems: the mistake is here
    for name, spec in head.sites.items():
        if spec.simulated and not (name in file.sites and file.sites[name].simulated):
            fix = f"write {name}: {{sim: {{}}}} in sites of {path.name}"
            text = f"site {name}: with --connections a site is simulated only where {path.name} says so"
            problems.append(error("VP226", text, fix=fix, where=tree["sites"].where(name)))
    for name in file.sites:
        if name not in head.sites:
            where = content["sites"].where(name)
            problems.append(
                error("VP202", f"no site {name} in the document", fix=no_site_hint(name, head.sites, near), where=where)
            )
    return file


def _explain(
    tree: Located, model: type[BaseModel], invalid: ValidationError, problems: list[Finding], near: Nearest
) -> None:
    for mistake in mistakes(model, tree, invalid, near.closest):
        problems.append(error(mistake.code, mistake.about(), fix=mistake.fix, where=mistake.where or tree.at))
