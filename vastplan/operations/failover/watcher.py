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
    """The command with which a person plans the move to the target."""


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
        """Fail over, or go on with what has `begun`, and say what was done. Calls `still` right before what cannot be taken back, and
        does nothing if it returns why not."""

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
        self._lasts = BEATS * every
        self._silence, self._others = Silence(), Others()
        self._done: dict[tuple[str, Address], float] = {}
        self._kept: dict[Address, str] = {}
        self._alarms: tuple[str, ...] = ()

    def beat(self) -> None:
        """Look, tell, decide."""
        alarms = list[str]()
        try:
            units = tuple(self._ports.units())
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
        began = self._ticks()
        answered = self._ports.answers(site)
        if answered == (site in self._silence.since):
            self._ports.say(f"{site} answers again" if answered else f"{site} does not answer")
        self._silence = self._silence.after(site, began, self._ticks(), answered=answered, lasts=self._lasts)

    def _exchange(self) -> None:
        sighting = Sighting(self._place, secrets.token_hex(8), self._silence.seconds(self._ticks(), 2 * self._every))
        others = self._ports.exchange(sighting)
        self._others = self._others.after(
            {place: one for place, one in others.items() if place != self._place}, self._ticks()
        )

    def _unit(self, unit: FailoverUnit) -> Iterable[str]:
        try:
            silent = self._seconds(unit.source)
            if silent is None:
                yield from self._well(unit)
            elif silent >= (unit.after or ALARM_AFTER):
                yield from self._lost(unit)
        except VastplanError as problem:
            yield f"{unit.address}: {_why(problem)}"

    def _well(self, unit: FailoverUnit) -> Iterable[str]:
        """Its source answers."""
        if unit.left:
            if self._seconds(unit.target) is None:
                yield (
                    f"{unit.address}: {unit.target} answers again after the failover {inert(unit.left, 40)}, and may take writes; decide "
                    "which side is right"
                )
        elif self._seconds(unit.target) is None and self._is_due("renew", unit, RENEW):
            self._kept[unit.address] = ""
            try:
                self._ports.say(self._ports.renew(unit))
            except VastplanError as problem:
                self._kept[unit.address] = _why(problem)
                self._done["renew", unit.address] += AGAIN - RENEW
        if self._kept.get(unit.address):
            yield f"{unit.address} is not armed: {self._kept[unit.address]}"

    def _lost(self, unit: FailoverUnit) -> Iterable[str]:
        """Its source has not answered for as long as the document says."""
        standing = self._ports.standing(unit)
        why = self._doubt(unit) or standing.amiss or _beyond(unit, standing)
        if not why and self._is_due("fail over", unit, AGAIN):
            self._ports.say(self._ports.fail_over(unit, standing.begun, lambda: self._still(unit)))
            return
        yield f"{unit.address}: {unit.source} does not answer; by hand: {unit.by_hand}; {why or 'the failover did not succeed, and is tried again'}"

    def _doubt(self, unit: FailoverUnit) -> str:
        """Why what is seen does not suffice."""
        if not unit.after:
            return "a person has to decide (by itself it fails over only what has failover in the document, of a project each volume)"
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
            doubt = self._doubt(unit)
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
        return f"the newest restore point at {unit.target} is {span(standing.age)} old, and the document allows {span(unit.lose_at_most)}"
    return ""
