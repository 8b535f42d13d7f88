"""The names that systems have for what a change refers to, where a reference by address does not show them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.model.plan import FieldChange
from vastplan.model.value import Unknown, from_json, references
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind

_NAMES = frozenset({"name", "namespace", "path"})
"""The attributes that people read; of an id the address says more."""


def with_system_names(kind: Kind, changes: Iterable[FieldChange], matches: Matches) -> tuple[FieldChange, ...]:
    """The changes, each with the names that are known when the plan is made."""
    return tuple(_with_names(kind, change, matches) for change in changes)


def _with_names(kind: Kind, change: FieldChange, matches: Matches) -> FieldChange:
    names = names_of_references(kind, change.path.partition(".")[0], from_json([change.before, change.after]), matches)
    return replace(change, names=names) if names else change


def names_of_references(kind: Kind, field: str, values: Any, matches: Matches) -> dict[str, str]:
    """By address, the names of what values of a field refer to, where the address does not show them."""
    refs, names = references(values), dict[str, str]()
    attributes = _attributes(kind.field(field)) if refs else {}
    for ref in refs:
        attribute = attributes.get(ref.target.kind)
        value = matches.resolve(ref, attribute) if attribute in _NAMES else None
        shown = ref.target.name
        if value is not None and not isinstance(value, Unknown) and not f"/{shown}".endswith(f"/{value}"):
            names[str(ref.target)] = str(value)
    return names


def _attributes(field: Field) -> Mapping[str, str]:
    """By kind, the attribute by which a field, or a field inside it, refers to an object."""
    own = dict(field.refers.attributes) if field.refers else {}
    return {name: attribute for part in field.fields for name, attribute in _attributes(part).items()} | own
