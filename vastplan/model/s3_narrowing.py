"""Compares two identity policies: what only the first one allows, and what only its replacement does. Pure."""

from __future__ import annotations

from typing import Any

from vastplan.model.s3_policy import Statement, canonical_policy, matches, parse_policy
from vastplan.model.value import json_text

_Described = tuple[Statement, str]


def lost_permissions(before: Any, after: Any) -> list[str]:
    """Describes, by statement, what is no longer allowed. Where one of the two is not a policy that can be read, what is lost
    cannot be determined.

    What another statement allows more widely is still allowed. A new statement that denies takes access away, unless an earlier
    one denied as much.
    """
    was, now = _statements(before), _statements(after)
    if was is None or now is None:
        return ["what it allows now (cannot determine what)"] if before else []
    (lost, _), (_, denied) = _more(was, now), _more(now, was)
    allows_any = any(statement.allows for statement, _ in was)
    return [_described(pair) for pair in lost] + (
        [f"what it denies now: {_described(pair)}" for pair in denied] if allows_any else []
    )


def gained_permissions(before: Any, after: Any) -> list[str] | None:
    """Describes, by statement, what is newly allowed, and what is no longer denied; `None` where that cannot be determined."""
    was, now = _statements(before) if before else [], _statements(after)
    if was is None or now is None:
        return None
    more, _ = _more(now, was)
    _, denied = _more(was, now)
    return [*map(_described, more), *(f"what it denied before: {_described(pair)}" for pair in denied)]


def _more(these: list[_Described], others: list[_Described]) -> tuple[list[_Described], list[_Described]]:
    """The statements that allow, and those that deny, more than the others do."""
    more = [
        pair for pair in these if not any(_covers(other, pair) for other in others if other[0].allows is pair[0].allows)
    ]
    return [pair for pair in more if pair[0].allows], [pair for pair in more if not pair[0].allows]


def _statements(document: Any) -> list[_Described] | None:
    """The statements, each with its conditions as text; `None` for a document that is not a policy."""
    try:
        policy = parse_policy(document)
    except ValueError:
        return None
    written = document["Statement"]
    conditions = [
        json_text(canonical_policy({"Statement": statement})["Statement"][0].get("Condition") or {})
        for statement in (written if isinstance(written, list) else [written])
    ]
    return list(zip(policy.statements, conditions, strict=True))


def _covers(wider: _Described, narrower: _Described) -> bool:
    """Whether one statement covers all that another one does; false also where only several statements together would."""
    (other, other_condition), (statement, condition) = wider, narrower
    return (
        (not other.conditional or other_condition == condition)
        and _all_in(_lower(statement.actions), statement.but_actions, _lower(other.actions), other.but_actions)
        and _all_in(statement.resources, statement.but_resources, other.resources, other.but_resources)
    )


def _all_in(few: tuple[str, ...], but_few: bool, many: tuple[str, ...], but_many: bool) -> bool:
    """Whether the patterns `many` match everything that `few` match; for negated patterns the other way round."""
    if but_few != but_many:
        return not but_many and "*" in many
    inner, outer = (many, few) if but_few else (few, many)
    return all(any(_is_in(text, pattern) for pattern in outer) for text in inner)


def _is_in(narrower: str, pattern: str) -> bool:
    """Whether `pattern` matches every text that `narrower` matches: a star in `narrower` counts as ordinary text, except against `?`."""
    return narrower == pattern or (matches(pattern, narrower) and not ("?" in pattern and "*" in narrower))


def _lower(actions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(action.lower() for action in actions)


def _described(pair: _Described) -> str:
    statement, condition = pair
    actions = f"{'all but ' if statement.but_actions else ''}{', '.join(statement.actions)}"
    resources = f"{'all but ' if statement.but_resources else ''}{', '.join(statement.resources)}"
    return f"{actions} of {resources}" + (f" under {condition}" if statement.conditional else "")
