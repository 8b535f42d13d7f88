"""Access rules that replace others: the old one is deleted after the new ones exist, and stays if they fail. Pure.

For example, a bucket gets another group as its reader: the rights of the old group are deleted and those of the new one created.
Both refer to the same policy, and only that shows that one replaces the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.plan import Action, Verb
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.references import fields_with_references


def who_comes(
    matches: Matches, desired: Mapping[Address, Entry], actions: Iterable[Action]
) -> Mapping[str, list[Address]]:
    """By the address of what gives access (such as an identity policy), the objects to which this plan newly gives access by it."""
    coming: dict[str, list[Address]] = {}
    for action in actions:
        entry = desired.get(action.address)
        if entry is None or action.verb not in (Verb.CREATE, Verb.UPDATE):
            continue
        owned = matches.owned.get(action.address)
        before = owned.refers if owned is not None and action.verb is Verb.UPDATE else ()
        kind = matches.kinds[action.address.kind]
        for field, ref in fields_with_references(kind.fields, entry.values):
            if field.opens is not None and str(ref.target) not in before:
                coming.setdefault(str(ref.target), []).append(action.address)
    return coming


def instead_of(action: Action, matches: Matches, coming: Mapping[str, list[Address]]) -> Iterable[Address]:
    """The objects that newly get access by what gave access to the object that an action deletes."""
    if action.verb is not Verb.DELETE or not lets_in_by(matches.kinds[action.address.kind]):
        return ()
    refers = matches.owned[action.address].refers
    return dict.fromkeys(address for target in refers for address in coming.get(target, ()))


def lets_in_by(kind: Kind) -> bool:
    """Whether objects of a kind get access by what one of their fields refers to."""
    return any(field.opens is not None and field.refers is not None for field in kind.fields)
