"""The actions of a plan in a comment: folded, the worst first, as far as they fit; the others by name, or counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import groupby

from vastplan.model.dataclass import dataclass
from vastplan.model.plan import GOING, Action, Plan, Verb, lets_in
from vastplan.report import view
from vastplan.report.change import HEADINGS, plan_parts
from vastplan.report.differences import Sign
from vastplan.report.edits import action_place
from vastplan.report.long_plan import is_large, shares_of
from vastplan.report.markdown_escape import code_span, prose, summary_code, text_length
from vastplan.report.markdown_page import LIMIT, Page, bullets, fix
from vastplan.report.owners import TenantFinder
from vastplan.report.review import Risk, Topology, by_risk
from vastplan.report.review import risk as risk_of
from vastplan.report.similarity import SimilarActions, similar_actions
from vastplan.report.values import VERB_WORDS, fix_of_any, lost_text, of_any, other_evidence, plain_value, verb_word
from vastplan.report.view import FieldView

SHOWN_CHANGES, SHOWN_NOTES = 40, 12
LONG = 200  # characters of a value that is cut
_NAMED_LOST, _NAMED_FIRST, _NAMED = 400, 150, 12  # addresses of a group: where somebody has to decide, and elsewhere
_TENANTS = 25
_NAMES_FROM = 0.85  # of the limit: beyond it actions are only named
_LOSSES = (Risk.DATA, Risk.REMOVAL)
_OPEN = (*_LOSSES, Risk.BLOCKED, Risk.OPENING, Risk.NARROWING)
_RANK = {risk: number for number, risk in enumerate(Risk)}


@dataclass(slots=True)
class Cut:
    """The actions of which only the name is shown, the number of those shown in part, and of those grouped with others."""

    named: list[Action] = field(default_factory=list)
    partly: int = 0
    together: int = 0

    @property
    def some(self) -> int:
        """How many actions did not fit."""
        return len(self.named) + self.partly


class _Actions:
    """How the actions of a plan are shown: each by itself, or, in a long plan, similar ones grouped."""

    def __init__(self, plan: Plan) -> None:
        self.topology = Topology(plan)
        self._owners = TenantFinder(plan) if is_large(plan) else None

    def items(self, actions: Sequence[Action]) -> Sequence[Action | SimilarActions]:
        """What is shown of some actions: the groups of similar ones, and the others by tenant and kind."""
        if self._owners is None:
            return actions
        together, others = similar_actions(actions)
        return [*together, *(action for share in shares_of(others, self._owners) for action in share.actions)]


def add_actions(page: Page, plan: Plan) -> Cut:
    """Add the actions, the worst first. Returns what did not fit."""
    how, cut = _Actions(plan), Cut()
    for standing, part in plan_parts(plan):
        if standing is not None:
            page.add(f"\n### {HEADINGS[standing]} ({len(part.actions):,})\n")
        for risk, group in groupby(by_risk(part), key=lambda ranked: ranked[0]):
            _group(page, cut, how, risk.label, [action for _, action in group], opened=risk in _OPEN)
    return cut


def add_bounded(page: Page, plan: Plan) -> Cut:
    """Add the actions where not all of them fit: no number of other actions hides what somebody has to see.

    First what lets somebody in, then what is lost, each in half of the room that is left; blocked actions, which are not carried out,
    come last.
    """
    how, cut = _Actions(plan), Cut()
    for standing, part in plan_parts(plan):
        coming = [ranked for ranked in by_risk(part) if not ranked[1].blocked]
        if standing is not None and coming:
            page.add(f"\n### {HEADINGS[standing]} ({len(part.actions):,})\n")
        entering = [action for _, action in coming if lets_in(action)]
        _group(page, cut, how, Risk.OPENING.label, entering, opened=True, most=page.room // 2)
        for risk, group in groupby((ranked for ranked in coming if not lets_in(ranked[1])), key=lambda pair: pair[0]):
            most = page.room // 2 if risk in _LOSSES else page.room
            _group(page, cut, how, risk.label, [action for _, action in group], opened=risk in _OPEN, most=most)
    blocked = [action for _, part in plan_parts(plan) for _, action in by_risk(part) if action.blocked]
    _group(page, cut, how, Risk.BLOCKED.label, blocked, opened=True)
    cut.named.sort(key=lambda action: (bool(action.blocked), not lets_in(action), _RANK[risk_of(action)]))
    return cut


def _group(
    page: Page,
    cut: Cut,
    how: _Actions,
    title: str,
    actions: Sequence[Action],
    *,
    opened: bool,
    most: int = LIMIT,
) -> None:
    """Add the actions below a title, in `most` characters; what does not fit goes to `cut`."""
    if not actions:
        return
    page.add(f"\n#### {title} ({len(actions):,})\n\n")
    end = min(page.used + most, int(_NAMES_FROM * LIMIT))
    for item in how.items(actions):
        if isinstance(item, SimilarActions):
            if page.used <= end and _added(page, item, how.topology, opened):
                cut.together += len(item.actions)
            else:
                cut.named += item.actions
            continue
        action, topology = item, how.topology
        if page.used > end:
            cut.named.append(action)
            continue
        whole = _action(action, topology, opened)
        if text_length(whole) <= page.room // 2 and page.add(whole):
            continue
        if page.add(_action(action, topology, opened, SHOWN_CHANGES)):
            cut.partly += 1
        else:
            cut.named.append(action)


def _action(action: Action, topology: Topology, open_: bool, most: int = 0) -> str:
    """One action, folded; with `most`, at most that many lines of its changes, and values cut. Markdown inside HTML is rendered only
    between the blank lines."""
    blocked = " — blocked" if action.blocked else ""
    place = action_place(action, summary_code)
    lost = f" — {summary_code(text, 300)}" if (text := lost_text(action)) else ""
    whole = f"{summary_code(action.address, 300)}{lost}{blocked}{f' ({place})' if place else ''}"
    summary = f"{action.verb.sign} {verb_word(action)} {whole}"
    lines = "".join(f"- {line}\n" for line in _details(action, topology, most))
    return f"<details{' open' if open_ else ''}><summary>{summary}</summary>\n\n{lines}\n</details>\n"


def _added(page: Page, alike: SimilarActions, topology: Topology, open_: bool) -> bool:
    """Add a group; returns whether it fitted. It has many addresses if somebody has to decide on it, else few."""
    named = _NAMED_LOST if alike.first.verb in GOING else _NAMED_FIRST
    many = _alike(alike, topology, open_, named) if open_ else ""
    return (0 < text_length(many) <= page.room // 2 and page.add(many)) or page.add(
        _alike(alike, topology, open_, _NAMED)
    )


def _alike(alike: SimilarActions, topology: Topology, open_: bool, named: int) -> str:
    """What many actions have in common, folded, with the first `named` of their addresses."""
    action = alike.first
    blocked = " — blocked" if action.blocked else ""
    lost = f" — {summary_code(text, 300)}" if (text := alike.lost()) else ""
    summary = f"{action.verb.sign} {verb_word(action)} {summary_code(_mentioned(alike), 300)}{lost}{blocked}"
    lines = "".join(f"- {line}\n" for line in _common(alike, topology, named))
    return f"<details{' open' if open_ else ''}><summary>{summary}</summary>\n\n{lines}\n</details>\n"


def _mentioned(alike: SimilarActions) -> str:
    """`340 quotas: hard_limit 10 TiB → 12 TiB`."""
    fields = alike.shared()
    if len(fields) != len(alike.first.changes) or len(fields) != 1 or alike.first.verb is Verb.CREATE:
        return alike.objects
    return f"{alike.objects}: {fields[0].path} {fields[0].planned()}"


def _common(alike: SimilarActions, topology: Topology, most: int) -> Iterator[str]:
    action = alike.first
    yield f"Why: {prose(of_any(action.reason, action.address))}"
    for block in action.blocked:
        message, way = of_any(block.message, action.address), fix_of_any(block, action)
        yield f"**Blocked** ({code_span(block.guard, 40)}), each of them: {prose(message)}{fix(way)}"
    yield from (f"Lets in: {prose(opening)}" for opening in view.unseen_openings(action))
    behind = str(topology.affected(*alike.actions))
    if behind:
        yield f"Affects: {prose(behind, 400)}"
    yield from (f"Seen: {prose(name)} {code_span(values)}" for name, values in alike.others())
    lines = [line for changed in alike.shared() for line in _field(changed, action.verb, LONG)]
    yield from lines[:SHOWN_CHANGES]
    if len(lines) > SHOWN_CHANGES:
        yield f"and {len(lines) - SHOWN_CHANGES} more lines: {code_span(f'vastplan show PLAN {action.address}', 300)}"
    if action.released:
        yield f"No longer managed: {code_span(', '.join(action.released))}"
    yield from _first([f"Chosen: {prose(of_any(note, action.address))}" for note in action.notes])
    listed = alike.actions[:most]
    if alike.own:
        few = listed[:SHOWN_NOTES]
        yield from (f"{code_span(similar.address)}: {code_span(alike.values(similar), LONG)}" for similar in few)
    else:
        few = listed
        yield from _names(few)
    if len(alike.actions) > len(few):
        how = code_span(f"vastplan show PLAN --expand '{alike.pattern()}'", 300)
        yield f"and {len(alike.actions) - len(few):,} more: {how}"


def _names(actions: Sequence[Action]) -> Iterator[str]:
    """Their names, by site."""
    sites: dict[str, list[str]] = {}
    for action in actions:
        sites.setdefault(action.address.site, []).append(action.address.name)
    for site, names in sites.items():
        yield f"On {code_span(site)}: {', '.join(map(code_span, names))}"


def tenant_lines(plan: Plan) -> str:
    """How many changes each tenant has in a long plan; tenants of whom something is deleted or replaced come first."""
    if not is_large(plan):
        return ""
    mine = sorted(shares_of(plan.actions, TenantFinder(plan)), key=lambda share: (-share.going, -len(share.actions)))
    lines = [
        f"{code_span(share.title)}: {prose(share.counts)}"
        + (f"; {share.going:,} to delete or replace" if share.going else "")
        for share in mine
    ]
    if len(lines) > _TENANTS:
        left = len(lines) - _TENANTS
        lines[_TENANTS:] = [f"and {left:,} more, each with {code_span('vastplan show PLAN --expand TENANT')}"]
    heading = f"\n#### By tenant ({len(mine):,})\n\n"
    return heading + bullets(lines, str, _TENANTS + 1) if len(lines) > 1 else ""


def _details(action: Action, topology: Topology, most: int) -> Iterator[str]:
    yield f"Why: {prose(action.reason)}"
    yield from _first(
        [
            f"**Blocked** ({code_span(block.guard, 40)}): {prose(block.message)}{fix(block.fix)}"
            for block in action.blocked
        ]
    )
    yield from (f"Lets in: {prose(opening)}" for opening in view.unseen_openings(action))
    behind = str(topology.affected(action))
    if behind:
        yield f"Affects: {prose(behind, 400)}"
    yield from _first(
        [f"Seen: {prose(seen.name)} {code_span(plain_value(seen.value, seen.unit))}" for seen in other_evidence(action)]
    )
    if most:
        fields = sorted(map(view.of_change, action.changes), key=lambda field: not field.admits)
        lines = [line for changed in fields for line in _field(changed, action.verb, LONG)]
        yield from lines[:most]
        if len(lines) > most:
            yield f"and {len(lines) - most} more lines: {code_span(f'vastplan show PLAN {action.address}', 300)}"
    else:
        for change in action.changes:
            yield from _field(view.of_change(change), action.verb, None)
    if action.released:
        yield f"No longer managed: {code_span(', '.join(action.released))}"
    yield from _first([f"Chosen: {prose(note)}" for note in action.notes])


def _first(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:SHOWN_NOTES]
    if len(lines) > SHOWN_NOTES:
        yield f"and {len(lines) - SHOWN_NOTES} more"


def _field(field: FieldView, verb: Verb, limit: int | None) -> Iterator[str]:
    path = code_span(field.path)
    if verb is Verb.CREATE:
        yield f"{path}: {code_span(field.after, limit)}"
        return
    why = field.cause + (", **forces replacement**" if field.replaces else "")
    if not field.parts:
        yield f"{path}: {code_span(field.before, limit)} → {code_span(field.after, limit)} ({why})"
        return
    stays = f"; {field.unchanged} unchanged" if field.unchanged else ""
    yield f"{path} ({why}){stays}:"
    for part in sorted(field.parts, key=lambda part: part.sign is not Sign.ADDED) if limit else field.parts:
        yield f"{path} {code_span(part.line(), limit)}"


def omitted_names(left: list[Action], room: int) -> str:
    """What did not fit: names as far as they fit, then a count."""
    if not left:
        return ""
    lines, used, named = [f"\n#### Not shown in full ({len(left):,})\n\n"], 200, 0
    for action in left:
        blocked = " — blocked" if action.blocked else ""
        lost = f" — {code_span(text, 300)}" if (text := lost_text(action)) else ""
        line = f"- {action.verb.sign} {verb_word(action)} {code_span(action.address)}{lost}{blocked}\n"
        used += text_length(line)
        if used > room:
            break
        lines.append(line)
        named += 1
    if named < len(left):
        counts = Counter(verb_word(action) for action in left[named:])
        lines.append(f"- and {len(left) - named:,} more: {counted_verbs(counts)}\n")
    return "".join(lines)


def counted_verbs(counts: Counter[str]) -> str:
    """`2 to create, 1 to delete`."""
    return ", ".join(f"{counts[verb]:,} to {verb}" for verb in VERB_WORDS if counts[verb])
