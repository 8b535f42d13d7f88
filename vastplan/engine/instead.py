"""Access rules that replace others: the old one is deleted after the new ones exist, and stays should that fail. Pure.

A bucket whose reader is another group now, say: the rights of the one before are deleted, those of the new one are made, and both
have the same policy. Nothing but that says that the one is for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vastplan.engine.match import Matches
from vastplan.model.address import Address
from vastplan.model.plan import Action, Verb
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.references import fields_with_references


def who_comes(
    matches: Matches, desired: Mapping[Address, Entry], actions: Iterable[Action]
) -> Mapping[str, list[Address]]:
    """By what lets in (its address, such as an identity policy), those that it lets in by this plan and did not before."""
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
    """Those that are let in by what let in an object that goes."""
    if action.verb is not Verb.DELETE or not lets_in_by(matches.kinds[action.address.kind]):
        return ()
    refers = matches.owned[action.address].refers
    return dict.fromkeys(address for target in refers for address in coming.get(target, ()))


def lets_in_by(kind: Kind) -> bool:
    """Whether an object of a kind is let in by what a field of it refers to."""
    return any(field.opens is not None and field.refers is not None for field in kind.fields)
