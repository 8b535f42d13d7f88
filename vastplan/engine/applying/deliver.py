"""Write values that are known only now to their destination, and check that they arrived."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from vastplan.engine.applying import settle
from vastplan.engine.live.body import update_body
from vastplan.engine.live.diff import value_at
from vastplan.engine.values.delivery import Destination
from vastplan.model.errors import Conflict, Refused, Unclear
from vastplan.schema.codec import Encoder, decode_row
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Provider

ATTEMPTS = 5  # after a conflict with another writer the object is read and written again


def deliver(
    kind: Kind, provider: Provider, locator: str, where: Destination, attributes: Mapping[str, Any], encoder: Encoder
) -> None:
    """Set the values in the object of `kind` at `locator`, and change nothing else in it.

    Raises `Refused` when it does not exist or does not keep them, `Unclear` when that cannot be determined.
    """
    values = {where.into: {key: str(attributes[name]) for name, key in where.keys.items()}}
    paths: set[tuple[str, ...]] = {(where.into, key) for key in values[where.into]}
    attempt = 0
    while True:
        attempt += 1
        fresh = provider.read(kind, locator)
        if fresh is None:
            raise Refused(f"{where.target.target} does not exist")
        try:
            provider.update(kind, locator, update_body(kind, values, paths, fresh, encoder), fresh)
            break
        except Conflict:
            if attempt == ATTEMPTS:
                raise
        except Unclear as problem:
            if problem.ended:
                time.sleep(settle.PAUSE)
            if _is_delivered(kind, provider, locator, values, where.into):
                return
            if not problem.ended or attempt >= settle.TRIES:
                raise Unclear(f"{problem}; the value has not arrived yet") from None
    if not _is_delivered(kind, provider, locator, values, where.into):
        raise Refused(f"{where.target.target} accepted the write but did not keep it")


def _is_delivered(kind: Kind, provider: Provider, locator: str, values: Mapping[str, Any], into: str) -> bool:
    row = provider.read(kind, locator)
    live = {} if row is None else decode_row(kind, row)
    return all(value_at(live, (into, key)) == value for key, value in values[into].items())
