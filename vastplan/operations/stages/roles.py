"""What the modes on replicated paths have in common: when a source can be copied to its destination, and the stages after a role change."""

from __future__ import annotations

from vastplan.model.operation import Operation
from vastplan.operations.calls import replica as calls
from vastplan.operations.ends import Ends
from vastplan.operations.stage import Call, Gate, Holds, Stage
from vastplan.schema.ports.replica import SideRole

OPEN, PROTECT = "open", "protect"
LEAST = 600.0  # the least seconds for a role change, however short the forecast
FORCED = 2700.0  # seconds that a client of the vendor's waits for a forced change


def amiss_of_roles(ends: Ends) -> str:
    """Why the source is not one whose data arrives at the target as its destination, "" if it is."""
    source, target = ends.source.look(), ends.target.look()
    source_site, target_site = ends.source.site, ends.target.site
    if (source.role, target.role) == (SideRole.DESTINATION, SideRole.SOURCE):
        return f"{target_site} is already the source"
    if source.role is not SideRole.SOURCE or target.role is not SideRole.DESTINATION:
        return f"{source_site} has to be SOURCE and {target_site} DESTINATION; they are {source.stated_role} and {target.stated_role}"
    for site, side in ((source_site, source), (target_site, target)):
        if not side.good:
            return f"{site} is in state {side.state or 'unknown'}"
        if not side.connected:
            return f"the peer of {site} is not connected"
    if not target.as_of:
        return f"{target_site} has no restore point yet"
    return "" if source.enabled else f"replication is suspended at {source_site}"


def open_(ends: Ends) -> Stage:
    """Enable replication at the new source."""

    def needed(operation: Operation) -> tuple[Call, ...]:
        needs_enabling = operation.of(OPEN) or not ends.target.look().enabled
        return (calls.enable(ends.target),) if needs_enabling else ()

    def gate(_: Operation) -> Gate:
        side = ends.target.look()
        if side.role is not SideRole.SOURCE:
            return Gate(Holds.NOT_YET, f"{ends.target.site} is {side.stated_role}")
        if not side.enabled:
            return Gate(Holds.NOT_YET, f"replication is not enabled at {ends.target.site}")
        return Gate(Holds.YES)

    return Stage(
        OPEN,
        f"enable replication at {ends.target.site} if it is not enabled",
        f"{ends.target.site} is SOURCE and enabled",
        bound=120.0,
        back=f"the way back is a planned move to {ends.source.site}",
        calls=needed,
        gate=gate,
    )


def protect(ends: Ends, bound: float) -> Stage:
    """Send a restore point of the new source to the old one."""
    return Stage(
        PROTECT,
        f"replicate now at {ends.target.site}, back to {ends.source.site}",
        f"{ends.source.site} has a restore point of {ends.target.site}; until then the data is unprotected",
        bound=bound,
        calls=lambda _: (calls.replicate(ends.target),),
        gate=lambda operation: calls.arrival(operation, PROTECT, ends.target, ends.source),
    )
