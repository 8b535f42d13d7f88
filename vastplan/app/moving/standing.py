"""The present roles of both sides of a move, as each system reports them, and what to type if a site that was given up is back."""

from __future__ import annotations

from vastplan.app.connect import connected
from vastplan.app.moving.begun import pair_begun
from vastplan.app.moving.meeting import meet
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import PATHS, Operation
from vastplan.model.shell import word, words
from vastplan.operations.clock import CLOCK
from vastplan.operations.ends import Ends
from vastplan.operations.modes.rejoin import both_lead
from vastplan.operations.plan.pair import Pair, pair_of
from vastplan.schema.ports.replica import Role


def standing(workspace: Workspace, operation: Operation) -> tuple[str, ...]:
    """Lines to show, for each moved path. If the roles cannot be read, a line says why."""
    sites = (operation.source, operation.target)
    paths = tuple(operation.facts.get(PATHS) or (operation.address,))
    told: list[str] = []
    try:
        with connected(workspace.document, sites=sites, writable=False) as providers:
            for path in paths:
                pair = _pair(workspace, operation, path)
                ends = meet(workspace, providers, pair, {}, CLOCK).ends
                now = "now" if len(paths) == 1 else f"now {inert(path, 200)}"
                way = f"vastplan move plan {words(workspace.document.paths)} {word(path)}"
                told += (f"{now}: {ends.standing(operation)}", *_back(ends, operation, way))
    except (ValueError, VastplanError) as problem:
        told.append(f"cannot determine the current roles: {problem}")
    return tuple(told)


def _pair(workspace: Workspace, operation: Operation, path: str) -> Pair:
    """The pair from the document; if the document no longer has it, from the record."""
    try:
        return pair_of(workspace.entries()[0], Address.parse(path), operation.target)
    except VastplanError:
        begun = pair_begun(operation, path)
        if begun is None:
            raise
        return begun


def _back(ends: Ends, operation: Operation, way: str) -> tuple[str, ...]:
    try:
        source, target = ends.source.look(), ends.target.look()
    except (Refused, Unreachable):
        return ()
    if not operation.phase.closed or not both_lead(source, target):
        return ()
    back, leads = ends.source.site, ends.target.site
    if target.role is not Role.SOURCE:
        back, leads = leads, back
    return (
        f"{back} and {leads} both take writes; the one that becomes the destination again loses what it wrote since the failover:",
        f"  {way} --rejoin {back}  (keeps what {leads} has)",
        f"  {way} --keep {back}  (keeps what {back} has)",
    )
