"""The references between kinds, by their field tables."""

from __future__ import annotations

from vastplan.schema.field import Field
from vastplan.schema.markers import Marker
from vastplan.schema.walk import fields_with_references, map_references, raw_references

__all__ = ["OF_A_SITE", "fields_with_references", "map_references", "raw_references", "targets_of"]

OF_A_SITE = frozenset({"id", "name", "path", "namespace"})
"""Attributes that mean nothing on another site: an object with the same value there is another object. IP addresses and GUIDs
are not among them: these identify one object everywhere."""


def targets_of(fields: tuple[Field, ...]) -> set[str]:
    """The kinds that a live object with these fields can refer to."""
    targets: set[str] = set()
    for field in fields:
        if not field.has(Marker.DOCUMENT):
            targets |= {kind for kind, _ in field.refers.targets} if field.refers else set()
            targets |= targets_of(field.fields)
    return targets
