"""Parts of one entry of the document that are changed together or not at all. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.plan import Action, FieldChange, Verb
from vastplan.schema.entries import Entry


def entry_units(
    actions: Iterable[Action], matches: Matches, desired: Mapping[Address, Entry]
) -> dict[Address, list[Address]]:
    """The actions that are applied together with others, with these: of several the first with all, and each of these with the first.

    The parts of an entry that the document no longer has are deleted together: without a part its data would stay without what
    limits and protects it. Of an entry that stays, the parts with the same change (one size in the document is the limit of a
    quota, and the capacity of a volume; one path is that of a view, and the handle of what mounts it) belong together.
    """
    kept = {entry.origin for entry in desired.values()}
    units: dict[tuple[Any, ...], list[Address]] = {}
    for action in actions:
        address = action.address
        if action.verb is Verb.DELETE:
            owned = matches.owned.get(address)
            if owned is not None and owned.origin and owned.origin not in kept and address not in matches.formers:
                units.setdefault((owned.origin,), []).append(address)
        elif action.verb in (Verb.UPDATE, Verb.REPLACE) and action.origin:
            for figures in dict.fromkeys(
                (change.before, change.after) for change in action.changes if _is_telling(change)
            ):
                units.setdefault((action.origin, *figures), []).append(address)
    needs: dict[Address, list[Address]] = {}
    for first, *others in units.values():
        for other in others:
            needs.setdefault(first, []).append(other)
            needs.setdefault(other, []).append(first)
    return needs


def _is_telling(change: FieldChange) -> bool:
    """Whether a change is from one number or text to another: switches, and what was not set before, may be equal by chance."""
    return all(type(value) in (int, float, str) for value in (change.before, change.after))
