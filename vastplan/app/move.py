"""`vastplan move`: plans a move (only reads), carries it out from its file, shows its progress, aborts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from vastplan.app.connect import connected
from vastplan.app.files.move_plan import MOVE_FILE
from vastplan.app.locks import locked_ledgers
from vastplan.app.moving.begun import (
    PAIRS,
    facts_of_pairs,
    found_to_go_on,
    found_to_take_back,
    pair_begun,
    refuse_other_claims,
)
from vastplan.app.moving.branch import facts_of, forked, forked_before, parts_of, refuse_changed
from vastplan.app.moving.ends import Met
from vastplan.app.moving.evidence import evidence
from vastplan.app.moving.joint import abort_together, is_together, plan_together, run_together
from vastplan.app.moving.meeting import meet
from vastplan.app.moving.modes import (
    ATTACHING,
    by_hand,
    loss_of,
    refuse_mode,
    stages_of,
    staying,
    suspended_before,
    users_of,
)
from vastplan.app.moving.rehearsal import last_rehearsal, not_tried, rehearsing
from vastplan.app.operating.course import (
    all_parts,
    carried,
    heading,
    heard,
    paths_of,
    refuse_another,
    refuse_newcomers,
    refuse_second,
    shown,
    to_take_back,
)
from vastplan.app.operating.record import by_id, journal, of_kind
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import PLANNED, REHEARSE, UNPLANNED, MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.model.site_ledger import SiteLedger, last_on
from vastplan.operations.clock import CLOCK, Clock
from vastplan.operations.ends import Ends, noted
from vastplan.operations.modes.global_access.plan import warming
from vastplan.operations.modes.group.pairs import TOGETHER
from vastplan.operations.modes.rehearsal.calls import REHEARSAL, Rehearsed, to_make
from vastplan.operations.modes.rehearsal.stages import NOT_TRIED
from vastplan.operations.plan.checkpoints import by_rule
from vastplan.operations.plan.pair import Pair, other_of, pair_of
from vastplan.operations.stages.run import Run, abort
from vastplan.operations.stages.stage import Stage

MOVE = "move"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested move. `to` is the site of the new source, `broken` the reason to give up the present source although it answers.

    `fork` is the volume that a fork creates, at `to`; `live` leaves the workloads at the source running.
    """

    address: Address
    to: str
    mode: str = PLANNED
    broken: str = ""
    warm: str = ""
    """With global access: the directory at `to` to prefetch, "" for the whole path."""
    fork: str = ""
    live: bool = False


def other_site(workspace: Workspace, address: Address, site: str) -> str:
    """The site at the other end of the replicated path at `address`. Raises `VastplanError`."""
    return other_of(workspace.entries()[0], address, site)


def plan_move(workspace: Workspace, wanted: Wanted, clock: Clock | None = None) -> MovePlan:
    """Read both sites and plan the move. Raises `VastplanError` if it is not possible."""
    clock = clock or CLOCK
    if wanted.address.kind in TOGETHER:
        if wanted.mode != PLANNED:
            raise VastplanError(
                f"{inert(wanted.address, 200)}: only a planned move takes a project or tenant as a whole; move its volumes one by one"
            )
        _known_site(workspace, wanted.to)
        return plan_together(workspace, wanted.address, wanted.to, clock)
    pair = _aimed(workspace, _pair(workspace, wanted.address, wanted.to), wanted)
    parts = _parts(workspace, pair)
    sites = (pair.source, pair.target)
    with connected(workspace.document, sites=sites, writable=False) as providers:
        met = meet(workspace, providers, pair, parts, clock)
        refuse_second(parts, met.guid)
        refuse_mode(met.ends, wanted.mode, wanted.broken, pair)
        lose, loss = loss_of(wanted.mode, met.ends)
        users = users_of(met.ends, wanted.mode)
        last = last_on(parts, met.guid)
        plan = MovePlan(
            **heading(workspace, clock.now()),
            address=str(wanted.address),
            path=str(pair.path),
            mode=wanted.mode,
            source=pair.source,
            target=pair.target,
            guid=met.guid,
            broken=wanted.broken,
            warm=pair.warm,
            lose=lose,
            loss=loss,
            jobs=tuple(noted(work, job) for work, job in users),
            covers=pair.covers,
            stages=tuple(shown(stage) for stage in stages_of(wanted.mode, met.ends, wanted.broken)),
            evidence=(
                *evidence(met.ends, users, submits=wanted.mode not in ATTACHING),
                *((last_rehearsal(parts, met.guid),) if wanted.mode in (PLANNED, UNPLANNED) else ()),
            ),
            by_hand=(
                *by_hand(pair, wanted.mode),
                *staying(pair, users if wanted.mode not in ATTACHING else ()),
                *suspended_before(last, pair.target),
                *by_rule(workspace.document.entries, pair, wanted.mode),
            ),
            fork=wanted.fork,
            live=wanted.live,
        )
        return MOVE_FILE.sealed(plan)


def run_move(
    workspace: Workspace,
    plan: MovePlan,
    tell: Callable[[str], None],
    again: str,
    clock: Clock | None = None,
    consent: Mapping[str, object] | None = None,
) -> Operation:
    """Carry out the move, or continue one that has begun. `consent` are the consents given now, `again` the command to go on.

    The file only identifies the move that a person reviewed; the run follows the document and what it reads from the systems.
    Raises `Stopped`, `Stale`.
    """
    clock = clock or CLOCK
    refuse_another(workspace, plan)
    if plan.paths:
        return run_together(workspace, plan, tell, again, clock, consent or {})
    back = f"vastplan move abort {paths_of(workspace)} {plan.id[:8]}"
    pair = found_to_go_on(
        workspace,
        plan,
        lambda: _aimed(workspace, _pair(workspace, Address.parse(plan.path), plan.target), plan),
        again,
        back,
    )
    with _opened(workspace, pair, clock, again) as (met, parts, write):
        known = last_on(parts, plan.subject)
        begun = known is not None and known.id == plan.id[:8]
        # an operation that has begun goes on, whichever side `active` names now
        if met.guid != plan.guid or (str(pair.path) != plan.path and not begun):
            raise Stale(f"{plan.path} is another protected path than when the move was planned; plan it again")
        if known is not None and begun and not known.phase.closed:
            refuse_changed(pair, known)
            refuse_other_claims(pair, known)
        run = Run(clock, write, tell, met.ends.standing, again, back)

        def record() -> Operation:
            refuse_second(parts, plan.guid)  # another move of the same path has another subject
            operation = _record(plan, pair, met.ends, known, consent or {})
            return replace(operation, covers=(*operation.covers, *parts_of(workspace, pair.branch)))

        return carried(workspace, plan, known, parts, run, record, stages=lambda one: _stages(one, met.ends))


def abort_move(workspace: Workspace, id: str, tell: Callable[[str], None], clock: Clock | None = None) -> Operation:
    """Abort a move and take back what it did. Raises `Stopped` past the point of no return."""
    clock = clock or CLOCK
    known = to_take_back(workspace, MOVE, id)
    if is_together(known):
        return abort_together(workspace, known, tell, clock)
    again = f"vastplan move abort {paths_of(workspace)} {known.id}"
    pair = _pair_to_take_back(workspace, known, again)
    with _opened(workspace, pair, clock, again) as (met, parts, write):
        if met.guid not in known.subject.split():
            raise Stale(f"{known.address} is another protected path than the one that is being moved")
        known = by_id(parts, MOVE, known.id)
        if known.phase is Phase.ABORTED:
            write(known)  # an earlier run may have written only one of the two ledger parts
            return known
        return abort(known, _stages(known, met.ends), Run(clock, write, tell, met.ends.standing, again))


def _stages(operation: Operation, ends: Ends) -> tuple[Stage, ...]:
    return stages_of(operation.mode, ends, str(operation.consent.get("broken", "")))


def moves(workspace: Workspace) -> tuple[Operation, ...]:
    """The last move of each pair, from the ledger. Reads no system."""
    return of_kind(all_parts(workspace), MOVE)


@contextmanager
def _opened(
    workspace: Workspace, pair: Pair, clock: Clock, again: str
) -> Iterator[tuple[Met, Mapping[str, SiteLedger], Callable[[Operation], None]]]:
    sites = (pair.source, pair.target)
    with (
        locked_ledgers(workspace, sites) as ledgers,
        connected(workspace.document, sites=sites, writable=True) as providers,
    ):
        parts = ledgers.parts()
        with heard(str(pair.path), again):
            met = meet(workspace, providers, pair, parts, clock)
        yield met, parts, journal(ledgers)


def _record(plan: MovePlan, pair: Pair, ends: Ends, last: Operation | None, consent: Mapping[str, object]) -> Operation:
    """The operation to record, from the document and the present state. Raises `Stale` if workloads outside the plan use the data."""
    users = users_of(ends, plan.mode)
    refuse_newcomers(plan, users, "the move")
    return Operation(
        id=plan.id[:8],
        kind=MOVE,
        mode=plan.mode,
        subject=plan.subject,
        address=str(pair.path),
        source=pair.source,
        target=pair.target,
        document=plan.digest,
        began=ends.clock.now().isoformat(timespec="seconds"),
        term=1 if last is None else last.term + 1,
        covers=pair.covers,
        consent={**consent, "lose": dict(plan.lose), "broken": plan.broken, "plan": plan.id},
        facts={
            "jobs": [noted(work, job) for work, job in users],
            PAIRS: facts_of_pairs((pair,)),
            **({"warm": pair.warm} if pair.warm else {}),
            **({"fork": facts_of(pair.branch)} if pair.branch else {}),
            **(
                {REHEARSAL: to_make(ends, plan.id[:8]), NOT_TRIED: not_tried(ends, users)}
                if isinstance(ends, Rehearsed)
                else {}
            ),
        },
    )


def _pair(workspace: Workspace, address: Address, to: str) -> Pair:
    _known_site(workspace, to)
    return pair_of(workspace.entries()[0], address, to)


def _known_site(workspace: Workspace, to: str) -> None:
    if to not in workspace.document.head.sites:
        raise VastplanError(f"no site {inert(to, 80)}; known: {', '.join(workspace.document.head.sites)}")


def _aimed(workspace: Workspace, pair: Pair, said: Wanted | MovePlan) -> Pair:
    """The pair with what the mode adds: the rehearsal, the fork's branch, or the directory to prefetch. Raises `VastplanError`."""
    if said.mode == REHEARSE:
        return rehearsing(workspace.entries()[0], pair)
    if said.fork:
        return forked(workspace.entries()[0], pair, said.fork, live=said.live)
    return warming(pair, said.warm)


def _pair_to_take_back(workspace: Workspace, known: Operation, again: str) -> Pair:
    """The pair of a begun operation, from its record or else the document. Raises `VastplanError`, which says what to put back."""

    def by_the_document() -> Pair:
        pair = _pair(workspace, Address.parse(known.address), known.target)
        if known.mode == REHEARSE:
            return rehearsing(workspace.entries()[0], pair)
        return _as_it_began(pair, known)

    pair = pair_begun(known, known.address)
    return found_to_take_back(workspace, known, by_the_document, again) if pair is None else _as_it_began(pair, known)


def _as_it_began(pair: Pair, known: Operation) -> Pair:
    return warming(forked_before(pair, known), str(known.facts.get("warm", "")))


def _parts(workspace: Workspace, pair: Pair) -> dict[str, SiteLedger]:
    with workspace.ledger() as backend:
        return {site: backend.read(site) for site in (pair.source, pair.target)}
