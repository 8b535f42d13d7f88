"""The way from paths to a document: read, merge, check the head, unfold, resolve. Everything wrong is told at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import MISSING, ValidationError

from vastplan.document import credentials, merge, specs
from vastplan.document.instantiate import Instantiator, nearest
from vastplan.document.resolve import Resolver
from vastplan.document.yaml import Mapping as Located
from vastplan.document.yaml import Sequence as LocatedList
from vastplan.document.yaml import load as load_yaml
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, Site


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose entries are typed and not yet expanded. `folder` is what its relative paths are relative to."""

    head: specs.Head
    folder: Path
    source: str
    entries: tuple[Entry, ...]
    connections: Mapping[str, specs.Connections]
    connections_folder: Path
    ledger_cluster: specs.KubernetesEndpoint | None = None
    """Where a shared ledger is kept, unless its site says so."""
    places: Mapping[tuple[str, ...], Where] = field(default_factory=dict)
    """Where the parts of `checks` stand: `("raise", CODE)`, `("waive", INDEX)`."""
    assumed: frozenset[str] = frozenset()
    """The sites whose systems are known from a snapshot alone: nothing says here where they are."""

    def offline(self, site: str) -> bool:
        """Whether nothing but a snapshot says where the site's systems are."""
        return site in self.assumed

    def sites(self, facts: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Site]:
        """The sites as derivation sees them."""
        return {
            name: _site(name, self.connections[name], spec, (facts or {}).get(name, {}))
            for name, spec in self.head.sites.items()
        }


def load(
    paths: list[Path],
    registry: Registry,
    connections: Path | None = None,
    recorded: Mapping[str, Collection[str]] | None = None,
) -> Document:
    """The document at `paths`. Raises `Invalid` with every finding.

    `recorded` are the systems of sites in a snapshot: of a document whose addresses are elsewhere they are all that is known,
    and nothing is ever connected.
    """
    tree = merge.read(paths)
    problems: list[Finding] = []
    head = _head(tree, problems)
    if head is None:
        raise Invalid(problems)
    problems += credentials.commands(head, tree)
    problems += _links(head, tree)
    outside = _connections(connections, head, tree, problems) if connections else None
    given: dict[str, specs.Connections] = {}
    assumed = set()
    for name, spec in head.sites.items():
        given[name] = outside.sites[name] if outside and name in outside.sites else spec
        if recorded and name in recorded and not given[name].systems():
            assumed.add(name)
            has = specs.SimEndpoint.model_validate({"systems": sorted(recorded[name])})
            given[name] = specs.Connections(sim=has)
        if not given[name].systems():
            where = tree["sites"].where(name)
            problems.append(
                error("VP220", f"site {name} has no system", fix="give vast, kubernetes, runai or sim", where=where)
            )
    ledger_cluster = None if recorded is not None else _ledger_cluster(head, given, outside, tree, problems)
    known = {name: _site(name, given[name], spec, {}) for name, spec in head.sites.items()}
    unfolder = Instantiator(tree, registry, tuple(head.sites))
    raws = list(unfolder.instantiate())
    resolver = Resolver(known)
    entries = resolver.resolve(raws)
    problems += [*unfolder.problems, *resolver.problems]
    first = paths[0]
    folder = first if first.is_dir() else first.parent
    if connections:
        problems += credentials.taken(entries, folder, given, connections)
    if problems:
        raise Invalid(problems)
    return Document(
        head, folder, ", ".join(map(str, paths)), tuple(entries), given, connections.parent if connections else folder,
        ledger_cluster, _places(tree), frozenset(assumed),
    )  # fmt: skip


def _places(tree: Located) -> dict[tuple[str, ...], Where]:
    """Where each word about checks stands; the head has its form already."""
    said = tree.get("checks")
    found: dict[tuple[str, ...], Where] = {}
    for part, held in said.items() if isinstance(said, Located) else ():
        if isinstance(held, Located):
            found |= {(part, key): held.where(key) for key in held}
        elif isinstance(held, LocatedList):
            found |= {(part, str(index)): where for index, where in enumerate(held.items_at)}
    return found


def _site(name: str, given: specs.Connections, spec: specs.SiteSpec, facts: Mapping[str, Any]) -> Site:
    systems = given.systems()
    if "sim" in systems:
        assert isinstance(given.sim, specs.SimEndpoint)
        listed = given.sim.systems
        systems = frozenset(listed if isinstance(listed, list) else ("vast", "kubernetes", "runai"))
    settings = {
        "versions": spec.declared_versions(),
        "isolation": spec.isolation if isinstance(spec.isolation, str) else "admission_policy",
    }
    return Site(name, systems, settings, facts)


def _head(tree: Located, problems: list[Finding]) -> specs.Head | None:
    plain = {key: value for key, value in tree.items() if key in specs.HEAD_KEYS}
    try:
        return specs.Head.model_validate(plain)
    except ValidationError as invalid:
        _explain(tree, invalid, problems, specs.HEAD_KEYS)
        return None


def _links(head: specs.Head, tree: Located) -> list[Finding]:
    """The WAN links of a site are to other sites of the document."""
    found = []
    for name, spec in head.sites.items():
        links = spec.capability.wan_bw_mbps if isinstance(spec.capability, specs.Capability) else MISSING
        others = head.sites.keys() - {name}
        for other in links if isinstance(links, dict) else ():
            if other not in others:
                where = tree["sites"][name]["capability"]["wan_bw_mbps"].where(other)
                found.append(error("VP202", f"no other site {other}", fix=nearest(other, others), where=where))
    return found


def _connections(path: Path, head: specs.Head, tree: Located, problems: list[Finding]) -> specs.ConnectionsFile | None:
    for name, spec in head.sites.items():
        if spec.systems() - {"sim"}:
            where = tree["sites"].where(name)
            problems.append(
                error("VP221", f"site {name}: with --connections the document holds no addresses", where=where)
            )
    found = load_yaml(path, str(path))
    try:
        file = specs.ConnectionsFile.model_validate(found)
    except ValidationError as invalid:
        _explain(found, invalid, problems, frozenset(specs.ConnectionsFile.model_fields))
        return None
    for name in file.sites:
        if name not in head.sites:
            where = found["sites"].where(name)
            problems.append(
                error("VP202", f"no site {name} in the document", fix=nearest(name, head.sites), where=where)
            )
    return file


def _ledger_cluster(
    head: specs.Head,
    given: Mapping[str, specs.Connections],
    outside: specs.ConnectionsFile | None,
    tree: Located,
    problems: list[Finding],
) -> specs.KubernetesEndpoint | None:
    """Where a shared ledger is, `None` when a site says so or there is none. An address comes from one place only."""
    spec = head.ledger.kubernetes if isinstance(head.ledger, specs.LedgerSpec) else None
    elsewhere = outside.ledger if outside is not None else None
    if not isinstance(spec, specs.KubernetesLedgerSpec):
        return None
    where = tree.where("ledger")
    if isinstance(spec.site, str):
        if spec.site not in head.sites:
            fix = nearest(spec.site, head.sites)
            problems.append(error("VP202", f"ledger: no site {spec.site} in the document", fix=fix, where=where))
        elif not {"kubernetes"} & _site(spec.site, given[spec.site], head.sites[spec.site], {}).systems:
            problems.append(error("VP208", f"ledger: site {spec.site} has no kubernetes", where=where))
        return None
    if outside is None:
        return spec
    if spec.addressed:
        problems.append(error("VP221", "ledger: with --connections the document holds no addresses", where=where))
    if isinstance(elsewhere, specs.KubernetesEndpoint):
        return elsewhere
    fix = "give ledger in the connections file, or site in the document's ledger"
    problems.append(error("VP220", "the ledger has no cluster", fix=fix, where=where))
    return None


def _explain(tree: Located, invalid: ValidationError, problems: list[Finding], known: frozenset[str]) -> None:
    for one in invalid.errors(include_url=False, include_context=False):
        values: Any = tree
        where, path = tree.at, []
        for step in one["loc"]:
            if isinstance(values, Located) and isinstance(step, str) and step in values:
                where, values = values.where(step), values[step]
                path.append(step)
            elif isinstance(values, LocatedList) and isinstance(step, int) and step < len(values):
                where, values = values.items_at[step], values[step]
                path.append(str(step))
        dotted = ".".join(path)
        last = str(one["loc"][-1]) if one["loc"] else ""
        if one["type"] == "missing":
            fix = "write version: 1" if last == "version" else ""
            problems.append(error("VP211", f"{'.'.join(map(str, one['loc']))} is missing", fix=fix, where=where))
        elif one["type"] == "extra_forbidden":
            problems.append(error("VP206", f"unknown key {last}", fix=nearest(last, known), where=where))
        else:
            problems.append(error("VP212", f"{dotted}: {one['msg'].removeprefix('Value error, ')}", where=where))
