"""An empty ledger beside live objects: a first run, or a ledger that was lost. It is one cause, and is reported once. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Block, Plan, Verb
from vastplan.report.long_plan import by_section

_MANY = 3
WAY_OUT = (
    "if the ledger was lost, or this is the first run on a site in use: --adopt adopts them as shown here; else check "
    "where the document keeps its ledger"
)


@dataclass(frozen=True, slots=True)
class NotOwned:
    """What exists on a site whose ledger is empty."""

    site: str
    actions: tuple[Action, ...]

    @property
    def text(self) -> str:
        """The sentence that reports it."""
        return (
            f"{self.site}: the ledger is empty: these {len(self.actions):,} objects exist but are not in it "
            f"({by_section(self.actions)}), so an apply skips them"
        )

    @property
    def same(self) -> tuple[Action, ...]:
        """The actions on objects that already are as the document has them."""
        return tuple(action for action in self.actions if not action.changes)


def not_owned(plan: Plan) -> list[NotOwned]:
    """The sites whose ledger is empty although several objects of the document exist there."""
    empty = {part.site for part in plan.parts if not part.serial}
    by_site: dict[str, list[Action]] = {}
    for action in plan.actions:
        if action.address.site in empty and _held_back(action):
            by_site.setdefault(action.address.site, []).append(action)
    return [NotOwned(site, tuple(mine)) for site, mine in sorted(by_site.items()) if len(mine) >= _MANY]


def _held_back(action: Action) -> bool:
    """Whether the action needs no more than `--adopt`: no field differs that cannot be changed in place."""
    guards = [block.guard for block in action.blocked]
    return action.verb is Verb.ADOPT and guards == ["adopt"] and not any(change.replaces for change in action.changes)


def shorten_not_owned(plan: Plan, groups: list[NotOwned]) -> Plan:
    """The plan, in which each of these actions says only that its object is not in the ledger: why, and the way out, are reported once."""
    among = {action.address for group in groups for action in group.actions}
    return replace(plan, actions=tuple(_actions(plan, among))) if among else plan


def _actions(plan: Plan, among: set[Address]) -> Iterator[Action]:
    for action in plan.actions:
        chosen = action.address in among
        yield (
            replace(action, reason="it exists", blocked=(Block("adopt", "it is not in the ledger"),))
            if chosen
            else action
        )
