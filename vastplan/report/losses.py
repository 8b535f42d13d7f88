"""What a plan deletes or replaces, and what is in it: a line for each object with data, one for each kind of those without."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model.plan import GOING, Action, Plan, Verb
from vastplan.model.wording import some
from vastplan.report.change import REMARKS
from vastplan.report.differences import Show
from vastplan.report.edits import action_place
from vastplan.report.values import counted, kind_words, plain_value

TITLE = "What is lost"
_NAMED = 4  # objects of a kind without data
_APPROVAL = "approval"  # the guard that a person satisfies


def loss_lines(plan: Plan, show: Show, words: Show) -> list[str]:
    """The lines, what holds data first. `show` shows a name or a value, `words` the text between them."""
    lines: list[str] = []
    without: dict[tuple[str, Verb, str], list[Action]] = {}
    for action in plan.actions:
        if action.deletes or (action.verb in GOING and action.holds_data):
            lines.append(_line(action, show, words))
        elif action.verb in GOING:
            without.setdefault((action.address.kind, action.verb, _remarks(action)), []).append(action)
    return [*lines, *(_of_kind(actions, show, words) for actions in without.values())]


def _line(action: Action, show: Show, words: Show) -> str:
    what = f"{action.verb.value} {show(str(action.address))}"
    place = action_place(action, show)
    parts = [*_seen(action, show, words)]
    if action.verb not in GOING:
        parts.insert(0, f"its system deletes data, by {some(action.deletes, _NAMED, show)}")
    remarks = [words(remarks)] if (remarks := _remarks(action)) else []
    return f"{what}{f' ({place})' if place else ''}: {'; '.join([*parts, *remarks])}"


def _seen(action: Action, show: Show, words: Show) -> Iterator[str]:
    for evidence in action.evidence:
        yield f"{words(evidence.name)} {show(plain_value(evidence.value, evidence.unit))}"
    if not action.evidence and action.verb in GOING:
        yield "holds data; how much is not known"


def _remarks(action: Action) -> str:
    guards = dict.fromkeys(block.guard for block in action.blocked)
    others = [guard for guard in guards if guard != _APPROVAL]
    remarks = ["needs approval"] if _APPROVAL in guards else []
    remarks += [f"blocked: {', '.join(others)}"] if others else []
    remarks += [words] if action.standing and (words := REMARKS.get(action.standing)) else []
    return "; ".join(remarks)


def _of_kind(actions: list[Action], show: Show, words: Show) -> str:
    verb, kind = actions[0].verb.value, actions[0].address.kind
    names = some([str(action.address) for action in actions], _NAMED, show)
    remarks = f"; {words(remarks)}" if (remarks := _remarks(actions[0])) else ""
    return f"{verb} {words(counted(len(actions), kind_words(kind)))} without data: {names}{remarks}"
