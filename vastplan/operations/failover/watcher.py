"""The watcher: looks at the sites, tells others what it sees, and fails over what the document allows.

It never gives up a site that one of its systems answers for, nor by what it alone sees, nor while the other side of the data reports a
connection. Right before there is no way back it looks and asks again: a process may be paused between any two of its steps.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.formatting import span
from vastplan.operations.failover.sight import BEATS, Others, Sighting, Silence

ALARM_AFTER = 300.0  # seconds of silence after which it alarms for what the document does not fail over
RENEW = 12 * 3600.0  # seconds between two armings
LEAST = 60.0  # seconds for which what was seen counts at least: a lock that somebody holds is waited for in between
AGAIN = 600.0  # seconds until another try of what did not succeed


@dataclass(frozen=True, slots=True)
class FailoverUnit:
    """What fails over together: a project or path at its present site `source`. `after` and `lose_at_most` are seconds; `after` is 0 if
    the document leaves it to a person. `left` is the id of the failover after which nobody has decided about the other side yet."""

    address: Address
    source: str
    target: str
    after: float = 0.0
    lose_at_most: float = 0.0
    left: str = ""
    by_hand: str = ""
    """What a person types: to move it, or, after a failover, to make the other side its destination again."""
    status: str = ""
    """What a person types to see a move that is under way."""
    since: str = ""
    """The id of the last move of its roles."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A unit at its target: `amiss` is why it cannot be failed over now ("" for nothing), `age` that of the oldest of its newest restore
    points in seconds, `None` if unknown. `begun` is the id of a failover that a watcher began and that has not ended."""

    amiss: str
    age: float | None = None
    begun: str = ""


class Ticking(Protocol):
    """A clock that nobody sets."""

    def ticks(self) -> float:
        """Its seconds."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class Ports(Protocol):
    """What a watcher needs. All of them may raise `VastplanError`."""

    def units(self) -> Iterable[FailoverUnit]:
        """What the document and the ledger say now."""

    def answers(self, site: str) -> bool:
        """Whether one of the systems of a site answers now; anything but silence is an answer."""

    def exchange(self, sighting: Sighting) -> Mapping[str, Sighting]:
        """Write what this watcher says, and read what all say, by place."""

    def standing(self, unit: FailoverUnit) -> Standing:
        """The unit, by its target and the ledger."""

    def fail_over(self, unit: FailoverUnit, begun: str, still: Callable[[], str]) -> str:
        """Fail over, and say what was done, "" if another watcher was first; what has `begun` is taken back, or gone on with if that is too
        late. Calls `still` right before what cannot be taken back, and takes back what was done if it returns why not.
        """

    def fenced_in_vain(self, site: str) -> bool:
        """Whether this watcher has fenced a site and has not failed over since."""

    def renew(self, unit: FailoverUnit) -> str:
        """Arm the unit, and say what is kept."""

    def say(self, text: str) -> None:
        """Tell a person what happened."""

    def alarm(self, texts: tuple[str, ...]) -> None:
        """Tell a person what they have to look at, whenever that changes."""


class Watcher:
    """One watcher, at a `place` that has a network path of its own to the sites. A beat is `every` so many seconds."""

    def __init__(self, ports: Ports, place: str, every: float, clock: Ticking) -> None:
        self._ports, self._place, self._every = ports, place, every
        self._ticks, self._sleep = clock.ticks, clock.sleep
        self._lasts = max(BEATS * every, LEAST)
        self._silence, self._others = Silence(), Others()
        self._done: dict[tuple[str, Address], float] = {}
        self._kept: dict[Address, str] = {}
        self._tried: dict[Address, str] = {}
        self._lost_units: set[Address] = set()
        self._names: tuple[str, ...] = ()
        self._alarms: tuple[str, ...] = ()

    def beat(self) -> None:
        """Look, tell, decide."""
        alarms = list[str]()
        try:
            units = tuple(self._ports.units())
            self._name(units)
            for site in dict.fromkeys(site for unit in units for site in (unit.source, unit.target)):
                self._look(site)
            self._exchange()
        except VastplanError as problem:
            alarms.append(f"this watcher sees too little: {_why(problem)}")
        else:
            for unit in units:
                alarms += self._unit(unit)
        if tuple(alarms) != self._alarms:
            self._alarms = tuple(alarms)
            self._ports.alarm(self._alarms)

    def _look(self, site: str) -> None:
        answered = self._ports.answers(site)
        if answered == (site in self._silence.since):
            self._ports.say(f"{site} answers again" if answered else f"{site} does not answer")
        self._silence = self._silence.after(site, self._ticks(), answered=answered, lasts=self._lasts)

    def _name(self, units: tuple[FailoverUnit, ...]) -> None:
        """Say what is no longer watched, and what is new."""
        names = tuple(str(unit.address) for unit in units)
        for name in {*self._names} ^ {*names} if self._names else ():
            self._ports.say(f"{name} is watched now" if name in names else f"{name} is no longer watched")
        self._names = names

    def _exchange(self) -> None:
        sighting = Sighting(
            self._place, secrets.token_hex(8), self._silence.seconds(self._ticks(), max(2 * self._every, LEAST / 2))
        )
        others = self._ports.exchange(sighting)
        self._others = self._others.after(
            {place: one for place, one in others.items() if place != self._place}, self._ticks()
        )

    def _unit(self, unit: FailoverUnit) -> Iterable[str]:
        try:
            if self._ports.fenced_in_vain(unit.source):
                yield f"{unit.source} was fenced, at least in part, and is not given up: end the fence once it is well, then restart this watcher"
            silent = self._seconds(unit.source) or 0.0
            if unit.source not in self._silence.since:
                self._lost_units.discard(unit.address)
                yield from self._well(unit)
            elif silent >= (unit.after or ALARM_AFTER) or unit.address in self._lost_units:
                self._lost_units.add(unit.address)
                yield from self._lost(unit, silent)
        except VastplanError as problem:
            yield f"{unit.address}: {_why(problem)}"

    def _well(self, unit: FailoverUnit) -> Iterable[str]:
        """Its source answers."""
        lost = unit.target in self._silence.since
        if unit.left:
            back = "does not answer, and nothing protects" if lost else "answers, and may take writes as well as"
            yield (
                f"{unit.address} is on {unit.source} since the move {inert(unit.left, 40)}; {unit.target} {back} {unit.source}; "
                f"{'once it is back' if lost else 'next'}: {unit.by_hand}; after that end the fence of {unit.target}"
            )
        elif not lost and self._is_due(f"renew {unit.since}", unit, RENEW):
            self._kept[unit.address] = ""
            try:
                self._ports.say(self._ports.renew(unit))
            except VastplanError as problem:
                self._kept[unit.address] = _why(problem)
                self._done[f"renew {unit.since}", unit.address] += AGAIN - RENEW
        if self._kept.get(unit.address):
            yield f"{unit.address} is not armed: {self._kept[unit.address]}"

    def _lost(self, unit: FailoverUnit, silent: float) -> Iterable[str]:
        """Its source does not answer."""
        standing = self._ports.standing(unit)
        why = self._doubt(unit, silent) or standing.amiss or _beyond(unit, standing)
        if not why and self._is_due("fail over", unit, AGAIN):
            try:
                done = self._ports.fail_over(unit, standing.begun, lambda: self._still(unit))
            except VastplanError as problem:
                self._tried[unit.address] = (
                    f"the failover of this watcher stopped: {_why(problem)}; it tries again after {span(AGAIN)}"
                )
            else:
                del self._done["fail over", unit.address]
                self._tried.pop(unit.address, None)
                if done:
                    self._ports.say(done)
                    yield f"{unit.address}: {done}"
                return
        if (
            unit.after
            and unit.address not in self._tried
            and why == self._others_doubt(unit)
            and silent < unit.after + self._lasts
        ):
            return  # the others have only just begun to see it
        reasons = "; ".join(filter(None, (why, self._tried.get(unit.address, ""))))
        is_open = bool(standing.begun) or "under way" in standing.amiss
        yield f"{unit.address}: {unit.source} does not answer; {reasons}; by hand: {unit.status if is_open else unit.by_hand}"

    def _doubt(self, unit: FailoverUnit, silent: float) -> str:
        """Why what is seen does not suffice."""
        if not unit.after:
            return "a person has to decide (by itself it fails over only what has failover in the document, of a project each volume)"
        if silent < unit.after:
            return f"this watcher has not seen it silent for {span(unit.after)}"
        return self._others_doubt(unit)

    def _others_doubt(self, unit: FailoverUnit) -> str:
        if not self._others.agreeing(unit.source, unit.after, self._ticks(), self._lasts):
            return f"no other watcher says that it has been silent for {span(unit.after)}"
        return ""

    def _still(self, unit: FailoverUnit) -> str:
        """Why the decision no longer counts. What others said has become old by now, so it is waited for what they say next."""
        doubt = ""
        for number in range(BEATS + 1):
            if number:
                self._sleep(self._every)
            began = self._ticks()
            self._look(unit.source)
            if self._seconds(unit.source) is None:
                return f"{unit.source} answers"
            self._exchange()
            doubt = self._others_doubt(unit)
            if doubt:
                continue
            amiss = self._ports.standing(unit).amiss
            if amiss or self._ticks() - began <= self._lasts:
                return amiss
            doubt = "this watcher stood still while it asked"
        return doubt

    def _seconds(self, site: str) -> float | None:
        return self._silence.seconds(self._ticks(), self._lasts).get(site)

    def _is_due(self, what: str, unit: FailoverUnit, every: float) -> bool:
        """Whether it was not done for so long; then it is done now."""
        now, last = self._ticks(), self._done.get((what, unit.address))
        if last is not None and now - last < every:
            return False
        self._done[what, unit.address] = now
        return True


def _why(problem: VastplanError) -> str:
    return inert(str(problem).partition("\n")[0], 600)


def _beyond(unit: FailoverUnit, standing: Standing) -> str:
    """Why the loss is more than the document allows."""
    if standing.begun:
        return ""
    if standing.age is None:
        return f"the age of the newest restore point at {unit.target} is unknown"
    if standing.age > unit.lose_at_most:
        return (
            f"the newest restore point at {unit.target} is older than the document allows ({span(unit.lose_at_most)})"
        )
    return ""
