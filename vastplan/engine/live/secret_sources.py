"""Where the secrets of an object come from. A source is no secret: it is shown, recorded and compared where values cannot be. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.live.diff import Difference, from_nothing
from vastplan.model.plan import Cause, FieldChange
from vastplan.model.site_ledger import path_text
from vastplan.model.value import sources
from vastplan.schema.field import Leaf
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Marker
from vastplan.schema.opening import opens
from vastplan.schema.walk import leaves

IN_THE_DOCUMENT = "the document"
_SHOWN = 80  # characters of a plain text in the document
_NOTHING: Mapping[str, Leaf] = {}


def source_text(value: Any) -> str:
    """`{env: NAME}`, `{file: PATH}`, as documents write it; "" for a field that is cleared.

    A plain text in the document is no secret, and may be the address that secrets are sent to: it is shown, as a digest if it is long.
    """
    if value is None:
        return ""
    elsewhere = ", ".join(f"{{{kind}: {place}}}" for kind, place in dict.fromkeys(sources(value)))
    if elsewhere or not isinstance(value, str):
        return elsewhere or IN_THE_DOCUMENT
    if len(value) <= _SHOWN:
        return f"{IN_THE_DOCUMENT}: {value}"
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{IN_THE_DOCUMENT}: {len(value)} characters, SHA-256 {digest}..."


def secret_leaves(kind: Kind, desired: Values) -> Mapping[str, Leaf]:
    """The secret leaves of symbolic values, by their paths."""
    if not kind.secretive:
        return _NOTHING
    all_leaves = leaves(kind.fields, desired)
    return {path_text(leaf.path): leaf for leaf in all_leaves if Marker.SENSITIVE in leaf.field.markers}


def secret_sources(kind: Kind, desired: Values) -> dict[str, str]:
    """The sources of the secret leaves of symbolic values, by their paths, as the ledger records them."""
    return {path: source_text(leaf.value) for path, leaf in secret_leaves(kind, desired).items()}


def with_sources(
    difference: Difference, kind: Kind, desired: Values, noted: Mapping[str, str]
) -> tuple[Difference, str]:
    """The difference with the sources of its secrets, and a text about secrets with the same value from another source, "" for none.

    `noted` are the sources last applied. A secret that cannot be compared and now comes from another source is a change.
    """
    secrets = secret_leaves(kind, desired)
    if not secrets:
        return difference, ""
    now = {path: source_text(leaf.value) for path, leaf in secrets.items()}
    moved = [path for path, source in now.items() if noted.get(path, source) != source]
    changes = [
        replace(change, source_before=noted.get(change.path, ""), source_after=now.get(change.path, ""))
        if change.sensitive
        else change
        for change in difference.changes
    ]
    unseen = [path for path in moved if path in difference.unknown]
    changes += [
        FieldChange(
            path, None, None, Cause.DOCUMENT, sensitive=True, replaces=secrets[path].immutable,
            source_before=noted[path], source_after=now[path], admits=opens(secrets[path].field, None, secrets[path].value),
        )
        for path in unseen
    ]  # fmt: skip
    reported = {change.path for change in changes}
    full = replace(
        difference,
        changes=tuple(changes),
        paths=difference.paths | {secrets[path].path for path in unseen},
        unknown=tuple(path for path in difference.unknown if path not in reported),
    )
    same = [f"{path} comes from {now[path]}, and came from {noted[path]}" for path in moved if path not in reported]
    return full, "; ".join(same)


def created_fields(kind: Kind, desired: Values) -> tuple[FieldChange, ...]:
    """The fields that a create sets, with the sources of its secrets."""
    made = Difference(from_nothing(kind, desired), frozenset(), ())
    return with_sources(made, kind, desired, {})[0].changes
