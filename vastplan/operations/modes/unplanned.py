"""The move without the source: what has not arrived is lost; somebody has consented to that by naming the restore point."""

from __future__ import annotations

from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.model.operation_plan import Fact
from vastplan.operations.calls import replica as calls
from vastplan.operations.ends import Ends
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
        """Raises `VastplanError` if the source answers and nobody says why it is given up."""
        side = ends.target.look()
        if side.role is not SideRole.DESTINATION:
            raise VastplanError(f"{pair.path}: {pair.target} has to be DESTINATION; it is {side.stated_role}")
        if not broken and answers(ends, TRIES):
            raise VastplanError(
                f"{pair.path}: {pair.source} answers, so a planned move loses nothing (leave out "
                "--unplanned, or say why the site is broken: --broken REASON)"
            )

    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """What has not arrived."""
        guid, created = calls.newest_arrived(ends.target)
        text = f"all that was written after {created or 'the beginning'}, an unknown number of bytes"
        return {"guid": guid, "created": created}, text

    def users(self, ends: Ends) -> Users:
        """Those that can still be read."""
        try:
            return ends.users()
        except (Refused, Unreachable):
            return ()

    def jobs(self, ends: Ends, users: Users) -> tuple[Facts, ...]:
        """Those that can still be read; if they cannot, those that were kept when the move was armed."""
        return super().jobs(ends, users) if _readable(ends) else ends.armed_jobs

    def evidence(self, ends: Ends, users: Users) -> tuple[Fact, ...]:
        """What a person weighs; of workloads that cannot be read, what was kept of them."""
        found = super().evidence(ends, users)
        if _readable(ends):
            return found
        if not ends.armed_at:
            return (*found, Fact("armed", "never, so no workload is submitted: it cannot be read"))
        kept = (
            Fact(f"workload {fact['name']}", f"{fact['phase']} then, {fact['gpus']:g} GPUs; {_becomes(fact)}")
            for fact in ends.armed_jobs
        )
        return (*found, Fact("armed", f"{ends.armed_at}; the workloads are those of then"), *kept)


def _readable(ends: Ends) -> bool:
    """Whether the workloads at the source can be read."""
    try:
        ends.users()
    except (Refused, Unreachable):
        return False
    return True


def _becomes(fact: Facts) -> str:
    claim = fact["to_claim"]
    return f"submitted with the claim {claim}" if claim else "has a claim without a counterpart, so it is not submitted"


def answers(ends: Ends, tries: int) -> bool:
    """Whether the source answers one of some reads, a quarter of a minute apart."""
    for number in range(tries):
        if number:
            ends.clock.sleep(APART)
        try:
            ends.source.look()
        except (Refused, Unreachable):
            continue
        return True
    return False


def _look(ends: Ends, broken: str) -> Stage:
    def problem(operation: Operation) -> str:
        target = ends.target.look()
        if target.role is not SideRole.DESTINATION:
            return f"{ends.target.site} has to be DESTINATION; it is {target.stated_role}"
        # A plan of just now has read it for half a minute; one that was made in advance has not.
        tries = 2 if operation.consent.get(ARMED) else 1
        if not broken and (answers(ends, tries) or target.connected):
            observed = "answers" if not target.connected else "is connected"
            return f"{ends.source.site} {observed} (plan a move without --unplanned, or say why it is broken: --broken REASON)"
        return _earlier(ends, operation)

    return look(
        f"read {ends.target.site}, and try to read {ends.source.site}",
        f"{ends.target.site} is DESTINATION and has the restore point of the consent or a later one",
        problem,
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
