"""`vastplan move`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

from vastplan.app.connect import connected
from vastplan.app.files.operation_plan import MOVE_FILE
from vastplan.app.operation_document import DocumentOf
from vastplan.app.operations import Operations, at_new_names, opened
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.arming import Arming
from vastplan.model.errors import Lost, VastplanError
from vastplan.model.move_plan import ARM, UNPLANNED, MovePlan
from vastplan.model.operation import Operation
from vastplan.model.replication import ARMED_FOR
from vastplan.operations.arming import all_to_arm, arming_of
from vastplan.operations.clients import Clients
from vastplan.operations.clock import CLOCK, Clock
from vastplan.operations.move import Moves, known_site, paths_of, roles_now
from vastplan.operations.opposite import opposite_of
from vastplan.operations.wanted import WantedMove

_MOVES: Operations[WantedMove, MovePlan] = Operations(Moves(), MOVE_FILE)
plan_move, run_move, abort_move, last_moves = _MOVES.plan, _MOVES.run, _MOVES.abort, _MOVES.known
go_on_with_move = _MOVES.go_on


def arm_move(
    workspace: Workspace,
    address: Address,
    to: str,
    report: Callable[[str], None],
    again: str,
    clock: Clock | None = None,
) -> tuple[Operation, ...]:
    """Keep in the ledger what an unplanned move could no longer read at its source, for each path of the address.

    Raises `VastplanError` if a path has no other side that is ready for it.
    """
    return _MOVES.record(workspace, _to_arm(DocumentOf(workspace), address, to), report, again, clock)


def arm_site(
    workspace: Workspace, site: str, to: str, report: Callable[[str], None], again: str, clock: Clock | None = None
) -> Iterator[Arming]:
    """Arm each project and each other path that a move can take from a site to another, over one connection: what became of each.

    Raises `VastplanError` if nothing can be armed there.
    """
    document, clock = DocumentOf(workspace), clock or CLOCK
    for name in (site, to):
        known_site(document, name)
    with workspace.ledger() as backend:
        parts = {name: backend.read(name) for name in (site, to)}
    wholes = all_to_arm(document.objects(), at_new_names(document, parts), site, to)
    with opened(workspace, (site, to), clock, again, report, "move") as (enter, ports):
        for address, why in wholes.items():
            try:
                subjects = [Moves().wanted(document, wanted) for wanted in _to_arm(document, address, to)]
                records = _MOVES.recorded(document, subjects, enter)
            except Lost:
                raise
            except VastplanError as problem:
                yield Arming(address=str(address), target=to, problem=str(problem).partition("\n")[0], lapsed=why)
            else:
                yield arming_of(address, to, records, ports.jobs(to), why)


def _to_arm(document: DocumentOf, address: Address, to: str) -> list[WantedMove]:
    """The paths to arm for an address. Raises `VastplanError`."""
    paths = paths_of(document, address, to)
    whole = address if paths != (address,) else None
    return [WantedMove(path, to, ARM, whole=whole) for path in paths]


def plan_in_advance(workspace: Workspace, address: Address, to: str, clock: Clock | None = None) -> MovePlan:
    """The unplanned move of an address while its source answers; it is valid until the night after next. Raises `VastplanError`."""
    return _MOVES.plan(
        workspace, WantedMove(address, to, UNPLANNED, armed=True), clock, lasts=timedelta(seconds=ARMED_FOR)
    )


def opposite_site(workspace: Workspace, address: Address, site: str, option: str) -> str:
    """The site at the other end of the replicated path at `address`, for the site of an `option`. Raises `VastplanError`."""
    document = DocumentOf(workspace)
    known_site(document, site)
    return opposite_of(document, address, site, option)


def operation_standing(workspace: Workspace, operation: Operation) -> tuple[str, ...]:
    """Lines with the present roles, for each moved path. If they cannot be read, a line says why."""
    sites, lines = (operation.source, operation.target), list[str]()
    try:
        with workspace.ledger() as backend:
            parts = {site: backend.read(site) for site in sites}
        with connected(workspace.document, sites=sites, writable=False) as clients:
            ports, document = Clients(clients, workspace.registry.kinds, CLOCK), DocumentOf(workspace)
            lines += roles_now(document, ports, operation, at_new_names(document, parts), CLOCK)
    except (ValueError, VastplanError) as problem:
        lines.append(f"cannot determine the current roles: {problem}")
    return tuple(lines)
