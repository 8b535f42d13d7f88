"""A plan that is too long to read from end to end: by risk, groups of similar actions first, the rest by tenant and kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import GOING, Action, Plan
from vastplan.model.wording import counted
from vastplan.report.owners import TenantFinder
from vastplan.report.review import Revert, Risk, by_risk
from vastplan.report.similarity import SimilarActions, similar_actions
from vastplan.report.values import kind_words

FROM = 31
"""The number of actions from which on a plan is long; a shorter one shows every action in full."""
_FIRST = frozenset({Risk.DATA, Risk.REMOVAL, Risk.BLOCKED, Risk.OPENING, Risk.NARROWING})
"""The risks that somebody has to decide on."""


@dataclass(frozen=True, slots=True)
class TenantShare:
    """The actions on the objects of one tenant on a site, or of no single tenant (`owner` is "")."""

    site: str
    owner: str
    actions: tuple[Action, ...]

    @property
    def title(self) -> str:
        """`iad, tenant team-a`."""
        address = Address.parse(self.owner) if self.owner else None
        return (
            f"{self.site}, {kind_words(address.kind)} {address.name}"
            if address
            else f"{self.site}, of no single tenant"
        )

    @property
    def counts(self) -> str:
        """`12 views, 4 quotas`."""
        return by_section(self.actions)

    @property
    def going(self) -> int:
        """How many of them delete or replace a live object."""
        return sum(1 for action in self.actions if action.verb in GOING)

    @property
    def pattern(self) -> str:
        """The argument of `--expand` that shows all of it."""
        return self.owner or f"{self.site}/*"


@dataclass(frozen=True, slots=True)
class RiskSection:
    """The actions of one risk."""

    risk: Risk
    actions: tuple[Action, ...]
    alike: tuple[SimilarActions, ...]
    shares: tuple[TenantShare, ...]

    @property
    def counts(self) -> str:
        """`67 views`, or `1,204: 1,000 views, 204 quotas`."""
        kinds = by_section(self.actions)
        return f"{len(self.actions):,}: {kinds}" if ", " in kinds else kinds

    @property
    def first(self) -> bool:
        """Whether somebody has to decide on it."""
        return self.risk in _FIRST


def is_large(plan: Plan) -> bool:
    """Whether a plan is shown this way."""
    return len(plan.actions) >= FROM


def risk_sections(plan: Plan, owners: TenantFinder) -> Iterator[RiskSection]:
    """The actions of a plan, or of a part of it, the worst first."""
    sections: dict[Risk, list[Action]] = {}
    for risk, action in by_risk(plan):
        sections.setdefault(risk, []).append(action)
    for risk, actions in sections.items():
        together, others = similar_actions(actions)
        yield RiskSection(risk, tuple(actions), tuple(together), tuple(shares_of(others, owners)))


def shares_of(actions: Iterable[Action], owners: TenantFinder) -> Iterator[TenantShare]:
    """The actions by site and tenant, and in each by kind; equal ones in the order of work."""
    parts: dict[tuple[str, str], list[Action]] = {}
    for action in actions:
        parts.setdefault((action.address.site, owners.of(action)), []).append(action)
    for (site, owner), mine in sorted(parts.items(), key=lambda part: (part[0][0], not part[0][1], part[0][1])):
        yield TenantShare(site, owner, tuple(sorted(mine, key=lambda action: action.address.kind)))


def unlisted_reverts(plan: Plan, undone: Iterable[Revert]) -> list[Revert]:
    """The undone changes of a long plan that its section of undone changes does not show: those with an author, and those of a worse
    risk."""
    listed = {id(action) for risk, action in by_risk(plan) if risk is Risk.REVERT}
    return [revert for revert in undone if revert.author or id(revert.action) not in listed]


def by_section(actions: Iterable[Action]) -> str:
    """`12 views, 4 quotas`, the most first."""
    kinds = Counter(action.address.kind for action in actions)
    return ", ".join(counted(count, kind_words(kind)) for kind, count in kinds.most_common())


def expanded(actions: Iterable[Action], patterns: Sequence[str], owners: TenantFinder) -> list[Action]:
    """The actions that a pattern names: by their own address, that of the entry they come from, or that of their tenant."""
    if "*" in patterns:
        return list(actions)
    return [action for action in actions if any(_fits(pattern, action, owners) for pattern in patterns)]


def _fits(pattern: str, action: Action, owners: TenantFinder) -> bool:
    names = (str(action.address), action.origin, owners.of(action))
    return any(name == pattern or fnmatchcase(name, pattern) for name in names if name)


def unmatched_patterns(plan: Plan, patterns: Iterable[str]) -> list[str]:
    """The patterns that match no action of a plan."""
    owners = TenantFinder(plan)
    return [pattern for pattern in patterns if not expanded(plan.actions, [pattern], owners)]
