"""`vastplan move`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from vastplan.app.connect import connected
from vastplan.app.files.operation_plan import MOVE_FILE
from vastplan.app.operation_document import DocumentOf
from vastplan.app.operations import Operations, at_new_names
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import ARM, UNPLANNED, MovePlan
from vastplan.model.operation import Operation
from vastplan.model.replication import ARMED_FOR
from vastplan.operations.clients import Clients
from vastplan.operations.clock import CLOCK, Clock
from vastplan.operations.move import Moves, paths_of, roles_now
from vastplan.operations.plan.pair import other_of
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
    paths = paths_of(DocumentOf(workspace), address, to)
    whole = address if paths != (address,) else None
    wanted = [WantedMove(path, to, ARM, whole=whole) for path in paths]
    return tuple(_MOVES.record(workspace, wanted, report, again, clock))


def plan_in_advance(workspace: Workspace, address: Address, to: str, clock: Clock | None = None) -> MovePlan:
    """The unplanned move of an address while its source answers; it is valid until the night after next. Raises `VastplanError`."""
    return _MOVES.plan(
        workspace, WantedMove(address, to, UNPLANNED, armed=True), clock, lasts=timedelta(seconds=ARMED_FOR)
    )


def opposite_site(workspace: Workspace, address: Address, site: str) -> str:
    """The site at the other end of the replicated path at `address`. Raises `VastplanError`."""
    return other_of(workspace.entries()[0], address, site)


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
