"""Which values of a live object a document can leave out: those that its system uses by default.

The defaults are in `ServerDefault` of fields and in `Witness` of kinds. Leaving such a value out changes nothing at first; but
later changes of it are not reported, and a recreated object gets the default that its system has at that time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.model.value import REDACTED
from vastplan.schema.field import Field, Leaf
from vastplan.schema.kind import Kind
from vastplan.schema.markers import AsWitness, DefaultEvidence, Marker, SameAs, ServerDefault
from vastplan.schema.rows import ABSENT, Path, dig
from vastplan.schema.versions import at_least, parse_version
from vastplan.schema.walk import leaves, same


def is_witness(kind: Kind, values: Mapping[str, Any]) -> bool:
    """Whether an object's decoded values are those of the row that ships with the system and shows its defaults."""
    return kind.witness is not None and dig(values, kind.witness.path) == kind.witness.value


def omittable_paths(
    kind: Kind, values: Mapping[str, Any], witness_values: Mapping[str, Any] | None = None, version: str = ""
) -> frozenset[Path]:
    """The paths of a live object's values that a document can leave out; see `known_defaults`."""
    return frozenset(known_defaults(kind, values, witness_values, version))


def counts(known: Iterable[DefaultEvidence]) -> dict[DefaultEvidence, int]:
    """How many there are of each kind of evidence, zeros included."""
    counter = Counter(known)
    return {evidence: counter[evidence] for evidence in DefaultEvidence}


def known_defaults(
    kind: Kind, values: Mapping[str, Any], witness_values: Mapping[str, Any] | None = None, version: str = ""
) -> dict[Path, DefaultEvidence]:
    """The leaves of a live object's decoded values that equal the system's default, and how the default is known.

    `witness_values` are the values of the row that ships with the system, `None` where there is none; `version` is the version
    of the kind's product there, "" where it is not known. A default that only a client or a simulator shows does not count where
    the witness has another value. A group of fields counts as a whole or not at all; except for unset fields and for empty
    lists that could let in nobody new. A required field counts only where its whole struct does.
    """
    witness = witness_values if _speaks_of(kind, values, witness_values) else None
    evidence_by_path: dict[Path, DefaultEvidence] = {}
    written_paths: list[Path] = []
    required: set[Path] = set()
    grouped: dict[tuple[Path, str], list[Leaf]] = {}
    for leaf in leaves(kind.fields, values):
        default = leaf.field.server_default
        if leaf.field.required:
            required.add(leaf.path)
        if default is not None and default.group:
            grouped.setdefault((leaf.path[:-1], default.group), []).append(leaf)
        evidence = None if default is None else _evidence(default, leaf, values, witness, version)
        if evidence is not None:
            evidence_by_path[leaf.path] = evidence
        elif not _is_unset(leaf.field, leaf.value):
            written_paths.append(leaf.path)
    for group in grouped.values():
        if any(leaf.path not in evidence_by_path and not _is_unset(leaf.field, leaf.value) for leaf in group):
            group_paths = [
                leaf.path for leaf in group if leaf.path in evidence_by_path and not _adds_nothing(kind, leaf, values)
            ]
            written_paths += group_paths
            for path in group_paths:
                del evidence_by_path[path]
    begun = {path[:steps] for path in written_paths for steps in range(1, len(path))} | {()}
    return {
        path: evidence for path, evidence in evidence_by_path.items() if path not in required or path[:-1] not in begun
    }


def _speaks_of(kind: Kind, values: Mapping[str, Any], witness: Mapping[str, Any] | None) -> bool:
    if witness is None or kind.witness is None:
        return False
    return all(values.get(name) == witness.get(name) for name in kind.witness.like)


def _evidence(
    default: ServerDefault,
    leaf: Leaf,
    values: Mapping[str, Any],
    witness: Mapping[str, Any] | None,
    version: str,
) -> DefaultEvidence | None:
    """How it is known that the value of a leaf is its default; `None` where it has another value, or the witness contradicts."""
    if isinstance(default.value, AsWitness):
        witness_value = ABSENT if witness is None else dig(witness, leaf.path)
        return default.evidence if witness_value is not ABSENT and same(leaf.field, witness_value, leaf.value) else None
    if not _is_default(default, leaf.field, leaf.value, values):
        return None
    evidence = default.evidence
    if default.since and not _reached(version, default.since):
        evidence = DefaultEvidence.WITNESS
    if evidence is DefaultEvidence.WITNESS and witness is not None:
        witness_value = dig(witness, leaf.path)
        if (
            witness_value is not ABSENT
            and witness_value is not REDACTED
            and not _is_default(default, leaf.field, witness_value, witness)
        ):
            return None
    return evidence


def _is_default(default: ServerDefault, field: Field, value: Any, values: Mapping[str, Any]) -> bool:
    expected = default.value
    if isinstance(expected, SameAs):
        expected = values.get(expected.field)
        if expected is None:
            return False
    if expected in field.cleared:
        expected = None  # every value that the system may return for unset is the same
    return same(field, expected, value)


def _is_unset(field: Field, value: Any) -> bool:
    """Whether there is nothing to write: null, or what the field shows for null, unless null is a value of its own."""
    return Marker.EXPLICIT_NULL not in field.markers and same(field, None, value)


def _adds_nothing(kind: Kind, leaf: Leaf, values: Mapping[str, Any]) -> bool:
    """Whether a field of a group can be left out although others are written: it is unset, or an empty list that could let in
    nobody new."""
    if leaf.value is None or isinstance(leaf.value, bool) or leaf.value not in leaf.field.cleared:
        return _is_unset(leaf.field, leaf.value)
    if leaf.field.admits is None:
        return leaf.field.opens is None
    return any(_lets_in_everybody(kind.field(wider), values.get(wider)) for wider in leaf.field.admits.also)


def _lets_in_everybody(field: Field, value: Any) -> bool:
    everybody = field.admits.unsaid if field.admits is not None else ()
    return bool(everybody) and isinstance(value, list) and set(everybody) <= {str(item) for item in value}


def _reached(version: str, needed: str) -> bool:
    actual, minimum = parse_version(version), parse_version(needed)
    return actual is not None and minimum is not None and at_least(actual, minimum)
