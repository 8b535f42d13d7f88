"""The actions of a long plan for a terminal: the worst first, similar ones grouped, and of the rest no more than people read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Plan, Verb
from vastplan.model.shell import word
from vastplan.report.long_plan import RiskSection, TenantShare, by_section, expanded, risk_sections, shares_of
from vastplan.report.owners import TenantFinder
from vastplan.report.similarity import SimilarActions
from vastplan.report.style import NO_BREAK, Style
from vastplan.report.text_action import OF_VERB, action_lines, field_lines
from vastplan.report.values import fix_of_any, of_any, verb_word
from vastplan.report.view import opening_words

_SHORT = 2  # parts of a field that fit on the first line of a group
_NAMED = 4  # addresses of a group that are shown
_FULL_FIRST, _FULL = 60, 12  # actions of a risk in full: where somebody has to decide, and elsewhere
_EACH = 3  # actions of a tenant, if a risk has more than are shown in full
_TENANTS = 15  # tenants that are counted one by one
_GROUPS = 25  # groups of similar actions that are shown
_SHARES = 12  # tenants of a risk that have a line of their own


class Large:
    """The lines of a long plan, and the number of its actions that were shown in full."""

    def __init__(self, plan: Plan, style: Style, expand: Sequence[str]) -> None:
        self._style, self._owners = style, TenantFinder(plan)
        self._chosen = {id(action) for action in expanded(plan.actions, expand, self._owners)}
        self._actions = len(plan.actions)
        self._pattern = next((f"{action.address.site}/{action.address.kind}/*" for action in plan.actions), "")
        self.full = 0

    def lines(self, part: Plan) -> Iterator[str]:
        """The lines of the plan, or of a part of it."""
        for section in risk_sections(part, self._owners):
            heading = f"{section.risk.label} ({section.counts})"
            yield ""
            yield from (self._style.paint(line, "bold") for line in self._style.wrapped(heading, ""))
            yield from self._section(section)

    def by_tenant(self, plan: Plan) -> Iterator[str]:
        """How many changes each tenant has; tenants of whom something is deleted or replaced come first."""
        shares = sorted(shares_of(plan.actions, self._owners), key=lambda share: (-share.going, -len(share.actions)))
        if len(shares) < 2:
            return
        yield ""
        yield self._style.paint(f"By tenant ({len(shares)})", "bold")
        for share in shares[:_TENANTS]:
            lost = f"; {share.going:,} to delete or replace" if share.going else ""
            yield from self._style.wrapped(f"{inert(share.title)} ({len(share.actions):,}): {share.counts}{lost}", "  ")
        if len(shares) > _TENANTS:
            count = sum(len(share.actions) for share in shares[_TENANTS:])
            text = (
                f"… and {len(shares) - _TENANTS} more with {count:,} changes, each with --expand ADDRESS of the tenant"
            )
            yield from self._style.wrapped(text, "  ")

    def rest(self) -> list[str]:
        """How to see what was not shown in full; nothing if all was."""
        left = self._actions - self.full
        if not left:
            return []
        single, every, page = map(
            _unbroken, ("--expand ADDRESS", "--expand '*'", "vastplan plan ... --report plan.html")
        )
        text = (
            f"{left:,} of {self._actions:,} changes are grouped or only counted. In full: {single}, with patterns ({inert(word(self._pattern))}), "
            f"or a tenant's address for all of the tenant's changes; all changes: {every}, or as a page: {page}"
        )
        return ["", *(self._style.paint(line, "cyan") for line in self._style.wrapped(text, ""))]

    def _section(self, section: RiskSection) -> Iterator[str]:
        for alike in section.alike[:_GROUPS]:
            yield from self._alike(alike)
        more_alike = [action for alike in section.alike[_GROUPS:] for action in alike.actions]
        yield from self._more(more_alike, f"{len(section.alike) - _GROUPS} more groups of similar changes")
        room = _FULL_FIRST if section.first else _FULL
        scarce = sum(len(share.actions) for share in section.shares) > room
        for number, share in enumerate(section.shares):
            chosen = [action for action in share.actions if id(action) in self._chosen]
            others = [action for action in share.actions if id(action) not in self._chosen]
            listed = others[: min(room, _EACH)] if scarce else others
            room -= len(listed)
            if not (chosen or listed) and number >= _SHARES:
                yield from self._counted(section.shares[number:])
                return
            yield from self._share(share, [*chosen, *listed])

    def _counted(self, shares: Sequence[TenantShare]) -> Iterator[str]:
        """The tenants that have no line of their own."""
        yield from self._more([action for share in shares for action in share.actions], f"{len(shares)} more tenants")

    def _more(self, actions: Sequence[Action], noun: str) -> Iterator[str]:
        """The actions that `expand` names, in full, and a count of the others."""
        chosen = [action for action in actions if id(action) in self._chosen]
        if len(actions) > len(chosen):
            counts = by_section(action for action in actions if id(action) not in self._chosen)
            yield from self._style.wrapped(f"… and {noun}: {counts} {_how('*')}", "  ")
        for action in chosen:
            self.full += 1
            yield from action_lines(action, self._style, in_full=True)

    def _share(self, share: TenantShare, listed: Sequence[Action]) -> Iterator[str]:
        left = len(share.actions) - len(listed)
        if not listed:
            yield from self._style.wrapped(f"{inert(share.title)}: … {share.counts} {_how(share.pattern)}", "  ")
            return
        title = self._style.wrapped(f"{inert(share.title)}: {share.counts}", "  ")
        yield from (self._style.paint(line, "cyan") for line in title)
        for action in listed:
            self.full += 1
            yield from action_lines(action, self._style, in_full=id(action) in self._chosen)
        if left:
            yield from self._style.wrapped(f"… and {left} more {_how(share.pattern)}", "      ")

    def _alike(self, alike: SimilarActions) -> Iterator[str]:
        chosen = [action for action in alike.actions if id(action) in self._chosen]
        if len(chosen) < len(alike.actions):
            yield from _together(alike, self._style)
        for action in chosen:
            self.full += 1
            yield from action_lines(action, self._style, in_full=True)


def _how(pattern: str) -> str:
    return _unbroken(f"(--expand {word(inert(pattern))})")


def _unbroken(text: str) -> str:
    """Text that is typed as one, kept on one line."""
    return text.replace(" ", NO_BREAK)


def _together(alike: SimilarActions, style: Style) -> Iterator[str]:
    """What many actions have in common, and their objects."""
    action, fields = alike.first, alike.shared()
    title = f"{verb_word(action)} {alike.objects}"
    short = len(fields) == len(action.changes) == 1 and len(fields[0].parts) <= _SHORT and not fields[0].replaces
    if short:
        (field,) = fields
        planned = field.after if action.verb is Verb.CREATE else field.planned()
        title = f"{inert(field.path)} {planned} on {alike.objects}"
    reason = inert(of_any(action.reason, action.address))
    head = f"{action.verb.sign:>3} {title}" + (f" — {lost}" if (lost := alike.lost()) else "")
    beside = len(head) + len(reason) + 2 <= style.width
    yield style.paint(head, OF_VERB[action.verb]) + (f"  {reason}" if beside else "")
    yield from style.wrapped(f"why: {reason}", "      ") if not beside else ()
    yield from _sentence(alike, style)
    for field in fields if not short else ():
        if action.verb is Verb.CREATE:
            yield from style.wrapped(f"{inert(field.path)}: {field.after}", "      ")
        else:
            yield from field_lines(field, style)
    yield from (f"      seen: {inert(name)} {inert(values)}" for name, values in alike.others())
    for block in action.blocked:
        fix = f"; to go on: {inert(fix_of_any(block, action))}" if block.fix else ""
        text = f"blocked ({inert(block.guard)}), each of them: {inert(of_any(block.message, action.address))}{fix}"
        yield from (style.paint(line, "red") for line in style.wrapped(text, "      "))
    yield from _named(alike, style)


def _sentence(alike: SimilarActions, style: Style) -> Iterator[str]:
    action = alike.first
    for opening in action.opens:
        yield from style.wrapped(f"lets in: {opening_words(opening)}", "      ")
    for note in action.notes:
        text = f"chosen: {inert(of_any(note, action.address))}"
        yield from (style.paint(line, "dim") for line in style.wrapped(text, "      "))
    if action.released:
        yield from style.wrapped(f"no longer managed: {', '.join(map(inert, action.released))}", "      ")


def _named(alike: SimilarActions, style: Style) -> Iterator[str]:
    """The first addresses, each with its own values, and how to see the others."""
    left = len(alike.actions) - _NAMED
    rest = f"{_unbroken(f'… and {left:,} more')} {_how(alike.pattern())}" if left > 0 else ""
    listed = alike.actions[:_NAMED]
    if alike.own:
        for action in listed:
            address, values = inert(action.address), alike.values(action)
            if len(address) + len(values) + 8 <= style.width:
                yield f"      {address}  {values}"
            else:
                yield from (f"      {address}", *style.wrapped(values, "        "))
        yield from style.wrapped(rest, "      ") if rest else ()
    else:
        names: Iterable[str] = (inert(action.address) for action in listed)
        yield from style.wrapped(f"{', '.join(names)}{' ' if rest else ''}{rest}", "      ")


def more(count: int) -> str:
    """The line that stands for what is only counted."""
    return f"  … and {count:,} more (--expand '*')"
