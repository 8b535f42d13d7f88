"""What differs, leaf by leaf, in the fields that the document speaks of, and which side moved. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from vastplan.model.plan import Cause, FieldChange
from vastplan.model.site_ledger import REDACTED_DIGEST, digest, path_text
from vastplan.model.value import REDACTED, to_json
from vastplan.schema.codec import prune
from vastplan.schema.kind import Field, Kind, Shape, Values
from vastplan.schema.markers import Marker

Path = tuple[str, ...]
_UNCOMPARED = frozenset({Marker.DOCUMENT, Marker.CREATE_ONLY})
_NOTHING: Mapping[str, Any] = {}


class Leaf(NamedTuple):
    """One value of the document that is compared as a whole."""

    path: Path
    field: Field
    value: Any
    immutable: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """The changed leaves, and those that we once set and the document no longer mentions.

    `untold` are leaves that cannot be compared with a snapshot.
    """

    changes: tuple[FieldChange, ...]
    paths: frozenset[Path]
    released: tuple[str, ...]
    untold: tuple[str, ...] = ()


def leaves(
    fields: tuple[Field, ...], values: Mapping[str, Any], prefix: Path = (), immutable: bool = False
) -> Iterator[Leaf]:
    """The leaves of what the document says: structs, maps and keyed members recurse, sets and lists are one leaf."""
    for field in fields:
        if field.name not in values or field.markers & _UNCOMPARED:
            continue
        path, value = (*prefix, field.name), values[field.name]
        fixed = immutable or Marker.IMMUTABLE in field.markers
        if isinstance(value, dict) and field.shape is Shape.STRUCT:
            yield from leaves(field.fields, value, path, fixed)
        elif isinstance(value, dict) and field.shape is Shape.LIST_MAP:
            for key, member in value.items():
                if member is None:
                    yield Leaf((*path, key), field, None, fixed)
                else:
                    yield from leaves(field.fields, member, (*path, key), fixed)
        elif isinstance(value, dict) and field.shape is Shape.MAP:
            for key, item in value.items():
                yield Leaf((*path, key), field, item, fixed)
        else:
            yield Leaf(path, field, value, fixed)


def value_at(values: Any, path: Path) -> Any:
    """The value of a leaf, `None` where there is none."""
    for step in path:
        if not isinstance(values, dict):
            return REDACTED if values is REDACTED else None
        values = values.get(step)
    return values


def same(field: Field, desired: Any, live: Any) -> bool:
    """Whether a leaf needs no change. A cleared field equals whatever the system says for unset."""
    if desired is None:
        return live is None or (not isinstance(live, bool) and live in field.cleared)
    if isinstance(desired, bool) and live is None:
        return not desired
    if field.shape is Shape.LIST and field.fields and isinstance(live, list) and isinstance(desired, list):
        return len(desired) == len(live) and all(
            _covers(field.fields, want, have) for want, have in zip(desired, live, strict=True)
        )
    if isinstance(desired, bool) != isinstance(live, bool):
        return False
    return bool(desired == live)


def _covers(fields: tuple[Field, ...], desired: Mapping[str, Any], live: Any) -> bool:
    """A list's items are compared on what the document writes of them: the system may add to each."""
    return isinstance(live, dict) and all(
        same(leaf.field, leaf.value, value_at(live, leaf.path)) for leaf in leaves(fields, desired)
    )


def diff(kind: Kind, desired: Values, live: Values, applied: Mapping[str, str] | None, key: str) -> Difference:
    """Desired against live, with the digests last applied as the third side (`None`: never applied)."""
    changes: list[FieldChange] = []
    paths: set[Path] = set()
    spoken: set[str] = set()
    untold: list[str] = []
    for leaf in leaves(kind.fields, desired):
        text = path_text(leaf.path)
        spoken.add(text)
        was = applied.get(text) if applied is not None else None
        current = None if leaf.field.has(Marker.WRITE_ONLY) else value_at(live, leaf.path)
        if was == REDACTED_DIGEST or current is REDACTED:
            untold.append(text)
            continue
        if leaf.field.has(Marker.WRITE_ONLY):
            if was is not None and was == leaf_digest(key, leaf.field, leaf.value):
                continue
            if was is None and leaf.immutable:
                continue  # never shown and never ours: no reason to replace what may well be right
            cause = Cause.DOCUMENT if was else Cause.NEW
        else:
            if same(leaf.field, leaf.value, current):
                continue
            cause = _cause(key, leaf, current, was)
        changes.append(_change(leaf, current, cause))
        paths.add(leaf.path)
    released = tuple(sorted(set(applied or _NOTHING) - spoken))
    return Difference(tuple(changes), frozenset(paths), released, tuple(untold))


def _cause(key: str, leaf: Leaf, live: Any, was: str | None) -> Cause:
    if was is None:
        return Cause.NEW
    document_moved = was != leaf_digest(key, leaf.field, leaf.value)
    still_clear = same(leaf.field, None, live) and was == digest(key, None)
    system_moved = was != leaf_digest(key, leaf.field, live) and not still_clear
    if document_moved and system_moved:
        return Cause.BOTH
    return Cause.DOCUMENT if document_moved else Cause.SYSTEM


def leaf_digest(key: str, field: Field, value: Any) -> str:
    """A leaf's digest; in a list of structs, a part that the system reads out as null is as one that was left out."""
    if field.shape is Shape.LIST and field.fields and isinstance(value, list):
        value = [prune(item) for item in value]
    return digest(key, value)


def _change(leaf: Leaf, current: Any, cause: Cause) -> FieldChange:
    hidden = leaf.field.has(Marker.SENSITIVE)
    return FieldChange(
        path=path_text(leaf.path),
        before=None if hidden else to_json(current),
        after=None if hidden else to_json(leaf.value),
        cause=cause,
        unit=leaf.field.unit,
        sensitive=hidden,
        replaces=leaf.immutable,
        units={field.name: field.unit for field in leaf.field.fields if field.unit},
    )


def from_nothing(kind: Kind, desired: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    """What a create sets, field by field."""
    return tuple(replace(_change(leaf, None, Cause.NEW), replaces=False) for leaf in leaves(kind.fields, desired))


def digests(kind: Kind, desired: Mapping[str, Any], key: str) -> dict[str, str]:
    """What the ledger remembers of an applied object: a digest per leaf."""
    return {path_text(leaf.path): leaf_digest(key, leaf.field, leaf.value) for leaf in leaves(kind.fields, desired)}


def fingerprint(kind: Kind, desired: Mapping[str, Any], live: Values) -> str:
    """One digest of the live values of the fields that the document speaks of: what must not move until apply.

    Secrets are left out: the digest goes into plan files, and its key is the same everywhere.
    """
    compared = {
        path_text(leaf.path): value_at(live, leaf.path)
        for leaf in leaves(kind.fields, desired)
        if not leaf.field.has(Marker.SENSITIVE)
    }
    return digest("00", compared)


def moved_by(changes: Iterable[FieldChange]) -> str:
    """Which side moved, in a word for people."""
    causes = {change.cause for change in changes}
    if causes <= {Cause.SYSTEM}:
        return "it was changed behind our back"
    if causes <= {Cause.DOCUMENT, Cause.NEW}:
        return "the document changed"
    return "both the document and the system changed"
