"""Two sides that both took writes: the target is kept, and the source becomes its destination, after a snapshot of what only the source has.

A person decides which of the two is right. Afterwards the source no longer has what it wrote since the newest restore point that both have,
except in the snapshot; somebody has consented to that by naming the restore point.
"""

from __future__ import annotations

from dataclasses import replace

from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.operation import Operation, Outcome
from vastplan.operations.calls import replica as calls
from vastplan.operations.ends import Ends
from vastplan.operations.modes.mode import Mode, Users
from vastplan.operations.plan.pair import Pair
from vastplan.operations.plan.steps import of_document, to_stop
from vastplan.operations.stage import Call, Gate, Holds, Stage, look
from vastplan.operations.stages.roles import FORCED, open_, protect
from vastplan.operations.stages.work import freeze, others, unmoved
from vastplan.schema.ports.replica import Point, Side, SideRole

KEEP_BRANCH, MAKE_SOURCE, ATTACH = "keep the branch", "lead", "attach"
EVERYTHING = "everything"  # instead of a restore point, if none is on both sides
SNAPSHOT = 600.0  # seconds that a snapshot may take to be complete


class Rejoin(Mode):
    """The rejoin. `forced` is whether the kept side may have to become the source first."""

    submits = False

    def __init__(self, *, forced: bool) -> None:
        self._forced = forced

    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
        """Its stages, in order."""
        make_source = (_make_source(ends),) if self._forced else ()
        return (
            _look(ends, self._forced),
            replace(freeze(ends), pause=0.0),  # what writes at the new source goes on
            _keep_branch(ends),
            *make_source,
            _attach(ends),
            open_(ends),
            protect(ends, FORCED),
        )

    def refuse(self, ends: Ends, broken: str, pair: Pair) -> None:
        """Raises `VastplanError` unless both sides take writes."""
        problem = amiss(ends, forced=self._forced)
        if problem:
            raise VastplanError(f"{pair.path}: {pair.source} cannot rejoin {pair.target}: {problem}")

    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """What only the source has."""
        point, used, site = common(ends), ends.source.used(), ends.source.site
        holds = "its size is unknown" if used is None else f"it holds {used} bytes now"
        if point is None:
            text = f"all data at {site}, because no restore point is on both sides: {holds}, and all data is sent again"
            return {"guid": EVERYTHING, "created": ""}, f"{text}; a snapshot of it is kept there for 7 days"
        # no vendor document says how the two sizes compare, so vastplan computes no difference
        size = "unknown" if point.size is None else str(point.size)
        text = f"all that was written at {site} since {point.created}: {holds}; the logical size of that restore point is {size}"
        return {"guid": point.guid, "created": point.created}, f"{text}; a snapshot of it is kept there for 7 days"

    def users(self, ends: Ends) -> Users:
        """The workloads at the source, wherever their claims are at the target: none is submitted there."""
        return ends.users()

    def manual_steps(self, pair: Pair) -> tuple[str, ...]:
        """The steps that remain by hand."""
        suspended_text = (
            f"workloads that are suspended at {pair.source} are submitted nowhere: what they wrote is in the snapshot"
        )
        return (*of_document(pair), suspended_text, to_stop(pair.source))


def common(ends: Ends) -> Point | None:
    """The newest restore point that is on both sides: the source goes back to it."""
    arrived_guids = {point.guid for point in ends.target.points() if point.arrived}
    common_points = [point for point in ends.source.points() if point.arrived and point.guid in arrived_guids]
    return common_points[-1] if common_points else None


def both_are_sources(source: Side, target: Side) -> bool:
    """Whether both take writes, so that one of them has to give up its writes."""
    return source.writes and target.writes


def amiss(ends: Ends, *, forced: bool) -> str:
    """Why it is not possible, "" if it is."""
    source, target = ends.source.look(), ends.target.look()
    source_site, target_site = ends.source.site, ends.target.site
    if (source.role, target.role) == (SideRole.DESTINATION, SideRole.SOURCE):
        return f"{source_site} is already the destination of {target_site}"
    if not both_are_sources(source, target):
        return f"both sides have to be SOURCE or STANDALONE; {source_site} is {source.stated_role} and {target_site} is {target.stated_role}"
    if not forced and target.role is not SideRole.SOURCE:
        return (
            f"{target_site} has to be SOURCE; it is {target.stated_role} (--keep {target_site} makes it SOURCE first)"
        )
    for site, side in ((source_site, source), (target_site, target)):
        if not side.connected:
            return f"the peer of {site} is not connected"
    return ""


def branch_name(operation: Operation) -> str:
    """The name of the snapshot of the branch that is given up."""
    return f"vastplan-{operation.id}-of-{operation.source}"


def _consented(ends: Ends, operation: Operation) -> str:
    """Why more would be lost than was consented to."""
    point = common(ends)
    lose = operation.consent.get("lose", {})
    guid = point.guid if point else EVERYTHING
    if guid == lose.get("guid") or (point is not None and point.created > str(lose.get("created"))):
        return ""
    return f"{ends.source.site} would go back to {guid}, not to {lose.get('guid')} or a later restore point; plan again"


def _look(ends: Ends, forced: bool) -> Stage:
    return look(
        "read both sides",
        f"both sides take writes, {ends.target.site} is kept, and the newest restore point on both is the one of the consent or a later one",
        lambda operation: amiss(ends, forced=forced) or others(ends, operation) or _consented(ends, operation),
    )


def _keep_branch(ends: Ends) -> Stage:
    def gate(operation: Operation) -> Gate:
        snapshot = ends.source.kept(branch_name(operation))
        if snapshot is None or not snapshot.ready:
            return Gate(Holds.NOT_YET, f"the snapshot {branch_name(operation)} is not complete")
        return Gate(Holds.YES, facts={"branch": {"id": snapshot.id, "name": snapshot.name, "site": ends.source.site}})

    return Stage(
        KEEP_BRANCH,
        f"take a snapshot of the data at {ends.source.site}, which expires after 7 days",
        "the snapshot is complete",
        bound=SNAPSHOT,
        back="nothing: the snapshot stays until it expires",
        precondition=lambda operation: unmoved(ends, operation),
        calls=lambda operation: (calls.keep(ends.source, branch_name(operation)),),
        gate=gate,
    )


def _make_source(ends: Ends) -> Stage:
    def needed(operation: Operation) -> tuple[Call, ...]:
        needs_force = operation.of(MAKE_SOURCE) or ends.target.look().role is SideRole.STANDALONE
        return (calls.force(ends.target),) if needs_force else ()

    return Stage(
        MAKE_SOURCE,
        f"forced failover at {ends.target.site} if it is STANDALONE",
        f"{ends.target.site} is SOURCE",
        bound=FORCED,
        back=f"nothing: {ends.target.site} stays the source, as it took writes before",
        precondition=lambda operation: unmoved(ends, operation),
        calls=needed,
        gate=lambda _: calls.has_role(ends.target, SideRole.SOURCE),
    )


def _attach(ends: Ends) -> Stage:
    def precondition(operation: Operation) -> str:
        name = branch_name(operation)
        snapshot = ends.source.kept(name)
        if snapshot is None or snapshot.id != operation.facts.get("branch", {}).get("id"):
            return f"the snapshot {name} of {ends.source.site} is gone"
        return unmoved(ends, operation) or _consented(ends, operation)

    def gate(_: Operation) -> Gate:
        source, target = ends.source.look(), ends.target.look()
        if (source.role, target.role) != (SideRole.DESTINATION, SideRole.SOURCE):
            return Gate(
                Holds.NOT_YET, f"{ends.source.site} is {source.stated_role}, {ends.target.site} is {target.stated_role}"
            )
        if not (source.good and source.connected):
            return Gate(Holds.NOT_YET, f"{ends.source.site} is in state {source.state}")
        return Gate(Holds.YES)

    def crossed(operation: Operation) -> str:
        attempts = [attempt for attempt in operation.of(ATTACH) if attempt.outcome in (Outcome.PENDING, Outcome.SEEN)]
        return f"{ends.source.site} was attached to {ends.target.site} again" if attempts else ""

    return Stage(
        ATTACH,
        f"reattach at {ends.target.site}",
        f"{ends.source.site} is DESTINATION and {ends.target.site} SOURCE, as each reports of itself, connected and good",
        bound=FORCED,
        back=f"none after the call: what only {ends.source.site} had is in the snapshot and nowhere else",
        precondition=precondition,
        calls=lambda _: (calls.reattach(ends),),
        gate=gate,
        crossed=crossed,
        no_return=True,
    )


def ways_back(ends: Ends, operation: Operation, command: str) -> tuple[str, ...]:
    """What to type if a side that an operation gave up is back and both take writes; `command` begins it."""
    try:
        source, target = ends.source.look(), ends.target.look()
    except (Refused, Unreachable):
        return ()
    if not operation.phase.closed or not both_are_sources(source, target):
        return ()
    returned, active = ends.source.site, ends.target.site
    if target.role is not SideRole.SOURCE:
        returned, active = active, returned
    return (
        f"{returned} and {active} both take writes; the one that becomes the destination again loses what it wrote since the failover:",
        f"  {command} --rejoin {returned}  (keeps what {active} has)",
        f"  {command} --keep {returned}  (keeps what {returned} has)",
    )
