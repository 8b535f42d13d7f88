"""`vastplan move` of a project or tenant: one operation over all paths of its volumes, with a record for each path.

The record of a path is under its own guid, as after a move of that path alone, so that a second move of the path is refused. The
records differ only in subject and address; if a killed run left them uneven, the newest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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
from vastplan.app.moving.ends import Met
from vastplan.app.moving.evidence import evidence, of_jobs
from vastplan.app.moving.meeting import meet
from vastplan.app.moving.modes import by_hand, refuse_mode, stages_of, staying, suspended_before, users_of
from vastplan.app.operating.course import (
    carried,
    heading,
    heard,
    paths_of,
    refuse_newcomers,
    refuse_second,
    second,
    shown,
)
from vastplan.app.operating.record import by_id, journal, whole
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Stale
from vastplan.model.move_plan import PLANNED, MovePlan
from vastplan.model.operation import PATHS, WHOLE, Operation, Phase
from vastplan.model.operation_plan import Fact
from vastplan.model.site_ledger import SiteLedger, operations
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Ends, Work
from vastplan.operations.modes.group.pairs import pairs_of
from vastplan.operations.modes.group.stages import joint, users_together
from vastplan.operations.plan.checkpoints import by_rule
from vastplan.operations.plan.pair import Pair, pair_of
from vastplan.operations.stages.run import Run, abort
from vastplan.operations.stages.stage import Stage
from vastplan.schema.ports.workloads import Job

Users = tuple[tuple[Work, Job], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """All pairs of a move, each with its ends."""

    pairs: tuple[Pair, ...]
    met: tuple[Met, ...]

    @property
    def ends(self) -> tuple[Ends, ...]:
        """The ends of each pair."""
        return tuple(met.ends for met in self.met)

    @property
    def guids(self) -> dict[str, str]:
        """The guid of each path, by its address."""
        return {str(pair.path): met.guid for pair, met in zip(self.pairs, self.met, strict=True)}

    @property
    def covers(self) -> tuple[str, ...]:
        """The addresses that an ordinary apply does not change during the move."""
        return tuple(sorted({address for pair in self.pairs for address in pair.covers}))

    def users(self) -> tuple[Users, ...]:
        """The workloads that use each path. Raises `Unreachable` if these, or their claims at the target, cannot be read."""
        return tuple(users_of(ends, PLANNED) for ends in self.ends)

    def stages(self) -> tuple[Stage, ...]:
        """The stages of all pairs as one list."""
        return joint({met.guid: stages_of(PLANNED, met.ends, "") for met in self.met})

    def standing(self, operation: Operation) -> str:
        """Which side of each path may write now."""
        told = (f"{pair.path}: {ends.standing(operation)}" for pair, ends in zip(self.pairs, self.ends, strict=True))
        return "; ".join(told)


def plan_together(workspace: Workspace, address: Address, to: str, clock: Clock) -> MovePlan:
    """Read both sites and plan the move. Raises `VastplanError` if it is not possible."""
    pairs = _along(pairs_of(workspace.entries()[0], address, to))
    sites = (address.site, to)
    with workspace.ledger() as backend:
        parts = {site: backend.read(site) for site in sites}
    with connected(workspace.document, sites=sites, writable=False) as providers:
        group = Group(pairs, tuple(meet(workspace, providers, pair, parts, clock) for pair in pairs))
        for pair, met in zip(pairs, group.met, strict=True):
            refuse_second(parts, met.guid)
            refuse_mode(met.ends, PLANNED, "", pair)
        users = group.users()
        read = [
            Fact(f"{pair.path}: {fact.name}", fact.value)
            for pair, ends in zip(pairs, group.ends, strict=True)
            for fact in evidence(ends, (), submits=True)
        ]
        told = [line for pair, of_it in zip(pairs, users, strict=True) for line in _by_hand(workspace, pair, of_it)]
        for one in operations(parts):
            told += suspended_before(one, to) if one.subject in group.guids.values() else ()
        plan = MovePlan(
            **heading(workspace, clock.now()),
            address=str(address),
            path=str(address),
            mode=PLANNED,
            source=address.site,
            target=to,
            guid=group.met[0].guid,
            paths=group.guids,
            loss="nothing that was written to any of the paths before the freeze",
            jobs=users_together(users),
            covers=group.covers,
            stages=tuple(shown(stage) for stage in group.stages()),
            evidence=(*read, *of_jobs(tuple(one for of_it in users for one in of_it), submits=True)),
            by_hand=tuple(dict.fromkeys(told)),
        )
        return MOVE_FILE.sealed(plan)


def run_together(
    workspace: Workspace,
    plan: MovePlan,
    tell: Callable[[str], None],
    again: str,
    clock: Clock,
    consent: Mapping[str, object],
) -> Operation:
    """Like `run_move`, for all paths of the plan. Raises `Stopped`, `Stale`."""
    short = plan.id[:8]
    back = f"vastplan move abort {paths_of(workspace)} {short}"
    pairs = found_to_go_on(workspace, plan, lambda: _pairs(workspace, plan.paths, plan.target), again, back)
    with _opened(workspace, pairs, clock, again) as (group, parts, write):
        last = {one.subject: one for one in operations(parts) if one.subject in plan.paths.values()}
        begun = any(one.id == short for one in last.values())
        # an operation that has begun goes on, whichever side `active` names now
        if _others(group, plan.paths) or (group.guids != dict(plan.paths) and not begun):
            raise Stale(f"{plan.path}: its paths have changed since the move was planned; plan it again")
        for one in last.values():
            if one.id != short and not one.phase.closed:
                raise second(one)
        ours = [whole(one) for one in last.values() if one.id == short]
        known = max(ours, key=lambda one: one.serial, default=None)
        if known is not None:
            _refuse_overtaken(known, last)
            for pair in group.pairs:
                refuse_other_claims(pair, known)

        def record() -> Operation:
            for guid in group.guids.values():
                refuse_second(parts, guid)  # another operation on a path may have another subject
            if {str(pair.path) for pair in _asked_for(workspace, plan)} != set(plan.paths):
                raise Stale(f"{plan.path}: its volumes have changed since the move was planned; plan it again")
            return _record(plan, group, last, consent)

        run = Run(clock, write, tell, group.standing, again, back)
        return carried(workspace, plan, known, parts, run, record, stages=lambda _: group.stages())


def abort_together(workspace: Workspace, known: Operation, tell: Callable[[str], None], clock: Clock) -> Operation:
    """Like `abort_move`, for all paths of a record. Raises `Stopped` once the first path has been switched."""
    again = f"vastplan move abort {paths_of(workspace)} {known.id}"
    with _opened(workspace, _to_take_back(workspace, known, again), clock, again) as (group, parts, write):
        known = by_id(parts, known.kind, known.id)
        if _others(group, known.facts[PATHS]):
            raise Stale(f"{known.address}: its paths are not those that are being moved")
        last = {one.subject: one for one in operations(parts) if one.subject in known.facts[PATHS].values()}
        _refuse_overtaken(known, last)
        if known.phase is Phase.ABORTED:
            write(known)
            return known
        return abort(known, group.stages(), Run(clock, write, tell, group.standing, again))


def is_together(operation: Operation) -> bool:
    """Whether the record covers several paths."""
    return bool(operation.facts.get(PATHS))


def _asked_for(workspace: Workspace, plan: MovePlan) -> tuple[Pair, ...]:
    return pairs_of(workspace.entries()[0], Address.parse(plan.address), plan.target)


def _others(group: Group, paths: Mapping[str, str]) -> bool:
    """Whether the paths differ from those of a plan or record, compared by guid and not by address."""
    return sorted(group.guids.values()) != sorted(paths.values())


def _along(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The pairs, each also with the claims of the others: a workload that mounts several paths finds all of them at the target."""
    moving = {(here.project, here.name) for pair in pairs for here, there in pair.work if there is not None}
    return tuple(replace(pair, along=pair.along | moving) for pair in pairs)


def _by_hand(workspace: Workspace, pair: Pair, users: Users) -> tuple[str, ...]:
    return (
        *by_hand(pair, PLANNED),
        *staying(pair, users),
        *by_rule(workspace.document.entries, pair, PLANNED),
    )


def _refuse_overtaken(known: Operation, last: Mapping[str, Operation]) -> None:
    """Raises `Stale` if a later operation changed one of the paths: a run killed in its first write leaves paths without a record."""
    for one in last.values():
        if one.id != known.id and (not one.phase.closed or one.term >= known.term or one.began > known.began):
            raise Stale(f"{one.address}: the {one.kind} {one.id} changed it in between; move each path by itself")


def _record(plan: MovePlan, group: Group, last: Mapping[str, Operation], consent: Mapping[str, object]) -> Operation:
    """The operation to record, from the document and the present state. Raises `Stale` if workloads outside the plan use a path."""
    users = group.users()
    refuse_newcomers(plan, dict.fromkeys(one for of_it in users for one in of_it), "the move")
    return Operation(
        id=plan.id[:8],
        kind=plan.kind,
        mode=plan.mode,
        subject=plan.guid,
        address=plan.address,
        source=plan.source,
        target=plan.target,
        document=plan.digest,
        began=group.ends[0].clock.now().isoformat(timespec="seconds"),
        term=1 + max((one.term for one in last.values()), default=0),
        covers=group.covers,
        consent={**consent, "lose": {}, "broken": "", "plan": plan.id},
        facts={
            "jobs": list(users_together(users)), PATHS: group.guids, WHOLE: plan.address, PAIRS: facts_of_pairs(group.pairs),
        },
    )  # fmt: skip


def _pairs(workspace: Workspace, paths: Iterable[str], to: str) -> tuple[Pair, ...]:
    return _along(tuple(pair_of(workspace.entries()[0], Address.parse(path), to) for path in paths))


def _to_take_back(workspace: Workspace, known: Operation, again: str) -> tuple[Pair, ...]:
    """The pairs of a begun operation, from its record or else the document. Raises `VastplanError`, which says what to put back."""
    paths = tuple(known.facts[PATHS])
    recorded = tuple(pair for path in paths if (pair := pair_begun(known, path)) is not None)
    if len(recorded) == len(paths):
        return recorded
    return found_to_take_back(workspace, known, lambda: _pairs(workspace, paths, known.target), again)


@contextmanager
def _opened(
    workspace: Workspace, pairs: tuple[Pair, ...], clock: Clock, again: str
) -> Iterator[tuple[Group, Mapping[str, SiteLedger], Callable[[Operation], None]]]:
    sites = (pairs[0].source, pairs[0].target)
    with (
        locked_ledgers(workspace, sites) as ledgers,
        connected(workspace.document, sites=sites, writable=True) as providers,
    ):
        parts = ledgers.parts()
        with heard(", ".join(str(pair.path) for pair in pairs), again):
            group = Group(pairs, tuple(meet(workspace, providers, pair, parts, clock) for pair in pairs))
        one = journal(ledgers)

        def write(operation: Operation) -> None:
            for path, guid in operation.facts[PATHS].items():
                one(replace(operation, subject=guid, address=path))

        yield group, parts, write
