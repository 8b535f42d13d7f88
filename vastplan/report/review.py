"""A plan as somebody reads it who must approve it: the verdict in one line, the worst first, and who is affected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import ENDPOINT_CHANGED, Severity
from vastplan.model.ip_ranges import cut_off
from vastplan.model.plan import (
    GOING,
    Action,
    Evidence,
    FieldChange,
    IgnoredChange,
    Plan,
    Stage,
    Verb,
    lets_in,
    only_noted,
    outside_move,
    undoes,
)  # fmt: skip
from vastplan.report.change import data_words, own_change, settings_changed, unrelated_actions
from vastplan.report.differences import before_after
from vastplan.report.sets import NO_CHANGE, set_change
from vastplan.report.standing import standing_sentences
from vastplan.report.users import kinds_of_users, users_line
from vastplan.report.values import author_text, counted, kind_words, plain_value

_CARRIED = (Stage.DATA, Stage.VOLUME)
_SHOWN_TEAMS = 6


class Risk(Enum):
    """What an action may cost, the worst first. `label` is its heading in a report, `slug` its name in a page."""

    DATA = ("data", "Deletes or replaces objects with data, or lets a system delete them")
    REMOVAL = ("removal", "Deletes or replaces")
    BLOCKED = ("blocked", "Blocked")
    OPENING = ("opening", "Lets somebody in")
    NARROWING = ("narrowing", "Lets fewer in, or takes something away")
    REVERT = ("revert", "Undoes a change made outside vastplan")
    UPDATE = ("update", "Updates")
    ADOPT = ("adopt", "Adopts what exists")
    CREATE = ("create", "Creates")
    RELEASE = ("release", "Releases, without touching it")
    NOTE = ("note", "Changes only the ledger")

    @property
    def slug(self) -> str:
        """A word of lowercase letters."""
        return self.value[0]

    @property
    def label(self) -> str:
        """The heading."""
        return self.value[1]


_ORDER = {risk: number for number, risk in enumerate(Risk)}
_OF_VERB = {Verb.UPDATE: Risk.UPDATE, Verb.ADOPT: Risk.ADOPT, Verb.CREATE: Risk.CREATE, Verb.RELEASE: Risk.RELEASE}


def risk(action: Action) -> Risk:
    """The worst risk of an action."""
    if action.verb in GOING:
        return Risk.DATA if action.holds_data else Risk.REMOVAL
    if action.blocked:
        return Risk.BLOCKED
    if action.deletes:
        return Risk.DATA
    if only_noted(action):
        return Risk.NOTE
    return Risk.REVERT if undoes(action) else _OF_VERB[action.verb]


def by_risk(plan: Plan) -> list[tuple[Risk, Action]]:
    """Every action with its risk, the worst first; equal ones in the order of work. What lets somebody in, and what lets fewer in, is
    apart from harmless changes."""
    narrowed = plan.consent.allow_narrow
    ranked = [(_access_first(risk(action), action, narrowed), action) for action in plan.actions]
    return sorted(ranked, key=lambda pair: _ORDER[pair[0]])


def _access_first(rough: Risk, action: Action, narrowed: Sequence[str]) -> Risk:
    if rough in (Risk.DATA, Risk.REMOVAL, Risk.BLOCKED):
        return rough
    if lets_in(action):
        return Risk.OPENING
    if action.verb is Verb.UPDATE and (reducing_changes(action) or _allowed(action, narrowed)):
        return Risk.NARROWING
    return rough


def reducing_changes(action: Action) -> list[FieldChange]:
    """The changes by which an object that stays takes something away from those who use it."""
    return [change for change in action.changes if _takes_out(change)] if action.verb is Verb.UPDATE else []


def _takes_out(change: FieldChange) -> bool:
    """Whether the change takes something away: by its field, or items of a list, but addresses only where other items do not cover them."""
    if change.fewer or not change.unordered or not isinstance(change.before, list):
        return change.fewer
    items = set_change(change.shown_before, change.shown_after or [], change.unit, change.units)
    kept = change.after if isinstance(change.after, list) else []
    return bool(cut_off(items.removed, [item for item in kept if isinstance(item, str)]))


def _allowed(action: Action, narrowed: Sequence[str]) -> bool:
    """Whether the consent to let fewer in names exactly this address; a pattern, which covers others too, does not count."""
    return str(action.address) in narrowed


def review_line(plan: Plan) -> str:
    """One line: what somebody must do, what cannot be done, what is lost. `3 changes need approval, nothing is deleted.`

    With a base it is the verdict on the change itself, and a second sentence reports what else the plan has. Changed endpoints and
    changed settings of the document come before all of it, and what somebody has to look at besides comes after it.
    """
    moved = sum(1 for finding in plan.findings if finding.code == ENDPOINT_CHANGED)
    count = len(settings_changed(plan))
    elsewhere = f"{counted(moved, 'endpoint')} changed: credentials would be sent elsewhere. " if moved else ""
    otherwise = f"{counted(count, 'setting')} of the document changed. " if count else ""
    return " ".join((elsewhere + otherwise + _verdict(plan), *standing_sentences(plan.replications, plan.states)))


def _verdict(plan: Plan) -> str:
    if plan.base is not None:
        change = _verdict(own_change(plan))
        rest = unrelated_actions(plan)
        return f"This change: {change[0].lower()}{change[1:]}" + (f" {rest}" if rest else "")
    errors = sum(1 for finding in plan.findings if finding.severity is Severity.ERROR)
    unread = f"{counted(len(plan.unknown), 'collection')} could not be read" if plan.unknown else ""
    if errors:
        return _sentence([f"{counted(errors, 'error')} in the document: nothing can be applied", unread])
    if blind(plan):
        return _sentence(
            [
                f"cannot determine whether anything would change: nothing could be read ({counted(len(plan.unknown), 'collection')})"
            ]
        )
    if not plan.actions:
        where = " in what could be read" if plan.unknown else ""
        return _sentence([f"nothing to change{where}, {counted(plan.in_sync, 'object')} in sync", unread])
    waiting = sum(1 for action in plan.actions if _waits(action))
    stopped = [action for action in plan.actions if action.blocked and not _waits(action)]
    blocked = len(stopped)
    going = Counter(action.verb for action in plan.actions if action.verb in GOING)
    lost = [f"{going[verb]:,} to {verb.value}{_with_data(plan, verb)}" for verb in GOING if going[verb]]
    free = len(plan.actions) - waiting - blocked
    letting = sum(1 for action in plan.actions if lets_in(action))
    deleting = sum(1 for action in plan.actions if action.deletes)
    taking = sum(1 for action in plan.actions if reducing_changes(action))
    parts = [
        f"{counted(waiting, 'change')} {'needs' if waiting == 1 else 'need'} approval" if waiting else "",
        f"{blocked:,} {_are(blocked)} blocked{_by_one(stopped)}" if blocked else "",
        f"{counted(free, 'change')} can be applied" if free else "",
        f"{letting:,} {'lets' if letting == 1 else 'let'} somebody in" if letting else "",
        f"{taking:,} {'takes' if taking == 1 else 'take'} something away" if taking else "",
        f"{deleting:,} {'makes' if deleting == 1 else 'make'} a system delete data" if deleting else "",
        *(lost or ([] if deleting or taking or letting else ["nothing is deleted"])),
        unread,
    ]
    return _sentence(parts)


def _with_data(plan: Plan, verb: Verb) -> str:
    words = data_words([action for action in plan.actions if action.verb is verb])
    return f" ({words})" if words else ""


def _waits(action: Action) -> bool:
    return any(block.guard == "approval" for block in action.blocked)


def _by_one(stopped: Sequence[Action]) -> str:
    """`: in use`, where one guard blocks all of them; "" where several do."""
    guards = {block.guard for action in stopped for block in action.blocked}
    return f": {guards.pop().replace('-', ' ')}" if len(guards) == 1 else ""


def blind(plan: Plan) -> bool:
    """Whether nothing of the plan could be read: no object of it is in sync, changed or left alone."""
    return bool(plan.unknown) and not (plan.actions or plan.in_sync or plan.left)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _sentence(parts: list[str]) -> str:
    text = ", ".join(part for part in parts if part) + "."
    return text[0].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Team:
    """Somebody who uses the storage: an object at the end of the chain, and its figures (`64 GPUs`)."""

    address: Address
    figures: tuple[Evidence, ...] = ()

    def __str__(self) -> str:
        figures = ", ".join(f"{plain_value(figure.value, figure.unit)} {figure.name}" for figure in self.figures)
        return f"{self.address.name} ({figures})" if figures else self.address.name


@dataclass(frozen=True, slots=True)
class Affected:
    """Who is affected: the number of objects of each kind that carry data, the teams, the number of other objects, and who uses it now."""

    carried: tuple[tuple[str, int], ...] = ()
    teams: tuple[Team, ...] = ()
    others: int = 0
    users: str = ""

    def __str__(self) -> str:
        parts = [counted(count, kind_words(kind)) for kind, count in self.carried]
        if self.teams:
            names = ", ".join(map(str, self.teams[:_SHOWN_TEAMS]))
            more = len(self.teams) - _SHOWN_TEAMS
            parts.append(
                f"{'team' if len(self.teams) == 1 else 'teams'} {names}" + (f" and {more} more" if more > 0 else "")
            )
        if self.others:
            parts.append(counted(self.others, "other object"))
        if self.users:
            parts.append(self.users)
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Revert:
    """One change made outside vastplan that a plan undoes: an object, or its value, that is gone (`change` is `None`), or a field."""

    action: Action
    change: FieldChange | None = None

    @property
    def as_a_whole(self) -> str:
        """What happened to an object as a whole."""
        return "exists, but its value is missing where it was delivered" if self.action.supersedes else "is gone"

    @property
    def author(self) -> str:
        """Who made the change and when, if that is known."""
        return author_text(self.change.author if self.change is not None else self.action.author)


def reverted(plan: Plan) -> list[Action]:
    """The actions that undo a change made outside vastplan."""
    return [action for action in plan.actions if undoes(action)]


def reverts(plan: Plan) -> list[Revert]:
    """Every change made outside vastplan that the plan undoes, in the order of work."""
    undone = []
    for action in reverted(plan):
        fields = [Revert(action, change) for change in action.changes if outside_move(change)]
        undone += fields or [Revert(action)]
    return undone


def keeps(undone: Sequence[Revert]) -> str:
    """How to keep a change made outside vastplan: a value can be written into the document, a deletion cannot."""
    fields = any(revert.change is not None for revert in undone)
    gone = any(revert.change is None and not revert.action.supersedes for revert in undone)
    ways = ["--keep-drift ADDRESS keeps it in this run"]
    ways += ["drift --accept ADDRESS writes the value into the document"] if fields else []
    ways += ["to keep an object gone, remove it from the document"] if gone else []
    return "; ".join(ways)


def left_words(left: IgnoredChange) -> list[str]:
    """What the plan leaves alone, a line for each field."""
    until = f" (until {inert(left.until, 20)})" if left.until else ""
    lines = []
    for change in left.changes:
        live, wanted = before_after(change)
        by_items = change.unordered and not change.sensitive
        items = (
            set_change(change.shown_before, change.shown_after, change.unit, change.units) if by_items else NO_CHANGE
        )
        stays = items.kept() if items else f"stays {live}, the document says {wanted}"
        lines.append(f"{inert(change.path)} {stays}")
    return [f"{line}: {inert(left.reason)}{until}" for line in lines or ["stays as it is"]]


class Topology:
    """What depends on what in a plan, and so whom each action affects."""

    def __init__(self, plan: Plan) -> None:
        self._nodes = {node.address: node for node in plan.topology}
        self._teams: dict[str, dict[str, Team]] = {}

    def affected(self, *actions: Action) -> Affected:
        """Who depends on the objects of the actions, and the teams that any of those objects belongs to."""
        own = {str(action.address) for action in actions}
        behind = dict.fromkeys(address for action in actions for address in action.dependents)
        teams: dict[str, Team] = {}
        for address in (*sorted(own), *behind):
            teams |= self._teams_at(address)
        kinds: Counter[str] = Counter()
        others, counted_as_users = 0, kinds_of_users(actions)
        for address in behind:
            if address in own or address in teams or Address.parse(address).kind in counted_as_users:
                continue
            node = self._nodes.get(address)
            if node is not None and node.stage in _CARRIED:
                kinds[Address.parse(address).kind] += 1
            else:
                others += 1
        named = tuple(teams[address] for address in sorted(teams))
        return Affected(tuple(sorted(kinds.items())), named, others, users_line(*actions))

    def _teams_at(self, address: str) -> dict[str, Team]:
        """The team that an object is, and those that it refers to; cached, because a thousand actions may affect the same one."""
        if address not in self._teams:
            node = self._nodes.get(address)
            near = (self._nodes.get(other) for other in (address, *(node.refers if node else ())))
            self._teams[address] = {
                other.address: Team(Address.parse(other.address), other.figures)
                for other in near
                if other is not None and other.stage is Stage.TEAM
            }
        return self._teams[address]
