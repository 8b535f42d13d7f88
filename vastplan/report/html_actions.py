"""The actions of a plan as tables, the worst first, with filters that are only checkboxes and CSS.

A long plan shows once what many actions have in common, with each of their addresses in a list that folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from vastplan.model.plan import Action, Cause, Plan, Verb
from vastplan.report.change import HEADINGS, plan_parts
from vastplan.report.differences import Sign
from vastplan.report.edits import action_place
from vastplan.report.html_escape import HOLE, Html, HtmlTemplate, code_html, joined, tag
from vastplan.report.html_page import html_table
from vastplan.report.long_plan import TenantShare, is_large, risk_sections, shares_of
from vastplan.report.owners import TenantFinder
from vastplan.report.review import Risk, Topology, by_risk
from vastplan.report.similarity import SimilarActions
from vastplan.report.values import (
    CAUSES,
    author_text,
    fix_of_any,
    kind_words,
    lost_text,
    of_any,
    other_evidence,
    plain_value,
    verb_word,
)
from vastplan.report.view import FieldView, of_change, unseen_openings

_SHOWN_AT_ONCE = 300  # rows of a group that is open when the page opens
_MOST_SITES = 60  # with a checkbox of their own; more would fill the window


def used_verbs(plan: Plan) -> list[Verb]:
    """The verbs that occur."""
    occurring = {action.verb for action in plan.actions}
    return [verb for verb in Verb if verb in occurring]


def changed_sites(plan: Plan) -> list[str]:
    """The sites that occur."""
    return sorted({action.address.site for action in plan.actions})


def filter_style(plan: Plan) -> str:
    """The rules that hide what is not ticked. Sites are numbered: their names are untrusted and do not belong in a style sheet."""
    names = [f"v-{verb.value}" for verb in used_verbs(plan)] + [f"s-{number}" for number, _ in _boxed_sites(plan)]
    items = f", {_EACH}.{{name}}" if is_large(plan) else ""
    return "".join(
        f"body:has(#f-{name}:not(:checked)) :is(.plan > tbody > tr.{name}{items.format(name=name)}) {{ display: none }}\n"
        if items
        else f"body:has(#f-{name}:not(:checked)) .plan > tbody > tr.{name} {{ display: none }}\n"
        for name in names
    )


def _boxed_sites(plan: Plan) -> list[tuple[int, str]]:
    numbered = [*enumerate(changed_sites(plan))]
    return numbered[:_MOST_SITES] if len(numbered) > 1 else []


def filters(plan: Plan) -> Html:
    """The checkboxes."""
    of_verbs = [
        tag("label", _tick(f"f-v-{verb.value}", ticked=True), f"{verb.sign} {verb.value}") for verb in used_verbs(plan)
    ]
    of_sites = [tag("label", _tick(f"f-s-{number}", ticked=True), site) for number, site in _boxed_sites(plan)]
    blocked = tag("label", _tick("only-blocked"), "only what is blocked")
    return tag(
        "form",
        tag("fieldset", tag("legend", "Show"), *of_verbs, blocked),
        tag("fieldset", tag("legend", "On"), *of_sites) if of_sites else "",
        class_="filters", aria_label="Filter the table", autocomplete="off",
    )  # fmt: skip


def _tick(name: str, *, ticked: bool = False) -> Html:
    return tag("input", type="checkbox", id=name, checked=ticked)


def risk_tables(plan: Plan) -> Html:
    """One table for each risk, folded if it is long."""
    topology, owners = Topology(plan), TenantFinder(plan)
    numbers = {site: number for number, site in enumerate(changed_sites(plan))}
    large = is_large(plan)
    parts = []
    for standing, part in plan_parts(plan):
        if standing is not None:
            count = tag("span", f"({len(part.actions):,})", class_="count")
            parts.append(tag("h2", HEADINGS[standing], " ", count, id=f"standing-{standing.value}"))
        where = "" if standing is None else f"{standing.value}-"
        for section in risk_sections(part, owners) if large else ():
            rows = [_together(alike, topology, numbers) for alike in section.alike]
            rows += [
                _row(action, topology, numbers, short=True) for share in section.shares for action in share.actions
            ]
            parts.append(_group(section.risk, where, rows, len(section.actions), short=True))
        for risk, group in groupby(by_risk(part), key=lambda ranked: ranked[0]) if not large else ():
            rows = [_row(action, topology, numbers) for _, action in group]
            parts.append(_group(risk, where, rows, len(rows)))
    return joined(*parts)


def tenant_table(plan: Plan) -> Html:
    """How many changes each tenant has in a long plan; tenants of whom something is deleted or replaced come first."""
    if not is_large(plan):
        return Html("")
    mine = sorted(shares_of(plan.actions, TenantFinder(plan)), key=lambda share: (-share.going, -len(share.actions)))
    lines = [tag("li", f"{share.title}: {share.counts}" + _lost(share)) for share in mine]
    heading = tag("summary", tag("h3", "By tenant ", tag("span", f"({len(lines):,})", class_="count")))
    return (
        tag("details", heading, tag("ul", *lines, class_="tenants"), class_="by-tenant") if len(lines) > 1 else Html("")
    )


def _lost(share: TenantShare) -> str:
    return f"; {share.going:,} to delete or replace" if share.going else ""


def _group(risk: Risk, where: str, rows: Sequence[Html], count: int, *, short: bool = False) -> Html:
    heading = tag("summary", tag("h3", risk.label, " ", tag("span", f"({count:,})", class_="count")))
    columns = ("What", "Object", "Why, and what changes", "Who is affected")
    table = html_table(columns, rows, style="plan short" if short else "plan", label=risk.label)
    return tag(
        "details", heading, table, class_="group", id=f"risk-{where}{risk.slug}", open=len(rows) <= _SHOWN_AT_ONCE
    )


_ROW = HtmlTemplate(
    tag(
        "tr",
        tag("td", HOLE, class_="verb"),
        tag("th", code_html(HOLE), tag("span", HOLE, class_="kind"), scope="row"),
        tag("td", HOLE, class_="why"),
        tag("td", HOLE, class_="who"),
        class_=HOLE,
    )
)
_SHORT_ROW = HtmlTemplate(
    tag(
        "tr",
        tag("td", HOLE),
        tag("th", tag("code", HOLE), tag("p", HOLE), scope="row"),
        tag("td", HOLE),
        tag("td", HOLE),
        class_=HOLE,
    )
)  # one of thousands: the style sheet has its looks, once
_NOBODY = tag("span", "nobody else", class_="quiet")
_NOTHING = tag("span", "nothing else in the plan", class_="quiet")


def _nobody(action: Action) -> Html:
    """What is said where no one is affected: of everybody only where those who may use the object were read."""
    return _NOBODY if action.users else _NOTHING


def _row(action: Action, topology: Topology, numbers: Mapping[str, int], *, short: bool = False) -> Html:
    address, verb = action.address, action.verb
    return (_SHORT_ROW if short else _ROW).fill(
        f"v-{verb.value} s-{numbers[address.site]}" + (" blocked" if action.blocked else ""),
        f"{verb.sign} {verb_word(action)}",
        address.name,
        f"{kind_words(address.kind)} on {address.site}"
        + (f", {place}" if (place := action_place(action, str)) else ""),
        joined(*_why(action, short=short)),
        str(topology.affected(action)) or ("" if short else _nobody(action)),
    )


_LOST = HtmlTemplate(tag("p", tag("b", HOLE)))
_REASON = HtmlTemplate(tag("p", HOLE, HOLE))
_BLOCK = HtmlTemplate(tag("p", HOLE, HOLE, class_="stop"))
_FIX = HtmlTemplate(tag("span", HOLE, class_="fix"))
_SEEN = HtmlTemplate(tag("p", HOLE, class_="seen"))


def _together(alike: SimilarActions, topology: Topology, numbers: Mapping[str, int]) -> Html:
    """What many similar actions have in common, and the address of each."""
    action, on = alike.first, {numbers[similar.address.site] for similar in alike.actions}
    site = f" s-{on.pop()}" if len(on) == 1 else ""
    items = (
        _ITEM.fill(
            f"s-{numbers[similar.address.site]}", similar.address, _OWN.fill(alike.values(similar)) if alike.own else ""
        )
        for similar in alike.actions
    )
    return _SHORT_ROW.fill(
        f"v-{action.verb.value}{site}" + (" blocked" if action.blocked else ""),
        f"{action.verb.sign} {verb_word(action)}",
        alike.objects,
        "grouped",
        joined(*_common(alike), _LIST.fill(f"{alike.objects}, one by one", joined(*items))),
        str(topology.affected(*alike.actions)) or _nobody(action),
    )


_ITEM = HtmlTemplate(tag("li", HOLE, HOLE, class_=HOLE))
_OWN = HtmlTemplate(joined(" ", tag("i", HOLE)))
_LIST = HtmlTemplate(tag("details", tag("summary", HOLE), tag("ul", HOLE, class_="of"), class_="each"))
_EACH = ".of > li"


def _common(alike: SimilarActions) -> Iterator[Html]:
    action = alike.first
    if lost := alike.lost():
        yield _LOST.fill(lost)
    yield _REASON.fill(of_any(action.reason, action.address), "")
    for block in action.blocked:
        way = fix_of_any(block, action)
        fix = _FIX.fill(f" To go on: {way}") if way else ""
        yield _BLOCK.fill(f"Blocked ({block.guard}), each of them: {of_any(block.message, action.address)}.", fix)
    for opening in unseen_openings(action):
        yield _SEEN.fill(f"Lets in: {opening}")
    if seen := alike.others():
        yield _SEEN.fill(f"Seen: {'; '.join(map(' '.join, seen))}")
    if action.released:
        yield _SEEN.fill(joined("No longer managed: ", code_html(", ".join(action.released))))
    if action.notes:
        yield _SEEN.fill(f"Chosen: {'; '.join(of_any(note, action.address) for note in action.notes)}")
    fields = alike.shared()
    if fields:
        yield _short_fields(action.verb, fields)


def _why(action: Action, *, short: bool = False) -> Iterator[Html]:
    author = author_text(action.author)
    if lost := lost_text(action):
        yield _LOST.fill(lost)
    yield _REASON.fill(action.reason, f", {author}" if author else "")
    for block in action.blocked:
        fix = _FIX.fill(f" To go on: {block.fix}") if block.fix else ""
        yield _BLOCK.fill(f"Blocked ({block.guard}): {block.message}.", fix)
    for opening in unseen_openings(action):
        yield _SEEN.fill(f"Lets in: {opening}")
    if others := other_evidence(action):
        seen = "; ".join(f"{evidence.name} {plain_value(evidence.value, evidence.unit)}" for evidence in others)
        yield _SEEN.fill(f"Seen: {seen}")
    if action.released:
        yield _SEEN.fill(joined("No longer managed: ", code_html(", ".join(action.released))))
    if action.notes:
        yield _SEEN.fill(f"Chosen: {'; '.join(action.notes)}")
    if action.changes:
        yield _short_fields(action.verb, map(of_change, action.changes)) if short else _fields(action)


_SHORT = HtmlTemplate(tag("ul", HOLE, class_="f"))
_SHORT_VALUE = HtmlTemplate(tag("li", tag("code", HOLE), " ", tag("code", HOLE)))
_SHORT_CHANGE = HtmlTemplate(tag("li", tag("code", HOLE), " ", tag("code", HOLE), " → ", tag("code", HOLE), HOLE))
_SHORT_MORE = HtmlTemplate(tag("li", tag("code", HOLE)))
_SHORT_STAYS = HtmlTemplate(tag("li", tag("span", HOLE)))
_SHORT_PART = HtmlTemplate(tag("li", tag("code", HOLE), " ", tag("code", HOLE), HOLE))


def _short_fields(verb: Verb, fields: Iterable[FieldView]) -> Html:
    """The fields of a row among many, a line for each. The cause is shown only if it is not a change of the document."""
    return _SHORT.fill(joined(*(line for field in fields for line in _short_lines(verb, field))))


def _short_lines(verb: Verb, field: FieldView) -> Iterator[Html]:
    if verb is Verb.CREATE:
        yield _SHORT_VALUE.fill(field.path, field.after)
        return
    remarks = [] if field.cause == CAUSES[Cause.DOCUMENT] else [field.cause]
    remarks += [*(["forces replacement"] if field.replaces else []), *([field.author] if field.author else [])]
    cause = tag("span", f" {', '.join(remarks)}") if remarks else ""
    if not field.parts:
        yield _SHORT_CHANGE.fill(field.path, field.before, field.after, cause)
    for number, part in enumerate(field.parts):
        yield _SHORT_MORE.fill(part.line()) if number else _SHORT_PART.fill(field.path, part.line(), cause)
    if field.unchanged:
        yield _SHORT_STAYS.fill(f"{field.unchanged} unchanged")


def _fields_form(names: Sequence[str], *, opened: bool) -> HtmlTemplate:
    return HtmlTemplate(tag("details", tag("summary", HOLE), html_table(names, [HOLE], style="fields"), open=opened))


_VALUES = _fields_form(("Field", "Value"), opened=False)
_CHANGES = {opened: _fields_form(("Field", "Before", "After", "Cause"), opened=opened) for opened in (True, False)}
_OPEN_FIELDS = 12  # a table of more is folded
_VALUE = HtmlTemplate(tag("tr", tag("th", code_html(HOLE), scope="row"), tag("td", code_html(HOLE))))
_CHANGE = HtmlTemplate(
    tag(
        "tr",
        tag("th", code_html(HOLE), scope="row"),
        tag("td", code_html(HOLE)),
        tag("td", code_html(HOLE)),
        tag("td", HOLE),
    )
)


def _fields(action: Action) -> Html:
    making, count = action.verb is Verb.CREATE, len(action.changes)
    form = _VALUES if making else _CHANGES[count <= _OPEN_FIELDS]
    rows = [row for change in action.changes for row in _rows(of_change(change), making)]
    return form.fill(f"{count} field{'' if count == 1 else 's'}", joined(*rows))


_BECAME = {Sign.REMOVED: ": removed", Sign.ADDED: ": added", Sign.CHANGED: "", Sign.MOVED: ": moved"}


def _rows(field: FieldView, making: bool) -> Iterator[Html]:
    if making:
        yield _VALUE.fill(field.path, field.after)
        return
    cause = field.cause + (", forces replacement" if field.replaces else "")
    stays = f"{field.unchanged} unchanged" if field.unchanged else ""
    sides = (stays, "") if field.parts else (field.before, field.after)
    yield _CHANGE.fill(field.path, *sides, f"{cause}, {field.author}" if field.author else cause)
    for part in field.parts:
        path = f"{field.path}{': ' if part.path else ''}{part.path}{_BECAME[part.sign]}"
        yield _CHANGE.fill(path, part.before, part.after, "")
