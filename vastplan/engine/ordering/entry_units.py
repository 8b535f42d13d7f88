"""Parts of one entry of the document that are changed together or not at all. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.plan import Action, FieldChange, Verb
from vastplan.model.value import json_text
from vastplan.schema.entries import Entry


def entry_units(
    actions: Iterable[Action], matches: Matches, desired: Mapping[Address, Entry]
) -> Iterator[list[Address]]:
    """The groups of addresses that are changed together, two or more in each.

    The parts of an entry that the document no longer has are deleted together: without a part its data would stay without what
    limits and protects it. Of an entry that stays, the parts with the same change (one size in the document is the limit of a
    quota, and the capacity of a volume) belong together.
    """
    kept = {entry.origin for entry in desired.values()}
    units: dict[tuple[str, ...], list[Address]] = {}
    for action in actions:
        address = action.address
        if action.verb is Verb.DELETE:
            owned = matches.owned.get(address)
            if owned is not None and owned.origin and owned.origin not in kept and address not in matches.formers:
                units.setdefault((owned.origin,), []).append(address)
        elif action.verb in (Verb.UPDATE, Verb.REPLACE) and action.origin:
            for key in dict.fromkeys(_from_to(change) for change in action.changes if _is_figure(change)):
                units.setdefault((action.origin, *key), []).append(address)
    return (addresses for addresses in units.values() if len(addresses) > 1)


def _is_figure(change: FieldChange) -> bool:
    """Whether a change is of a number to another one: other values may be equal by chance."""
    return all(type(value) in (int, float) for value in (change.before, change.after))


def _from_to(change: FieldChange) -> tuple[str, str]:
    return json_text(change.before), json_text(change.after)
