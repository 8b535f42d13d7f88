"""The course of a planned operation (move, restore): plan it (only reads), carry it out from its file, list it, take it back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from vastplan.app.authorship import new_run
from vastplan.app.connect import connected
from vastplan.app.files.versioned import VersionedFile
from vastplan.app.locks import LockedLedgers, locked_ledgers
from vastplan.app.operation_document import DocumentOf
from vastplan.app.workspace import Workspace
from vastplan.engine.live.open_operations import operation_text
from vastplan.engine.live.renames import resolve_renames
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Invalid, Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import PAST, Operation, Phase
from vastplan.model.operation_plan import OperationPlan
from vastplan.model.site_ledger import LoggedRun, SiteLedger
from vastplan.operations.clients import Clients
from vastplan.operations.clock import CLOCK, Clock
from vastplan.operations.course import carried, continued, evened, heard
from vastplan.operations.ends import jobs_of
from vastplan.operations.plan.pair_record import entries_of
from vastplan.operations.plan.resume import GIVEN, of_given, with_checkpoints
from vastplan.operations.record import by_id, of_kind
from vastplan.operations.run import Run, abort
from vastplan.operations.sites import Sites
from vastplan.operations.subject import Heading, Met, OperationKind, Subject
from vastplan.schema.entries import Entry

Wanted = TypeVar("Wanted")
Planned = TypeVar("Planned", bound=OperationPlan)
LASTS = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Operations(Generic[Wanted, Planned]):
    """The operations of one kind. `file` is the format of their plans."""

    kind: OperationKind[Wanted, Planned]
    file: VersionedFile[Planned]

    def plan(
        self, workspace: Workspace, wanted: Wanted, clock: Clock | None = None, lasts: timedelta = LASTS
    ) -> Planned:
        """Read the sites and plan the operation; the plan is valid as long as it `lasts`. Raises `VastplanError` if it is not possible."""
        document, clock = DocumentOf(workspace), clock or CLOCK
        subject = self.kind.wanted(document, wanted)
        with workspace.ledger() as backend:
            parts = {site: backend.read(site) for site in subject.sites}
        with connected(workspace.document, sites=subject.sites, writable=False, lost=(subject.lost,)) as clients:
            met = subject.meet(Clients(clients, workspace.registry.kinds, clock), at_new_names(document, parts), clock)
            return self.file.sealed(met.plan(parts, lambda now: _heading(document, now, lasts)))

    def run(
        self,
        workspace: Workspace,
        plan: Planned,
        report: Callable[[str], None],
        again: str,
        clock: Clock | None = None,
        consent: Mapping[str, Any] | None = None,
        guard: Callable[[], str] | None = None,
        once_begun: str = "",
    ) -> Operation:
        """Carry out the plan, or continue an operation that has begun. `consent` are the consents given now, `again` the command to
        go on, and `once_begun` the one after the begin, if that is another; `guard` is asked right before there is no way back.

        The file only identifies the plan that a person reviewed; the run follows the document and what it reads from the systems.
        Raises `Stopped`, `Stale`.
        """
        document, clock = DocumentOf(workspace), clock or CLOCK
        if plan.document != workspace.name:
            raise Stale(
                f"the planned {plan.kind} is of the document {inert(plan.document, 80)}, not of {workspace.name}"
            )
        back = f"vastplan {self.kind.name} abort {document.paths} {plan.id[:8]}"
        subject = self._to_go_on(document, plan, again, back)
        with opened(workspace, subject.sites, clock, again, report, self.kind.name, subject.lost) as (enter, _):
            met, parts, write = enter(subject)
            operation = met.known(plan, parts)
            if operation is not None and operation.id == plan.id[:8] and not operation.phase.closed:
                operation = _with_checkpoints(operation, (consent or {}).get(GIVEN, ()), report)
            run = Run(clock, write, report, met.standing, once_begun or again, back, guard)

            def record() -> Operation:
                _refuse_old(document, plan, run.clock.now())
                begun = met.record(plan, parts, operation, consent or {})
                _report_checkpoints(begun, report)
                return begun

            return carried(plan, operation, parts, run, record, met.stages)

    def record(
        self,
        workspace: Workspace,
        wanted: Sequence[Wanted],
        report: Callable[[str], None],
        again: str,
        clock: Clock | None = None,
    ) -> tuple[Operation, ...]:
        """Plan operations of the same sites without stages, and record each as done: one write, so that nothing is left open.
        Raises `VastplanError`."""
        document, clock = DocumentOf(workspace), clock or CLOCK
        subjects = [self.kind.wanted(document, one) for one in wanted]
        with opened(workspace, subjects[0].sites, clock, again, report, self.kind.name) as (enter, _):
            return self.recorded(document, subjects, enter)

    def recorded(
        self, document: DocumentOf, subjects: Iterable[Subject[Planned]], enter: Enter
    ) -> tuple[Operation, ...]:
        """The same over sites that were opened: all are planned before the first is recorded, so that none is without the others."""
        planned = []
        for subject in subjects:
            met, parts, write = enter(subject)
            plan = self.file.sealed(met.plan(parts, lambda now: _heading(document, now, LASTS)))
            planned.append((write, replace(met.record(plan, parts, met.known(plan, parts), {}), phase=Phase.DONE)))
        for write, operation in planned:
            write(operation)
        return tuple(operation for _, operation in planned)

    def abort(
        self, workspace: Workspace, id: str, report: Callable[[str], None], clock: Clock | None = None
    ) -> Operation:
        """Take back what an operation did. Raises `Stopped` past the point of no return."""
        operation = by_id(_all_parts(workspace), self.kind.name, id)
        _refuse_done(operation)
        again, command = self._to_abort(DocumentOf(workspace), operation), f"{self.kind.name} abort"
        with self._begun(workspace, operation, report, clock or CLOCK, again, again, command) as (
            operation,
            met,
            parts,
            run,
        ):
            _refuse_done(operation)  # it may have ended while its ledger was waited for
            if operation.phase is Phase.ABORTED:
                return evened(operation, parts, run.journal)
            return abort(operation, met.stages(), run)

    def go_on(
        self,
        workspace: Workspace,
        id: str,
        report: Callable[[str], None],
        again: str,
        clock: Clock | None = None,
        guard: Callable[[], str] | None = None,
        checkpoints: Sequence[str] = (),
    ) -> Operation:
        """Continue an operation that has begun, from its record alone: what it needed consent for was given then. Its workloads go on from
        other `checkpoints` if some are given. Raises `Stopped`."""
        operation = by_id(_all_parts(workspace), self.kind.name, id)
        ways, command = f"go on: {again}", self.kind.name
        with self._begun(workspace, operation, report, clock or CLOCK, again, ways, command) as (
            operation,
            met,
            parts,
            run,
        ):
            if operation.phase.closed:
                return evened(operation, parts, run.journal)
            back = self._to_abort(DocumentOf(workspace), operation)
            operation = _with_checkpoints(operation, checkpoints, report)
            return continued(operation, met.stages(), replace(run, back=back, guard=guard))

    def _to_abort(self, document: DocumentOf, operation: Operation) -> str:
        """The command that takes an operation back."""
        return f"vastplan {self.kind.name} abort {document.paths} {operation.id}"

    @contextmanager
    def _begun(
        self,
        workspace: Workspace,
        operation: Operation,
        report: Callable[[str], None],
        clock: Clock,
        again: str,
        ways: str,
        command: str,
    ) -> Iterator[tuple[Operation, Met[Planned], Mapping[str, SiteLedger], Run]]:
        """An operation by its record, read anew under the lock, over its sites, with the run for it. `again` is the command to go on, `ways`
        what to type once an entry that it needs is back in the document."""
        document = DocumentOf(workspace)
        try:
            subject = self.kind.begun(document, operation)
        except VastplanError as problem:
            raise _left_out(document, operation, problem, ways) from problem
        with opened(workspace, subject.sites, clock, again, report, command, subject.lost) as (enter, _):
            met, parts, write = enter(subject)
            known = by_id(parts, self.kind.name, operation.id)
            met.refuse_another(known, parts)
            yield known, met, parts, Run(clock, write, report, met.standing, again)

    def known(self, workspace: Workspace) -> tuple[Operation, ...]:
        """The last operation of each subject, from the ledger. Reads no system."""
        return of_kind(_all_parts(workspace), self.kind.name)

    def _to_go_on(self, document: DocumentOf, plan: Planned, again: str, back: str) -> Subject[Planned]:
        """The subject of a plan, found in the document. Raises `VastplanError`; if the operation has begun, the error says what to put
        back, the command to go on (`again`) and, before the point of no return, the command to give up (`back`)."""
        try:
            return self.kind.planned(document, plan)
        except VastplanError as problem:
            for operation in self.known(document.workspace):
                if operation.id == plan.id[:8] and not operation.phase.closed:
                    give_up = "" if PAST in operation.facts else f"; or give up: {back}"
                    raise _left_out(document, operation, problem, f"go on: {again}{give_up}") from problem
            raise


Enter: TypeAlias = Callable[[Subject[Any]], tuple[Met[Any], Mapping[str, SiteLedger], Callable[[Operation], None]]]
"""Returns a subject over its sites, the locked parts of the ledger, and a function that makes a record durable there."""


@contextmanager
def opened(
    workspace: Workspace,
    sites: tuple[str, ...],
    clock: Clock,
    again: str,
    report: Callable[[str], None],
    command: str,
    lost: str = "",
) -> Iterator[tuple[Enter, Sites]]:
    """Enters subjects of these sites, whose ledgers are locked; and the ports of the sites. `lost` is as in a subject."""
    with (
        locked_ledgers(workspace, sites, report) as ledgers,
        connected(workspace.document, sites=sites, writable=True, lost=(lost,)) as clients,
    ):
        run, document = new_run(workspace, command), DocumentOf(workspace)
        ports = Clients(clients, workspace.registry.kinds, clock)

        def enter(subject: Subject[Any]) -> tuple[Met[Any], Mapping[str, SiteLedger], Callable[[Operation], None]]:
            parts = ledgers.parts()
            with heard(subject.label, again):
                new_names = at_new_names(document, parts)
                met = subject.meet(ports, new_names, clock)

            def write(operation: Operation) -> None:
                for record in met.records(operation):
                    _record(ledgers, record, replace(run, plan=operation.id))

            return met, parts, write

        yield enter, ports


def _refuse_done(operation: Operation) -> None:
    """Raises `VastplanError` for an operation that has ended."""
    if operation.phase is Phase.DONE:
        raise VastplanError(
            f"{operation.address}: the {operation.kind} {operation.id} has ended ({operation.phase.value})"
        )


def at_new_names(document: DocumentOf, parts: Mapping[str, SiteLedger]) -> Mapping[str, SiteLedger]:
    """The parts of the ledger with what it owns also at the addresses that the document has for it: a rename may not be applied yet.

    They stay as they are for a document that is not valid: what is taken back then was begun without it.
    """
    try:
        desired = {entry.address: entry for entry in document.objects()}
    except Invalid:
        return parts
    return {site: _at_new_names(part, desired) for site, part in parts.items()}


def _at_new_names(part: SiteLedger, desired: Mapping[Address, Entry]) -> SiteLedger:
    recorded = {Address.parse(text): owned for text, owned in part.entries.items()}
    renames = resolve_renames(recorded, frozenset(map(Address.parse, part.intents)), desired)
    moved = {str(address): recorded[old] for address, old in renames.moves.items() if old in recorded}
    return replace(part, entries={**part.entries, **moved}) if moved else part


def _record(ledgers: LockedLedgers, operation: Operation, run: LoggedRun) -> None:
    """Write a record to the parts of its sites, the source's first; it is durable afterwards."""
    for site in dict.fromkeys((operation.source, operation.target)):
        session = ledgers.sessions[site]
        session.holds()
        session.record(events.operate(operation, run))


def _all_parts(workspace: Workspace) -> dict[str, SiteLedger]:
    """The ledger's parts of all sites that have one."""
    with workspace.ledger() as backend:
        return {site: backend.read(site) for site in backend.sites()}


def _with_checkpoints(operation: Operation, given: Sequence[str], report: Callable[[str], None]) -> Operation:
    """The operation whose workloads go on from the checkpoints that were given now. Raises `VastplanError`."""
    if not given:
        return operation
    changed = operation.knowing(jobs=with_checkpoints(jobs_of(operation), given))
    _report_checkpoints(changed, report)
    return changed


def _report_checkpoints(operation: Operation, report: Callable[[str], None]) -> None:
    """Report what each workload was given."""
    for line in of_given(jobs_of(operation)):
        report(line)


def _heading(document: DocumentOf, now: datetime, lasts: timedelta) -> Heading:
    """The heading of a plan created now."""
    workspace = document.workspace
    return Heading(
        document=workspace.name,
        digest=workspace.digest(document.objects()),
        folder=str(Path.cwd()),
        sources=tuple(map(str, workspace.document.paths)),
        created=now.isoformat(timespec="seconds"),
        expires=(now + lasts).isoformat(timespec="seconds"),
    )


def _refuse_old(document: DocumentOf, plan: OperationPlan, now: datetime) -> None:
    """Raises `Stale` for a plan that has expired, or whose document has changed."""
    if now > datetime.fromisoformat(plan.expires):
        raise Stale(f"{plan.path}: the planned {plan.kind} has expired ({plan.expires}); plan it again")
    if document.workspace.digest(document.objects()) != plan.digest:
        raise Stale(f"{plan.path}: the document has changed since the {plan.kind} was planned; plan it again")


def _left_out(document: DocumentOf, operation: Operation, problem: VastplanError, ways: str) -> VastplanError:
    """The error for an entry that an operation needs and the document lacks. `ways` are the commands to type once it is back."""
    if isinstance(problem, Invalid):
        text = f"{inert(operation.address, 200)}: {operation_text(operation)}"
        whole = f"{text}, and the document is not valid now; correct it, then {ways}"
        return VastplanError(f"{whole}\n{problem}")
    addresses = {str(entry.address) for entry in (*document.objects(), *document.written)}
    gone = [address for address in entries_of(operation) if address not in addresses]
    if not gone:
        return problem
    return VastplanError(
        f"{', '.join(inert(address, 200) for address in gone)}: no longer in the document, and {operation_text(operation)}; "
        f"put it back as it was, then {ways}"
    )
