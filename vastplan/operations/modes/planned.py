"""The planned move: nothing that was written before the freeze is lost, and at most one side takes writes at any moment."""

from __future__ import annotations

from vastplan.model.errors import VastplanError
from vastplan.model.operation import Operation
from vastplan.operations.calls import replica as calls
from vastplan.operations.ends import Ends
from vastplan.operations.modes.mode import Mode
from vastplan.operations.plan.pair import Pair
from vastplan.operations.stage import Call, Gate, Holds, Stage, look
from vastplan.operations.stages.roles import LEAST, amiss_of_roles, open_, protect
from vastplan.operations.stages.work import FREEZE, freeze, others, start, unmoved
from vastplan.schema.ports.replica import SideRole

PRE_COPY, FINAL_COPY, SWITCH = "pre-copy", "final copy", "switch"


class Planned(Mode):
    """The planned move."""

    tried = True
    done = "moved as planned"
    """What cannot be done to a path whose sides are not in their roles, in words."""

    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
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

    def refuse(self, ends: Ends, broken: str, pair: Pair) -> None:
        """Raises `VastplanError` unless both sides are in their roles, and good."""
        problem = amiss_of_roles(ends)
        if problem:
            raise VastplanError(f"{pair.path} cannot be {self.done}: {problem}")

    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """Nothing; the restore point is the newest one."""
        guid, created = calls.newest_arrived(ends.target)
        return {"guid": guid, "created": created}, "nothing that was written before the freeze"


def _look(ends: Ends) -> Stage:
    return look(
        "read both sides",
        f"{ends.source.site} is SOURCE, {ends.target.site} DESTINATION, both good; the workloads are those of the plan",
        lambda operation: amiss_of_roles(ends) or others(ends, operation),
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
            return Gate(Holds.NEVER, f"both sides take writes: {source.stated_role} and {target.stated_role}")
        if (source.role, target.role) != (SideRole.DESTINATION, SideRole.SOURCE):
            return Gate(
                Holds.NOT_YET, f"{ends.source.site} is {source.stated_role}, {ends.target.site} is {target.stated_role}"
            )
        # if the change suspends replication, the next stage enables it
        settled = all(side.good or not side.enabled for side in (source, target))
        if not (settled and target.connected):
            return Gate(Holds.NOT_YET, f"the states are {source.state} and {target.state}")
        return Gate(Holds.YES)

    def crossed(operation: Operation) -> str:
        if not operation.of(SWITCH):
            return ""
        return f"{ends.target.site} is the source" if ends.target.look().role is SideRole.SOURCE else ""

    def rollback(operation: Operation) -> tuple[Call, ...]:
        changing = SideRole.CHANGING in (ends.source.look().role, ends.target.look().role)
        return (calls.give_up(ends),) if changing or operation.of(f"undo {SWITCH}") else ()

    def undone(_: Operation) -> Gate:
        source, target = ends.source.look(), ends.target.look()
        switched_back = (source.role, target.role) == (SideRole.SOURCE, SideRole.DESTINATION)
        return Gate(
            Holds.YES if switched_back else Holds.NOT_YET,
            f"the roles are {source.stated_role} and {target.stated_role}",
        )

    return Stage(
        SWITCH,
        f"graceful failover at {ends.target.site}",
        f"{ends.target.site} is SOURCE and {ends.source.site} DESTINATION, as each reports of itself, connected and good",
        bound=bound,
        pause=ends.forecast,
        back=f"abort at {ends.target.site} until it is SOURCE; after that the way back is a planned move",
        precondition=lambda operation: unmoved(ends, operation),
        calls=lambda _: (calls.take_over(ends),),
        gate=gate,
        rollback=rollback,
        undone=undone,
        crossed=crossed,
        no_return=True,
    )
