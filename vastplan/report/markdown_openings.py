"""Whom a plan lets in, a line for each object and field, or for many that say the same. A comment that does not fit begins with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vastplan.model.plan import Action, FieldChange, Plan, Standing, lets_in
from vastplan.model.wording import some
from vastplan.report import view
from vastplan.report.differences import Sign
from vastplan.report.markdown_escape import code_span, prose, text_length
from vastplan.report.markdown_page import LIMIT
from vastplan.report.values import counted, kind_words, plain_value
from vastplan.report.view import FieldView, opening_words

_PER_LINE = 40
_BY_ADDRESS = 3  # more objects with the same text are counted before they are named
_BESIDE = 6  # removed items
_LONG = 200
_STANDINGS = (None, *Standing)


def openings_section(plan: Plan) -> str:
    """Everything that lets somebody in, unblocked changes before blocked ones, the first line of each before the second of any.

    What is left out is counted.
    """
    alike: dict[tuple[bool, int, int, str, str], list[str]] = {}
    for action in plan.actions:
        if lets_in(action):
            for number, effect in _lines(action):
                key = bool(action.blocked), number, _STANDINGS.index(action.standing), action.address.kind, effect
                alike.setdefault(key, []).append(code_span(action.address, None))
    if not alike:
        return ""
    every = sum(map(len, alike.values()))
    room, lines, reported = LIMIT // 3, [], 0
    for (blocked, _, _, kind, effect), addresses in sorted(alike.items(), key=lambda ranked: ranked[0][:3]):
        for line, count in _of_many(kind, effect, " — blocked" if blocked else "", addresses):
            if text_length(line) <= room:
                room -= text_length(line)
                lines.append(line)
                reported += count
    rest = f"- and {every - reported:,} more: `vastplan show PLAN`\n" if reported < every else ""
    return f"\n#### Lets somebody in ({every:,})\n\n{''.join(lines)}{rest}"


def _of_many(kind: str, effect: str, blocked: str, addresses: Sequence[str]) -> Iterator[tuple[str, int]]:
    """A line for a few objects, or several lines for many with the same text, each with the number of its objects."""
    if len(addresses) <= _BY_ADDRESS:
        each = ": each" if len(addresses) > 1 else ""
        yield f"- {', '.join(addresses)}{each} {effect}{blocked}\n", len(addresses)
        return
    for start in range(0, len(addresses), _PER_LINE):
        some_of_them = addresses[start : start + _PER_LINE]
        objects = counted(len(some_of_them), kind_words(kind))
        yield f"- {objects}: each {effect}{blocked}: {', '.join(some_of_them)}\n", len(some_of_them)


def _lines(action: Action) -> Iterator[tuple[int, str]]:
    """What is said of the object, with line numbers: a field that takes several lines has one number for each."""
    for opening in action.opens:
        yield 0, f"lets in {prose(opening_words(opening))}"
    for change in action.changes:
        for number, effect in enumerate(_effects(change) if change.admits else ()):
            yield number, f"{code_span(change.path, None)}: {effect}"


def _effects(change: FieldChange) -> Iterator[str]:
    """The added items, few enough on a line that a line that is cut hides few; the first line also has what is removed."""
    field = view.of_change(change)
    if not change.after and isinstance(change.after if change.before is None else change.before, list):
        yield "becomes empty"
        return
    if not field.parts and not isinstance(change.after, list):
        yield f"becomes {code_span(field.after, _LONG)}"
        return
    others = [code_span(part.line(), _LONG) for part in field.parts if part.sign is not Sign.ADDED]
    beside = [some(others, _BESIDE)] if others else []
    added = _added(change, field)
    for start in range(0, len(added), _PER_LINE):
        values = ", ".join(code_span(value, _LONG) for value in added[start : start + _PER_LINE])
        yield "; ".join([f"adds {values}", *beside])
        beside = []
    yield from beside


def _added(change: FieldChange, field: FieldView) -> list[str]:
    if field.parts:
        return [part.value() for part in field.parts if part.sign is Sign.ADDED]
    return [plain_value(value, change.unit, change.units) for value in change.shown_after]
