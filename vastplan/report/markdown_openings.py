"""Who is let in by a plan, a line for each object and field: what a comment begins with that has no room for all of it."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model.plan import Action, FieldChange, Plan, Standing, lets_in
from vastplan.model.wording import some
from vastplan.report import view
from vastplan.report.differences import Sign
from vastplan.report.markdown_escape import code, prose, size
from vastplan.report.markdown_page import LIMIT
from vastplan.report.values import plain
from vastplan.report.view import FieldView, opening_words

_PER_LINE = 40
_BESIDE = 6  # of what goes
_LONG = 200
_STANDINGS = (None, *Standing)


def openings(plan: Plan) -> str:
    """Each way in, what would be carried out before what is blocked, the first line of each before the second of any.

    What is left out is counted.
    """
    lines = [
        ((bool(action.blocked), number), _STANDINGS.index(action.standing), line)
        for action in plan.actions
        if lets_in(action)
        for number, line in _lines(action)
    ]
    if not lines:
        return ""
    room, shown = LIMIT // 3, []
    for _, _, line in sorted(lines, key=lambda ranked: ranked[:2]):
        if size(line) <= room:
            room -= size(line)
            shown.append(line)
    more = len(lines) - len(shown)
    rest = f"- and {more} more: `vastplan show PLAN`\n" if more else ""
    return f"\n#### Lets somebody in ({len(lines)})\n\n{''.join(shown)}{rest}"


def _lines(action: Action) -> Iterator[tuple[int, str]]:
    """The lines with their numbers: of a field that takes several, each has the next."""
    blocked = " — blocked" if action.blocked else ""
    for opening in action.opens:
        yield 0, f"- {code(action.address, None)} lets in {prose(opening_words(opening))}{blocked}\n"
    for change in action.changes:
        for number, told in enumerate(_told(change) if change.admits else ()):
            yield number, f"- {code(action.address, None)} {code(change.path, None)}: {told}{blocked}\n"


def _told(change: FieldChange) -> Iterator[str]:
    """What comes, so many a line that one that is cut hides few; beside the first what goes."""
    told = view.of_change(change)
    if not change.after and isinstance(change.after if change.before is None else change.before, list):
        yield "becomes empty"
        return
    if not told.parts and not isinstance(change.after, list):
        yield f"becomes {code(told.after, _LONG)}"
        return
    others = [code(part.line(), _LONG) for part in told.parts if part.sign is not Sign.ADDED]
    beside = [some(others, _BESIDE)] if others else []
    added = _added(change, told)
    for start in range(0, len(added), _PER_LINE):
        values = ", ".join(code(value, _LONG) for value in added[start : start + _PER_LINE])
        yield "; ".join([f"adds {values}", *beside])
        beside = []
    yield from beside


def _added(change: FieldChange, told: FieldView) -> list[str]:
    if told.parts:
        return [part.value() for part in told.parts if part.sign is Sign.ADDED]
    return [plain(value, change.unit, change.units) for value in change.after]
