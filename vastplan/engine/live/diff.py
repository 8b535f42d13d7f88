"""What differs, leaf by leaf, in the fields that the document has, and which side changed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Access, Cause, FieldChange
from vastplan.model.site_ledger import NO_DIGESTS, REDACTED_DIGEST, UNKNOWN_DIGEST, keyed_digest, path_text
from vastplan.model.value import REDACTED, to_json
from vastplan.schema.field import Field, Leaf
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Marker
from vastplan.schema.opening import access_by, gains, opens
from vastplan.schema.rows import Path
from vastplan.schema.walk import in_sync, leaves, same, value_at

__all__ = [
    "Difference",
    "Leaf",
    "Path",
    "applied_with",
    "diff",
    "digests",
    "from_nothing",
    "leaf_digest",
    "leaves",
    "live_fingerprint",
    "moved_by",
    "same",
    "value_at",
]  # fmt: skip

_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Difference:
    """The changed leaves, and those that vastplan once set and the document no longer has.

    `unknown` are leaves that cannot be compared with a snapshot, `unrecorded` those whose value, the same in the document and the system,
    is not the one last applied.
    """

    changes: tuple[FieldChange, ...]
    paths: frozenset[Path]
    released: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    unrecorded: tuple[str, ...] = ()


_NO_DIFFERENCE = Difference((), frozenset(), ())


def diff(
    kind: Kind,
    desired: Values,
    live: Values,
    applied: Mapping[str, str] | None,
    key: str,
    raw: Values | None = None,
    wire: Mapping[str, str] | None = None,
) -> Difference:
    """Compare desired with live values, with the digests last applied as the third side (`None`: never applied).

    `raw` are the live values with references as the system writes them, `wire` the digests of those at the last apply.
    """
    noted = applied or _NOTHING
    applied_as = applied_with(kind, key)
    if in_sync(kind.fields, desired, live, noted, applied_as=applied_as) and REDACTED_DIGEST not in noted.values():
        return _NO_DIFFERENCE
    changes: list[FieldChange] = []
    paths: set[Path] = set()
    unknown: list[str] = []
    unrecorded: list[str] = []
    spoken = 0  # desired leaves that were applied before; usually these are all that were, and then none is released
    for leaf in leaves(kind.fields, desired):
        path, field, value, immutable = leaf
        text = path_text(path)
        was = noted.get(text)
        spoken += was is not None
        was = None if was == UNKNOWN_DIGEST else was
        write_only = Marker.WRITE_ONLY in field.markers
        current = None if write_only else live.get(path[0]) if len(path) == 1 else value_at(live, path)
        if was == REDACTED_DIGEST or current is REDACTED:
            unknown.append(text)
            continue
        if write_only:
            if was is not None and was == leaf_digest(key, field, value):
                continue
            if was is None and immutable:
                continue  # never shown and never applied here: no reason to replace an object that may be right
            cause = Cause.DOCUMENT if was else Cause.NEW
        elif same(field, value, current):
            if was is not None and not applied_as(field, value, was):
                unrecorded.append(text)
            continue
        else:
            sent = (wire or _NOTHING).get(text)
            as_then = None if sent is None or raw is None else sent == leaf_digest(key, field, value_at(raw, path))
            cause = _cause(key, leaf, current, was, as_then)
            if cause is Cause.SYSTEM and path[0] in kind.ignored_on_delete:
                cause = Cause.DEPENDENCY  # the system changes it when another object is deleted, whoever deleted that
        changes.append(_change(leaf, current, cause, live, desired))
        paths.add(path)
    released = () if spoken == len(noted) else _released(kind, desired, noted)
    return Difference(tuple(changes), frozenset(paths), released, tuple(unknown), tuple(unrecorded))


def applied_with(kind: Kind, key: str) -> Callable[[Field, Any, str], bool]:
    """Whether a value is the one of a digest in the ledger. References, and the ends of a group, which every member has in its own order,
    are not asked."""
    ends = frozenset(name for pair in (kind.grouped.ends if kind.grouped is not None else ()) for name in pair)

    def applied_as(field: Field, value: Any, was: str) -> bool:
        known = was not in NO_DIGESTS and not field.has_references and field.name not in ends
        return not known or was == leaf_digest(key, field, value)

    return applied_as


def _released(kind: Kind, desired: Values, noted: Mapping[str, str]) -> tuple[str, ...]:
    """The leaves that were applied and that the document no longer has."""
    return tuple(sorted(noted.keys() - {path_text(leaf.path) for leaf in leaves(kind.fields, desired)}))


def _cause(key: str, leaf: Leaf, live: Any, was: str | None, as_then: bool | None) -> Cause:
    """Which side changed. `as_then` says whether the raw live value is the one of the last apply; `None` if that was not recorded."""
    if was is None:
        return Cause.NEW
    document_moved = was != leaf_digest(key, leaf.field, leaf.value)
    if as_then is None:
        still_clear = same(leaf.field, None, live) and was == keyed_digest(key, None)
        as_then = was == leaf_digest(key, leaf.field, live) or still_clear
    if as_then:
        return Cause.DOCUMENT if document_moved else Cause.DEPENDENCY if leaf.field.has_references else Cause.SYSTEM
    return Cause.BOTH if document_moved else Cause.SYSTEM


def leaf_digest(key: str, field: Field, value: Any) -> str:
    """The digest of a leaf: of what its shape compares."""
    return keyed_digest(key, field.shape.digestible(field, value))


def _change(leaf: Leaf, current: Any, cause: Cause, live: Values | None, desired: Mapping[str, Any]) -> FieldChange:
    """The change of a leaf; without `live` values the object is created."""
    hidden = leaf.field.has(Marker.SENSITIVE)
    was = live if live is not None else _NOTHING
    now = {**was, **desired} if leaf.field.admits is not None else _NOTHING
    admits = opens(leaf.field, current, leaf.value, at_create=live is None, was=was, now=now)
    return FieldChange(
        path=path_text(leaf.path),
        before=None if hidden else to_json(current),
        after=None if hidden else to_json(leaf.value),
        cause=cause,
        unit=leaf.field.unit,
        sensitive=hidden,
        replaces=leaf.immutable and not (leaf.field.has(Marker.FIRST_VALUE) and current is None),
        units={field.name: field.unit for field in leaf.field.fields if field.unit},
        unordered=leaf.field.shape.unordered,
        admits=admits,
        access=access_by(leaf.field, current, leaf.value, now) if admits else Access.CLIENTS,
        whom=gains(leaf.field, current, leaf.value) if admits else (),
        fewer=live is not None and leaf.field.reduces is not None and leaf.field.reduces.less(current, leaf.value),
    )


def from_nothing(kind: Kind, desired: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    """What a create sets, field by field."""
    set_leaves = [*leaves(kind.fields, desired), *_only_made_with(kind, desired)]
    return tuple(replace(_change(leaf, None, Cause.NEW, None, desired), replaces=False) for leaf in set_leaves)


def _only_made_with(kind: Kind, desired: Mapping[str, Any]) -> Iterator[Leaf]:
    """The fields that open access and are set only at creation, never compared again: a mode, an owner."""
    for field in kind.fields:
        if field.opens is not None and field.has(Marker.CREATE_ONLY) and field.name in desired:
            yield Leaf((field.name,), field, desired[field.name], immutable=False)


def digests(kind: Kind, desired: Mapping[str, Any], key: str) -> dict[str, str]:
    """What the ledger records of an applied object: a digest per leaf."""
    return {path_text(leaf.path): leaf_digest(key, leaf.field, leaf.value) for leaf in leaves(kind.fields, desired)}


def wire_digests(kind: Kind, desired: Mapping[str, Any], raw: Values, key: str) -> dict[str, str]:
    """What the ledger records of the leaves with references: digests of the values as the system writes them."""
    return {
        path_text(leaf.path): leaf_digest(key, leaf.field, value_at(raw, leaf.path))
        for leaf in leaves(kind.fields, desired)
        if leaf.field.has_references
    }


def live_fingerprint(kind: Kind, desired: Mapping[str, Any], live: Values) -> str:
    """One digest of the live values of the fields that the document has: these must not change until apply.

    Secrets are left out: the digest goes into plan files, and its key is the same everywhere.
    """
    compared = {
        path_text(leaf.path): leaf.field.shape.digestible(leaf.field, value_at(live, leaf.path))
        for leaf in leaves(kind.fields, desired)
        if not leaf.field.has(Marker.SENSITIVE)
    }
    return keyed_digest("00", compared)


def moved_by(changes: Iterable[FieldChange]) -> str:
    """Which side changed, as text."""
    causes = {change.cause for change in changes}
    if causes == {Cause.DEPENDENCY}:
        return "what it refers to was replaced or renamed"
    causes.discard(Cause.DEPENDENCY)
    if causes <= {Cause.SYSTEM}:
        return "changed outside vastplan"
    if causes <= {Cause.DOCUMENT, Cause.NEW}:
        return "the document changed"
    return "both the document and the system changed"
