"""What one watcher has seen: since when a site is silent, and what other watchers say of it. Pure.

Each watcher counts by its own clock, which nobody sets. What another one writes has durations and no times; how old it is follows from
when this process saw it change: a record was written after this process had seen the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from vastplan.model.dataclass import dataclass

BEATS = 4
"""For so many beats a look, or what another watcher says, counts; after that nothing is known."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a watcher tells the others: for how many seconds each silent site has not answered it. `beat` differs each time."""

    place: str
    beat: str
    silent: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Silence:
    """Since when the looks at each site have had no answer, without a gap between two of them."""

    since: Mapping[str, float] = field(default_factory=dict)
    looked: Mapping[str, float] = field(default_factory=dict)

    def after(self, site: str, ended: float, *, answered: bool, lasts: float) -> Silence:
        """After another look. Between looks more than `lasts` seconds apart a site may have answered others."""
        is_unbroken = site in self.since and ended - self.looked[site] <= lasts
        since = {name: ticks for name, ticks in self.since.items() if name != site}
        if not answered:
            since[site] = self.since[site] if is_unbroken else ended
        return Silence(since, {**self.looked, site: ended})

    def seconds(self, now: float, lasts: float) -> dict[str, float]:
        """For how long each silent site had not answered at the last look at it; without a site that was not looked at lately."""
        return {
            site: self.looked[site] - since for site, since in self.since.items() if now - self.looked[site] <= lasts
        }


@dataclass(frozen=True, slots=True)
class Heard:
    """What another watcher said last. It was composed after `not_before`: the record before it was seen to come after that time."""

    sighting: Sighting
    read: float
    came_after: float | None = None
    """When the record before this one was still to come; `None` if the first one that was read may be of any age."""
    not_before: float | None = None


@dataclass(frozen=True, slots=True)
class Others:
    """What other watchers say, by place."""

    heard: Mapping[str, Heard] = field(default_factory=dict)

    def after(self, sightings: Mapping[str, Sighting], now: float) -> Others:
        """After reading what they have written."""
        return Others({place: _heard(self.heard.get(place), one, now) for place, one in sightings.items()})

    def agreeing(self, site: str, seconds: float, now: float, lasts: float) -> tuple[str, ...]:
        """The places from which a site has been silent for so many seconds, by what was said at most `lasts` seconds ago."""
        return tuple(
            place
            for place, heard in self.heard.items()
            if heard.not_before is not None
            and now - heard.not_before <= lasts
            and heard.sighting.silent.get(site, 0.0) >= seconds
        )


def _heard(before: Heard | None, sighting: Sighting, now: float) -> Heard:
    if before is None:
        return Heard(sighting, now)
    if before.sighting == sighting:
        return replace(before, read=now)
    # It was written after the last look at the one before, and composed after that one was written.
    return Heard(sighting, now, came_after=before.read, not_before=before.came_after)
