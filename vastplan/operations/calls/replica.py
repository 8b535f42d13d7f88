"""Calls on replicas as stages send them, each with how to determine whether it took effect."""

from __future__ import annotations

from collections.abc import Callable

from vastplan.model.operation import Facts, Operation
from vastplan.operations.ends import Ends
from vastplan.operations.stage import Call, CallEffect, Gate, Holds, effect
from vastplan.schema.ports.replica import Keeps, Point, Replica, SideRole

REPLICATE, TAKE_OVER, GIVE_UP, DETACH, FORCE, ENABLE = "replicate", "take over", "give up", "detach", "force", "enable"
KEEP, REATTACH = "keep", "reattach"


def _newest(replica: Replica) -> Facts:
    """The end of a list of points: times have whole seconds, so all points of the last second are named."""
    points = replica.points()
    newest_time = max((point.created for point in points), default="")
    return {"created": newest_time, "guids": [point.guid for point in points if point.created == newest_time]}


def newest_arrived(replica: Replica) -> tuple[str, str]:
    """The newest restore point that has arrived: guid and time; empty if there is none."""
    arrived = [point for point in replica.points() if point.arrived]
    return (arrived[-1].guid, arrived[-1].created) if arrived else ("", "")


def newer(before: Facts, points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points since the end of a list, by one cluster's own clock."""
    return tuple(
        point
        for point in points
        if point.created > before["created"]
        or (point.created == before["created"] and point.guid not in before["guids"])
    )


def replicate(replica: Replica) -> Call:
    """Take a new restore point; one that a schedule took meanwhile counts, because it is as new."""

    def effect(before: Facts, now: Facts) -> CallEffect:
        fresh = now["created"] > before["created"] or set(now["guids"]) - set(before["guids"])
        return CallEffect.HAPPENED if fresh else CallEffect.NOTHING

    return Call(
        REPLICATE, f"PATCH {replica.path}replicate_now/ at {replica.site}", {}, lambda: _newest(replica), replica.replicate_now, effect
    )  # fmt: skip


def arrival(operation: Operation, stage: str, taken_at: Replica, seen_on: Replica) -> Gate:
    """Whether a point taken since a stage's call has arrived, as the other side reports."""
    points = arrived(operation, stage, taken_at, seen_on)
    if not points:
        return Gate(Holds.NOT_YET, none_since(operation, stage, seen_on))
    return Gate(Holds.YES, facts=arrived_as(stage, points[-1]))


def arrived(operation: Operation, stage: str, taken_at: Replica, seen_on: Replica) -> tuple[Point, ...]:
    """The points taken since a stage's call that have arrived, as the other side reports; the newest last."""
    fresh = newer(operation.of(stage, REPLICATE)[-1].before, taken_at.points())
    points = {point.guid: point for point in seen_on.points()}
    return tuple(points[point.guid] for point in fresh if point.guid in points and points[point.guid].arrived)


def none_since(operation: Operation, stage: str, seen_on: Replica) -> str:
    """The text while none has arrived."""
    return f"no restore point since {operation.of(stage, REPLICATE)[-1].at} has arrived at {seen_on.site}"


def arrived_as(stage: str, point: Point) -> Facts:
    """The facts of an arrived point for later stages."""
    return {f"{stage} point": {"guid": point.guid, "created": point.created}}


def _roles(ends: Ends) -> Facts:
    source, target = ends.source.look(), ends.target.look()
    return {
        "source": source.stated_role, "target": target.stated_role,
        "source_role": source.role.value, "target_role": target.role.value,
    }  # fmt: skip


def take_over(ends: Ends) -> Call:
    """Begin the graceful failover, at the target."""

    def effect(before: Facts, now: Facts) -> CallEffect:
        if now["target_role"] in (SideRole.SOURCE.value, SideRole.CHANGING.value):
            return CallEffect.HAPPENED
        roles_unchanged = (before["source"], before["target"]) == (now["source"], now["target"])
        return CallEffect.NOTHING if roles_unchanged else CallEffect.UNKNOWN

    body = {"failover": True, "graceful": True}
    what = f"PATCH {ends.target.path} failover graceful at {ends.target.site}"
    return Call(TAKE_OVER, what, body, lambda: _roles(ends), ends.target.take_over, effect)


def give_up(ends: Ends) -> Call:
    """Abort the graceful failover, at the target."""

    def effect(_: Facts, now: Facts) -> CallEffect:
        roles = (now["source_role"], now["target_role"])
        if roles == (SideRole.SOURCE.value, SideRole.DESTINATION.value):
            return CallEffect.HAPPENED
        return CallEffect.NOTHING if SideRole.CHANGING.value in roles else CallEffect.UNKNOWN

    what = f"PATCH {ends.target.path} abort at {ends.target.site}"
    return Call(GIVE_UP, what, {"abort": True}, lambda: _roles(ends), ends.target.give_up, effect)


def _own(replica: Replica) -> Facts:
    side = replica.look()
    return {"said": side.stated_role, "role": side.role.value, "enabled": side.enabled}


def _became(role: SideRole, *, of: SideRole) -> Callable[[Facts, Facts], CallEffect]:
    """Whether a side has the role that a call gives it, or is changing to it."""

    def effect(_: Facts, now: Facts) -> CallEffect:
        if now["role"] in (role.value, SideRole.CHANGING.value):
            return CallEffect.HAPPENED
        return CallEffect.NOTHING if now["role"] == of.value else CallEffect.UNKNOWN

    return effect


def has_role(replica: Replica, role: SideRole) -> Gate:
    """Whether a side has a role, as its own system reports."""
    side = replica.look()
    return Gate(Holds.YES if side.role is role else Holds.NOT_YET, f"{replica.site} is {side.stated_role}")


def detach(replica: Replica) -> Call:
    """The first half of a forced failover: detach the destination."""
    effect = _became(SideRole.STANDALONE, of=SideRole.DESTINATION)
    what = f"PATCH {replica.path} failover not graceful at {replica.site}"
    return Call(DETACH, what, {"failover": True, "graceful": False}, lambda: _own(replica), replica.detach, effect)


def force(replica: Replica) -> Call:
    """The second half of a forced failover: the detached side becomes the source."""
    effect = _became(SideRole.SOURCE, of=SideRole.STANDALONE)
    what = f"PATCH {replica.path}force_failover at {replica.site}"
    return Call(FORCE, what, {}, lambda: _own(replica), replica.force, effect)


def enable(replica: Replica) -> Call:
    """Enable replication at the new source."""

    what = f"PATCH {replica.path} enabled at {replica.site}"
    return Call(
        ENABLE, what, {"enabled": True}, lambda: _own(replica), replica.enable, effect(lambda now: now["enabled"])
    )


def keep(replica: Keeps, name: str) -> Call:
    """Take a snapshot of one side, with a name of this operation."""

    def read() -> Facts:
        snapshot = replica.kept(name)
        return {"snapshot": snapshot.id if snapshot else ""}

    return Call(
        KEEP,
        f"POST /snapshots/ {name} at {replica.site}",
        {"name": name},
        read,
        lambda: replica.keep(name),
        effect(lambda now: now["snapshot"]),
    )


def reattach(ends: Ends) -> Call:
    """Make the source the destination of the target. Its own system reports whether it is."""

    def effect(before: Facts, now: Facts) -> CallEffect:
        if now["source_role"] in (SideRole.DESTINATION.value, SideRole.CHANGING.value):
            return CallEffect.HAPPENED
        roles_unchanged = (before["source"], before["target"]) == (now["source"], now["target"])
        return CallEffect.NOTHING if roles_unchanged else CallEffect.UNKNOWN

    what = f"PATCH {ends.target.path}reattach_stream/ at {ends.target.site}"
    return Call(REATTACH, what, {"stream_of": ends.target.path}, lambda: _roles(ends), ends.target.reattach, effect)
