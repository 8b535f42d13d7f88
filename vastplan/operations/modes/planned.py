"""The planned move: nothing that was written before the freeze is lost, and at most one side takes writes at any moment."""

from __future__ import annotations

from vastplan.model.operation import Operation
from vastplan.operations.calls import replica as calls
from vastplan.operations.ends import Ends
from vastplan.operations.stages.stage import Call, Gate, Holds, Stage
from vastplan.operations.stages.work import FREEZE, freeze, others, start, unmoved
from vastplan.schema.ports.replica import Role, Side

LOOK, PRE_COPY, FINAL_COPY, SWITCH, OPEN, PROTECT = "look", "pre-copy", "final copy", "switch", "open", "protect"
LEAST = 600.0  # the least seconds for a role change, however short the forecast


def planned(ends: Ends) -> tuple[Stage, ...]:
    """Its stages, in order."""
    bound = max(LEAST, 2 * ends.forecast)
    return (
        _look(ends),
        _copy(ends, PRE_COPY, bound),
        freeze(ends),
        _copy(ends, FINAL_COPY, bound, frozen=True),
        _switch(ends, bound),
        open_(ends),
        start(ends, FREEZE),
        protect(ends, bound),
    )


def amiss(source: Side, target: Side, ends: Ends) -> str:
    """Why a planned move is not possible, "" if it is."""
    here, there = ends.source.site, ends.target.site
    if (source.role, target.role) == (Role.DESTINATION, Role.SOURCE):
        return f"{there} is already the source"
    if source.role is not Role.SOURCE or target.role is not Role.DESTINATION:
        return f"{here} has to be SOURCE and {there} DESTINATION; they are {source.said} and {target.said}"
    for site, side in ((here, source), (there, target)):
        if not side.good:
            return f"{site} is in state {side.state or 'unknown'}"
        if not side.connected:
            return f"the peer of {site} is not connected"
    if not target.as_of:
        return f"{there} has no restore point yet"
    return "" if source.enabled else f"replication is suspended at {here}"


def unread_of(ends: Ends) -> str:
    """Why the claims at the target are unknown, "" if they are known."""
    unread = [
        f"which claim at {ends.target.site} corresponds to {work.source.address}: {work.unread}"
        for work in ends.work
        if work.unread
    ]
    return f"cannot determine {'; '.join(unread)}" if unread else ""


def _look(ends: Ends) -> Stage:
    def precondition(operation: Operation) -> str:
        return amiss(ends.source.look(), ends.target.look(), ends) or others(ends, operation)

    return Stage(
        LOOK,
        "read both sides",
        f"{ends.source.site} is SOURCE, {ends.target.site} DESTINATION, both good; the workloads are those of the plan",
        bound=0.0,
        precondition=precondition,
    )


def _copy(ends: Ends, name: str, bound: float, *, frozen: bool = False) -> Stage:
    return Stage(
        name,
        f"replicate now at {ends.source.site}" + (", with everything stopped" if frozen else ", while work goes on"),
        f"{ends.target.site} has a restore point taken since then",
        bound=bound,
        precondition=(lambda operation: unmoved(ends, operation)) if frozen else lambda _: "",
        calls=lambda _: (calls.replicate(ends.source),),
        gate=lambda operation: calls.arrival(operation, name, ends.source, ends.target),
    )


def _switch(ends: Ends, bound: float) -> Stage:
    def gate(_: Operation) -> Gate:
        source, target = ends.source.look(), ends.target.look()
        if source.writes and target.writes:
            return Gate(Holds.NEVER, f"both sides take writes: {source.said} and {target.said}")
        if (source.role, target.role) != (Role.DESTINATION, Role.SOURCE):
            return Gate(Holds.NOT_YET, f"{ends.source.site} is {source.said}, {ends.target.site} is {target.said}")
        # if the change suspends replication, the next stage enables it
        settled = all(side.good or not side.enabled for side in (source, target))
        if not (settled and target.connected):
            return Gate(Holds.NOT_YET, f"the states are {source.state} and {target.state}")
        return Gate(Holds.YES)

    def crossed(operation: Operation) -> str:
        if not operation.of(SWITCH):
            return ""
        return f"{ends.target.site} is the source" if ends.target.look().role is Role.SOURCE else ""

    def rollback(operation: Operation) -> tuple[Call, ...]:
        changing = Role.CHANGING in (ends.source.look().role, ends.target.look().role)
        return (calls.give_up(ends),) if changing or operation.of(f"undo {SWITCH}") else ()

    def undone(_: Operation) -> Gate:
        source, target = ends.source.look(), ends.target.look()
        back = (source.role, target.role) == (Role.SOURCE, Role.DESTINATION)
        return Gate(Holds.YES if back else Holds.NOT_YET, f"the roles are {source.said} and {target.said}")

    return Stage(
        SWITCH,
        f"graceful failover at {ends.target.site}",
        f"{ends.target.site} is SOURCE and {ends.source.site} DESTINATION, as each reports of itself, connected and good",
        bound=bound,
        back=f"abort at {ends.target.site} until it is SOURCE; after that the way back is a planned move",
        precondition=lambda operation: unmoved(ends, operation),
        calls=lambda _: (calls.take_over(ends),),
        gate=gate,
        rollback=rollback,
        undone=undone,
        crossed=crossed,
        no_return=True,
    )


def open_(ends: Ends) -> Stage:
    """Enable replication at the new source."""

    def needed(operation: Operation) -> tuple[Call, ...]:
        sent = operation.of(OPEN) or not ends.target.look().enabled
        return (calls.enable(ends.target),) if sent else ()

    def gate(_: Operation) -> Gate:
        side = ends.target.look()
        if side.role is not Role.SOURCE:
            return Gate(Holds.NOT_YET, f"{ends.target.site} is {side.said}")
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
