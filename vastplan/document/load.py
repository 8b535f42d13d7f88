"""From paths to a document: read, merge, check the head, instantiate, resolve. All findings at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
from vastplan.document.yaml import load as load_yaml
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error, once
from vastplan.schema.capability import Capability
from vastplan.schema.connection import SystemSpec
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, Site
from vastplan.schema.system import Systems


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose entries are typed and not yet composed.

    `folder` (absolute) is what its relative paths are relative to, `connections_folder` those in a connections file.
    """

    head: specs.Head
    folder: Path
    source: str
    entries: tuple[Entry, ...]
    connections: Mapping[str, specs.Connections]
    connections_folder: Path
    systems: Systems
    ledger_cluster: SystemSpec | None = None
    """Where a shared ledger is kept, unless its site says so."""
    places: Mapping[tuple[str, ...], Where] = field(default_factory=dict)
    """Where the parts of `checks` stand: `("raise", CODE)`, `("waive", INDEX)`."""
    assumed: frozenset[str] = frozenset()
    """The sites whose systems are known from a snapshot alone: nothing says here where they are."""
    paths: tuple[Path, ...] = ()
    """What it was read from, as it was given; `source` is the same for people."""
    secrets: SecretSources = field(default_factory=lambda: SecretSources(Path()))
    """Where its secrets may come from."""
    contents: Mapping[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)
    """What the files say that it names for its systems, by the path of what names them (`("sites", SITE, SYSTEM)`): where they
    are and who vouches for them, as they were when it was read."""
    by_document: bool = True
    """Whether it is the document that says where its systems and its ledger are, and no connections file."""
    warnings: tuple[Finding, ...] = ()
    """What is no mistake, and to be said all the same."""
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What lies under the entries of a section, as it stands there."""

    @property
    def ledger_folder(self) -> Path:
        """What a ledger's folder is relative to, where one is given: that of the file that gives it."""
        return self.folder if self.by_document or self.head.ledger is MISSING else self.connections_folder

    def offline(self, site: str) -> bool:
        """Whether nothing but a snapshot says where the site's systems are."""
        return site in self.assumed

    def sites(self, probed: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Site]:
        """The sites as compositions see them."""
        return {
            name: _site(name, self.connections[name], spec, self.systems, (probed or {}).get(name, {}))
            for name, spec in self.head.sites.items()
        }


def load(
    paths: list[Path],
    registry: Registry,
    systems: Systems,
    connections: Path | None = None,
    recorded: Mapping[str, Collection[str]] | None = None,
    allow_env: Iterable[str] = (),
    folder: Path | None = None,
) -> Document:
    """The document at `paths`, whose sites may have these `systems`. Raises `Invalid` with every finding.

    `recorded` are the systems of sites in a snapshot: of a document whose addresses are elsewhere they are all that is known,
    and nothing is ever connected. `allow_env` are the variables that secrets may come from without a connections file, and
    `folder` is the document's where `paths` are a copy of it.
    """
    tree = merge.read(paths)
    problems: list[Finding] = []
    near = Nearest()
    models = specs.models(systems)
    head = _head(tree, models.head, problems, near)
    if head is None:
        raise Invalid(problems)
    folder = folder or folder_of(paths)
    problems += credentials.commands(head, tree)
    problems += _links(head, tree, near)
    outside = _connections(connections, models.connections_file, head, tree, problems, near) if connections else None
    if connections is None:
        problems += credentials.named_files(head, tree, folder)
        problems += credentials.of_the_runner(head, tree)
    head = ledger_place.settled(head, outside, tree, folder, problems)
    of_sites, assumed = _of_sites(head, outside, recorded or {})
    for name, connected in of_sites.items():
        if not connected.systems():
            fix, where = f"give {', '.join(systems)} or sim", tree["sites"].where(name)
            problems.append(error("VP220", f"site {name} has no system", fix=fix, where=where))
    connections_folder = connections.parent.absolute() if connections else folder
    problems += shared_systems(of_sites, connections_folder, tree)
    known = {name: _site(name, of_sites[name], spec, systems, {}) for name, spec in head.sites.items()}
    ledger_cluster = None if recorded is not None else ledger_place.cluster(head, known, tree, problems)
    instantiator = Instantiator(tree, registry, tuple(head.sites), near)
    raws = list(instantiator.instantiate())
    retired = head.retired()
    resolver = Resolver(known, near, retired, registry.types, instantiator.obscured, instantiator.halved)
    # What is written for a retired site is read as ever, so that taking `retire` away is enough to want it again.
    entries = [entry for entry in resolver.resolve(raws) if entry.address.site not in retired]
    problems += [*instantiator.problems, *resolver.problems, *renamed_in_a_ring(entries)]
    allowed = credentials.secret_sources(folder, allow_env, outside, connections)
    problems += credentials.taken(entries, allowed)
    if connections is None:
        problems += credentials.sent_unchecked(entries, head, registry.types)
    if problems:
        raise Invalid(once(problems))
    warnings = credentials.beside_the_document(folder, connections) if connections else []
    return Document(
        head, folder, ", ".join(map(str, paths)), tuple(entries), of_sites, connections_folder,
        systems, ledger_cluster, _places(tree), assumed, tuple(paths), allowed,
        credentials.contents(head, folder) if connections is None else {}, connections is None, tuple(warnings),
        instantiator.defaults,
    )  # fmt: skip


def folder_of(paths: Sequence[Path]) -> Path:
    """What the relative paths of a document are relative to (absolute)."""
    return (paths[0] if paths[0].is_dir() else paths[0].parent).absolute()


def _of_sites(
    head: specs.Head, outside: specs.ConnectionsFile | None, recorded: Mapping[str, Collection[str]]
) -> tuple[dict[str, specs.Connections], frozenset[str]]:
    """The systems of each site, from the connections file or the document; and the sites of which only a snapshot knows."""
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
    """Where each entry of `checks` stands; the head was validated before."""
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
        listed = connections.sim.systems
        simulators = [system.name for system in known.values() if system.simulate is not None]
        systems = frozenset(listed if isinstance(listed, list) else simulators)
    settings = {
        # of the document itself: a plan from a snapshot must come to the same objects
        "addresses": {
            name: url for name, one in spec.given().items() if isinstance(url := getattr(one, "url", None), str)
        },
        "versions": spec.declared_versions(),
        "isolation": spec.isolation if isinstance(spec.isolation, str) else "admission_policy",
        "inline_volumes": _inline_volumes(spec),
    }
    return Site(name, systems, settings, probed)


def _inline_volumes(spec: specs.SiteSpec) -> str:
    """Why pods may bring volumes of the VAST drivers themselves; "" where they may not."""
    said = spec.inline_volumes
    return said.reason if isinstance(said, specs.InlineVolumesSpec) and said.allow else ""


def _head(tree: Located, model: type[specs.Head], problems: list[Finding], near: Nearest) -> specs.Head | None:
    what, fix = other_files.of_tree(tree, tree.at.file)
    if what:
        raise Invalid([error("VP105", what, fix=fix, where=tree.at)])
    plain = {key: value for key, value in tree.items() if key in specs.HEAD_KEYS}
    try:
        return model.model_validate(plain)
    except ValidationError as invalid:
        _explain(tree, model, invalid, problems, near)
        return None


def _links(head: specs.Head, tree: Located, near: Nearest) -> list[Finding]:
    """The WAN links of a site are to other sites of the document."""
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
    written = load_yaml(path, str(path))
    if other_files.is_document(written):
        fix = f"give a file of its own, with version: 1 and sites: {{{', '.join(f'{name}: {{...}}' for name in head.sites)}}}"
        problems.append(error("VP105", "this is a document, not a connections file", fix=fix, where=written.at))
        raise Invalid(problems)
    try:
        file = model.model_validate(written)
    except ValidationError as invalid:
        _explain(written, model, invalid, problems, near)
        raise Invalid(problems) from None  # without it every site would lack its systems: what is to be mended is here
    for name, spec in head.sites.items():
        if spec.simulated and not (name in file.sites and file.sites[name].simulated):
            fix = f"write {name}: {{sim: {{}}}} in sites of {path.name}"
            text = f"site {name}: with --connections a site is simulated only where {path.name} says so"
            problems.append(error("VP226", text, fix=fix, where=tree["sites"].where(name)))
    for name in file.sites:
        if name not in head.sites:
            where = written["sites"].where(name)
            problems.append(
                error("VP202", f"no site {name} in the document", fix=no_site_hint(name, head.sites, near), where=where)
            )
    return file


def _explain(
    tree: Located, model: type[BaseModel], invalid: ValidationError, problems: list[Finding], near: Nearest
) -> None:
    for mistake in mistakes(model, tree, invalid, near.closest):
        problems.append(error(mistake.code, mistake.about(), fix=mistake.fix, where=mistake.where or tree.at))
