"""Turns sections into raw entries by site: applies defaults and `per_site`, and takes entries out of the entries that contain them.

A few lines can stand for millions of entries, because each exists on every site with its defaults. So entries are counted before
any is kept (VP115).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from pydantic import BaseModel

from vastplan.document.belonging import NAME, KeyPlace, a, belongs, key_places
from vastplan.document.merge import overlay_tree
from vastplan.document.nearest import Nearest, no_site_hint
from vastplan.document.specs import ENTRY_KEYS, HEAD_KEYS
from vastplan.document.yaml import MAX_PROBLEMS, Mapping, too_many
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error
from vastplan.model.nearest import known_ones
from vastplan.model.wording import shortened, some
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.choices import form
from vastplan.schema.discover import Registry
from vastplan.schema.entries import EntryType, Inside
from vastplan.schema.problem_words import written_value

MAX_ENTRIES = 150_000  # on all sites together
MAX_VALUES = 2_000_000  # in them


@dataclass(frozen=True, slots=True)
class Raw:
    """One entry on one site before validation; `sites` are the sites that it names, `None` for every site that can have it."""

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
    """An entry that contains others, on one site."""

    type: EntryType
    name: str
    site: str
    renamed_from: str

    def around(self, shares_name: bool) -> Inside:
        """The `Inside` of an entry in this container."""
        return Inside(Address(self.site, self.type.name, self.name), shares_name)


def _size(value: Any) -> int:
    """The number of values in a value, itself included."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + len(inner) + sum([_size(item) - 1 for item in inner if isinstance(item, dict | list)])


def _is_one_entry(type_: EntryType, group: Mapping) -> bool:
    """Whether the user wrote the fields of one entry where names of entries belong."""
    field_names = {*type_.model.model_fields, *ENTRY_KEYS}
    plain = any(value is not None and not isinstance(value, Mapping) for value in group.values())
    return plain and all(key in field_names for key in group)


def _names_of_several(type_: EntryType, written: Mapping) -> list[str]:
    """The names of the entries, where the user wrote several named entries in place of one; empty where it is one entry."""
    field_names = {*type_.model.model_fields, *ENTRY_KEYS}
    several = bool(written) and all(
        isinstance(inner, Mapping) and key not in field_names for key, inner in written.items()
    )
    return list(written) if several else []


def _by_name(key: str, written: Any) -> str:
    """The fix that shows how to write a section's entries, with the names that the user listed."""
    names = written if isinstance(written, list) else [written]
    plain = names and all(isinstance(name, str) and name.isprintable() and len(name) < 64 for name in names)
    examples = ", ".join(f"{yaml_scalar(name)}: {{...}}" for name in names[:3]) if plain else "NAME: {...}"
    return f"write {key}: {{{examples}{', ...' if plain and len(names) > 3 else ''}}}"


def _as_a_mapping(key: str, type_: EntryType) -> str:
    fields = form(type_.model)
    return f"write {key}: {fields}" if fields.startswith("{") else f"write {key}: {{...}}, {fields}"


def _are(count: int) -> str:
    return "is a key" if count == 1 else "are keys"


class Instantiator:
    """Walks the sections of one tree; findings are collected in `problems`."""

    def __init__(
        self, tree: Mapping, registry: Registry, sites: tuple[str, ...], near: Nearest, head: type[BaseModel]
    ) -> None:
        self.problems: list[Finding] = []
        self.obscured: set[str] = set()
        """The types that may have entries which could not be read: a reference to an unknown entry of these is not reported."""
        self.halved: set[Where] = set()
        """The entries with a `per_site` for a site that the document does not have."""
        self._near, self._head = near, head
        self._reported: set[tuple[str, Where]] = set()
        self._tree = tree
        self._sections = registry.sections
        self._types = registry.types
        self._sites = {site: position for position, site in enumerate(sites)}
        self._entries, self._values = 0, 0
        self._defaults = self._mapping(tree, "defaults", "write defaults: {SECTION: {...}}") or Mapping(tree.at)
        for key in self._defaults:
            if key not in self._sections:
                self._unknown(self._defaults, key, self._sections)

    @property
    def defaults(self) -> dict[str, dict[str, Any]]:
        """The default values for the entries of each section."""
        return {key: value for key, value in self._defaults.items() if isinstance(value, Mapping)}

    def instantiate(self) -> Iterator[Raw]:
        """Yields every entry on every site that it does not exclude. Raises `Invalid` for too many."""
        if len(self._sites) > 1 or self._defaults:  # otherwise the size of the files limits them
            for _ in self._all():
                pass
            self._entries, self._values = 0, 0
        yield from self._all()

    def _all(self) -> Iterator[Raw]:
        for key in self._tree:
            if key in self._sections:
                yield from self._group(self._sections[key], self._tree, key, None, None)
            elif key not in HEAD_KEYS and key != "defaults":
                self._unknown(self._tree, key, [*self._sections, *HEAD_KEYS, "defaults"])

    def _group(
        self, type_: EntryType, holder: Mapping, key: str, container: _Container | None, sites: tuple[str, ...] | None
    ) -> Iterator[Raw]:
        """The entries of a section, in the document or inside a container."""
        group = self._mapping(holder, key, partial(_by_name, key, holder.get(key)))
        if group is None:
            self._obscure(type_)
        elif _is_one_entry(type_, group):
            self._obscure(type_)
            text = f"{key} maps names to entries, but {some(list(group), 3)} {_are(len(group))} of one {type_.noun}"
            single_form = (
                f"{type_.name}: {{{next(iter(group))}: ...}}, or "
                if container and self._held(container.type, type_.name)
                else ""
            )
            self._problem(
                "VP205", text, holder.where(key), f"write {single_form}{key}: {{NAME: {{{next(iter(group))}: ...}}}}"
            )
        else:
            for name in group:
                yield from self._entry(type_, group, name, container, sites)

    def _obscure(self, type_: EntryType) -> None:
        """Record that there may be unknown entries of a type, and of the types that it may contain."""
        self.obscured.add(type_.name)
        if type_.contains:
            self.obscured.update(
                section_type.name for section_type in self._sections.values() if self._held(type_, section_type.section)
            )

    def _entry(
        self, type_: EntryType, holder: Mapping, key: str, container: _Container | None, sites: tuple[str, ...] | None
    ) -> Iterator[Raw]:
        """One entry of `holder` on each of its sites; inside a container only on the container's site."""
        where = holder.where(key)
        mapping = self._mapping(holder, key, partial(_as_a_mapping, key, type_))
        if mapping is None:
            self._obscure(type_)
            return
        merged = mapping
        if container and key == type_.name and (names := _names_of_several(type_, merged)):
            text = f"{key} is one {key}, named {container.name} like its {container.type.name}; {', '.join(names[:3])} are not keys of it"
            self._problem("VP206", text, where, f"did you mean {type_.section}?")
            self._obscure(type_)
            return
        containment = container.around(key == type_.name) if container else None
        name = container.name if container and key == type_.name else key
        defaults = self._defaults.get(type_.section)
        if isinstance(defaults, Mapping):
            merged = overlay_tree(defaults, merged)
        own = self._site_list(merged, type_)
        chosen = own if own is not None else sites
        places = self._chosen(chosen, container)
        self._count(type_, merged, len(places), where)
        per_site = self._mapping(merged, "per_site", "write per_site: {SITE: {...}}") or Mapping(where)
        for site in per_site:
            if site not in self._sites:
                self._no_site(site, per_site.where(site))
                self.halved.add(where)
        shared: tuple[Mapping, str] | None = None  # what is the same on every site is one value
        for site in places:
            of_site = per_site.get(site)
            if isinstance(of_site, Mapping) or type_.contains or shared is None:
                merged_here = overlay_tree(merged, of_site) if isinstance(of_site, Mapping) else merged.copy()
                values, renamed = self._own_values(merged_here, name, container, where, same_name=key == type_.name)
                shared = (values, renamed) if not isinstance(of_site, Mapping) else shared
            else:
                values, renamed = shared
            if type_.contains:
                yield from self._inside(_Container(type_, name, site, renamed), values, chosen)
            yield Raw(type_, name, values, where, chosen, site, renamed, containment)

    def _own_values(
        self, values: Mapping, name: str, container: _Container | None, where: Where, *, same_name: bool
    ) -> tuple[Mapping, str]:
        """The values without the keys that every entry may have, with its container's name; and its former name."""
        # an entry with its container's name also had the container's former name
        renamed = values.pop("renamed_from", container.renamed_from if container and same_name else "")
        if not isinstance(renamed, str) or renamed == name:
            text = "renamed_from is the entry's former name" + (
                f", and {name} is its name now" if renamed == name else ""
            )
            self._problem("VP203", text, values.where("renamed_from"), "write the former name, or remove it")
            renamed = ""
        for entry_key in ENTRY_KEYS:
            values.pop(entry_key, None)
        if container:
            field = container.type.name
            if field in values:
                self._problem(
                    "VP204",
                    f"{field} is already set: the entry is inside {field} {container.name}",
                    values.where(field),
                    "remove it",
                )
            values[field] = container.name
            values.keys_at[field] = where
        return values, renamed

    def _chosen(self, chosen: tuple[str, ...] | None, container: _Container | None) -> tuple[str, ...]:
        """The sites where an entry is, in the document's order."""
        if container is not None:
            return (container.site,) if chosen is None or container.site in chosen else ()
        if chosen is None:
            return tuple(self._sites)
        return tuple(sorted({site for site in chosen if site in self._sites}, key=self._sites.__getitem__))

    def _count(self, type_: EntryType, written: Mapping, sites: int, where: Where) -> None:
        """Count an entry for each of its sites; the values of an entry without sites count once, because they are processed too."""
        elsewhere = [key for key in written if key == "per_site" or (type_.contains and self._held(type_, key))]
        own = {key: value for key, value in written.items() if key not in elsewhere} if elsewhere else written
        self._entries += sites
        self._values += _size(own) * max(1, sites)
        self._values += _size(written["per_site"]) if "per_site" in written else 0
        for maximum, count, noun in ((MAX_ENTRIES, self._entries, "entries"), (MAX_VALUES, self._values, "values")):
            if count > maximum:
                text = f"more than {maximum:,} {noun}: each counts on every site, with the values of its defaults"
                fix = "move some sites or entries to another document"
                raise Invalid([error("VP115", text, fix=fix, where=where)])

    def _held(self, container: EntryType, key: str) -> EntryType | None:
        """The type of the entry or entries at a key inside such an entry; `None` for a field of the entry itself."""
        if not container.contains or key in container.model.model_fields:
            return None
        type_ = self._types.get(key) or self._sections.get(key)
        is_contained = type_ is not None and container.name in type_.model.model_fields and not type_.contains
        return type_ if is_contained else None

    def _inside(self, container: _Container, values: Mapping, sites: tuple[str, ...] | None) -> Iterator[Raw]:
        """Takes the entries inside a container out of its values: one entry under its type, several under their section."""
        for key in list(values):
            type_ = self._held(container.type, key)
            if type_ is None:
                continue
            if key == type_.name:
                yield from self._entry(type_, values, key, container, sites)
            else:
                yield from self._group(type_, values, key, container, sites)
            del values[key]

    def _site_list(self, values: Mapping, type_: EntryType) -> tuple[str, ...] | None:
        if "sites" not in values:
            return None
        names = values["sites"]
        if not isinstance(names, list) or not names or not all(isinstance(site, str) for site in names):
            site = names if isinstance(names, str) and names in self._sites else next(iter(self._sites))
            self._problem(
                "VP201",
                f"sites is {written_value(values['sites'])}, not a list of site names",
                values.where("sites"),
                f"write sites: [{site}]",
            )
            self._obscure(type_)
            return ()
        for site in names:
            if site not in self._sites:
                self._no_site(site, values.where("sites"))
                self._obscure(type_)
        return tuple(names)

    def _no_site(self, site: str, where: Where) -> None:
        fix = partial(no_site_hint, site, self._sites, self._near)
        self._problem("VP202", f"no site {site}", where, fix)

    def _mapping(self, holder: Mapping, key: str, fix: str | Callable[[], str]) -> Mapping | None:
        """The mapping at a key, empty where the key is missing; for any other value `None`, with a finding."""
        value = holder.get(key)
        if isinstance(value, Mapping):
            return value
        if value is not None:
            self._problem("VP205", f"{key} is {written_value(value)}", holder.where(key), fix)
            return None
        return Mapping(holder.where(key))

    def _unknown(self, holder: Mapping, key: str, known: Any) -> None:
        nearest = self._near.closest(key, known)
        if nearest in self._sections:
            self._obscure(self._sections[nearest])
        fix = f"did you mean {nearest}?" if nearest else self._belongs(key) or known_ones(known)
        self._problem("VP206", f"unknown key {key}", holder.where(key), fix)

    def _belongs(self, key: str) -> str:
        """Where a key belongs that is no section."""
        holders = [type_ for type_ in self._sections.values() if key in type_.model.model_fields]
        in_sections = [KeyPlace(a(type_.noun), f"{type_.section}.{NAME}.{key}") for type_ in holders]
        return belongs([*key_places(self._head, (key,), "", ""), *in_sections])

    def _problem(self, code: str, message: str, where: Where, fix: str | Callable[[], str]) -> None:
        message = shortened(message)
        if (message, where) not in self._reported:  # the same line is processed once for every site
            self._reported.add((message, where))
            self.problems.append(error(code, message, fix=fix if isinstance(fix, str) else fix(), where=where))
        if len(self.problems) >= MAX_PROBLEMS:
            raise too_many(self.problems)
