"""The actions of a plan as tables that filter themselves, the worst first. No script: the filters are boxes and style."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from vastplan.model.plan import Action, FieldChange, Plan, Verb
from vastplan.report.change import HEADINGS, shares
from vastplan.report.html_escape import Html, code, joined, tag
from vastplan.report.review import Crowd, Risk, by_risk, kind_words
from vastplan.report.values import CAUSES, before_after, inside, plain, told

_SHOWN_AT_ONCE = 300  # rows of a group that is open when the page opens
_MOST_SITES = 60  # with a box of their own; more would be a wall


def verbs(plan: Plan) -> list[Verb]:
    """The verbs that occur."""
    return [verb for verb in Verb if any(action.verb is verb for action in plan.actions)]


def places(plan: Plan) -> list[str]:
    """The sites that occur."""
    return sorted({action.address.site for action in plan.actions})


def filter_style(plan: Plan) -> str:
    """The rules that hide what is not ticked. Sites are numbered: their names are not ours to put into a style sheet."""
    names = [f"v-{verb.value}" for verb in verbs(plan)] + [f"s-{number}" for number, _ in _sites(plan)]
    return "".join(f"body:has(#f-{one}:not(:checked)) .plan > tbody > tr.{one} {{ display: none }}\n" for one in names)


def _sites(plan: Plan) -> list[tuple[int, str]]:
    return [*enumerate(places(plan))][:_MOST_SITES] if len(places(plan)) > 1 else []


def filters(plan: Plan) -> Html:
    """The boxes to tick."""
    kinds = [tag("label", _tick(f"f-v-{one.value}", ticked=True), f"{one.sign} {one.value}") for one in verbs(plan)]
    sites = [tag("label", _tick(f"f-s-{number}", ticked=True), name) for number, name in _sites(plan)]
    blocked = tag("label", _tick("only-blocked"), "only what is blocked")
    return tag(
        "form",
        tag("fieldset", tag("legend", "Show"), *kinds, blocked),
        tag("fieldset", tag("legend", "On"), *sites) if sites else "",
        class_="filters", aria_label="Filter the table", autocomplete="off",
    )  # fmt: skip


def _tick(name: str, *, ticked: bool = False) -> Html:
    return tag("input", type="checkbox", id=name, checked=ticked)


def tables(plan: Plan) -> Html:
    """One table for each risk, folded when it is long."""
    crowd = Crowd(plan)
    numbers = {site: number for number, site in enumerate(places(plan))}
    found = []
    for standing, part in shares(plan):
        if standing is not None:
            words = tag("span", f"({len(part.actions)})", class_="count")
            found.append(tag("h2", HEADINGS[standing], " ", words, id=f"standing-{standing.value}"))
        where = "" if standing is None else f"{standing.value}-"
        for risk, group in groupby(by_risk(part), key=lambda one: one[0]):
            found.append(_group(risk, where, [action for _, action in group], crowd, numbers))
    return joined(*found)


def _group(risk: Risk, where: str, actions: Sequence[Action], crowd: Crowd, numbers: Mapping[str, int]) -> Html:
    heading = tag("summary", tag("h3", risk.label, " ", tag("span", f"({len(actions)})", class_="count")))
    head = tag(
        "tr", *(tag("th", one, scope="col") for one in ("What", "Object", "Why, and what changes", "Who is affected"))
    )
    rows = joined(*(_row(action, crowd, numbers) for action in actions))
    table = tag("table", tag("thead", head), tag("tbody", rows), class_="plan", aria_label=risk.label)
    return tag(
        "details", heading, table, class_="group", id=f"risk-{where}{risk.slug}", open=len(actions) <= _SHOWN_AT_ONCE
    )


def _row(action: Action, crowd: Crowd, numbers: Mapping[str, int]) -> Html:
    address = action.address
    said = f"v-{action.verb.value} s-{numbers[address.site]}" + (" blocked" if action.blocked else "")
    behind = str(crowd.behind(action))
    return tag(
        "tr",
        tag("td", f"{action.verb.sign} {action.verb.value}", class_="verb"),
        tag(
            "th",
            code(address.name),
            tag("span", f"{kind_words(address.kind)} on {address.site}", class_="kind"),
            scope="row",
        ),
        tag("td", *_why(action), class_="why"),
        tag("td", behind or tag("span", "nobody else", class_="quiet"), class_="who"),
        class_=said,
    )


def _why(action: Action) -> Iterator[Html]:
    yield tag("p", action.reason, f", {told(action.author)}" if told(action.author) else "")
    for block in action.blocked:
        fix = tag("span", f" To go on: {block.fix}", class_="fix") if block.fix else ""
        yield tag("p", f"Blocked ({block.guard}): {block.message}.", fix, class_="stop")
    if action.evidence:
        seen = "; ".join(f"{one.name} {plain(one.value, one.unit)}" for one in action.evidence)
        yield tag("p", f"Seen: {seen}", class_="seen")
    if action.released:
        yield tag("p", "No longer managed: ", code(", ".join(action.released)), class_="seen")
    if action.notes:
        yield tag("p", f"Chosen: {'; '.join(action.notes)}", class_="seen")
    if action.changes:
        yield _fields(action)


def _fields(action: Action) -> Html:
    making = action.verb is Verb.CREATE
    names = ("Field", "Value") if making else ("Field", "Before", "After", "Cause")
    count = len(action.changes)
    return tag(
        "details",
        tag("summary", f"{count} field{'' if count == 1 else 's'}"),
        tag(
            "table",
            tag("thead", tag("tr", *(tag("th", name, scope="col") for name in names))),
            tag("tbody", *(row for change in action.changes for row in _field(change, making))),
            class_="fields",
        ),
        open=not making and count <= 12,
    )


def _field(change: FieldChange, making: bool) -> Iterator[Html]:
    before, after = before_after(change)
    if making:
        yield tag("tr", tag("th", code(change.path), scope="row"), tag("td", code(after)))
        return
    cause = CAUSES[change.cause] + (", before this change" if change.already else "")
    cause += ", forces replacement" if change.replaces else ""
    cause += f", {told(change.author)}" if told(change.author) else ""
    yield _line(change.path, before, after, cause)
    for path, old, new in inside(change):
        yield _line(f"{change.path}: {path}", old, new, "")


def _line(path: str, before: str, after: str, cause: str) -> Html:
    return tag(
        "tr", tag("th", code(path), scope="row"), tag("td", code(before)), tag("td", code(after)), tag("td", cause)
    )
