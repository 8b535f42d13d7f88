"""Whom a plan lets in, first in every report: a line for each object and field, or for many objects that say the same.

On a site without a ledger everything is new: there it is a line for each kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Access, Action, Door, FieldChange, Opening, Plan, Standing, Verb, lets_in
from vastplan.model.wording import some
from vastplan.report.change import REMARKS
from vastplan.report.differences import Show, Sign
from vastplan.report.html_escape import Html, code_html, joined, tag
from vastplan.report.html_page import notes
from vastplan.report.markdown_escape import code_span, text_length
from vastplan.report.markdown_page import LIMIT
from vastplan.report.review import Risk
from vastplan.report.style import Style
from vastplan.report.values import counted, kind_words, plain_value
from vastplan.report.view import of_change, opening_words

TITLE = "Who is let in"
_PER_LINE = 40  # few enough that a line that is cut hides few
_BY_ADDRESS = 3  # more objects with the same text are counted too
_BEFORE = 3  # items of the value before
_OF_KIND, _OF_FIELD = 8, 5  # what the line of a kind names
_IN_TEXT = 20  # lines for a terminal, if the plan is long
_STANDINGS = (None, *Standing)
_LETS = {Access.CLIENTS: "lets in", Access.ADDRESSES: "is reached at"}


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """What lets in more: the objects, how, and what else must be known of it (`blocked`)."""

    objects: tuple[Address, ...]
    text: str
    remark: str = ""

    def written(self, show: Show) -> str:
        """The whole line."""
        names = ", ".join(show(str(address)) for address in self.objects)
        return f"{names}{self.after_names}"

    @property
    def after_names(self) -> str:
        """The line after the names of its objects; of many with their number."""
        count = len(self.objects)
        many = f" ({counted(count, kind_words(self.objects[0].kind))})" if count > _BY_ADDRESS else ""
        colon = f"{many}:{' each' if count > 1 else ''} " if count else ""
        return f"{colon}{self.text}" + (f" — {self.remark}" if self.remark else "")


def opening_lines(plan: Plan, show: Show) -> list[OpeningLine]:
    """Everything that lets in more: unblocked changes before blocked ones, the first line of each object before the second of any.

    `show` shows a name or a value.
    """
    new = {part.site for part in plan.parts if not part.lineage}
    new -= {action.address.site for action in plan.actions if action.verb is not Verb.CREATE}
    touched = {action.address for action in plan.actions}
    alike: dict[tuple[bool, int, int, str, str], list[Address]] = {}
    created: dict[tuple[str, str], list[Action]] = {}
    for action in plan.actions:
        if not lets_in(action):
            continue
        if action.address.site in new and not action.blocked:
            created.setdefault((action.address.site, action.address.kind), []).append(action)
            continue
        for number, text in _lines(action, show):
            told = text if number else f"{text}{_as_it_was(action, touched, show)}"
            key = bool(action.blocked), number, _STANDINGS.index(action.standing), action.address.kind, told
            alike.setdefault(key, []).append(action.address)
    lines = []
    for (blocked, _, standing, _, text), addresses in sorted(alike.items(), key=lambda ranked: ranked[0][:3]):
        remarks = ["blocked"] if blocked else []
        remarks += [words] if (words := REMARKS.get(_STANDINGS[standing])) else []
        for start in range(0, len(addresses), _PER_LINE):
            lines.append(OpeningLine(tuple(addresses[start : start + _PER_LINE]), text, ", ".join(remarks)))
    return [*(_of_kind(actions, show) for actions in created.values()), *lines]


def _as_it_was(action: Action, touched: Set[Address], show: Show) -> str:
    """That what a new object lets somebody in through is there already, and stays as it is."""
    targets = {opening.fields[:2] for opening in action.opens if opening.door is Door.REFERRED and opening.fields}
    kept = {kind for kind, name in targets if Address(action.address.site, kind, name) not in touched}
    words = ", ".join(show(kind_words(kind)) for kind in sorted(kept))
    return f" (this {words} does not change)" if kept and action.verb is Verb.CREATE else ""


def opening_text(plan: Plan, style: Style, *, short: bool) -> Iterator[str]:
    """For a terminal; the `short` form counts what is beyond its first lines, which the plan itself shows too."""
    lines = [line.written(plain_value) for line in opening_lines(plan, plain_value)]
    if not lines:
        return
    yield style.paint(f"{TITLE} ({len(lines):,})", "red")
    for line in lines[: _IN_TEXT if short else None]:
        yield from style.wrapped(line, "  ")
    if short and len(lines) > _IN_TEXT:
        yield f"  … and {len(lines) - _IN_TEXT:,} more: below, under {Risk.OPENING.label}"


def opening_section(plan: Plan, *, full: bool) -> str:
    """For a comment, in an eighth of its room, or in a third if it is too `full` to show all actions; what is left out is counted."""
    lines = opening_lines(plan, code_span)
    if not lines:
        return ""
    room, shown = LIMIT // (3 if full else 8), []
    for line in lines:
        written = f"- {line.written(code_span)}\n"
        if text_length(written) <= room:
            room -= text_length(written)
            shown.append(written)
    left = len(lines) - len(shown)
    where = "`vastplan show PLAN`" if full else f"below, under {Risk.OPENING.label}"
    rest = f"- and {left:,} more: {where}\n" if left else ""
    return f"\n#### {TITLE} ({len(lines):,})\n\n{''.join(shown)}{rest}"


def opening_notes(plan: Plan) -> Html:
    """For a page: all of it, not folded."""
    return notes(
        TITLE,
        [
            tag("li", *(joined(", " if number else "", code_html(address)) for number, address in enumerate(line.objects)),
                line.after_names, class_="error")
            for line in opening_lines(plan, plain_value)
        ],
    )  # fmt: skip


def _of_kind(actions: Sequence[Action], show: Show) -> OpeningLine:
    """One line for the new objects of a kind: by which fields they let in whom, each once; first who gets in without being named."""
    first = actions[0].address
    openings = [opening for action in actions for opening in action.opens]
    whom: dict[str, dict[str, None]] = {
        **{_by_words(change, show): {} for action in actions for change in _by_itself(action) if change.whom},
        **{opening_words(opening, show): {} for opening in openings if opening.door is Door.UNSAID},
    }
    for action in actions:
        for change in _by_itself(action):
            if not change.whom and not change.sensitive:
                lets = _LETS.get(change.access, "is") if isinstance(change.after, list) else "is"
                whom.setdefault(f"{show(change.path)} {lets}", {}).update(dict.fromkeys(_values(change, show)))
    for opening in openings:
        for path, value in zip(opening.fields, opening.whom, strict=True) if opening.door is Door.MADE else ():
            whom.setdefault(show(path), {})[show(value)] = None
    whom |= {opening_words(opening, show): {} for opening in openings if opening.door is Door.REFERRED}
    parts = [f"{lets} {some(list(values), _OF_FIELD)}" if values else lets for lets, values in whom.items()]
    more = f"; and {len(parts) - _OF_KIND:,} more" if len(parts) > _OF_KIND else ""
    text = f": {'; '.join(parts[:_OF_KIND])}{more}" if parts else ""
    return OpeningLine((), f"{counted(len(actions), f'new {kind_words(first.kind)}')} on {show(first.site)}{text}")


def _by_itself(action: Action) -> list[FieldChange]:
    """The fields by which an action lets somebody in, without those that its openings name."""
    told = {path for opening in action.opens for path in opening.fields if opening.door is Door.MADE}
    told |= {path for opening in action.opens for path in opening.fields[2:] if opening.door is Door.REFERRED}
    return [change for change in action.changes if change.admits and change.path not in told]


def _by_words(change: FieldChange, show: Show) -> str:
    return f"{'; '.join(map(show, change.whom))} ({show(change.path)})"


def _lines(action: Action, show: Show) -> Iterator[tuple[int, str]]:
    """What is said of the object, with line numbers: a field that takes several lines has one number for each. Of a new object all is one
    line, if its lists are short."""
    fields = _by_itself(action)
    openings = [
        one for one in action.opens if one.door is not Door.MADE or one.fields or len(action.opens) + len(fields) == 1
    ]
    if action.verb is not Verb.CREATE:
        for opening in openings:
            yield 0, f"lets in {_opened(opening, action, show)}"
        for change in fields:
            for number, effect in enumerate(_effects(change, show)):
                yield number, f"{show(change.path)} {effect}"
        return
    parts = [_by_words(change, show) for change in fields if change.whom]
    parts += [_opened(opening, action, show) for opening in openings]
    for change in fields:
        values = (
            [] if change.whom else _added(change, show) if isinstance(change.after, list) else _values(change, show)
        )
        listed = [", ".join(values[start : start + _PER_LINE]) for start in range(0, len(values), _PER_LINE)]
        at = change.access is Access.ADDRESSES
        texts = [f"at {text} ({show(change.path)})" if at else f"{show(change.path)} {text}" for text in listed]
        parts += texts[:1]
        yield from ((number, f"lets in {text}") for number, text in enumerate(texts[1:], 1))
    yield 0, f"lets in {'; '.join(parts)}"


def _opened(opening: Opening, action: Action, show: Show) -> str:
    """How an action as a whole lets somebody in; through another object with the fields by which it does, and what they were."""
    if opening.door is not Door.REFERRED:
        return opening_words(opening, show)
    changes = [change for change in action.changes if change.path in opening.fields[2:]]
    lists = [
        f", {show(change.path)} {', '.join(added)}"
        for change in changes
        if _is_list(change) and (added := _added(change, show))
    ]
    before = [f"{show(change.path)} {_before(change, show)}" for change in changes if change.before is not None]
    return opening_words(opening, show, "".join(lists)) + (f" (before: {'; '.join(before)})" if before else "")


def _added(change: FieldChange, show: Show) -> list[str]:
    """The items that a list has more than before, all where it had none; each with its owner, if that is another one."""
    added = [part.value() for part in of_change(change).parts if part.sign is Sign.ADDED]
    if not added:
        added = [plain_value(value, change.unit, change.units) for value in change.shown_after or []]
    return [show(item) + (f" (also of {show(change.whose[item])})" if item in change.whose else "") for item in added]


def _effects(change: FieldChange, show: Show) -> Iterator[str]:
    """Whom the field lets in now, few enough on a line, with what it was before on the first one."""
    field = of_change(change)
    before = f" (before: {_before(change, show)})" if change.before is not None or change.sensitive else ""
    becomes = "empty" if not change.after and _is_list(change) else f"{some(_values(change, show), _PER_LINE)}"
    if not _is_list(change) and (change.whom or field.parts):
        whom = "; ".join(map(show, change.whom)) or "cannot determine whom"
        yield f"lets in: {whom}" if field.parts else f"becomes: {becomes}{before}, which lets in {whom}"
        return
    if change.access is Access.LOSS and field.parts:
        lost = [show(part.value()) for part in field.parts if part.sign is Sign.REMOVED]
        for start in range(0, len(lost), _PER_LINE):
            yield f"becomes: {becomes} (no longer: {', '.join(lost[start : start + _PER_LINE])})"
        return
    if becomes == "empty" or not isinstance(change.after, list):
        yield f"becomes: {becomes}{before}"
        return
    added = _added(change, show)
    for start in range(0, len(added), _PER_LINE):
        yield f"{_LETS.get(change.access, 'lets in')}: {', '.join(added[start : start + _PER_LINE])}{before}"
        before = ""


def _is_list(change: FieldChange) -> bool:
    return isinstance(change.after if change.before is None else change.before, list)


def _before(change: FieldChange, show: Show) -> str:
    if not isinstance(change.before, list):
        return show(of_change(change).before)
    values = [show(plain_value(value, change.unit, change.units)) for value in change.shown_before]
    return some(values, _BEFORE) if values else "none"


def _values(change: FieldChange, show: Show) -> list[str]:
    """What the field has after the change, each item by itself."""
    if not isinstance(change.after, list):
        return [show(of_change(change).after)]
    return [show(plain_value(value, change.unit, change.units)) for value in change.shown_after]
