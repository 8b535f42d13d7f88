"""What a snapshot may keep of a live object: fields in the tables, without those that are or may be secret. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from vastplan.engine.live.observe import Live
from vastplan.model.live_state import WELL
from vastplan.model.site_ledger import REDACTED_DIGEST, path_text
from vastplan.model.snapshot import Figure, SeenObject
from vastplan.model.value import Unknown
from vastplan.schema.kind import Kind
from vastplan.schema.walk import redacted

_SCALAR = (str, int, float, bool, type(None))
WITHHELD = "the system did not report it when the snapshot was taken"


def seen_object(live: Live, owned: Iterable[str]) -> SeenObject:
    """A live object for a snapshot; `owned` are the paths of the fields that vastplan set there, by the ledger."""
    values, withheld = redacted(live.kind.fields, live.values, frozenset(owned))
    return SeenObject(
        id=live.id,
        locator=live.locator,
        values=values,
        attributes={name: value for name, value in live.attributes.items() if isinstance(value, _SCALAR)},
        facts={name: _fact(value) for name, value in live.metrics.items()},
        system_owned=live.system_owned,
        controller=live.controller,
        writers=live.writers,
        withheld=tuple(withheld),
        document=live.mark.document,
        marked=live.mark.at,
        owners=live.owners,
        state=None if live.state == WELL else live.state,
    )


def withheld_labels(live: Live, labels: Collection[str]) -> Iterator[str]:
    """The paths of others' labels and annotations whose key matches a pattern; none for a kind that holds secrets."""
    if labels and not live.kind.secretive:
        for field in live.kind.fields:
            value = live.values.get(field.name)
            if field.keys_of_others is not None and isinstance(value, dict):
                yield from (
                    path_text((field.name, key)) for key in value if field.keys_of_others.asked_for(key, labels)
                )


def digests_to_keep(kind: Kind, fields: Mapping[str, str]) -> dict[str, str]:
    """The ledger's digests of one object. Those of secrets are redacted: the snapshot also contains their key."""
    secret = {field.name for field in kind.fields if field.undisclosed}
    return {path: REDACTED_DIGEST if path.partition(".")[0] in secret else digest for path, digest in fields.items()}


def _fact(value: Any) -> Figure | dict[str, Figure]:
    if isinstance(value, dict):
        return {str(key): WITHHELD if isinstance(item, Unknown) else item for key, item in value.items()}
    return WITHHELD if isinstance(value, Unknown) or not isinstance(value, int | float) else value
