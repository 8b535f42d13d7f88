"""Moves: the subject is one replicated path, or all paths of a project or tenant."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, Stale, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import ARM, FORK, PLANNED, REHEARSE, UNPLANNED, MovePlan
from vastplan.model.operation import BACK, PATHS, Facts, Operation
from vastplan.model.operation_plan import Fact
from vastplan.model.shell import word
from vastplan.model.site_ledger import last_on
from vastplan.operations.clock import Clock
from vastplan.operations.course import (
    moves_before,
    refuse_newcomers,
    refuse_second,
    refuse_spent,
    refuse_unsuspendable,
    shown,
)
from vastplan.operations.document import Document
from vastplan.operations.ends import Ends, without_specification
from vastplan.operations.modes.arm import lapsed
from vastplan.operations.modes.fork.branch import forked_before, parts_of, refuse_changed
from vastplan.operations.modes.group.move import asked_for, given_up, group_begun, group_planned
from vastplan.operations.modes.group.pairs import TOGETHER, pairs_of, to_arm, with_each_other
from vastplan.operations.modes.mode import Mode, Users
from vastplan.operations.modes.rehearsal.plan import last_rehearsal
from vastplan.operations.modes.rejoin import ways_back
from vastplan.operations.modes.table import ends_of, if_lost, mode_of, refuse, refuse_source
from vastplan.operations.modes.unplanned import ARMED
from vastplan.operations.opposite import not_as_a_whole
from vastplan.operations.plan.ages import age_of
from vastplan.operations.plan.checkpoints import by_rule, goes_back, of_lost_work
from vastplan.operations.plan.evidence import of_pause
from vastplan.operations.plan.gpus import of_gpus
from vastplan.operations.plan.pair import Pair, pair_of
from vastplan.operations.plan.pair_record import PAIRS, facts_of_pairs, pair_begun, refuse_other_claims
from vastplan.operations.plan.resume import of_resume, to_record, with_resume
from vastplan.operations.plan.shared import of_shared
from vastplan.operations.plan.steps import commands_afterwards, if_unread, staying, suspended_before
from vastplan.operations.sites import Sites
from vastplan.operations.stage import Stage, noting
from vastplan.operations.subject import Heading, Met, Parts, Subject
from vastplan.operations.wanted import WantedMove
from vastplan.schema.ports.replica import SideRole


class Moves:
    """The kind of operation that moves replicated data to its other site."""

    name = "move"

    def wanted(self, document: Document, wanted: WantedMove) -> Subject[MovePlan]:
        """The path or paths that somebody asks for. Raises `VastplanError`."""
        subject = self._wanted(document, wanted)
        return replace(subject, lost="") if wanted.armed else subject  # its source answers now

    def _wanted(self, document: Document, wanted: WantedMove) -> Subject[MovePlan]:
        if wanted.address.kind not in TOGETHER:
            return _declared(document, wanted, wanted.address)
        if wanted.mode not in (PLANNED, UNPLANNED):
            tries = f"--to {wanted.to} --rehearse" if wanted.mode == REHEARSE else ""
            raise not_as_a_whole(document, wanted.address, wanted.to, tries)
        known_site(document, wanted.to)
        return asked_for(document, wanted)

    def planned(self, document: Document, plan: MovePlan) -> Subject[MovePlan]:
        """The path or paths of a plan. Raises `VastplanError`."""
        if plan.paths:
            return group_planned(document, plan)
        path = Address.parse(plan.path)
        wanted = WantedMove(path, plan.target, plan.mode, plan.broken, plan.warm, plan.fork, plan.live, plan.armed)
        return _declared(document, wanted, path)

    def begun(self, document: Document, operation: Operation) -> Subject[MovePlan]:
        """The path or paths of an operation, as its record keeps them, or else from the document. Raises `VastplanError`."""
        if operation.facts.get(PATHS):
            return group_begun(document, operation)
        pair = pair_begun(operation, operation.address)
        if pair is None:
            known_site(document, operation.target)
            pair = pair_of(document.objects(), Address.parse(operation.address), operation.target)
        return _as_it_began(document, pair, operation)


@dataclass(frozen=True, slots=True)
class PathMet(Met[MovePlan]):
    """The path of a move with its ends; `guid` is the same on both sides."""

    document: Document
    pair: Pair
    wanted: WantedMove
    ends: Ends
    guid: str

    @property
    def _mode(self) -> Mode:
        return mode_of(self.wanted.mode)

    def plan(self, parts: Parts, heading: Callable[[datetime], Heading]) -> MovePlan:
        """The planned move. Raises `VastplanError` if it is not possible."""
        wanted, pair, mode, ends = self.wanted, self.pair, self._mode, self.ends
        refuse_second(parts, self.guid)
        with if_lost(wanted, pair, self.document.paths):
            refuse(ARM if wanted.armed else wanted.mode, ends, wanted.broken, pair)
        if not wanted.armed:
            refuse_source(wanted.mode, (ends,), wanted.broken, str(pair.path))
        lose, loss = mode.loss(ends)
        users = mode.users(ends)
        refuse_unsuspendable(str(pair.path), self.stages(), users)
        jobs = tuple(map(without_specification, self._jobs(users)))
        last_move = last_on(parts, self.guid)
        return MovePlan(
            **heading(ends.clock.now()),
            address=str(wanted.address),
            path=str(pair.path),
            mode=wanted.mode,
            source=pair.source,
            target=pair.target,
            guid=self.guid,
            broken=wanted.broken,
            warm=pair.warm,
            lose=lose,
            loss=loss,
            jobs=jobs,
            covers=pair.covers,
            stages=tuple(map(shown, self.stages())),
            evidence=(
                *mode.evidence(ends, users),
                *self._lost_work(lose),
                *(of_shared(self.document.objects(), ((pair, jobs),), wanted.mode, ()) if mode.submits else ()),
                *(of_gpus(jobs, ends.target_jobs) if mode.submits and wanted.mode != REHEARSE else ()),
                *of_resume(jobs),
                *of_pause(self.stages()),
                *((last_rehearsal(parts, self.guid),) if mode.tried else ()),
            ),
            by_hand=(
                *mode.manual_steps(pair),
                *staying(pair, users if mode.submits else ()),
                *suspended_before(last_move, pair.target),
                *if_unread(ends, wanted.mode),
                *by_rule(self.document.written, pair, wanted.mode),
                *commands_afterwards(self.document.paths, pair, wanted.mode, last_move),
            ),
            fork=wanted.fork,
            live=wanted.live,
            armed=wanted.armed,
            after=moves_before(parts, (self.guid,)),
        )

    def _lost_work(self, lose: Mapping[str, str]) -> tuple[Fact, ...]:
        """What training is done again; one that is planned in advance goes back to a restore point that is not there yet."""
        if self.wanted.mode != UNPLANNED or self.wanted.armed:
            return ()
        return of_lost_work(self.document.written, self.pair, age_of(self.ends, lose.get("created", "")))

    def _goes_back(self) -> Facts:
        """What an unplanned move goes back to: the plan of one that was armed has an older restore point."""
        point, _ = self._mode.loss(self.ends)
        return {BACK: [*goes_back(self.document.written, self.pair, self.ends, point)]}

    def known(self, plan: MovePlan, parts: Parts) -> Operation | None:
        """The last move of the path. Raises `Stale` for another path, or one whose claims or clone have changed since it began."""
        last_move = last_on(parts, plan.subject)
        begun = last_move is not None and last_move.id == plan.id[:8]
        # an operation that has begun goes on, whichever side `active` names now
        if self.guid != plan.guid or (str(self.pair.path) != plan.path and not begun):
            raise Stale(f"{plan.path} is another protected path than when the move was planned; plan it again")
        if last_move is not None and begun and not last_move.phase.closed:
            refuse_changed(self.pair, last_move)
            refuse_other_claims(self.pair, last_move)
        return last_move

    def record(self, plan: MovePlan, parts: Parts, known: Operation | None, consent: Mapping[str, object]) -> Operation:
        """The operation to record. Raises `Stale` if workloads outside the plan use the data."""
        refuse_second(parts, plan.guid)  # another move of the same path has another subject
        refuse_spent(plan, parts, (plan.guid,))
        pair, ends = self.pair, self.ends
        users = self._mode.users(ends)
        refuse_newcomers(plan, users, "the move")
        jobs = to_record(plan, self._jobs(users), consent)
        return Operation(
            id=plan.id[:8],
            kind=plan.kind,
            mode=plan.mode,
            subject=plan.subject,
            address=str(pair.path),
            source=pair.source,
            target=pair.target,
            document=plan.digest,
            began=ends.clock.now().isoformat(timespec="seconds"),
            term=1 if known is None else known.term + 1,
            covers=(*pair.covers, *parts_of(self.document, pair.branch)),
            consent={
                **consent,
                "lose": dict(plan.lose),
                "broken": plan.broken,
                "plan": plan.id,
                **({ARMED: True} if plan.armed else {}),
            },
            facts={
                "jobs": jobs,
                PAIRS: facts_of_pairs((pair,)),
                **self._mode.facts(pair, ends, users, plan.id[:8]),
            },
        )

    def refuse_another(self, known: Operation, parts: Parts) -> None:
        """Raises `Stale` if the operation is of another path."""
        if self.guid not in known.subject.split():
            raise Stale(f"{known.address} is another protected path than the one that is being moved")

    def _jobs(self, users: Users) -> tuple[Facts, ...]:
        """The workloads for the record."""
        (jobs,) = self._mode.jobs((self.ends,), (users,))
        written, mode = self.document.written, self.wanted.mode
        return with_resume(jobs, written, self.pair, mode) if self._mode.submits else jobs

    def stages(self) -> tuple[Stage, ...]:
        """The stages of its mode."""
        stages = self._mode.stages(self.ends, self.wanted.broken)
        return noting(stages, self._goes_back) if self.wanted.mode == UNPLANNED else stages

    def standing(self, operation: Operation) -> str:
        """Which side may write now."""
        return self.ends.standing(operation)


def paths_of(document: Document, address: Address, to: str) -> tuple[Address, ...]:
    """The paths that move with an address: all of a project or tenant. Raises `VastplanError` if one cannot."""
    if address.kind not in TOGETHER:
        return (address,)
    return tuple(pair.path for pair in pairs_of(document.objects(), address, to))


def roles_now(document: Document, sites: Sites, operation: Operation, parts: Parts, clock: Clock) -> Iterator[str]:
    """The present roles of both sides of each moved path, as each system reports them, and the ways back for a side that was given up.

    Raises what ports raise, `ValueError` for a record that is none, and `VastplanError`.
    """
    paths = tuple(operation.facts.get(PATHS) or (operation.address,))
    for path in paths:
        pair = _pair_now(document, operation, path)
        ends, guid = ends_of(document, sites, pair, parts, clock)
        now = "now" if len(paths) == 1 else f"now {inert(path, 200)}"
        yield f"{now}: {ends.standing(operation)}"
        if operation.mode == ARM:
            yield from _not_armed(document, pair, ends, operation, last_on(parts, guid))
        yield from ways_back(ends, operation, f"vastplan move run {document.paths} {word(path)}")


def _not_armed(
    document: Document, pair: Pair, ends: Ends, arming: Operation, last_move: Operation | None
) -> Iterator[str]:
    """Why an arming no longer counts, and what to type."""
    source, to, claims = arming.source, arming.target, {here for here, _ in pair.work}
    with contextlib.suppress(Refused, Unreachable):
        if ends.target.look().role is SideRole.SOURCE:
            source, to, claims = to, source, {there for _, there in pair.work if there is not None}
    why = lapsed(arming, source, last_move)
    if why:
        what = to_arm(document.objects(), pair.path, {claim.project for claim in claims}, to)
        yield f"not armed: {why} (vastplan move arm {document.paths} {word(what)} --to {to} --out armed.json)"


def _pair_now(document: Document, operation: Operation, path: str) -> Pair:
    """The pair from the document; if the document no longer has it, from the record."""
    try:
        return pair_of(document.objects(), Address.parse(path), operation.target)
    except VastplanError:
        begun = pair_begun(operation, path)
        if begun is None:
            raise
        return begun


def _path(document: Document, pair: Pair, wanted: WantedMove) -> Subject[MovePlan]:
    def meet(sites: Sites, parts: Parts, clock: Clock) -> PathMet:
        return PathMet(document, pair, wanted, *ends_of(document, sites, pair, parts, clock))

    return Subject(str(pair.path), (pair.source, pair.target), meet, given_up(wanted, pair))


def _declared(document: Document, wanted: WantedMove, address: Address) -> Subject[MovePlan]:
    known_site(document, wanted.to)
    if wanted.whole is None:
        pair = pair_of(document.objects(), address, wanted.to)
    else:
        pairs = with_each_other(pairs_of(document.objects(), wanted.whole, wanted.to))
        pair = next(pair for pair in pairs if pair.path == address)
    return _path(document, mode_of(wanted.mode).aimed(document, pair, wanted), wanted)


def _as_it_began(document: Document, pair: Pair, known: Operation) -> Subject[MovePlan]:
    broken, warm = str(known.consent.get("broken", "")), str(known.facts.get("warm", ""))
    wanted = WantedMove(pair.path, known.target, known.mode, broken, warm)
    if known.mode == FORK:
        return _path(document, forked_before(pair, known), wanted)
    if pair.rehearsal is not None:  # its record has it
        return _path(document, pair, wanted)
    return _path(document, mode_of(known.mode).aimed(document, pair, wanted), wanted)


def known_site(document: Document, site: str) -> None:
    """Raises `VastplanError` for a site that the document does not have."""
    if site not in document.sites:
        raise VastplanError(f"no site {inert(site, 80)}; known: {', '.join(document.sites)}")
