"""From sections to raw entries by site: defaults under, `per_site` over, and what stands inside a tenant taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from vastplan.document.merge import overlay
from vastplan.document.specs import ENTRY_KEYS, HEAD_KEYS
from vastplan.document.yaml import MAX_PROBLEMS, Mapping
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error
from vastplan.schema.entries import EntryType

TENANT = "tenant"


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


def nearest(name: str, known: Any) -> str:
    """`did you mean X?`, when something near is known; what is out of all measure is not looked for."""
    if len(name) > 100 or len(known) > 2000:
        return ""
    found = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {found[0]}?" if found else ""


class Instantiator:
    """Walks the sections of one tree; what is wrong is collected in `problems`."""

    def __init__(self, tree: Mapping, sections: dict[str, EntryType], sites: tuple[str, ...]) -> None:
        self.problems: list[Finding] = []
        self._told: set[Finding] = set()
        self._tree = tree
        self._sections = sections
        self._sites = sites
        self._defaults = self._mapping(tree, "defaults")
        within = [one for one in sections.values() if one.within_tenant and one.name != TENANT]
        self._nested = {one.name: one for one in within} | {one.section: one for one in within}
        for key in self._defaults:
            if key not in sections:
                self._unknown(self._defaults, key, sections)

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
        self, type_: EntryType, holder: Mapping, key: str, tenant: tuple[str, str] | None, sites: tuple[str, ...] | None
    ) -> Iterator[Raw]:
        """One entry of `holder`; inside a tenant (`tenant` is its name and the site), only for that site."""
        written = self._mapping(holder, key)
        where = holder.where(key)
        name = tenant[0] if tenant and key == type_.name else key
        defaults = self._defaults.get(type_.section)
        if isinstance(defaults, Mapping):
            written = overlay(defaults, written)
        own = self._site_list(written)
        chosen = own if own is not None else sites
        per_site = self._mapping(written, "per_site")
        for site in per_site:
            if site not in self._sites:
                self._problem("VP202", f"no site {site}", per_site.where(site), nearest(site, self._sites))
        for site in (tenant[1],) if tenant else self._sites:
            if chosen is not None and site not in chosen:
                continue
            there = per_site.get(site)
            values = overlay(written, there) if isinstance(there, Mapping) else written.copy()
            renamed = values.pop("renamed_from", "")
            if not isinstance(renamed, str):
                self._problem("VP203", "renamed_from is the entry's former name", values.where("renamed_from"), "")
                renamed = ""
            for gone in ENTRY_KEYS:
                values.pop(gone, None)
            if tenant:
                if TENANT in values:
                    self._problem(
                        "VP204", "tenant is given by where the entry stands", values.where(TENANT), "remove it"
                    )
                values[TENANT] = tenant[0]
                values.keys_at[TENANT] = where
            if type_.name == TENANT:
                yield from self._inside(name, site, values, chosen)
            yield Raw(type_, name, values, where, chosen, site, renamed)

    def _inside(self, name: str, site: str, values: Mapping, sites: tuple[str, ...] | None) -> Iterator[Raw]:
        """Take what stands inside a tenant out of its values."""
        for key in [key for key in values if key in self._nested and key not in _own_fields(self._sections)]:
            type_ = self._nested[key]
            if key == type_.name:
                yield from self._entry(type_, values, key, (name, site), sites)
            else:
                group = self._mapping(values, key)
                for inner in group:
                    yield from self._entry(type_, group, inner, (name, site), sites)
            del values[key]

    def _site_list(self, values: Mapping) -> tuple[str, ...] | None:
        if "sites" not in values:
            return None
        found = values["sites"]
        if not isinstance(found, list) or not found or not all(isinstance(site, str) for site in found):
            self._problem("VP201", "sites is a list of site names", values.where("sites"), "for example sites: [iad]")
            return ()
        for site in found:
            if site not in self._sites:
                self._problem("VP202", f"no site {site}", values.where("sites"), nearest(site, self._sites))
        return tuple(found)

    def _mapping(self, holder: Mapping, key: str) -> Mapping:
        found = holder.get(key)
        if found is None:
            return Mapping(holder.where(key))
        if not isinstance(found, Mapping):
            self._problem("VP205", f"{key} is a mapping", holder.where(key), "")
            return Mapping(holder.where(key))
        return found

    def _unknown(self, holder: Mapping, key: str, known: Any) -> None:
        self._problem("VP206", f"unknown key {key}", holder.where(key), nearest(key, known))

    def _problem(self, code: str, message: str, where: Where, fix: str) -> None:
        one = error(code, message, fix=fix, where=where)
        if one not in self._told:  # the same line is walked once for every site
            self._told.add(one)
            self.problems.append(one)
        if len(self.problems) >= MAX_PROBLEMS:
            raise Invalid(self.problems)


def _own_fields(sections: dict[str, EntryType]) -> set[str]:
    for one in sections.values():
        if one.name == TENANT:
            return set(one.model.model_fields)
    return set()
