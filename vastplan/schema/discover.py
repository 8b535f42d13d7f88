"""Finds what the kinds package declares, without importing modules that are not used. No code outside a kind's module names
the kind.

A module is imported when one of its declarations is used, and must then declare what was known of it. That is read from the text
of the modules: the name and the section in a top-level `KIND = ...(...)`, `NAME = Kind(...)` or `NAME = composite(...)`, and the
type in a `NAME = Composition("...", ...)`. A package with `index.json` (`make schemas`; `written` is its text) has the same there,
with the facts that are asked of all kinds at once; an index that names other modules than those that exist is not used.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from vastplan.model.dataclass import dataclass
from vastplan.schema.composition import Composition
from vastplan.schema.entries import EntryType, entry_type
from vastplan.schema.field import Field as KindField
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import KindFacts, facts_of

T = TypeVar("T")
INDEX = "index.json"
_DECLARATION = re.compile(rb"^(?:KIND = \w+|\w+ = (Kind|composite|Composition))\(((?:.|\n)*?)(?=^\S|\Z)", re.MULTILINE)
_NAME, _SECTION, _OF = (re.compile(pattern) for pattern in (rb'\bname="(\w+)"', rb'\bsection="(\w+)"', rb'^\s*"(\w+)"'))


@dataclass(frozen=True, slots=True)
class Declared:
    """What a module declares: the names of kinds and compositions, and the pairs of section and entry type."""

    kinds: frozenset[str]
    compositions: frozenset[str]
    sections: frozenset[tuple[str, str]]


Known = Mapping[str, Declared]
"""What each module declares."""


class LazyTable(Mapping[str, T], Generic[T]):
    """A table with known keys, whose values are loaded when they are looked up; iterating over the keys loads nothing."""

    def __init__(self, keys: Iterable[str], load: Callable[[str], T]) -> None:
        self._keys = dict.fromkeys(keys)
        self._load = load
        self._loaded: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        try:
            return self._loaded[key]
        except KeyError:
            if key not in self._keys:
                raise
        return self._loaded.setdefault(key, self._load(key))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class LazyKinds(LazyTable[Kind]):
    """The kinds by name, with the facts of all of them; where no index has these, the first question loads all kinds."""

    def __init__(self, keys: Iterable[str], load: Callable[[str], Kind], known: Mapping[str, KindFacts] | None) -> None:
        super().__init__(keys, load)
        self._facts = known

    @property
    def facts(self) -> Mapping[str, KindFacts]:
        """The facts of each kind by its name."""
        if self._facts is None:
            self._facts = {name: facts_of(kind) for name, kind in self.items()}
        return self._facts


class LazySections(LazyTable[EntryType]):
    """The entry types by section, and in `types` by their own name; `names` maps each section to its type's name."""

    def __init__(self, names: Mapping[str, str], load: Callable[[str], EntryType]) -> None:
        super().__init__(names, load)
        sections = {name: section for section, name in names.items()}
        self.types = LazyTable(sections, lambda name: self[sections[name]])


@dataclass(frozen=True, slots=True)
class Registry:
    """All kinds and compositions by name, all sections by their name in the document, and the types of their entries by name."""

    kinds: Mapping[str, Kind]
    compositions: Mapping[str, Composition]
    sections: Mapping[str, EntryType]
    types: Mapping[str, EntryType] = field(init=False)

    def __post_init__(self) -> None:
        sections = self.sections
        if isinstance(sections, LazySections):
            types: Mapping[str, EntryType] = sections.types
        else:
            types = {type_.name: type_ for type_ in sections.values()}
        object.__setattr__(self, "types", types)

    def without_compositions(self, *names: str) -> Registry:
        """The same registry without the compositions of these types: their entries stay as they are written."""
        remaining = {name: self.compositions[name] for name in self.compositions if name not in names}
        return replace(self, compositions=remaining)


class _Library:
    """The modules of a package with their declarations, loaded when they are used."""

    def __init__(self, known: Known) -> None:
        self._lock = threading.RLock()
        self._declared = known
        self._modules: dict[str, dict[str, str]] = {"kinds": {}, "compositions": {}, "sections": {}}
        self.type_names: dict[str, str] = {}
        for module, declared in self._declared.items():
            sections = dict(declared.sections)
            for table, names in (
                ("kinds", declared.kinds), ("compositions", declared.compositions), ("sections", sections)
            ):  # fmt: skip
                for name in sorted(names):
                    if name in self._modules[table]:
                        raise TypeError(f"{name} is declared twice")
                    self._modules[table][name] = module
            if set(sections.values()) & set(self.type_names.values()):
                raise TypeError(f"{module} declares an entry type that is declared elsewhere")
            self.type_names |= dict(sorted(sections.items()))
        self._checked: set[str] = set()

    def names(self, table: str) -> Iterable[str]:
        """The keys of a table, in the order of the modules' names."""
        return self._modules[table]

    def load(self, table: str, name: str) -> Any:
        """The declaration with a name; raises `TypeError` when its module does not declare what its text says."""
        module = self._modules[table][name]
        with self._lock:
            loaded = _contents(importlib.import_module(module))
            if module not in self._checked:
                self._check(module, loaded)
                self._checked.add(module)
        return loaded[table][name]

    def _check(self, module: str, loaded: Mapping[str, Mapping[str, Any]]) -> None:
        declared = Declared(
            frozenset(loaded["kinds"]),
            frozenset(loaded["compositions"]),
            frozenset((section, type_.name) for section, type_ in loaded["sections"].items()),
        )
        if declared != self._declared[module]:
            raise TypeError(f"{module} declares {declared}, and its text says {self._declared[module]}")
        names = {*self._modules["kinds"], *self.type_names.values()}
        for owners in (loaded["kinds"], loaded["sections"]):
            for owner in owners.values():
                _check_references(owner.name, owner.fields, names)
        for name in declared.compositions - names:
            raise TypeError(f"a composition of {name}, which does not exist")


@cache
def discover(package: ModuleType) -> Registry:
    """The registry of a package, the same for all who ask, loaded when it is used; raises `TypeError` where declarations contradict each other."""
    modules = _modules(package)
    indexed = _indexed(package, modules)
    declared, kind_facts = indexed if indexed is not None else (_listed(modules), None)
    library = _Library(declared)
    return Registry(
        kinds=LazyKinds(library.names("kinds"), lambda name: library.load("kinds", name), kind_facts),
        compositions=LazyTable(library.names("compositions"), lambda name: library.load("compositions", name)),
        sections=LazySections(library.type_names, lambda name: library.load("sections", name)),
    )


def check(registry: Registry) -> None:
    """Loads everything, and raises what only then shows: an error for a reference to an attribute that a kind does not have."""
    for name in registry.compositions:
        registry.compositions[name]
    tables = [kind.fields for kind in registry.kinds.values()] + [type_.fields for type_ in registry.sections.values()]
    for target, attribute in (pair for fields in tables for pair in _targets(fields)):
        if target in registry.kinds:
            registry.kinds[target].attribute(attribute)


def written(package: ModuleType) -> str:
    """The text of the package's index, from its modules."""
    declared = _listed(_modules(package))
    library = _Library(declared)
    modules = {}
    for module, module_declared in declared.items():
        tables = {
            "kinds": {name: facts_of(library.load("kinds", name)).listed() for name in sorted(module_declared.kinds)},
            "compositions": sorted(module_declared.compositions),
            "sections": dict(sorted(module_declared.sections)),
        }
        modules[module] = {table: names for table, names in tables.items() if names}
    return json.dumps(modules, indent=1) + "\n"


def _modules(package: ModuleType) -> dict[str, Path]:
    """The modules of a package and of those in it, by name in order, with their files."""
    return dict(sorted(_files(package.__name__, Path(*package.__path__))))


def _files(package: str, folder: Path) -> Iterator[tuple[str, Path]]:
    with os.scandir(folder) as items:
        for item in items:
            name, ending = os.path.splitext(item.name)
            if ending == ".py" and name != "__init__":
                yield f"{package}.{name}", Path(item.path)
            elif not ending and name != "__pycache__" and item.is_dir():
                yield from _files(f"{package}.{name}", Path(item.path))


def _indexed(package: ModuleType, modules: Iterable[str]) -> tuple[Known, Mapping[str, KindFacts]] | None:
    """What the index of a package says of its modules and of all kinds; `None` where it has none, or one of other modules."""
    try:
        index = json.loads(Path(*package.__path__, INDEX).read_bytes())
    except FileNotFoundError:
        return None
    if index.keys() != set(modules):
        return None
    declared = {
        module: Declared(
            frozenset(record.get("kinds", ())),
            frozenset(record.get("compositions", ())),
            frozenset(record.get("sections", {}).items()),
        )
        for module, record in index.items()
    }
    kind_facts = {
        name: KindFacts.read(record)
        for module_index in index.values()
        for name, record in module_index.get("kinds", {}).items()
    }
    return declared, kind_facts


def _listed(modules: Mapping[str, Path]) -> Known:
    """The declarations in the text of each module."""
    return {name: _declared(file.read_bytes()) for name, file in modules.items()}


def _declared(text: bytes) -> Declared:
    kinds, compositions, sections = set(), set(), set()
    for declaration, arguments in _DECLARATION.findall(text):
        if declaration == b"Composition":
            compositions.add(_first(_OF, arguments))
            continue
        name, section = _first(_NAME, arguments), _first(_SECTION, arguments)
        if declaration != b"composite":
            kinds.add(name)
        if section:
            sections.add((section, name))
    return Declared(frozenset(kinds), frozenset(compositions), frozenset(sections))


def _first(pattern: re.Pattern[bytes], text: bytes) -> str:
    match = pattern.search(text)
    return match[1].decode() if match else ""


def _contents(module: ModuleType) -> dict[str, dict[str, Any]]:
    """The kinds, compositions and sections that a module declares; no module imports those of another."""
    contents: dict[str, dict[str, Any]] = {"kinds": {}, "compositions": {}, "sections": {}}
    for value in vars(module).values():
        if isinstance(value, Kind):
            contents["kinds"][value.name] = value
            if value.section:
                contents["sections"][value.section] = entry_type(value)
        elif isinstance(value, EntryType):
            contents["sections"][value.section] = value
        elif isinstance(value, Composition):
            contents["compositions"][value.of] = value
    return contents


def _check_references(owner: str, fields: tuple[KindField, ...], names: set[str]) -> None:
    for target, _ in _targets(fields):
        if target not in names:
            raise TypeError(f"{owner} refers to {target}, which does not exist")


def _targets(fields: tuple[KindField, ...]) -> Iterator[tuple[str, str]]:
    for field_ in fields:
        for refers in (field_.refers, field_.key_refers):
            yield from refers.targets if refers else ()
        yield from _targets(field_.fields)
