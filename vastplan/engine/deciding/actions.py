"""One action per address: the verdict of each, and what is unknown because it depends on something unknown."""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import datetime

from vastplan.engine.deciding.left_data import left_data
from vastplan.engine.deciding.probable_renames import renamed_perhaps
from vastplan.engine.deciding.verdict import Verdicts
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.renames import made_again
from vastplan.engine.matching.needs import standing_on, targeted_addresses
from vastplan.engine.values.formers import duplicate_findings
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.plan import Action, UnknownCollection
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.value import Reveal
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class Decided:
    """The actions by address, and the findings beside them. An address that is in sync or unknown has no action."""

    actions: Mapping[Address, Action]
    unknown: Set[UnknownCollection]
    findings: tuple[Finding, ...]
    in_sync: int


def decide(
    matches: Matches,
    ledger: Mapping[str, SiteLedger],
    desired: Mapping[Address, Entry],
    reveal: Reveal | None,
    targets: tuple[str, ...],
    retired: Set[str] = frozenset(),
    *,
    now: datetime,
    held: Set[str] = frozenset(),
) -> Decided:
    """Decide about every address that `targets` selects. `reveal` is `None` where no secret may be resolved.

    On `held` sites another apply may be at work. Nothing is desired on `retired` sites, and the reason of a removal there says so.
    """
    findings: list[Finding] = []
    aimed = targeted_addresses(matches, desired, targets)
    verdicts = Verdicts(matches, ledger, desired, reveal, retired, now, held)
    actions: dict[Address, Action] = {}
    blind: dict[Address, str] = {}
    in_sync = 0
    removed = (address for address in matches.owned if address not in desired)
    for address in (*desired, *sorted(removed, key=lambda address: address in matches.formers)):
        if aimed is not None and address not in aimed:
            continue
        verdict = verdicts.verdict(address, actions)
        findings += verdict.findings
        if verdict.unknown:
            blind[address] = verdict.unknown
        elif verdict.action is not None:
            actions[address] = verdict.action
        elif verdict.compared and address in desired:
            in_sync += 1
    findings += made_again(matches.wanted_as, desired, actions, matches.typed)
    findings += duplicate_findings(matches, ledger)
    findings += renamed_perhaps(matches, ledger, desired, actions)
    findings += left_data(matches, desired, actions, matches.typed)
    blind |= standing_on(blind.keys(), actions.values(), desired, matches)
    return Decided(
        {address: action for address, action in actions.items() if address not in blind},
        {_unread(matches, address, reason) for address, reason in blind.items()},
        tuple(findings),
        in_sync,
    )


def _unread(matches: Matches, address: Address, reason: str) -> UnknownCollection:
    return UnknownCollection(address.site, matches.kinds[address.kind].system, address.kind, reason)
