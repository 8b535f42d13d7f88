"""The isolation proof of a site, as values: which projects are isolated from each other, and what the others share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from vastplan.model.dataclass import dataclass

LAYERS = (
    "namespace",
    "storage class",
    "volume",
    "secret",
    "tenant",
    "VIP pool",
    "view policy",
    "path",
    "S3 user",
    "bucket",
)


@dataclass(frozen=True, slots=True)
class Meeting:
    """One element that several projects reach.

    Any two of `projects` meet in it (all projects of the site with `everybody`), and each of them meets each project in `inside`
    (all projects with `everybody_inside`), which reach a directory below it. `chains` shows for two of them, step by step, how
    they reach it: a counter-example that a person can follow.
    """

    layer: str
    element: str
    address: str
    projects: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    everybody: bool = False
    everybody_inside: bool = False
    chains: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """A place where a chain cannot be followed, so that nothing is proven for the `projects` (with `everybody` for all)."""

    address: str
    reason: str
    projects: tuple[str, ...] = ()
    everybody: bool = False


class WayState(StrEnum):
    """What becomes of somebody of another project who goes a way."""

    CLOSED = "closed"
    ASSUMED = "assumed"
    """Only the network closes it, or nobody can see whether it is closed."""
    SHARED = "shared"
    """Somebody declared that these projects share it."""
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class WayResult:
    """What one way around the chain leads to, for all that it leads to alike.

    `by` has the addresses of the objects that decide; where it is empty, `reason` says what decides. Only results that are open or
    shared have the `projects` whose data it is (all with `everybody`) and those that reach it: `to` (all with `to_everybody`).
    `ranges` are the addresses that the network has to close, `fix` is the line to write.
    """

    way: str
    state: WayState
    reason: str
    by: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    everybody: bool = False
    to: tuple[str, ...] = ()
    to_everybody: bool = False
    ranges: tuple[str, ...] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Isolation:
    """The proof of one site. `namespaces` has the namespace of each project, `classes` the namespaces that each class is open to.

    A class that is open to every namespace is in `shared` instead. Where others are only reported and not refused (audit),
    `seen` has the namespaces that the class is meant for. `ways` has the ways around the chain of sites with several projects.
    `unknown` says why there is no proof at all.
    """

    site: str
    namespaces: Mapping[str, str]
    classes: Mapping[str, tuple[str, ...]]
    shared: tuple[str, ...]
    meetings: tuple[Meeting, ...]
    open_ends: tuple[OpenEnd, ...]
    unknown: str = ""
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ways: tuple[WayResult, ...] = ()

    @property
    def open_ways(self) -> tuple[WayResult, ...]:
        """The ways that nothing closes."""
        return tuple(result for result in self.ways if result.state is WayState.OPEN)

    def found_at(self, way: WayResult) -> str:
        """The address that a finding about a way names: an object that decides, or where none exists the first project."""
        return way.by[0] if way.by else f"{self.site}/project/{next(iter(self.namespaces))}"

    @property
    def apart(self) -> bool:
        """Whether it is proven that no two projects meet in anything, and that no way leads to another's data that nobody shared."""
        return not (self.meetings or self.open_ends or self.unknown or self.open_ways)
