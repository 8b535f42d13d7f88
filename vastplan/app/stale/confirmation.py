"""Checks whether the document, the ledger and the systems confirm a saved plan: compares it with a plan made now. Pure.

The plan file only selects which actions of the plan made now are carried out: the values sent, the objects, the order and the
change limits come from the plan made now, with the consents of the file. An action that is no longer the same is refused, and
the actions that depend on it are not begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from vastplan.app.planning.request import Planned
from vastplan.engine.deciding.staleness import moved_since, moved_unseen, outgrown, stale
from vastplan.model.address import Address
from vastplan.model.canonical_json import plain_json
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Stale
from vastplan.model.outcome import StaleField
from vastplan.model.plan import GOING, Action, Operation, Plan, Step, Verb
from vastplan.model.value import from_json, references, to_json
from vastplan.schema.kind import Kind

_Node = tuple[Address, Step]
_MAKES_ROOM = (Verb.CREATE, Verb.REPLACE, Verb.DELETE)
"""The verbs whose actions other actions wait for: an object does not exist yet, or still exists."""
_COMPARED = (Verb.UPDATE, Verb.REPLACE, Verb.ADOPT)
"""The verbs that are planned from the values of a live object."""


@dataclass(frozen=True, slots=True)
class BorneOut:
    """The plan to carry out, except the actions in `refused`; `moved` has the fields that changed.

    `unlike` are the refused actions that differ from the plan made now: nothing in them is used.
    """

    plan: Plan
    refused: Mapping[Address, str] = field(default_factory=dict)
    unlike: frozenset[Address] = frozenset()
    moved: Mapping[Address, tuple[StaleField, ...]] = field(default_factory=dict)


def borne_out(saved: Plan, again: Planned) -> BorneOut:
    """The saved plan, with the actions refused that `again`, a new plan of the same document and ledger, does not confirm."""
    verdicts = _Verdicts(saved, again)
    actions, problems, unlike = [], {}, set()
    for action in saved.actions:
        try:
            borne, stopped = (action, None) if action.blocked else verdicts.borne_out(action)
        except Stale as problem:
            borne, stopped = action, problem
            unlike.add(action.address)
        actions.append(borne)
        if stopped is not None:
            problems[action.address] = stopped
    plan = replace(saved, actions=tuple(actions), operations=tuple(verdicts.operations()))
    refused = {address: str(problem) for address, problem in problems.items()}
    moved = {address: problem.moved for address, problem in problems.items()}
    return BorneOut(plan, refused, frozenset(unlike), moved)


class _Verdicts:
    """The data that every verdict uses; nothing changes after creation."""

    def __init__(self, saved: Plan, again: Planned) -> None:
        self._saved, self._again = saved, again
        self._planned, self._now = saved.by_address(), again.plan.by_address()
        self._at = {(each.address, each.step): index for index, each in enumerate(saved.operations)}
        self._entries = {entry.address: entry for entry in again.entries}
        self._steps = _steps(saved)
        self._steps_now = _steps(again.plan)
        self._before: dict[Address, list[tuple[_Node, _Node]]] = {}
        """By address, pairs of operations in the new plan: the one to wait for, then the waiting one of this address."""
        for operation in again.plan.operations:
            for index in operation.after:
                first = again.plan.operations[index]
                pair = ((first.address, first.step), (operation.address, operation.step))
                self._before.setdefault(operation.address, []).append(pair)

    def borne_out(self, action: Action) -> tuple[Action, Stale | None]:
        """The action to carry out, and why a guard stops it now, if one does. Raises `Stale` if a plan made now would not have it."""
        now = self._now.get(action.address)
        match = self._again.matches.match(action.address)
        if action.verb is Verb.CREATE and (match.live is not None or match.unknown):
            return self._as_it_would_be_made(action), None  # the executor checks this too, and reports what it found
        if action.verb is Verb.DELETE and match.live is None and not match.unknown:
            return self._gone(action, now), None
        kind = self._again.matches.kinds[action.address.kind]
        if now is None or _facts(action, kind) != _facts(now, kind):
            raise self._other(action)
        borne = replace(now, blocked=(), evidence=action.evidence)
        if now.blocked:
            used = match.live.metrics if match.live is not None and action.verb in GOING else None
            grown = () if used is None else outgrown(kind, action, used)
            return borne, stale(grown) if grown else Stale(f"{now.blocked[0].message}; plan again")
        self._refuse_order(action, now)
        return borne, None

    def _as_it_would_be_made(self, action: Action) -> Action:
        """The create with the document's values: no value from the plan file is used, least of all the source of a secret.

        Raises `Stale` if the document does not have the object, or the steps differ.
        """
        entry = self._entries.get(action.address)
        if entry is None or self._steps.get(action.address) != {Step.WRITE}:
            raise self._other(action)
        now = self._now.get(action.address)
        if action.supersedes != (now.supersedes if now is not None else ""):
            raise self._other(action)
        return replace(action, desired=to_json(entry.values), origin=entry.origin)

    def _gone(self, action: Action, now: Action | None) -> Action:
        """The delete of an object that is gone already: only the ledger is updated. Raises `Stale` if a plan made now differs."""
        if now is None or now.verb is not Verb.RELEASE or now.id != action.id or now.desired:
            raise self._other(action)
        if self._steps.get(action.address) != {Step.DELETE}:
            raise self._other(action)
        return replace(action, locator=now.locator)

    def _other(self, action: Action) -> Stale:
        """Why an action differs from a plan made now; with the changed fields if the object itself changed."""
        match = self._again.matches.match(action.address)
        if match.unknown:
            return Stale(f"cannot determine whether it is as planned: {match.unknown}; plan again")
        live = match.live
        moved: tuple[StaleField, ...] = ()
        if live is not None and live.id == action.id and live.locator == action.locator:
            if action.verb is Verb.DELETE:
                moved = moved_unseen(live.kind, action.seen, live.values)
            elif action.verb in _COMPARED and self._is_desired(action):
                desired = from_json(dict(action.desired))
                current = self._again.matches.symbolic(live.kind, live, tuple(references(desired)))
                moved = moved_since(live.kind, action, desired, current)
        if moved:
            return stale(moved)
        if live is None and action.verb in _COMPARED:
            return Stale("it is gone since the plan was made; plan again")
        now = self._now.get(action.address)
        would = (
            "a new plan would not change it"
            if now is None
            else f"a new plan would {now.verb.value} {_which(action, now)}"
        )
        return Stale(f"it no longer follows from the document, the ledger and the systems: {would}; plan again")

    def _is_desired(self, action: Action) -> bool:
        """Whether the plan's values are those of the document: only these are compared with the live object."""
        now, entry = self._now.get(action.address), self._entries.get(action.address)
        desired = now.desired if now is not None else to_json(entry.values) if entry is not None else None
        return bool(plain_json(action.desired) == plain_json(desired))

    def _refuse_order(self, action: Action, now: Action) -> None:
        """Raises `Stale` if the action's steps differ from those of the plan made now, or come before an operation they wait for."""
        if self._steps.get(action.address) != self._steps_now.get(action.address):
            raise Stale("the plan does not have the steps that it needs; plan again")
        for first, then in self._before.get(action.address, ()):
            if first not in self._at:
                needed = self._now[first[0]]
                if needed.verb in _MAKES_ROOM:  # even if the saved plan has another action on it
                    raise Stale(f"it waits for {first[0]}, which the plan does not {needed.verb.value}; plan again")
            elif self._at[first] > self._at[then]:
                raise Stale(f"it would be done before {first[0]}, which it waits for; plan again")
        for text in now.together:
            if Address.parse(text) not in self._planned:
                raise Stale(f"it is applied together with {text}, which the plan does not change; plan again")

    def operations(self) -> Iterator[Operation]:
        """The operations of the saved plan, each waiting for those it waited for then and those it waits for now."""
        for index, operation in enumerate(self._saved.operations):
            now = {
                self._at[first]
                for first, then in self._before.get(operation.address, ())
                if then == (operation.address, operation.step) and first in self._at
            }
            yield replace(operation, after=tuple(sorted({*operation.after, *(each for each in now if each < index)})))


def _steps(plan: Plan) -> dict[Address, set[Step]]:
    steps: dict[Address, set[Step]] = {}
    for operation in plan.operations:
        steps.setdefault(operation.address, set()).add(operation.step)
    return steps


def _facts(action: Action, kind: Kind) -> Any:
    """All that must be equal in two plans for an action: its verb, object, values, changes and live state."""
    seen = {path: value for path, value in action.seen.items() if path.partition(".")[0] not in kind.ignored_on_delete}
    return plain_json(
        [
            action.verb, action.id, action.locator, action.desired, action.renamed_from, action.released,
            sorted(action.left), action.fingerprint, seen,
            [[each.path, each.before, each.after, each.replaces, each.known_after_apply] for each in action.changes],
        ]
    )  # fmt: skip


def _which(action: Action, now: Action) -> str:
    if now.verb is not action.verb:
        return f"it, not {action.verb.value} it"
    if (now.id, now.locator) != (action.id, action.locator):
        return "another object"
    return "it otherwise"
