"""What a plan deletes or replaces, and what is in it: a line for each object with data, one for each kind of those without; and what
objects that stay take away from those who use them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from vastplan.model.plan import GOING, Action, Plan, loses
from vastplan.model.wording import some
from vastplan.report.change import REMARKS
from vastplan.report.differences import Show
from vastplan.report.edits import action_place
from vastplan.report.review import reducing_changes
from vastplan.report.similarity import SimilarActions
from vastplan.report.values import counted, kind_words, plain_value
from vastplan.report.view import of_change

TITLE = "What is lost"
_NAMED = 2  # objects of many on one line
_NAMED_ALIKE = 2  # objects of which the same is taken away
_MANY = 8  # more objects of a kind with data are one line
_APPROVAL = "approval"  # the guard that a person satisfies


def loss_lines(plan: Plan, show: Show, words: Show) -> list[str]:
    """The lines, what holds data first. `show` shows a name or a value, `words` the text between them."""
    alike: dict[tuple[Hashable, ...], list[Action]] = {}
    for action in plan.actions:
        if action.deletes or action.verb in GOING:
            seen = tuple((evidence.name, evidence.unit) for evidence in action.evidence)
            key = not _data(action), action.address.kind, action.verb, action.deletes, seen, _remarks(action)
            alike.setdefault(key, []).append(action)
    lines: list[str] = []
    for (without, *_), actions in sorted(alike.items(), key=lambda row: bool(row[0][0])):
        if not without and len(actions) <= _MANY:
            lines += (_line(action, show, words) for action in actions)
        else:
            lines.append(_of_many(actions, show, words))
    return [*lines, *_taken(plan, show, words)]


def _taken(plan: Plan, show: Show, words: Show) -> Iterator[str]:
    """What objects that stay take away, a line for each field; many objects of which it is the same are one line."""
    taken: dict[tuple[str, str], list[Action]] = {}
    for action in plan.actions:
        for change in reducing_changes(action):
            remarks = f"; {words(remarks)}" if (remarks := _remarks(action)) else ""
            released = f"; no longer managed: {', '.join(map(show, action.released))}" if action.released else ""
            text = f"{show(change.path)}: {of_change(change).planned(show)}{released}{remarks}"
            taken.setdefault((action.address.kind, text), []).append(action)
    for (kind, text), actions in taken.items():
        many = f" ({words(counted(len(actions), kind_words(kind)))})" if len(actions) > _NAMED_ALIKE else ""
        yield f"{some([str(action.address) for action in actions], _NAMED_ALIKE, show)}{many}: {text}"


def _data(action: Action) -> bool:
    return bool(action.deletes) or loses(action)


def _line(action: Action, show: Show, words: Show) -> str:
    place = action_place(action, show)
    what = f"{action.verb.value} {show(str(action.address))}{f' ({place})' if place else ''}"
    seen = [(evidence.name, plain_value(evidence.value, evidence.unit)) for evidence in action.evidence]
    return f"{what}: {_lost(action, seen, show, words)}"


def _of_many(actions: Sequence[Action], show: Show, words: Show) -> str:
    first = actions[0]
    what = f"{first.verb.value} {words(counted(len(actions), kind_words(first.address.kind)))}"
    lost = _lost(first, SimilarActions(tuple(actions)).seen(), show, words) if _data(first) else _without(first, words)
    if not _data(first) and len(actions) > _NAMED:  # their names are with the changes
        return f"{what}: {lost}"
    return f"{what}: {lost}; {some([str(action.address) for action in actions], _NAMED, show)}"


def _lost(action: Action, seen: Sequence[tuple[str, str]], show: Show, words: Show) -> str:
    """What is in it, and what stops it."""
    parts = [f"{words(name)} {show(value)}" for name, value in seen]
    if action.verb not in GOING:
        parts.insert(0, f"its system deletes data, by {some(action.deletes, _NAMED, show)}")
    remarks = [words(remarks)] if (remarks := _remarks(action)) else []
    return "; ".join([*(parts or ["holds data; how much is not known"]), *remarks])


def _without(action: Action, words: Show) -> str:
    return "without data" + (f"; {words(remarks)}" if (remarks := _remarks(action)) else "")


def _remarks(action: Action) -> str:
    guards = dict.fromkeys(block.guard for block in action.blocked)
    others = [guard for guard in guards if guard != _APPROVAL]
    remarks = ["needs approval"] if _APPROVAL in guards else []
    remarks += [f"blocked: {', '.join(others)}"] if others else []
    remarks += [REMARKS[action.standing]] if action.standing in REMARKS else []
    return "; ".join(remarks)
