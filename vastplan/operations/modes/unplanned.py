"""The move without the source: what has not arrived is lost; somebody has consented to that by naming the restore point."""

from __future__ import annotations

from datetime import datetime

from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.formatting import span
from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.model.operation_plan import Fact
from vastplan.operations.calls import replica as calls
from vastplan.operations.ends import LACKS, SPECIFICATION, Ends
from vastplan.operations.modes.mode import Mode, Users
from vastplan.operations.plan.pair import Pair
from vastplan.operations.stage import Stage, look
from vastplan.operations.stages.roles import FORCED, open_
from vastplan.operations.stages.work import FENCE, fence, start
from vastplan.schema.ports.replica import SideRole

DETACH, TAKE_OVER = "detach", "take over"
ARMED = "armed"  # in the consent: the move was planned in advance
TRIES, APART = 3, 15.0  # reads of a source that does not answer


class Unplanned(Mode):
    """The move without the source."""

    tried = True

    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
        """Its stages, in order."""
        return (_look(ends, broken), fence(ends), _detach(ends), _take_over(ends), open_(ends), start(ends, FENCE))

    def refuse(self, ends: Ends, broken: str, pair: Pair) -> None:
        """Raises `VastplanError` unless the target is the destination and has data to go back to."""
        side = ends.target.look()
        if side.role is not SideRole.DESTINATION:
            raise VastplanError(f"{pair.path}: {pair.target} has to be DESTINATION; it is {side.stated_role}")
        if not calls.newest_arrived(ends.target)[0]:
            raise VastplanError(
                f"{pair.path}: no restore point of it has arrived at {pair.target}, so nothing could be taken over"
            )

    def amiss_of_source(self, ends: tuple[Ends, ...], broken: str) -> str:
        """Why the source is not given up: it answers for one of the paths, and nobody says why it is broken."""
        if broken or not answers(ends, TRIES):
            return ""
        return (
            f"{ends[0].source.site} answers, so a planned move loses nothing (leave out "
            "--unplanned, or say why the site is broken: --broken REASON)"
        )

    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """What has not arrived."""
        guid, created = calls.newest_arrived(ends.target)
        return {"guid": guid, "created": created}, f"all that was written after {created}, an unknown number of bytes"

    def users(self, ends: Ends) -> Users:
        """Those that can still be read."""
        return self.users_of_each((ends,))[0]

    def users_of_each(self, ends: tuple[Ends, ...]) -> tuple[Users, ...]:
        """Those that can still be read; none if those of one path cannot: who mounts it as well would be submitted without it."""
        try:
            return tuple(each.users() for each in ends)
        except (Refused, Unreachable):
            return tuple(() for _ in ends)

    def jobs(self, ends: tuple[Ends, ...], users: tuple[Users, ...]) -> tuple[tuple[Facts, ...], ...]:
        """Those that can still be read; if those of one path cannot, those that were kept when the move was armed."""
        if any(users) or all(map(_readable, ends)):
            return tuple(
                tuple(_with_kept(fact, each) for fact in facts)
                for facts, each in zip(super().jobs(ends, users), ends, strict=True)
            )
        return tuple(each.armed_jobs for each in ends)

    def evidence(self, ends: Ends, users: Users) -> tuple[Fact, ...]:
        """What a person weighs; of workloads that cannot be read, what was kept of them."""
        found = super().evidence(ends, users)
        if users or _readable(ends):
            return found
        if not ends.armed_at:
            return (*found, Fact("armed", "never, so no workload is submitted: it cannot be read"))
        ago = span((ends.clock.now() - datetime.fromisoformat(ends.armed_at)).total_seconds())
        then = f"{ago} ago{f', and {ends.lapsed}' if ends.lapsed else ''}"
        kept = (
            Fact(f"workload {fact['name']}", f"{fact['phase']} {then}, {fact['gpus']:g} GPUs; {_becomes(fact)}")
            for fact in ends.armed_jobs
        )
        since = f"; {ends.lapsed}, so look which of them are still wanted" if ends.lapsed else ""
        return (*found, Fact("armed", f"{ends.armed_at}, {ago} ago; the workloads are those of then{since}"), *kept)


def _readable(ends: Ends) -> bool:
    """Whether the workloads at the source can be read."""
    try:
        ends.users()
    except (Refused, Unreachable):
        return False
    return True


def _with_kept(fact: Facts, ends: Ends) -> Facts:
    """A workload with the specification that was kept of it, for the case that the source is silent by the time it is submitted."""
    kept = next((one for one in ends.armed_jobs if one["id"] == fact["id"] and SPECIFICATION in one), None)
    return fact if kept is None else {**fact, SPECIFICATION: kept[SPECIFICATION]}


def _becomes(fact: Facts) -> str:
    if fact["to_claim"]:
        return f"submitted with the claim {fact['to_claim']}"
    return f"not submitted: it mounts {', '.join(fact.get(LACKS, ())) or 'a claim'}, which does not move"


def answers(ends: tuple[Ends, ...], tries: int) -> bool:
    """Whether the source, the same site of all ends, answers for one of them: in some rounds, a quarter of a minute apart."""
    for number in range(tries):
        if number:
            ends[0].clock.sleep(APART)
        if any(map(_answers, ends)) or (number and ends[0].source_answers()):
            return True
    return False


def _answers(ends: Ends) -> bool:
    try:
        ends.source.look()
    except (Refused, Unreachable):
        return False
    return True


def _look(ends: Ends, broken: str) -> Stage:
    source = ends.source.site
    plan_another = "(plan a move without --unplanned, or say why it is broken: --broken REASON)"

    def problem(operation: Operation) -> str:
        target = ends.target.look()
        if target.role is not SideRole.DESTINATION:
            return f"{ends.target.site} has to be DESTINATION; it is {target.stated_role}"
        # A plan of just now has read it for half a minute.
        if not broken and (target.connected or _answers(ends)):
            return f"{source} {'is connected' if target.connected else 'answers'} {plan_another}"
        return _earlier(ends, operation)

    def later(operation: Operation) -> str:
        """One that was planned in advance has not: it is read once more."""
        if broken or not operation.consent.get(ARMED):
            return ""
        ends.clock.sleep(APART)
        return f"{source} answers {plan_another}" if _answers(ends) or ends.source_answers() else ""

    return look(
        f"read {ends.target.site}, and try to read {source}",
        f"{ends.target.site} is DESTINATION and has the restore point of the consent or a later one",
        problem,
        later,
    )


def _earlier(ends: Ends, operation: Operation) -> str:
    """Why the loss would be larger than was consented to."""
    guid, created = calls.newest_arrived(ends.target)
    lose = operation.consent.get("lose", {})
    if guid and (guid == lose.get("guid") or created > str(lose.get("created"))):
        return ""
    return f"the newest restore point at {ends.target.site} is {guid or 'none'}, not {lose.get('guid')} or a later one"


def _detach(ends: Ends) -> Stage:
    def crossed(operation: Operation) -> str:
        attempts = [attempt for attempt in operation.of(DETACH) if attempt.outcome in (Outcome.PENDING, Outcome.SEEN)]
        return f"{ends.target.site} was detached" if attempts else ""

    return Stage(
        DETACH,
        f"failover at {ends.target.site} without {ends.source.site}",
        f"{ends.target.site} is STANDALONE",
        bound=600.0,
        back="none after the call: what has not arrived is lost at this side",
        precondition=lambda operation: _earlier(ends, operation),
        calls=lambda _: (calls.detach(ends.target),),
        gate=lambda _: calls.has_role(ends.target, SideRole.STANDALONE),
        crossed=crossed,
        no_return=True,
    )


def _take_over(ends: Ends) -> Stage:
    return Stage(
        TAKE_OVER,
        f"forced failover at {ends.target.site}",
        f"{ends.target.site} is SOURCE",
        bound=FORCED,
        back=f"none: {ends.target.site} can stay STANDALONE, where it takes writes and nothing protects them",
        calls=lambda _: (calls.force(ends.target),),
        gate=lambda _: calls.has_role(ends.target, SideRole.SOURCE),
    )
