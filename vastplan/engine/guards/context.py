"""What a guard may look at: the matched objects, the actions around it, what somebody allowed, and the ledger's counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cached_property

from vastplan.engine.guards.consent import Approval, ChangeLimits, Consent
from vastplan.engine.match import Matcher
from vastplan.engine.observe import Live
from vastplan.engine.order import Order
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.site_ledger import SiteLedger
from vastplan.schema.kind import Kind

GOING = (Verb.DELETE, Verb.REPLACE)


@dataclass(frozen=True)
class GuardContext:
    """What a guard may look at. `limits` are those in force, by site."""

    consent: Consent
    matcher: Matcher
    order: Order
    now: datetime
    limits: Mapping[str, ChangeLimits] = field(default_factory=dict)
    ledger: Mapping[str, SiteLedger] = field(default_factory=dict)

    def kind(self, action: Action) -> Kind:
        """The action's kind."""
        return self.matcher.kinds[action.address.kind]

    def live(self, action: Action) -> Live | None:
        """The object that the action is about, as it is."""
        return self.matcher.match(action.address).live

    def approval(self, address: Address) -> Approval | None:
        """The approval of an address, in force or not."""
        return next((one for one in self.consent.approvals if one.address == str(address)), None)

    def limit(self, site: str) -> ChangeLimits:
        """The limits in force on a site."""
        return self.limits.get(site, ChangeLimits())

    @cached_property
    def owned(self) -> Mapping[tuple[str, str], list[Address]]:
        """What the ledger owns, by site and kind."""
        found: dict[tuple[str, str], list[Address]] = {}
        for address in self.matcher.owned():
            found.setdefault((address.site, address.kind), []).append(address)
        return found

    @cached_property
    def gone(self) -> Mapping[tuple[str, str], list[Address]]:
        """What the ledger owns and nothing that was read shows, but what an apply was about to take away, by site and kind."""
        return {place: [one for one in owned if self._gone(one)] for place, owned in self.owned.items()}

    def _gone(self, address: Address) -> bool:
        match = self.matcher.match(address)
        intent = self.ledger[address.site].intents.get(str(address)) if address.site in self.ledger else None
        ours = intent is not None and intent.verb in ("delete", "replace")
        return match.live is None and not match.unknown and not ours


Guard = Callable[[Action, GuardContext], Block | None]


def allowed(address: Address, patterns: tuple[str, ...]) -> bool:
    """Whether an address fits one of the patterns."""
    return any(fnmatchcase(str(address), pattern) for pattern in patterns)


def named(found: list[str], most: int = 5) -> str:
    """Some names on one line, and how many more there are."""
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
