"""What the ledger records of an object that was written, or taken as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.engine.applying.apply_context import ApplyContext
from vastplan.engine.live.diff import digests, wire_digests
from vastplan.engine.live.groups import group_key
from vastplan.engine.live.observe import Live
from vastplan.engine.live.secret_sources import secret_sources
from vastplan.engine.values.creation import recorded_source
from vastplan.engine.values.delivery import (
    as_delivered,
    delivered_values,
    delivers_of,
    destination,
    generation_of,
    is_pending,
)
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Verb
from vastplan.model.site_ledger import Owned
from vastplan.model.value import references
from vastplan.schema.kind import Values


@dataclass(frozen=True, slots=True)
class JustMade:
    """What this run made: values that were created and delivered, when, and what the object was created from."""

    attributes: Mapping[str, Any]
    delivered_at: str
    made_of: Mapping[str, str]


def ledger_record(
    context: ApplyContext, action: Action, values: Values, before: Owned | None, made: JustMade, id: str, locator: str,
    live: Live | None,
) -> Owned:  # fmt: skip
    """The record of an object. `before` is the former one; fields of `action.left` keep what that has. `live` is `None` while the object is
    not known to be ready."""
    kind, key = context.kinds[action.address.kind], context.ledger[action.address.site].key
    desired, now = context.revealed(values), context.now().isoformat(timespec="seconds")
    refers = {str(ref.target) for ref in references(values) if ref.managed} | set(action.after)
    fields, sources = digests(kind, desired, key), secret_sources(kind, values)
    wire = {} if live is None else wire_digests(kind, desired, live.values, key)
    delivered, delivered_at = ({}, "") if before is None else (before.delivered, before.delivered_at)
    group, first = ("", {}) if before is None else (before.group, before.made_of)
    if before is not None:
        fields |= _left(action, before.fields)
        wire = {path: digest for path, digest in wire.items() if path not in action.left} | _left(action, before.wire)
        sources |= _left(action, before.sources)
    delivers = delivers_of(kind, values)
    if delivers is not None and made.attributes:
        where = destination(delivers, values)
        delivered, delivered_at = as_delivered(where, made.attributes, key), made.delivered_at
    elif delivers is not None and (before is None or before.imported or is_pending(before)):
        # the plan was made from the values at the destination, which are taken for the delivered ones
        where = destination(delivers, values)
        delivered, delivered_at = as_delivered(where, delivered_values(where, context.matches), key), now
    if live is not None:
        group = group_key(live)
        first = first or {**recorded_source(kind, live.attributes), **made.made_of}
    generation = 0 if delivers is None else generation_of(delivers, values)
    answered = now if live is None and action.verb in (Verb.CREATE, Verb.REPLACE) else ""
    return Owned(
        id, locator, fields, tuple(sorted(refers)), now, wire, sources, delivered, delivered_at, generation,
        _composite(context, action), group, first, answered,
    )  # fmt: skip


def _left(action: Action, recorded: Mapping[str, str]) -> dict[str, str]:
    return {path: value for path, value in recorded.items() if path in action.left}


def _composite(context: ApplyContext, action: Action) -> str:
    """The composite entry that the object is a part of; "" if its origin is an entry of a kind, or a setting of the site."""
    site, _, rest = action.origin.partition("/")
    kind, _, name = rest.partition("/")
    of_a_kind = not name or kind in context.kinds
    return "" if of_a_kind or site != action.address.site else action.origin
