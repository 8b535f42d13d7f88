"""How the sides of a move stand now, each as its own system says, and what to type where one is back that was given up."""

from __future__ import annotations

from vastplan.app.connect import connected
from vastplan.app.moving.meeting import meet
from vastplan.app.moving.pair import pair_of
from vastplan.app.operating.clock import CLOCK
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.operation import Operation
from vastplan.model.shell import word, words
from vastplan.operations.ends import Ends
from vastplan.operations.rejoin import both_lead
from vastplan.schema.replicated import Role


def standing(workspace: Workspace, operation: Operation) -> tuple[str, ...]:
    """Lines for people. What cannot be read is told."""
    sites = (operation.source, operation.target)
    try:
        pair = pair_of(workspace.entries()[0], Address.parse(operation.address), operation.target)
        with connected(workspace.document, sites=sites, writable=False) as providers:
            ends = meet(workspace, providers, pair, {}, CLOCK).ends
            return (f"now: {ends.standing(operation)}", *_back(ends, operation, words(workspace.document.paths)))
    except VastplanError as problem:
        return (f"how it stands now cannot be read: {problem}",)


def _back(ends: Ends, operation: Operation, paths: str) -> tuple[str, ...]:
    try:
        source, target = ends.source.look(), ends.target.look()
    except (Refused, Unreachable):
        return ()
    if not operation.phase.closed or not both_lead(source, target):
        return ()
    back, leads = ends.source.site, ends.target.site
    if target.role is not Role.SOURCE:
        back, leads = leads, back
    way = f"vastplan move plan {paths} {word(operation.address)}"
    return (
        f"{back} and {leads} both take writes; what each has since they parted is lost when it is let follow the other:",
        f"  {way} --rejoin {back}  (keeps what {leads} has)",
        f"  {way} --keep {back}  (keeps what {back} has)",
    )
