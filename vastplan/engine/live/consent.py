"""The consents and approvals of a run, and how much of a kind may change at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from vastplan.model.address import Address
from vastplan.model.consent import Approval, Consent
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Plan, PlannedSite

__all__ = [
    "TOO_MUCH",
    "AddressPatterns",
    "Allowed",
    "Approval",
    "ChangeLimits",
    "Consent",
    "effective_limits",
    "limits_of",
    "recorded_limits",
]

TOO_MUCH = frozenset({"mass-change", "emptied"})
"""The guards whose findings depend on the limits."""


class AddressPatterns:
    """Addresses given on the command line, some of them as patterns with `*`, `?` or `[...]`."""

    __slots__ = ("_exact", "_patterns")

    def __init__(self, texts: Iterable[str]) -> None:
        self._exact = frozenset(texts)
        self._patterns = tuple(text for text in self._exact if any(sign in text for sign in "*?["))

    def __contains__(self, address: Address) -> bool:
        text = str(address)
        return text in self._exact or any(fnmatchcase(text, pattern) for pattern in self._patterns)


class Allowed:
    """A consent, indexed for look-ups by address."""

    __slots__ = ("approvals", "believe_gone", "delete", "narrow")

    def __init__(self, consent: Consent) -> None:
        self.delete = AddressPatterns(consent.allow_delete)
        self.narrow = AddressPatterns(consent.allow_narrow)
        self.believe_gone = AddressPatterns(consent.believe_gone)
        self.approvals: dict[str, list[Approval]] = {}
        for approval in consent.approvals:
            self.approvals.setdefault(approval.address, []).append(approval)


@dataclass(frozen=True, slots=True)
class ChangeLimits:
    """How many objects of a kind on a site may change at once: `count`, or `percent` of what is owned if that is more."""

    count: int = 10
    percent: int = 30

    def changes(self, owned: int) -> int:
        """How many may be updated, replaced or deleted."""
        return max(self.count, owned * self.percent // 100)

    def losses(self, owned: int) -> int:
        """How many may be deleted, replaced or found missing: two, or half of them, and never more than may change."""
        return min(self.changes(owned), max(2, owned // 2))


def effective_limits(recorded: ChangeLimits, asked: ChangeLimits) -> ChangeLimits:
    """The limits of a run: what the last apply recorded, lowered at once where the document asks for less."""
    return ChangeLimits(min(recorded.count, asked.count), min(recorded.percent, asked.percent))


def limits_of(values: Mapping[str, int]) -> ChangeLimits:
    """Limits as plans and ledgers hold them; the defaults for those that are missing."""
    usual = ChangeLimits()
    return ChangeLimits(values.get("count", usual.count), values.get("percent", usual.percent))


def recorded_limits(
    plan: Plan, part: PlannedSite, recorded: Mapping[str, int], now: Plan | None = None
) -> dict[str, int]:
    """The limits that a site's ledger records after a plan was applied: those that the document asks for.

    `now` is the plan made again for the apply. Limits are raised only if the plan covered everything and no limit blocked any
    of it: no change raises its own limit by being applied twice, or in parts.
    """
    asked, held = limits_of(part.limits or recorded), limits_of(recorded)
    if _in_part(plan) or (now is not None and _in_part(now)):
        asked = effective_limits(held, asked)
    return {"count": asked.count, "percent": asked.percent}


def _in_part(plan: Plan) -> bool:
    stopped = any(block.guard in TOO_MUCH for action in plan.actions for block in action.blocked)
    return bool(plan.targets or plan.unknown or stopped)
