"""From sections to raw entries by site: defaults under, `per_site` over, and what stands inside another taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from vastplan.document.merge import overlay
from vastplan.document.specs import ENTRY_KEYS, HEAD_KEYS
from vastplan.document.yaml import MAX_PROBLEMS, Mapping
from vastplan.model.address import Address
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error
from vastplan.schema.discover import Registry
from vastplan.schema.entries import EntryType, Inside


@dataclass(frozen=True, slots=True)
class Raw:
    """One entry on one site before its model has seen it; `sites` is where it wants to be, `None` where it can."""

    type: EntryType
    name: str
    values: Mapping
    where: Where
    sites: tuple[str, ...] | None
    site: str
    renamed_from: str = ""
    inside: Inside | None = None


@dataclass(frozen=True, slots=True)
class _Container:
    """The entry that another stands inside, on one site."""

    type: EntryType
    name: str
    site: str
    renamed_from: str

    def around(self, shares_name: bool) -> Inside:
        """What is noted of an entry inside."""
        return Inside(Address(self.site, self.type.name, self.name), shares_name)

    def holds(self, type_: EntryType | None) -> bool:
        """Whether entries of a type may stand inside it."""
        return type_ is not None and self.type.name in type_.model.model_fields and not type_.contains


def nearest(name: str, known: Any) -> str:
    """`did you mean X?`, when something near is known; what is out of all measure is not looked for."""
    if len(name) > 100 or len(known) > 2000:
        return ""
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


class Instantiator:
    """Walks the sections of one tree; what is wrong is collected in `problems`."""

    def __init__(self, tree: Mapping, registry: Registry, sites: tuple[str, ...]) -> None:
        self.problems: list[Finding] = []
        self._reported: set[Finding] = set()
        self._tree = tree
        self._sections = registry.sections
        self._types = registry.types
        self._sites = sites
        self._defaults = self._mapping(tree, "defaults")
        for key in self._defaults:
            if key not in self._sections:
                self._unknown(self._defaults, key, self._sections)

    def instantiate(self) -> Iterator[Raw]:
        """Every entry on every site of the document that it does not exclude."""
        for key in self._tree:
            if key in self._sections:
                section = self._mapping(self._tree, key)
                for name in section:
                    yield from self._entry(self._sections[key], section, name, None, None)
            elif key not in HEAD_KEYS and key != "defaults":
                self._unknown(self._tree, key, [*self._sections, *HEAD_KEYS, "defaults"])

    def _entry(
        self, type_: EntryType, holder: Mapping, key: str, container: _Container | None, sites: tuple[str, ...] | None
    ) -> Iterator[Raw]:
        """One entry of `holder`; inside a container only for the container's site."""
        written = self._mapping(holder, key)
        where = holder.where(key)
        inside = container.around(key == type_.name) if container else None
        name = container.name if container and key == type_.name else key
        defaults = self._defaults.get(type_.section)
        if isinstance(defaults, Mapping):
            written = overlay(defaults, written)
        own = self._site_list(written)
        chosen = own if own is not None else sites
        per_site = self._mapping(written, "per_site")
        for site in per_site:
            if site not in self._sites:
                self._problem("VP202", f"no site {site}", per_site.where(site), nearest(site, self._sites))
        for site in (container.site,) if container else self._sites:
            if chosen is not None and site not in chosen:
                continue
            there = per_site.get(site)
            values = overlay(written, there) if isinstance(there, Mapping) else written.copy()
            # what is called as its container is was called as that was
            renamed = values.pop("renamed_from", container.renamed_from if container and key == type_.name else "")
            if not isinstance(renamed, str) or renamed == name:
                text = "renamed_from is the entry's former name" + (", and this is its name" if renamed == name else "")
                self._problem("VP203", text, values.where("renamed_from"), "")
                renamed = ""
            for gone in ENTRY_KEYS:
                values.pop(gone, None)
            if container:
                field = container.type.name
                if field in values:
                    self._problem(
                        "VP204", f"{field} is given by where the entry stands", values.where(field), "remove it"
                    )
                values[field] = container.name
                values.keys_at[field] = where
            if type_.contains:
                yield from self._inside(_Container(type_, name, site, renamed), values, chosen)
            yield Raw(type_, name, values, where, chosen, site, renamed, inside)

    def _inside(self, container: _Container, values: Mapping, sites: tuple[str, ...] | None) -> Iterator[Raw]:
        """Take what stands inside a container out of its values: one entry by its type, several by their section."""
        for key in [key for key in values if key not in container.type.model.model_fields]:
            type_ = self._types.get(key) or self._sections.get(key)
            if type_ is None or not container.holds(type_):
                continue
            if key == type_.name:
                yield from self._entry(type_, values, key, container, sites)
            else:
                group = self._mapping(values, key)
                for inner in group:
                    yield from self._entry(type_, group, inner, container, sites)
            del values[key]

    def _site_list(self, values: Mapping) -> tuple[str, ...] | None:
        if "sites" not in values:
            return None
        names = values["sites"]
        if not isinstance(names, list) or not names or not all(isinstance(site, str) for site in names):
            self._problem("VP201", "sites is a list of site names", values.where("sites"), "for example sites: [iad]")
            return ()
        for site in names:
            if site not in self._sites:
                self._problem("VP202", f"no site {site}", values.where("sites"), nearest(site, self._sites))
        return tuple(names)

    def _mapping(self, holder: Mapping, key: str) -> Mapping:
        value = holder.get(key)
        if isinstance(value, Mapping):
            return value
        if value is not None:
            self._problem("VP205", f"{key} is a mapping", holder.where(key), "")
        return Mapping(holder.where(key))

    def _unknown(self, holder: Mapping, key: str, known: Any) -> None:
        self._problem("VP206", f"unknown key {key}", holder.where(key), nearest(key, known))

    def _problem(self, code: str, message: str, where: Where, fix: str) -> None:
        finding = error(code, message, fix=fix, where=where)
        if finding not in self._reported:  # the same line is walked once for every site
            self._reported.add(finding)
            self.problems.append(finding)
        if len(self.problems) >= MAX_PROBLEMS:
            raise Invalid(self.problems)
