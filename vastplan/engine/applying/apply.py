"""Carry out a plan: each operation starts when those it needs are done, in parallel; a failure stops only what waits for it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

from vastplan.engine.applying.apply_context import ApplyContext, Made
from vastplan.engine.applying.execute import execute, refuse_if_shown_late
from vastplan.engine.deciding.blocks import block_dependents
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Lost, Stale, Unclear, VastplanError
from vastplan.model.outcome import Outcome, Receipt, StaleField, State
from vastplan.model.plan import Action, Block, Operation, Plan, Step
from vastplan.model.sensitive import without_secrets
from vastplan.model.value import from_json, references


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """The progress of an action: the step that begins, or the state that it ended in; `message` may say why it ended so."""

    action: Action
    step: Step | None = None
    state: State | None = None
    message: str = ""


Progress = Callable[[ProgressEvent], None]


def apply_actions(
    plan: Plan, context: ApplyContext, *, parallel: int, progress: Progress, stop: threading.Event
) -> Receipt:
    """Carry out every action that is not blocked. After `stop` is set, actions that have begun finish and no other begins."""
    return _Schedule(plan, context, parallel, progress, stop).run()


class _Schedule:
    def __init__(
        self, plan: Plan, context: ApplyContext, parallel: int, progress: Progress, stop: threading.Event
    ) -> None:
        self._plan = plan
        self._context = context
        self._parallel = parallel
        self._progress = progress
        self._stop = stop
        self._actions = {action.address: action for action in plan.actions}
        self._last = {operation.address: index for index, operation in enumerate(plan.operations)}
        self._outcomes: dict[Address, Outcome] = {}
        self._begun: dict[Address, Step] = {}
        self._made: dict[Address, Mapping[str, Any]] = {}
        """The attributes of what was written, by address. Only this thread reads it: each operation gets those it refers to."""
        self._lost: dict[str, str] = {}
        """Sites whose ledger is lost, and why: no action begins there any more, because nothing can be recorded."""
        self._detached = {operation.address for operation in plan.operations if operation.step is Step.DETACH}
        stopped = {
            address: replace(action, blocked=(Block("moved", context.overtaken[address]),))
            if address in context.overtaken
            else action
            for address, action in self._actions.items()
        }
        for address, action in block_dependents(stopped, plan.operations).items():
            if action.blocked:
                state = State.STALE if address in context.overtaken else State.SKIPPED
                self._end(self._actions[address], state, action.blocked[0].message, context.moved.get(address, ()))

    def run(self) -> Receipt:
        """One outcome for every action of the plan, in its order."""
        waiting = {index: set(operation.after) for index, operation in enumerate(self._plan.operations)}
        users: dict[int, list[int]] = {}
        for index, needs in waiting.items():
            for need in needs:
                users.setdefault(need, []).append(index)
        ready = deque(index for index, needs in waiting.items() if not needs)
        flying: dict[Future[Mapping[str, Any]], int] = {}
        self._refuse_shown_late()
        with ThreadPoolExecutor(max_workers=self._parallel) as pool:
            while ready or flying:
                while ready and len(flying) < self._parallel:  # an operation queued in the pool could not be stopped
                    index = ready.popleft()
                    if self._skipped(self._plan.operations[index]):
                        ready += _freed(index, users, waiting)
                    else:
                        self._begun[self._plan.operations[index].address] = self._plan.operations[index].step
                        operation = self._plan.operations[index]
                        flying[pool.submit(self._execute, operation, self._made_for(operation))] = index
                if flying:
                    done, _ = wait(flying, return_when=FIRST_COMPLETED)
                    for future in done:
                        index = flying.pop(future)
                        self._note(index, future)
                        ready += _freed(index, users, waiting)
        return Receipt(self._plan.id, tuple(self._outcomes[action.address] for action in self._plan.actions))

    def _refuse_shown_late(self) -> None:
        """End the creates of what an interrupted run has created after all."""
        for action in self._plan.actions:
            if action.address not in self._outcomes and not self._stop.is_set():
                try:
                    refuse_if_shown_late(self._context, action)
                except Exception as problem:
                    self._fail(action, problem)

    def _skipped(self, operation: Operation) -> bool:
        """Whether the operation is not begun; the first one of an action that is not ends the action, with the reason."""
        if operation.address in self._outcomes:
            return True
        action = self._actions[operation.address]
        begun = self._begun.get(operation.address)
        if self._stop.is_set() and begun is None:
            self._end(action, State.SKIPPED, "stopped before it began")
            return True
        if operation.address.site in self._lost:
            state = State.UNKNOWN if begun else State.SKIPPED
            self._end(action, state, self._lost[operation.address.site])
            return True
        for index in operation.after:
            before = self._outcomes.get(self._plan.operations[index].address)
            if before is not None and before.state is not State.DONE and before.address != str(operation.address):
                half = f"its {begun.value} was done, and the rest " if begun else "it "
                self._end(action, State.SKIPPED, f"{half}waits for {before.address}, which is {before.state.value}")
                return True
        return False

    def _made_for(self, operation: Operation) -> Made:
        """The attributes that this apply has written, of the objects that the operation's object refers to."""
        action = self._actions[operation.address]
        targets = [ref.target for ref in references(from_json(dict(action.desired)))]
        return {target: self._made[target] for target in targets if target in self._made}

    def _execute(self, operation: Operation, made: Made) -> Mapping[str, Any]:
        action = self._actions[operation.address]
        self._progress(ProgressEvent(action, step=operation.step))
        detached = operation.step is Step.WRITE and operation.address in self._detached
        already_moved = detached or (operation.step is Step.DELETE and bool(operation.after))
        return execute(self._context, action, operation.step, made, already_moved=already_moved)

    def _note(self, index: int, future: Future[Mapping[str, Any]]) -> None:
        operation = self._plan.operations[index]
        action = self._actions[operation.address]
        try:
            attributes = future.result()
        except Exception as problem:  # a fault in vastplan must not stop the other operations, nor lose what was done
            self._fail(action, problem)
        else:
            if attributes:
                self._made[operation.address] = attributes
            if self._last[operation.address] == index:
                self._end(action, State.DONE)

    def _fail(self, action: Action, problem: Exception) -> None:
        """End an action by what its operation raised."""
        if isinstance(problem, Stale):
            self._end(action, State.STALE, str(problem), problem.moved)
        elif isinstance(problem, Lost):
            self._lost[action.address.site] = str(problem)
            self._end(action, State.UNKNOWN, str(problem))
        elif isinstance(problem, VastplanError):
            self._end(action, State.UNKNOWN if isinstance(problem, Unclear) else State.FAILED, str(problem))
        else:
            fault = f"a fault in vastplan: {type(problem).__name__}: {problem}"
            self._end(action, State.UNKNOWN, without_secrets(fault))

    def _end(self, action: Action, state: State, message: str = "", moved: tuple[StaleField, ...] = ()) -> None:
        self._outcomes[action.address] = Outcome(str(action.address), action.verb.value, state, message, moved)
        site = action.address.site
        begun = not action.blocked and action.address not in self._context.overtaken
        if state in (State.FAILED, State.STALE, State.SKIPPED) and begun and site not in self._lost:
            try:
                self._context.journals[site].settles(str(action.address))
            except Lost as problem:
                self._lost[site] = str(problem)  # the intent stays, and the next run determines the outcome
        self._progress(ProgressEvent(action, state=state, message=message))


def _freed(index: int, users: dict[int, list[int]], waiting: dict[int, set[int]]) -> list[int]:
    """The operations that waited only for this one."""
    freed = []
    for user in users.get(index, ()):
        waiting[user].discard(index)
        if not waiting[user]:
            freed.append(user)
    return freed
