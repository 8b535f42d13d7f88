"""The modes of a move by their names, and the ends that each needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

from vastplan.model.errors import Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import ARM, FORK, KEEP, PLANNED, REHEARSE, REJOIN, THROUGH, UNPLANNED
from vastplan.model.shell import word
from vastplan.model.site_ledger import SiteLedger, last_on
from vastplan.operations.clock import Clock
from vastplan.operations.document import Document
from vastplan.operations.ends import Ends
from vastplan.operations.modes.arm import NOT_KEPT, Arm, kept_for, lapsed, last_arming
from vastplan.operations.modes.fork.plan import Fork, with_branch
from vastplan.operations.modes.global_access.plan import GlobalAccess, refuse_roles
from vastplan.operations.modes.global_access.sides import shared_sides
from vastplan.operations.modes.mode import Mode
from vastplan.operations.modes.planned import Planned
from vastplan.operations.modes.rehearsal.plan import Rehearse, with_rehearsal
from vastplan.operations.modes.rejoin import Rejoin
from vastplan.operations.modes.sides import sides
from vastplan.operations.modes.unplanned import Unplanned
from vastplan.operations.plan.pair import Pair
from vastplan.operations.sites import Sites
from vastplan.operations.stand_ins import EarlierLook
from vastplan.operations.wanted import WantedMove

MODES: Mapping[str, Mode] = MappingProxyType(
    {
        PLANNED: Planned(),
        UNPLANNED: Unplanned(),
        REJOIN: Rejoin(forced=False),
        KEEP: Rejoin(forced=True),
        THROUGH: GlobalAccess(),
        FORK: Fork(),
        REHEARSE: Rehearse(),
        ARM: Arm(),
    }
)


def mode_of(name: str) -> Mode:
    """The mode of a name. Raises `VastplanError` for one that another vastplan wrote."""
    if name not in MODES:
        raise VastplanError(f"{inert(name, 80)} is not a mode of a move that this vastplan knows")
    return MODES[name]


def ends_of(
    document: Document, sites: Sites, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock
) -> tuple[Ends, str]:
    """The ends of a pair, and the guid of its path, the same on both sides. Raises `VastplanError` if a site does not have the path."""
    if pair.origin:
        return shared_sides(document, sites, pair, ledger, clock)
    ends, target = sides(sites, pair, ledger, clock)
    record = last_arming(ledger, target.guid)
    if record is not None and record.target == pair.target:  # else it was armed before the roles changed
        not_kept = tuple((record.facts.get(NOT_KEPT) or {}).values())
        why = lapsed(record, pair.source, last_on(ledger, target.guid))
        ends = replace(ends, armed_jobs=kept_for(pair, record), not_kept=not_kept, armed_at=record.began, lapsed=why)
    if pair.rehearsal is not None:
        return with_rehearsal(sites, pair, ends, target), target.guid
    if pair.branch is not None:
        return with_branch(document, sites, pair, ends, target, ledger), target.guid
    return ends, target.guid


def refuse(mode: str, ends: Ends, broken: str, pair: Pair) -> None:
    """Raises `VastplanError` if the mode does not fit the path, or the present state does not allow it."""
    if mode != THROUGH:
        refuse_roles(pair)
    mode_of(mode).refuse(ends, broken, pair)


@contextmanager
def if_lost(wanted: WantedMove, pair: Pair, documents: str) -> Iterator[None]:
    """Raises `Unreachable` with the command for a lost site, where a planned move cannot read its source."""
    try:
        yield
    except EarlierLook as problem:
        if wanted.mode != PLANNED:
            raise
        unplanned = f"vastplan move run {documents} {word(wanted.address)} --to {pair.target} --unplanned"
        raise Unreachable(f"{problem}; if {pair.source} is lost: {unplanned}") from problem


def refuse_source(mode: str, ends: tuple[Ends, ...], broken: str, what: str) -> None:
    """Raises `VastplanError` if the source of all paths of `what` does not allow the mode. Called after `refuse`: it may wait."""
    problem = mode_of(mode).amiss_of_source(ends, broken)
    if problem:
        raise VastplanError(f"{what}: {problem}")
