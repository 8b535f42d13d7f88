"""From raw entries to typed ones: each against its model, every reference to an address, every problem to its line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import partial
from typing import Any

from pydantic import ValidationError

from vastplan.document.instantiate import Raw
from vastplan.document.mistakes import MISSING_KEY, mistakes
from vastplan.document.nearest import Nearest
from vastplan.document.typed import named_after
from vastplan.document.yaml import MAX_PROBLEMS
from vastplan.document.yaml import Mapping as Located
from vastplan.document.yaml import Sequence as LocatedList
from vastplan.model.address import Address
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error
from vastplan.model.value import Ref
from vastplan.model.wording import shortened
from vastplan.model.yaml_text import scalar
from vastplan.schema.entries import Entry, Site
from vastplan.schema.markers import Refers
from vastplan.schema.types import Key
from vastplan.schema.walk import canonical, map_references

_MAX_ADDED = 20 * MAX_PROBLEMS  # problems, with those that are the same on many sites


class Resolver:
    """Types the entries of one document; findings collect in `problems`.

    What is wrong on a `retired` site is found there as anywhere. What is only missing there is not wrong: nothing is wanted there.
    """

    def __init__(self, sites: Mapping[str, Site], near: Nearest, retired: Set[str] = frozenset()) -> None:
        self.problems: list[Finding] = []
        self._near = near
        self._sites = sites
        self._combinations = frozenset(site.systems for site in sites.values())
        self._retired = retired
        self._known: dict[tuple[str, str], dict[str, Where]] = {}
        self._called: dict[tuple[str, str], dict[str, str]] = {}  # keys of entries by what their objects are called
        self._refused: set[tuple[str, str, str]] = set()  # entries with mistakes of their own, by site, type and name
        self._places: dict[tuple[str, str], list[str]] = {}  # the sites of a name
        self._renamed: dict[tuple[str, str], dict[str, str]] = {}  # names by former names
        self._seen: set[tuple[str, Where]] = set()
        self._added = 0
        self._named_after: dict[str, tuple[str, ...]] = {}  # by type: the fields that hold the entry's name

    def resolve(self, raws: Iterable[Raw]) -> list[Entry]:
        """The entries in document order. References are resolved after all entries are known."""
        typed = [(raw, values) for raw in raws if (values := self._typed(raw)) is not None]
        for raw, _ in typed:
            names = self._known.setdefault((raw.site, raw.type.name), {})
            if raw.name in names and names[raw.name] != raw.where:
                self._add("VP207", f"{raw.name} is given twice", raw.where, f"the first is at {names[raw.name]}")
            if raw.name not in names:
                names[raw.name] = raw.where
                self._places.setdefault((raw.type.name, raw.name), []).append(raw.site)
            called = str(raw.values.get("name", raw.name))
            self._called.setdefault((raw.site, raw.type.name), {}).setdefault(called, raw.name)
            if raw.renamed_from:
                self._renamed.setdefault((raw.site, raw.type.name), {})[raw.renamed_from] = raw.name
        return [self._entry(raw, values) for raw, values in typed]

    def _typed(self, raw: Raw) -> dict[str, Any] | None:
        if raw.type.name not in self._named_after:
            self._named_after[raw.type.name] = named_after(raw.type.fields)
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
                    self._add("VP202", f"no site {site}", raw.where, partial(self._near, site, self._sites))
            self._across_to_a_retired_site(raw, own)
            if raw.site not in own:
                return None
        has = self._sites[raw.site].systems
        if needed <= has:
            return values
        if raw.site in self._retired:
            return None
        if raw.sites is not None or own is not None:
            lacks = ", ".join(sorted(needed - has))
            self._add(
                "VP208",
                f"{raw.type.name} {raw.name}: site {raw.site} has no {lacks}",
                raw.where,
                "remove the site from sites",
            )
        elif not any(needed <= systems for systems in self._combinations):
            lacks = ", ".join(sorted(needed))
            self._add(
                "VP208", f"{raw.type.name} {raw.name}: no site has {lacks}", raw.where, "add the system to a site"
            )
        return None

    def _across_to_a_retired_site(self, raw: Raw, sites: tuple[str, ...]) -> None:
        """What joins sites has no end where nothing is wanted any more."""
        gone = [site for site in sites if site in self._retired]
        if gone and len(gone) < len(sites):
            text = f"{raw.type.name} {raw.name} is of site {gone[0]} too, which is retired"
            fix = f"remove it and what replicates over it, or take retire away from site {gone[0]}"
            self._add("VP217", text, raw.where, fix)

    def _entry(self, raw: Raw, values: dict[str, Any]) -> Entry:
        def change(refers: Refers, value: Any) -> Any:
            return self._reference(raw, refers, value)

        symbolic = map_references(raw.type.fields, values, change)
        address = Address(raw.site, raw.type.name, raw.name)
        values = canonical(raw.type.fields, symbolic)
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
        missing = Ref(Address(raw.site, kinds[0], value), managed=False)
        if raw.site in self._retired or any((raw.site, kind, value) in self._refused for kind in kinds):
            return missing
        where = _find(raw.values, value) or raw.where
        elsewhere = {site: None for kind in kinds for site in self._places.get((kind, value), ())}
        if elsewhere:
            message = f"{kinds[0]} {value} is on {', '.join(elsewhere)}, not on {raw.site}"
            self._add("VP210", message, where, f"add {raw.site} to its sites, or limit this entry's")
        else:
            self._add("VP209", f"no {kinds[0]} {value}", where, partial(self._hint, raw.site, kinds, value))
        return missing

    def _hint(self, site: str, kinds: list[str], value: str) -> str:
        known = [name for kind in kinds for name in self._known.get((site, kind), ())]
        near = self._near(value, known)
        others = f"{{existing: {scalar(value)}}} for one that is there and that others look after"
        return near or f"{others}; where it was taken out of here, take this out, too"

    def _existing(self, raw: Raw, kinds: list[str], name: str) -> Ref:
        """What is referred to as existing. Once taken over it is the entry that has its name, and waits for it like any other."""
        for kind in kinds:
            key = self._called.get((raw.site, kind), {}).get(name)
            if key is not None:
                return Ref(Address(raw.site, kind, key))
            new = self._renamed.get((raw.site, kind), {}).get(name)
            if new is not None and raw.site not in self._retired:
                message = (
                    f"{raw.type.name} {raw.name} refers to {kind} {name} as existing, and this document renames it"
                )
                self._add("VP219", message, _find(raw.values, name) or raw.where, f"write {new}")
        return Ref(Address(raw.site, kinds[0], name), managed=False)

    def _explain(self, raw: Raw, invalid: ValidationError) -> None:
        for mistake in mistakes(raw.type.model, raw.values, invalid, self._near):
            if raw.site in self._retired and (mistake.code == MISSING_KEY or not mistake.path):
                continue  # a rule of the whole entry misses something, too, or is broken on the other sites as well
            text = mistake.about(f"{raw.type.name} {raw.name}")
            self._add(mistake.code, text, mistake.where or raw.where, mistake.fix)

    def _add(self, code: str, message: str, where: Where, fix: str | Callable[[], str]) -> None:
        self._added += 1
        message = shortened(message)
        if (message, where) not in self._seen:  # an entry is typed once for every site
            self._seen.add((message, where))
            self.problems.append(error(code, message, fix=fix if isinstance(fix, str) else fix(), where=where))
        if len(self.problems) >= MAX_PROBLEMS or self._added >= _MAX_ADDED:
            raise Invalid(self.problems)


def _find(values: Any, wanted: str) -> Where | None:
    """Where a value stands, for a message about it."""
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
