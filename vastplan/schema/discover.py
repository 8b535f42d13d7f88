"""Find what the kinds package declares, by walking it: nothing outside a kind's module names the kind."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from vastplan.schema.entries import Composition, EntryType, entry_type
from vastplan.schema.kind import Field as KindField
from vastplan.schema.kind import Kind


@dataclass(frozen=True, slots=True)
class Registry:
    """All kinds and expansions by name, and all sections by their name in the document."""

    kinds: dict[str, Kind]
    compositions: dict[str, Composition]
    sections: dict[str, EntryType]

    def types(self) -> dict[str, EntryType]:
        """The entry types by their own name, the singular of the section."""
        return {one.name: one for one in self.sections.values()}


def discover(package: ModuleType) -> Registry:
    """Import every module of the package and collect what is declared; raises `TypeError` on contradictions."""
    kinds: dict[str, Kind] = {}
    compositions: dict[str, Composition] = {}
    sections: dict[str, EntryType] = {}
    for info in sorted(pkgutil.walk_packages(package.__path__, package.__name__ + "."), key=lambda one: one.name):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, Kind):
                _add(kinds, value.name, value)
                if value.section:
                    _add(sections, value.section, entry_type(value))
            elif isinstance(value, EntryType):
                _add(sections, value.section, value)
            elif isinstance(value, Composition):
                _add(compositions, value.of, value)
    registry = Registry(kinds, compositions, sections)
    names = {*kinds, *registry.types()}
    for owner, fields in [
        *((k.name, k.fields) for k in kinds.values()),
        *((s.name, s.fields) for s in sections.values()),
    ]:
        _check_references(owner, fields, names, kinds)
    for name in compositions:
        if name not in names:
            raise TypeError(f"an expansion of {name}, which does not exist")
    return registry


def _add(table: dict[str, Any], name: str, value: Any) -> None:
    if table.setdefault(name, value) is not value:
        raise TypeError(f"{name} is declared twice")


def _check_references(owner: str, fields: tuple[KindField, ...], names: set[str], kinds: dict[str, Kind]) -> None:
    for field in fields:
        for refers in (field.refers, field.key_refers):
            for target, attribute in refers.targets if refers else ():
                if target not in names:
                    raise TypeError(f"{owner}.{field.name} refers to {target}, which does not exist")
                if target in kinds:
                    kinds[target].attribute(attribute)
        if field.fields:
            _check_references(f"{owner}.{field.name}", field.fields, names, kinds)
