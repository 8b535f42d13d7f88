"""Drift that a plan keeps: what a rule of the document ignores, and what this run keeps. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from vastplan.engine.live.diff import Path, leaves, moved_by
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.new_names import names_of
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Cause, FieldChange, IgnoredChange, Verb, is_outside_change, outside_move
from vastplan.model.site_ledger import path_text
from vastplan.model.value import from_json, references
from vastplan.schema.field import Field
from vastplan.schema.kind import Values


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """What to leave unchanged: objects by a pattern of their address; with `fields`, only these fields and what is inside them.

    A rule of the `document` applies until the document itself changes the field. A rule of this run applies then too.
    """

    address: str
    reason: str
    fields: tuple[str, ...] = ()
    document: bool = False
    until: str = ""

    def covers(self, address: Address, change: FieldChange) -> bool:
        """Whether the rule keeps the live value that a change would overwrite."""
        if not outside_move(change) or (self.document and change.cause is not Cause.SYSTEM):
            return False
        if not self.fields and fnmatchcase(f"{address}.{change.path}", self.address):
            return True
        named = not self.fields or any(
            fnmatchcase(change.path, field) or change.path.startswith(f"{field}.") for field in self.fields
        )
        return named and self.matches(address)

    def matches(self, address: Address) -> bool:
        """Whether the rule applies to an object."""
        return fnmatchcase(str(address), self.address)


@dataclass(frozen=True, slots=True)
class KeptNames(IgnoreRule):
    """References by name to `names` stay unchanged, because these objects keep the name that they got outside vastplan."""

    names: frozenset[Address] = frozenset()

    def covers(self, address: Address, change: FieldChange) -> bool:
        """Whether a change only follows the names of such objects."""
        named = references(from_json(change.after))
        return change.cause is Cause.DEPENDENCY and bool(named) and all(ref.target in self.names for ref in named)

    def matches(self, address: Address) -> bool:
        """Always false: the rule leaves no object deleted."""
        return False


def kept_names(ignored: Iterable[IgnoredChange], matches: Matches) -> frozenset[Address]:
    """The objects that were renamed outside vastplan and keep that name, because the change of their name is ignored."""
    return frozenset(
        ignored_change.address
        for ignored_change in ignored
        if ignored_change.address in matches.coming
        and any(
            change.path in names_of(matches.kinds[ignored_change.address.kind]) for change in ignored_change.changes
        )
    )


def ignore(
    actions: Mapping[Address, Action], rules: Iterable[IgnoreRule]
) -> tuple[dict[Address, Action], tuple[IgnoredChange, ...]]:
    """The actions without the drift to keep, and that drift."""
    rules = tuple(rules)
    if not rules:
        return dict(actions), ()
    left: list[IgnoredChange] = []
    kept: dict[Address, Action] = {}
    gone: set[Address] = set()
    for address, action in actions.items():
        if action.verb is Verb.CREATE and is_outside_change(action):
            rule = next((rule for rule in rules if not rule.fields and rule.matches(address)), None)
            if rule is not None:
                left.append(IgnoredChange(address, rule.reason, rule.document, rule.until))
                gone.add(address)
                continue
        remaining = _without(action, rules, left)
        if remaining is not None:
            kept[address] = remaining
    return _standing(kept, gone, left), tuple(left)


def _without(action: Action, rules: tuple[IgnoreRule, ...], left: list[IgnoredChange]) -> Action | None:
    covered = {
        change.path: rule
        for change in action.changes
        if (rule := next((rule for rule in rules if rule.covers(action.address, change)), None)) is not None
    }
    if not covered:
        return action
    rest = tuple(change for change in action.changes if change.path not in covered)
    if any(change.replaces for change in rest):
        note = f"{', '.join(covered)} cannot keep its changed value: the object is replaced"
        return replace(action, notes=(*action.notes, note))
    for rule in dict.fromkeys(covered.values()):
        changes = tuple(change for change in action.changes if covered.get(change.path) is rule)
        left.append(IgnoredChange(action.address, rule.reason, rule.document, rule.until, changes))
    if not rest and not action.released and not action.renamed_from:
        return None
    only_noted = (
        "it stays managed, without fields that the document no longer has: these keep their values"
        if action.released
        else "renamed; the live object does not change"
    )
    verb, reason = (Verb.UPDATE, moved_by(rest)) if rest else (Verb.RELEASE, only_noted)
    return replace(action, verb=verb, reason=reason, changes=rest, left=tuple(sorted(covered)))


def _standing(actions: dict[Address, Action], gone: set[Address], left: list[IgnoredChange]) -> dict[Address, Action]:
    """The actions without those that need an object that is gone and is not recreated."""
    while True:
        fallen = {}
        for address, action in actions.items():
            needs = [ref.target for ref in references(from_json(dict(action.desired)))]
            needs += [Address.parse(need) for need in action.after]
            missing = next((need for need in needs if need in gone), None)
            if missing is not None and action.verb is not Verb.DELETE:
                fallen[address] = missing
        if not fallen:
            return actions
        gone |= fallen.keys()
        left += [
            IgnoredChange(address, f"it needs {missing}, which is left as it is") for address, missing in fallen.items()
        ]
        actions = {address: action for address, action in actions.items() if address not in fallen}


def drop_leaves(fields: tuple[Field, ...], values: Values, paths: Iterable[str]) -> Values:
    """The values without those leaves."""
    gone = set(paths)
    if not gone:
        return values
    kept: Values = values
    for leaf in leaves(fields, values):
        if path_text(leaf.path) in gone:
            kept = _dropped(kept, leaf.path)
    return kept


def _dropped(values: dict[str, Any], path: Path) -> dict[str, Any]:
    step, *rest = path
    if not rest:
        return {name: value for name, value in values.items() if name != step}
    return {**values, step: _dropped(values[step], tuple(rest))}
