"""Turns raw entries into typed ones: validates each against its model, resolves references to addresses, and gives every problem
its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import field
from functools import partial
from typing import Any

from pydantic import ValidationError

from vastplan.document.belonging import NAME, KeyPlace, a, key_places
from vastplan.document.document_form import key_fields
from vastplan.document.instantiate import Raw
from vastplan.document.mistakes import MISSING_KEY, Mistake, mistakes
from vastplan.document.nearest import Nearest, no_site_hint
from vastplan.document.specs import ENTRY_KEYS
from vastplan.document.yaml import MAX_PROBLEMS, too_many
from vastplan.document.yaml import Mapping as Located
from vastplan.document.yaml import Sequence as LocatedList
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding, Where, error
from vastplan.model.nearest import known_ones
from vastplan.model.value import Ref
from vastplan.model.wording import shortened, some
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.entries import Entry, EntryType, Site
from vastplan.schema.markers import Refers
from vastplan.schema.types import Key
from vastplan.schema.walk import canonical_values, map_references

_MAX_ADDED = 20 * MAX_PROBLEMS  # problems, with those that are the same on many sites


class Resolver:
    """Validates the entries of one document and resolves their references; findings are collected in `problems`.

    Mistakes on a `retired` site are reported as usual. What is only missing there is not reported: nothing is to exist there.
    """

    def __init__(
        self,
        sites: Mapping[str, Site],
        near: Nearest,
        retired: Set[str] = frozenset(),
        types: Mapping[str, EntryType] | None = None,
        obscured: Iterable[str] = (),
        halved: Set[Where] = frozenset(),
        created: Callable[[list[Entry]], Iterable[Entry]] = lambda entries: (),
    ) -> None:
        self.problems: list[Finding] = []
        self._created = created  # the objects that entries create, which references may name too
        self._lacking: bool | None = False  # whether a name is unknown; `None` once that is a problem
        self._types = types or {}
        self._obscured = set(obscured)  # types that may have entries which could not be read
        self._halved = halved  # entries with a part for an unknown site: what they lack may be in that part
        self._bad_keys: set[Address] = set()
        self._after_containers: list[
            tuple[Address, str, str, Where, str]
        ] = []  # problems with keys that an entry shares with its container
        self._unknown: dict[tuple[str, str], _Unknown] = {}  # by noun and name
        self._near = near
        self._sites = sites
        self._combinations = frozenset(site.systems for site in sites.values())
        self._retired = retired
        self._known: dict[tuple[str, str], dict[str, Where]] = {}
        self._called: dict[tuple[str, str], dict[str, str]] = {}  # keys of entries by the names of their objects
        self._refused: set[tuple[str, str, str]] = set()  # entries with mistakes of their own, by site, type and name
        self._places: dict[tuple[str, str], list[str]] = {}  # the sites of a name
        self._renamed: dict[tuple[str, str], dict[str, str]] = {}  # names by former names
        self._seen: set[tuple[str, Where]] = set()
        self._added = 0
        self._named_after: dict[str, tuple[str, ...]] = {}  # by type: the fields that hold the entry's name

    def resolve(self, raws: Iterable[Raw]) -> list[Entry]:
        """The entries in document order. References are resolved after all entries are known."""
        typed = [(raw, values) for raw in raws if (values := self._typed(raw)) is not None]
        typed = self._with_their_targets(typed)
        for container, code, text, where, fix in self._after_containers:
            if container not in self._bad_keys:
                self._add(code, text, where, fix)
        for raw, _ in typed:
            names = self._known.setdefault((raw.site, raw.type.name), {})
            if raw.name in names and names[raw.name] != raw.where:
                self._add(
                    "VP207",
                    f"{raw.type.noun} {raw.name} is given twice",
                    raw.where,
                    f"remove one of them, or {_another_key(raw)}; the first is at {names[raw.name]}",
                )
            if raw.name not in names:
                names[raw.name] = raw.where
                self._places.setdefault((raw.type.name, raw.name), []).append(raw.site)
            live_name = str(raw.values.get("name", raw.name))
            self._called.setdefault((raw.site, raw.type.name), {}).setdefault(live_name, raw.name)
            if raw.renamed_from:
                self._renamed.setdefault((raw.site, raw.type.name), {})[raw.renamed_from] = raw.name
        before = self._added
        entries = [self._entry(raw, values) for raw, values in typed]
        if self._lacking:  # the name may be that of an object that an entry creates, such as the claim of a volume
            for made in self._created(entries):
                names = self._known.setdefault((made.address.site, made.address.kind), {})
                names.setdefault(made.address.name, made.where or typed[0][0].where)
            self._lacking, self._added = None, before
            entries.clear()  # not twice in memory
            entries = [self._entry(raw, values) for raw, values in typed]
        for (noun, name), reference in self._unknown.items():
            first_place, *others = reference.places
            others_text = f", also used at {some(others, 3)}" if others else ""
            self._add("VP209", f"no {noun} {name}{others_text}", first_place, reference.fix)
        return entries

    def _with_their_targets(self, typed: list[tuple[Raw, dict[str, Any]]]) -> list[tuple[Raw, dict[str, Any]]]:
        """Without the entries that name no sites, on the sites that their targets are not on (`EntryType.follows`)."""
        if not any(raw.type.follows for raw, _ in typed):
            return typed
        places: dict[tuple[str, str], set[str]] = {}
        for raw, _ in typed:
            places.setdefault((raw.type.name, raw.name), set()).add(raw.site)

        def belongs_here(raw: Raw, values: dict[str, Any]) -> bool:
            field = next((field for field in raw.type.fields if field.name == raw.type.follows), None)
            if raw.sites is not None or field is None or field.refers is None:
                return True
            sites = {
                site for kind, _ in field.refers.targets for site in places.get((kind, str(values[field.name])), ())
            }
            return not sites or raw.site in sites

        return [(raw, values) for raw, values in typed if belongs_here(raw, values)]

    def _typed(self, raw: Raw) -> dict[str, Any] | None:
        if raw.type.name not in self._named_after:
            self._named_after[raw.type.name] = key_fields(raw.type.fields)
        for name in self._named_after[raw.type.name]:
            if name not in raw.values:
                raw.values[name] = Key(raw.name)
                raw.values.keys_at[name] = raw.where
        try:
            model = raw.type.model.model_validate(raw.values)
        except ValidationError as invalid:
            self._refused.add((raw.site, raw.type.name, raw.name))
            self._explain(raw, invalid)
            return None
        values: dict[str, Any] = model.model_dump()
        needed = raw.type.systems(values)
        own = raw.type.sites(values) if raw.type.sites else None
        if own is not None:
            for site in own:
                if site not in self._sites:
                    self._add(
                        "VP202", f"no site {site}", raw.where, partial(no_site_hint, site, self._sites, self._near)
                    )
            self._across_to_a_retired_site(raw, own)
            if raw.site not in own:
                return None
        systems = self._sites[raw.site].systems
        if needed <= systems:
            return values
        if raw.site in self._retired or not systems:  # a site without any system is reported by itself
            return None
        self._refused.add((raw.site, raw.type.name, raw.name))
        if raw.sites is not None or own is not None:
            lacks = ", ".join(sorted(needed - systems))
            self._add(
                "VP208",
                f"{raw.type.noun} {raw.name}: site {raw.site} has no {lacks}",
                raw.where,
                "remove the site from sites",
            )
        elif not any(needed <= systems for systems in self._combinations):
            lacks = ", ".join(sorted(needed))
            self._add(
                "VP208", f"{raw.type.noun} {raw.name}: no site has {lacks}", raw.where, "add the system to a site"
            )
        return None

    def _across_to_a_retired_site(self, raw: Raw, sites: tuple[str, ...]) -> None:
        """VP217 for an entry that joins sites, if some of them are retired and others are not."""
        retired_sites = [site for site in sites if site in self._retired]
        if retired_sites and len(retired_sites) < len(sites):
            text = f"{raw.type.noun} {raw.name} is also on site {retired_sites[0]}, which is retired"
            fix = f"remove it and what replicates over it, or remove retire from site {retired_sites[0]}"
            self._add("VP217", text, raw.where, fix)

    def _entry(self, raw: Raw, values: dict[str, Any]) -> Entry:
        def change(refers: Refers, value: Any) -> Any:
            return self._reference(raw, refers, value)

        symbolic = map_references(raw.type.fields, values, change)
        address = Address(raw.site, raw.type.name, raw.name)
        values = canonical_values(raw.type.fields, symbolic)
        return Entry(address, values, raw.where, renamed_from=raw.renamed_from, inside=raw.inside)

    def _reference(self, raw: Raw, refers: Refers, value: Any) -> Any:
        if refers.composed:
            return value
        kinds = [kind for kind, _ in refers.targets]
        if isinstance(value, dict):
            return self._existing(raw, kinds, value["existing"])
        if not isinstance(value, str):
            return value
        for kind in kinds:
            if value in self._known.get((raw.site, kind), ()):
                return Ref(Address(raw.site, kind, value))
        unmanaged = Ref(Address(raw.site, kinds[0], value), managed=False)
        if raw.site in self._retired or any((raw.site, kind, value) in self._refused for kind in kinds):
            return unmanaged
        if not self._obscured.isdisjoint(kinds):
            return unmanaged
        if self._lacking is not None:
            self._lacking = True
            return unmanaged
        where = _find(raw.values, value) or raw.where
        elsewhere = {site: None for kind in kinds for site in self._places.get((kind, value), ())}
        if elsewhere:
            message = f"{self._noun(kinds[0])} {value} is on {', '.join(elsewhere)}, not on {raw.site}"
            self._add(
                "VP210",
                message,
                where,
                f"add {raw.site} to the sites of {value}, or "
                + (
                    f"write sites: [{', '.join(elsewhere)}] in this entry"
                    if raw.sites is None
                    else f"remove {raw.site} from the sites of this entry"
                ),
            )
        else:
            self._not_known(raw.site, kinds, value, where)
        return unmanaged

    def _noun(self, kind: str) -> str:
        return self._types[kind].noun if kind in self._types else kind

    def _not_known(self, site: str, kinds: list[str], value: str, where: Where) -> None:
        """Record a reference to an unknown entry: it is reported once, with all places."""
        key = self._noun(kinds[0]), value
        if key not in self._unknown:
            self._unknown[key] = _Unknown(partial(self._hint, site, kinds, value))
        self._unknown[key].places.setdefault(where)
        self._added += 1
        if len(self._unknown) >= MAX_PROBLEMS or self._added >= _MAX_ADDED:
            nowhere = (
                error("VP209", f"no {noun} {name}", where=next(iter(reference.places)))
                for (noun, name), reference in self._unknown.items()
            )
            raise too_many([*self.problems, *nowhere])

    def _hint(self, site: str, kinds: list[str], value: str) -> str:
        names = [name for kind in kinds for name in self._known.get((site, kind), ())]
        if hint := self._near(value, names):
            return hint
        one_that_is_not = f"for one outside this document write {{existing: {yaml_scalar(value)}}}"
        return f"{known_ones(names)}; {one_that_is_not}" if names else one_that_is_not

    def _existing(self, raw: Raw, kinds: list[str], name: str) -> Ref:
        """Resolves `{existing: NAME}`: to the document's own entry with that name, if the object was adopted, else to an unmanaged
        object. The order of an apply then follows from it as from any other reference."""
        for kind in kinds:
            key = self._called.get((raw.site, kind), {}).get(name)
            if key is not None:
                return Ref(Address(raw.site, kind, key))
            new = self._renamed.get((raw.site, kind), {}).get(name)
            if new is not None and raw.site not in self._retired:
                message = (
                    f"{raw.type.name} {raw.name} refers to {kind} {name} as existing, but this document renames it"
                )
                self._add("VP219", message, _find(raw.values, name) or raw.where, f"write {new}")
        return Ref(Address(raw.site, kinds[0], name), managed=False)

    def _explain(self, raw: Raw, invalid: ValidationError) -> None:
        inside = self._inside(raw.type)
        beside, known_at = (*ENTRY_KEYS, *inside), partial(self._known_at, raw)
        for mistake in mistakes(raw.type.model, raw.values, invalid, self._near.closest, beside, known_at):
            incomplete = raw.site in self._retired or raw.where in self._halved
            if incomplete and (mistake.code == MISSING_KEY or not mistake.path):
                continue  # a rule about the whole entry also fails for missing fields, or fails on other sites too
            if mistake.meant in inside:
                self._obscured.add(inside[mistake.meant])
            text, where = mistake.about(f"{raw.type.noun} {raw.name}"), mistake.where or raw.where
            if mistake.path and isinstance(raw.values.get(mistake.path[0]), Key):
                self._about_the_key(raw, mistake, text, where)
            else:
                self._add(mistake.code, text, where, mistake.fix or _where_it_is_shown(raw, mistake))

    def _about_the_key(self, raw: Raw, mistake: Mistake, text: str, where: Where) -> None:
        """Reports a problem with a name that is the entry's key, or its container's, because the document writes no name.

        References may mean the corrected key, so unknown entries of the type are not reported.
        """
        self._obscured.add(raw.type.name)
        self._bad_keys.add(Address(raw.site, raw.type.name, raw.name))
        fix = mistake.fix or self._other_name(raw, mistake.path)
        if raw.inside is not None and raw.inside.shares_name:
            self._after_containers.append((raw.inside.container, mistake.code, text, where, fix))
        else:
            self._add(mistake.code, text, where, fix)

    def _other_name(self, raw: Raw, path: tuple[Any, ...]) -> str:
        """The fix for an entry whose key is not valid as a name: its plain form, where that is valid; else ""."""
        plain = re.sub(r"[^a-z0-9]+", "-", raw.name[:63].lower()).strip("-")
        try:
            raw.type.model.model_validate({**raw.values, path[0]: plain})
        except ValidationError as invalid:
            if any(problem["loc"][:1] == path[:1] for problem in invalid.errors(include_url=False)):
                return ""
        if raw.inside is not None and raw.inside.shares_name:
            return f"write {path[0]}: {plain} in it"
        return f"write the key {plain}"

    def _inside(self, container: EntryType) -> dict[str, str]:
        """The types of the entries that may be inside such an entry, by the keys under which they may be written."""
        if not container.contains:
            return {}
        contained = [
            type_
            for name in self._types
            if container.name in (type_ := self._types[name]).model.model_fields and not type_.contains
        ]
        return {key: type_.name for type_ in contained for key in (type_.section, type_.name)}

    def _known_at(self, raw: Raw, path: tuple[Any, ...]) -> list[KeyPlace]:
        """Where the key at the end of the path is known, which the entry does not have there: in the entry, in its container, and in
        what may be inside it; only if nowhere there, in any section."""
        container = None if raw.inside is None else self._types[raw.inside.container.kind]
        around = f"{container.section}.{raw.inside.container.name}." if container and raw.inside else ""
        is_only_one = raw.inside is not None and raw.inside.shares_name
        base = around + (raw.type.name if is_only_one else f"{raw.type.section}.{raw.name}")
        known_at, key = key_places(raw.type.model, path, base, f"{raw.type.noun} {raw.name}"), str(path[-1])
        if len(path) > 1:
            return known_at
        if container and raw.inside:
            whole = f"{container.noun} {raw.inside.container.name}"
            known_at += (
                [KeyPlace(whole, around + key, sure=True)]
                if key in container.model.model_fields
                else key_places(container.model, path, around[:-1], whole)
            )
        inside = [self._types[name] for name in dict.fromkeys(self._inside(raw.type).values())]
        known_at += [
            KeyPlace(a(type_.noun), f"{base}.{type_.section}.{NAME}.{key}", sure=True)
            for type_ in inside
            if key in type_.model.model_fields
        ]
        beside = self._inside(container) if container else {}
        return known_at or [
            KeyPlace(a(type_.noun), f"{around if type_.section in beside else ''}{type_.section}.{NAME}.{key}")
            for type_ in self._types.values()
            if key in type_.model.model_fields
        ]

    def _add(self, code: str, message: str, where: Where, fix: str | Callable[[], str]) -> None:
        self._added += 1
        message = shortened(message)
        if (message, where) not in self._seen:  # an entry is validated once for every site
            self._seen.add((message, where))
            self.problems.append(error(code, message, fix=fix if isinstance(fix, str) else fix(), where=where))
        if len(self.problems) >= MAX_PROBLEMS or self._added >= _MAX_ADDED:
            raise too_many(self.problems)


@dataclass(slots=True)
class _Unknown:
    """An unknown name that entries refer to: what to do about it, and the places of the references."""

    fix: Callable[[], str]
    places: dict[Where, None] = field(default_factory=dict)


def _where_it_is_shown(raw: Raw, mistake: Mistake) -> str:
    """The command that shows an example of a field, where the message names only the type; else ""."""
    if mistake.of_type_alone and mistake.path and raw.type.section:
        return f"for an example: vastplan explain {raw.type.section}.{mistake.path[0]}"
    return ""


def _another_key(raw: Raw) -> str:
    """How to give an entry another key; one that is written as the only one of its container has none of its own."""
    if raw.inside is None or not raw.inside.shares_name:
        return "write another key"
    return f"write this one as {raw.type.section}: {{ANOTHER-KEY: {{...}}}}"


def _find(values: Any, wanted: str) -> Where | None:
    """The place of a value, for a message about it."""
    if isinstance(values, Located):
        for key, value in values.items():
            if value == wanted and key != "name":
                return values.where(key)
            where = _find(value, wanted)
            if where:
                return where
    elif isinstance(values, LocatedList):
        for index, value in enumerate(values):
            if value == wanted:
                return values.items_at[index]
            where = _find(value, wanted)
            if where:
                return where
    return None
