"""The move of a project or tenant: one operation over all paths of its volumes, with a record for each path.

The record of a path is under its own guid, as after a move of that path alone, so that a second move of the path is refused. The
records differ only in subject and address; if a killed run left them uneven, the newest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, Stale, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import ARM, LOSSLESS, PLANNED, UNPLANNED, MovePlan
from vastplan.model.operation import BACK, PATHS, WHOLE, Facts, Operation
from vastplan.model.operation_plan import Fact
from vastplan.model.site_ledger import latest_operations
from vastplan.operations.clock import Clock
from vastplan.operations.course import (
    moves_before,
    refuse_newcomers,
    refuse_second,
    refuse_spent,
    refuse_unsuspendable,
    second,
    shown,
)
from vastplan.operations.document import Document
from vastplan.operations.ends import LACKS, Ends, without_specification
from vastplan.operations.modes.group.loss import GroupLoss, loss_of
from vastplan.operations.modes.group.pairs import Whole, pairs_of, whole_of, with_each_other
from vastplan.operations.modes.group.stages import OF_EACH, as_one, jobs_together
from vastplan.operations.modes.mode import Mode, Users
from vastplan.operations.modes.table import ends_of, if_lost, mode_of, refuse, refuse_source
from vastplan.operations.modes.unplanned import ARMED
from vastplan.operations.plan.ages import age_of
from vastplan.operations.plan.checkpoints import by_rule, goes_back, of_lost_work
from vastplan.operations.plan.evidence import of_jobs, of_pause
from vastplan.operations.plan.gpus import of_gpus
from vastplan.operations.plan.pair import Pair, pair_of
from vastplan.operations.plan.pair_record import PAIRS, facts_of_pairs, pair_begun, refuse_other_claims
from vastplan.operations.plan.resume import of_resume, refuse_two_values, to_record, with_resume
from vastplan.operations.plan.shared import of_shared, staying_alone
from vastplan.operations.plan.steps import commands_afterwards, if_unread, one_by_one, staying, suspended_before
from vastplan.operations.record import whole
from vastplan.operations.sites import Sites
from vastplan.operations.stage import Stage, noting
from vastplan.operations.subject import Heading, Met, Parts, Subject
from vastplan.operations.wanted import WantedMove


def asked_for(document: Document, wanted: WantedMove) -> Subject[MovePlan]:
    """The move of a project or tenant. Raises `VastplanError` if it cannot move as a whole."""
    return _group(document, with_each_other(pairs_of(document.objects(), wanted.address, wanted.to)), wanted)


def group_planned(document: Document, plan: MovePlan) -> Subject[MovePlan]:
    """The move of the paths of a plan. Raises `VastplanError`."""
    return _of_paths(
        document,
        plan.paths,
        WantedMove(Address.parse(plan.address), plan.target, plan.mode, plan.broken, armed=plan.armed),
    )


def group_begun(document: Document, operation: Operation) -> Subject[MovePlan]:
    """The move as its record keeps it; if an older vastplan wrote the record without the pairs, from the document. Raises `VastplanError`."""
    address, broken = Address.parse(str(operation.facts[WHOLE])), str(operation.consent.get("broken", ""))
    wanted = WantedMove(address, operation.target, operation.mode, broken)
    pairs = tuple(pair_begun(operation, path) for path in operation.facts[PATHS])
    recorded = tuple(pair for pair in pairs if pair is not None)
    if len(recorded) == len(pairs):
        return _group(document, recorded, wanted)
    return _of_paths(document, operation.facts[PATHS], wanted)


@dataclass(frozen=True, slots=True)
class GroupMet(Met[MovePlan]):
    """All pairs of a move, each with its ends and the guid of its path; `wanted` has the project or tenant."""

    document: Document
    pairs: tuple[Pair, ...]
    wanted: WantedMove
    ends: tuple[Ends, ...]
    each: tuple[str, ...]

    @property
    def _mode(self) -> Mode:
        return mode_of(self.wanted.mode)

    @property
    def guids(self) -> dict[str, str]:
        """The guid of each path, by its address."""
        return {str(pair.path): guid for pair, guid in zip(self.pairs, self.each, strict=True)}

    @property
    def covers(self) -> tuple[str, ...]:
        """The addresses that an ordinary apply does not change during the move."""
        return tuple(sorted({address for pair in self.pairs for address in pair.covers}))

    def users(self) -> tuple[Users, ...]:
        """The workloads that use each path. Raises `Unreachable` if these, or their claims at the target, cannot be read."""
        return self._mode.users_of_each(self.ends)

    def plan(self, parts: Parts, heading: Callable[[datetime], Heading]) -> MovePlan:
        """The planned move. Raises `VastplanError` if it is not possible."""
        source, target = self.pairs[0].source, self.pairs[0].target
        for pair, ends, guid in zip(self.pairs, self.ends, self.each, strict=True):
            refuse_second(parts, guid)
            self._refuse(pair, ends)
        if not self.wanted.armed:
            refuse_source(self.wanted.mode, self.ends, self.wanted.broken, str(self.wanted.address))
        users, loss, entries = self.users(), self._loss(), self.document.objects()
        of_each, whole = self._mode.jobs(self.ends, users), whole_of(entries, self.wanted.address, target)
        staying, left = whole.staying, self._left(whole, of_each)
        jobs = tuple(map(without_specification, self._jobs(users)))
        together = (user for users_of_path in users for user in users_of_path)
        refuse_unsuspendable(str(self.wanted.address), self.stages(), together)
        evidence = [
            Fact(f"{pair.path}: {fact.name}", fact.value)
            for pair, ends in zip(self.pairs, self.ends, strict=True)
            for fact in (*self._mode.evidence(ends, ()), *self._lost_work(pair, ends, loss.points))
        ]
        steps = [
            line
            for pair, users_of_path in zip(self.pairs, users, strict=True)
            for line in self._manual_steps(pair, users_of_path)
        ]
        steps += (line for ends in self.ends for line in if_unread(ends, self.wanted.mode))
        steps += (staying_alone(self.document.paths, path, source, target, self.wanted.mode) for path in staying)
        for operation in latest_operations(parts):
            steps += suspended_before(operation, target) if operation.subject in self.each else ()
        return MovePlan(
            **heading(self.ends[0].clock.now()),
            address=str(self.wanted.address),
            path=str(self.wanted.address),
            mode=self.wanted.mode,
            source=source,
            target=target,
            guid=self.each[0],
            broken=self.wanted.broken,
            paths=self.guids,
            lose=loss.oldest,
            lose_each=loss.points,
            armed=self.wanted.armed,
            after=moves_before(parts, self.each),
            loss=loss.text,
            jobs=jobs,
            covers=self.covers,
            stages=tuple(map(shown, self.stages())),
            evidence=(
                *loss.facts,
                *left,
                *evidence,
                *of_shared(
                    entries, zip(self.pairs, of_each, strict=True), self.wanted.mode, {path.address for path in staying}
                ),
                *of_pause(self.stages()),
                *of_jobs(tuple(user for users_of_path in users for user in users_of_path), submits=True),
                *of_gpus(jobs, self.ends[0].target_jobs),
                *of_resume(jobs),
            ),
            by_hand=tuple(dict.fromkeys(steps)),
        )

    def known(self, plan: MovePlan, parts: Parts) -> Operation | None:
        """The newest record of the move. Raises `Stale` if its paths have changed, `VastplanError` for another open operation on one."""
        short, last_operations = plan.id[:8], self._last(parts, plan.paths)
        begun = any(operation.id == short for operation in last_operations.values())
        # an operation that has begun goes on, whichever side `active` names now
        if self._others(plan.paths) or (self.guids != dict(plan.paths) and not begun):
            raise Stale(f"{plan.path}: its paths have changed since the move was planned; plan it again")
        for operation in last_operations.values():
            if operation.id != short and not operation.phase.closed:
                raise second(operation)
        own = [whole(operation) for operation in last_operations.values() if operation.id == short]
        newest = max(own, key=lambda operation: operation.serial, default=None)
        if newest is not None:
            _refuse_overtaken(newest, last_operations)
            for pair in self.pairs:
                refuse_other_claims(pair, newest)
        return newest

    def record(self, plan: MovePlan, parts: Parts, known: Operation | None, consent: Mapping[str, object]) -> Operation:
        """The operation to record. Raises `Stale` if other volumes are to move now, or workloads outside the plan use a path."""
        for guid in self.each:
            refuse_second(parts, guid)  # another operation on a path may have another subject
        now = pairs_of(self.document.objects(), Address.parse(plan.address), plan.target)
        if {str(pair.path) for pair in now} != set(plan.paths):
            raise Stale(f"{plan.path}: its volumes have changed since the move was planned; plan it again")
        refuse_spent(plan, parts, self.each)
        users = self.users()
        refuse_newcomers(plan, dict.fromkeys(user for users_of_path in users for user in users_of_path), "the move")
        jobs = to_record(plan, self._jobs(users), consent)
        return Operation(
            id=plan.id[:8],
            kind=plan.kind,
            mode=plan.mode,
            subject=plan.guid,
            address=plan.address,
            source=plan.source,
            target=plan.target,
            document=plan.digest,
            began=self.ends[0].clock.now().isoformat(timespec="seconds"),
            term=1 + max((operation.term for operation in self._last(parts, plan.paths).values()), default=0),
            covers=self.covers,
            consent={**consent, "lose": dict(plan.lose), "broken": plan.broken, "plan": plan.id, **self._more_consent(plan)},
            facts={
                "jobs": jobs, PATHS: self.guids, WHOLE: plan.address, PAIRS: facts_of_pairs(self.pairs),
            },
        )  # fmt: skip

    def refuse_another(self, known: Operation, parts: Parts) -> None:
        """Raises `Stale` if the operation is of other paths, or a later one changed one of them."""
        if self._others(known.facts[PATHS]):
            raise Stale(f"{known.address}: its paths are not those that are being moved")
        _refuse_overtaken(known, self._last(parts, known.facts[PATHS]))

    def stages(self) -> tuple[Stage, ...]:
        """The stages of all pairs as one list. The time limits of copies and changes are of all paths together: they share the link."""
        forecast = sum(ends.forecast for ends in self.ends)
        each = (self._mode.stages(replace(ends, forecast=forecast), self.wanted.broken) for ends in self.ends)
        stages = as_one(dict(zip(self.each, each, strict=True)))
        return noting(stages, self._goes_back) if self.wanted.mode == UNPLANNED else stages

    def standing(self, operation: Operation) -> str:
        """Which side of each path may write now."""
        sentences = (
            f"{pair.path}: {ends.standing(operation)}" for pair, ends in zip(self.pairs, self.ends, strict=True)
        )
        return "; ".join(sentences)

    def records(self, operation: Operation) -> tuple[Operation, ...]:
        """One for each path."""
        paths = operation.facts[PATHS].items()
        return tuple(replace(operation, subject=guid, address=path) for path, guid in paths)

    def _others(self, paths: Mapping[str, str]) -> bool:
        """Whether the paths differ from those of a plan or record, compared by guid and not by address."""
        return sorted(self.each) != sorted(paths.values())

    def _last(self, parts: Parts, paths: Mapping[str, str]) -> dict[str, Operation]:
        """The last operation of each path."""
        return {
            operation.subject: operation
            for operation in latest_operations(parts)
            if operation.subject in paths.values()
        }

    def _refuse(self, pair: Pair, ends: Ends) -> None:
        """Raises `VastplanError` if a path cannot move; if its site is lost, it says how the others do."""
        try:
            with if_lost(self.wanted, pair, self.document.paths):
                refuse(ARM if self.wanted.armed else self.wanted.mode, ends, self.wanted.broken, pair)
        except (Refused, Unreachable):
            raise
        except VastplanError as problem:
            others = [other.path for other in self.pairs if other is not pair]
            if self.wanted.mode != UNPLANNED or self.wanted.armed or not others:
                raise
            each = one_by_one(self.document.paths, others, pair.target)
            raise VastplanError(f"{problem}; move the other paths one by one: {each}") from problem

    def _lost_work(self, pair: Pair, ends: Ends, points: Mapping[str, Mapping[str, str]]) -> tuple[Fact, ...]:
        point = points.get(str(pair.path))
        if point is None or self.wanted.armed:
            return ()
        return of_lost_work(self.document.written, pair, age_of(ends, point.get("created", "")))

    def _left(self, whole: Whole, of_each: tuple[tuple[Facts, ...], ...]) -> tuple[Fact, ...]:
        """A line for each volume that stays behind. Raises `VastplanError` if a planned move would suspend who mounts it, and submit him
        nowhere."""
        lines, source, target = [], self.pairs[0].source, self.pairs[0].target
        for one in whole.left:
            claims = {name for _, name in one.claims}
            lacking = {str(fact["name"]) for facts in of_each for fact in facts if claims & {*fact.get(LACKS, ())}}
            on = ", ".join(inert(name, 80) for name in sorted(lacking))
            if on and self.wanted.mode == PLANNED:
                raise VastplanError(
                    f"{self.wanted.address} cannot be moved to {target} as it is: {on} mounts {one.address}, which {one.why}; end it, or "
                    f"have the volume at {target}, or move the other volumes by their addresses"
                )
            without = f", so {on} is not submitted at {target}" if on else ""
            lines.append(Fact(one.address, f"{one.why}: it stays at {source}{without}"))
        return tuple(lines)

    def _goes_back(self) -> Facts:
        """As of one path: what each goes back to as the move begins."""
        points, written, each = self._loss().points, self.document.written, zip(self.pairs, self.ends, strict=True)
        return {BACK: [line for pair, ends in each for line in goes_back(written, pair, ends, points[str(pair.path)])]}

    def _manual_steps(self, pair: Pair, users: Users) -> tuple[str, ...]:
        document, mode = self.document, self.wanted.mode
        return (
            *self._mode.manual_steps(pair),
            *staying(pair, users),
            *by_rule(document.written, pair, mode),
            *commands_afterwards(document.paths, pair, mode),
        )

    def _loss(self) -> GroupLoss:
        """What all paths lose."""
        if self.wanted.mode in LOSSLESS:
            return GroupLoss({}, {}, "nothing that was written to any of the paths before the freeze")
        by_path = {str(pair.path): ends for pair, ends in zip(self.pairs, self.ends, strict=True)}
        return loss_of({path: self._mode.loss(ends)[0] for path, ends in by_path.items()}, by_path)

    def _jobs(self, users: tuple[Users, ...]) -> tuple[Facts, ...]:
        """The workloads of all paths for the record, each once."""
        jobs = zip(self._mode.jobs(self.ends, users), self.pairs, strict=True)
        written, mode = self.document.written, self.wanted.mode
        return refuse_two_values(jobs_together(with_resume(of_path, written, pair, mode) for of_path, pair in jobs))

    @staticmethod
    def _more_consent(plan: MovePlan) -> dict[str, Any]:
        """The consent to the loss of each path, by its guid, for the stages of that path; and whether it was given in advance."""
        each = {plan.paths[path]: {"lose": dict(point)} for path, point in plan.lose_each.items()}
        return {**({OF_EACH: each} if each else {}), **({ARMED: True} if plan.armed else {})}


def _of_paths(document: Document, paths: Iterable[str], wanted: WantedMove) -> Subject[MovePlan]:
    """The move of some paths, by their addresses in the document. Raises `VastplanError`."""
    pairs = tuple(pair_of(document.objects(), Address.parse(path), wanted.to) for path in paths)
    return _group(document, with_each_other(pairs), wanted)


def _group(document: Document, pairs: tuple[Pair, ...], wanted: WantedMove) -> Subject[MovePlan]:
    def meet(sites: Sites, parts: Parts, clock: Clock) -> GroupMet:
        ends_and_guids = (ends_of(document, sites, pair, parts, clock) for pair in pairs)
        ends, guids = zip(*ends_and_guids, strict=True)
        return GroupMet(document, pairs, wanted, ends, guids)

    label, (first, *_) = ", ".join(str(pair.path) for pair in pairs), pairs
    return Subject(label, (first.source, first.target), meet, given_up(wanted, first))


def given_up(wanted: WantedMove, pair: Pair) -> str:
    """The site that a move gives up because it does not answer; "" for none."""
    return pair.source if wanted.mode == UNPLANNED and not wanted.broken else ""


def _refuse_overtaken(known: Operation, last: Mapping[str, Operation]) -> None:
    """Raises `Stale` if a later operation changed one of the paths: a run killed in its first write leaves paths without a record."""
    for operation in last.values():
        if operation.id != known.id and (
            not operation.phase.closed or operation.term >= known.term or operation.began > known.began
        ):
            raise Stale(
                f"{operation.address}: the {operation.kind} {operation.id} changed it in between; move each path by itself"
            )
