"""`vastplan move` of a project or tenant: one operation over all paths of its volumes, with a record of it for each of them.

Each path keeps its record under its own guid, as after a move by itself, so that a second move of any of them is refused. All say
the same but for subject and address; of those that a killed run left behind the newest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from vastplan.app.connect import connected
from vastplan.app.files.move_plan import MOVE_FILE
from vastplan.app.locks import locked_ledgers
from vastplan.app.moving.checkpoints import by_rule
from vastplan.app.moving.ends import Met, meet
from vastplan.app.moving.evidence import evidence, of_jobs
from vastplan.app.moving.modes import by_hand, refuse_mode, stages_of
from vastplan.app.moving.pair import Pair, pair_of
from vastplan.app.moving.together import pairs_of
from vastplan.app.operating.course import LASTS, forward, paths_of, refuse_old, refuse_second, second, shown
from vastplan.app.operating.record import by_id, journal, operations
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.errors import Stale
from vastplan.model.move_plan import PLANNED, MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.model.operation_plan import Fact
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Ends
from vastplan.operations.joint import joint, users_together
from vastplan.operations.run import Run, abort, begin, carry_out, close
from vastplan.operations.stage import Stage

PATHS, WHOLE = (
    "paths",
    "whole",
)  # in the facts of a record: the guid of each path by its address, and what was asked for


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
        """What an ordinary apply leaves alone meanwhile."""
        return tuple(sorted({address for pair in self.pairs for address in pair.covers}))

    def stages(self) -> tuple[Stage, ...]:
        """The stages of all as one list."""
        return joint({met.guid: stages_of(PLANNED, met.ends, "") for met in self.met})

    def standing(self, operation: Operation) -> str:
        """Which side of each path may write now."""
        told = (f"{pair.path}: {ends.standing(operation)}" for pair, ends in zip(self.pairs, self.ends, strict=True))
        return "; ".join(told)


def plan_together(workspace: Workspace, address: Address, to: str, clock: Clock) -> MovePlan:
    """Read, and say what would be done. Raises `VastplanError` where it cannot be."""
    pairs = pairs_of(workspace.entries()[0], address, to)
    sites = (address.site, to)
    with workspace.ledger() as backend:
        parts = {site: backend.read(site) for site in sites}
    with connected(workspace.document, sites=sites, writable=False) as providers:
        group = Group(pairs, tuple(meet(workspace, providers, pair, parts, clock) for pair in pairs))
        for pair, met in zip(pairs, group.met, strict=True):
            refuse_second(parts, met.guid)
            refuse_mode(met.ends, PLANNED, "", pair)
        now = clock.now()
        jobs = users_together(group.ends)
        read = [
            Fact(f"{pair.path}: {fact.name}", fact.value)
            for pair, ends in zip(pairs, group.ends, strict=True)
            for fact in evidence(ends, ())
        ]
        plan = MovePlan(
            document=workspace.name,
            digest=workspace.digest(workspace.entries()[0]),
            folder=str(Path.cwd()),
            sources=tuple(map(str, workspace.document.paths)),
            created=now.isoformat(timespec="seconds"),
            expires=(now + LASTS).isoformat(timespec="seconds"),
            address=str(address),
            path=str(address),
            mode=PLANNED,
            source=address.site,
            target=to,
            guid=group.met[0].guid,
            paths=group.guids,
            loss="nothing that was written to any of the paths before the freeze",
            jobs=jobs,
            covers=group.covers,
            stages=tuple(shown(stage) for stage in group.stages()),
            evidence=(*read, *(fact for ends in group.ends for fact in of_jobs(ends.users()))),
            by_hand=tuple(dict.fromkeys(line for pair in pairs for line in _by_hand(workspace, pair))),
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
    """As `run_move`, of all paths of the plan. Raises `Stopped`, `Stale`."""
    short = plan.id[:8]
    with _opened(workspace, tuple(plan.paths), plan.target, clock) as (group, parts, write):
        if group.guids != dict(plan.paths):
            raise Stale(f"{plan.path}: its paths are others than when the move was planned; plan it again")
        back = f"vastplan move abort {paths_of(workspace)} {short}"
        run = Run(clock, write, tell, group.standing, again, back)
        last = {one.subject: one for one in operations(parts) if one.subject in group.guids.values()}
        ours = [one for one in last.values() if one.id == short]
        for one in last.values():
            if one.id != short and not one.phase.closed:
                raise second(one)
        if not ours:
            refuse_old(workspace, plan, clock.now())
            if {
                str(pair.path) for pair in pairs_of(workspace.entries()[0], Address.parse(plan.address), plan.target)
            } != set(plan.paths):
                raise Stale(f"{plan.path} has other volumes than when the move was planned; plan it again")
            operation = begin(_record(plan, group, last, consent), run)
        else:
            known = _whole(max(ours, key=lambda one: one.serial))
            _refuse_overtaken(known, last)
            if known.phase.closed:
                write(known)  # a run may have died between the parts
                if known.phase is Phase.ABORTED:
                    raise Stale(f"{known.address}: the move {known.id} was taken back; plan another one")
                return known
            operation = forward(known, group.stages(), run)
        return close(carry_out(operation, group.stages(), run), run)


def abort_together(workspace: Workspace, known: Operation, tell: Callable[[str], None], clock: Clock) -> Operation:
    """As `abort_move`, of all paths of a record. Raises `Stopped` once the first path has been switched."""
    with _opened(workspace, tuple(known.facts[PATHS]), known.target, clock) as (group, parts, write):
        known = _whole(by_id(parts, known.kind, known.id))
        if group.guids != known.facts[PATHS]:
            raise Stale(f"{known.address}: its paths are others than those that are being moved")
        last = {one.subject: one for one in operations(parts) if one.subject in group.guids.values()}
        _refuse_overtaken(known, last)
        if known.phase is Phase.ABORTED:
            write(known)
            return known
        again = f"vastplan move abort {paths_of(workspace)} {known.id}"
        return abort(known, group.stages(), Run(clock, write, tell, group.standing, again))


def is_together(operation: Operation) -> bool:
    """Whether a record is of several paths."""
    return bool(operation.facts.get(PATHS))


def _by_hand(workspace: Workspace, pair: Pair) -> tuple[str, ...]:
    return (*by_hand(pair, PLANNED), *by_rule(workspace.document.entries, pair, PLANNED))


def _whole(known: Operation) -> Operation:
    return replace(known, address=str(known.facts[WHOLE]))


def _refuse_overtaken(known: Operation, last: Mapping[str, Operation]) -> None:
    """A run that died while it wrote its first record may have left a path without it, which something else moved since."""
    for one in last.values():
        if one.id != known.id and (not one.phase.closed or one.term >= known.term or one.began > known.began):
            raise Stale(f"{one.address}: the {one.kind} {one.id} came between; move each path by itself")


def _record(plan: MovePlan, group: Group, last: Mapping[str, Operation], consent: Mapping[str, object]) -> Operation:
    jobs = users_together(group.ends)
    known = {str(job.get("id")) for job in plan.jobs}
    others = [f"{job['name']} ({job['id']})" for job in jobs if job["id"] not in known]
    if others:
        raise Stale(
            f"{plan.path}: other workloads than in the plan use it now: {', '.join(others)}; plan the move again"
        )
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
        facts={"jobs": list(jobs), PATHS: group.guids, WHOLE: plan.address},
    )


@contextmanager
def _opened(
    workspace: Workspace, paths: tuple[str, ...], to: str, clock: Clock
) -> Iterator[tuple[Group, Mapping[str, SiteLedger], Callable[[Operation], None]]]:
    pairs = tuple(pair_of(workspace.entries()[0], Address.parse(path), to) for path in paths)
    sites = (pairs[0].source, to)
    with (
        locked_ledgers(workspace, sites) as ledgers,
        connected(workspace.document, sites=sites, writable=True) as providers,
    ):
        parts = ledgers.parts()
        group = Group(pairs, tuple(meet(workspace, providers, pair, parts, clock) for pair in pairs))
        one = journal(ledgers)

        def write(operation: Operation) -> None:
            for path, guid in operation.facts[PATHS].items():
                one(replace(operation, subject=guid, address=path))

        yield group, parts, write
