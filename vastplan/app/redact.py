"""What of a live object may be kept in a snapshot: fields that the tables know, without what is or may be secret. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.engine.diff import Path
from vastplan.engine.observe import Live
from vastplan.model.site_ledger import REDACTED_DIGEST, path_text
from vastplan.model.snapshot import Figure, SeenObject
from vastplan.schema.kind import Field, Kind, Shape, Unknown
from vastplan.schema.markers import Marker

_SECRET = frozenset({Marker.SENSITIVE, Marker.WRITE_ONLY})
_SCALAR = (str, int, float, bool, type(None))
NOT_TOLD = "the system did not tell it when the snapshot was taken"


def seen_object(live: Live, owned: Iterable[str]) -> SeenObject:
    """A live object for a snapshot; `owned` are the paths of the fields that the ledger says we set there."""
    values, withheld = _redacted(live.kind.fields, live.values, frozenset(owned), ())
    return SeenObject(
        id=live.id,
        locator=live.locator,
        values=values,
        attributes={name: value for name, value in live.attributes.items() if isinstance(value, _SCALAR)},
        facts={name: _fact(value) for name, value in live.facts.items()},
        system_owned=live.system_owned,
        writers=live.writers,
        withheld=tuple(withheld),
    )


def digests_to_keep(kind: Kind, fields: Mapping[str, str]) -> dict[str, str]:
    """The ledger's digests of one object. Those of secrets stay behind: their key is in the snapshot."""
    secret = {field.name for field in kind.fields if field.markers & _SECRET or field.secret or _any_secret(field)}
    return {path: REDACTED_DIGEST if path.partition(".")[0] in secret else digest for path, digest in fields.items()}


def _any_secret(field: Field) -> bool:
    return bool(field.markers & _SECRET) or any(_any_secret(inner) for inner in field.fields)


def _redacted(
    fields: tuple[Field, ...], values: Mapping[str, Any], owned: frozenset[str], at: Path
) -> tuple[dict[str, Any], list[Path]]:
    kept: dict[str, Any] = {}
    withheld: list[Path] = []
    for field in fields:
        if field.name not in values:
            continue
        path, value = (*at, field.name), values[field.name]
        if field.markers & _SECRET or (_any_secret(field) and field.shape in (Shape.LIST, Shape.SET)):
            withheld.append(path)
        elif not isinstance(value, dict) or (field.shape is Shape.VALUE and path_text(path) in owned):
            kept[field.name] = value
        elif field.shape is Shape.STRUCT:
            kept[field.name], more = _redacted(field.fields, value, owned, path)
            withheld += more
        elif field.shape is Shape.LIST_MAP:
            kept[field.name], more = _members(field, value, owned, path)
            withheld += more
        elif field.shape is Shape.MAP:
            # Labels and annotations are anybody's: kubectl keeps a whole Secret in one of them.
            foreign = {key for key, item in value.items() if isinstance(item, str | dict | list)
                      and path_text((*path, key)) not in owned and not field.has_references}  # fmt: skip
            kept[field.name] = {key: item for key, item in value.items() if key not in foreign}
            withheld += [(*path, key) for key in sorted(foreign)]
        else:
            withheld.append(path)  # an object of any form, which we did not set: nobody knows what is in it
    return kept, withheld


def _members(
    field: Field, members: Mapping[str, Any], owned: frozenset[str], at: Path
) -> tuple[dict[str, Any], list[Path]]:
    kept: dict[str, Any] = {}
    withheld: list[Path] = []
    for key, member in members.items():
        if isinstance(member, dict):
            kept[key], more = _redacted(field.fields, member, owned, (*at, key))
            withheld += more
        else:
            kept[key] = member
    return kept, withheld


def _fact(value: Any) -> Figure | dict[str, Figure]:
    if isinstance(value, dict):
        return {str(key): NOT_TOLD if isinstance(item, Unknown) else item for key, item in value.items()}
    return NOT_TOLD if isinstance(value, Unknown) or not isinstance(value, int | float) else value
