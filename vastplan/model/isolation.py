"""Which projects of a site are kept apart, and where those that are not meet: what a proof says, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LAYERS = ("namespace", "storage class", "secret", "tenant", "VIP pool", "view policy", "path", "S3 user", "bucket")


@dataclass(frozen=True, slots=True)
class Meeting:
    """One thing that several projects reach.

    Any two of `projects` meet in it (all projects of the site when `everybody`), and each of them meets each of `inside`
    (all, when `everybody_inside`), who reach a directory beneath it. `chains` are two of them step by step: the
    counter-example that can be followed.
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
    """Where a chain cannot be followed, so that nothing is proven of the `projects` (of all of them when `everybody`)."""

    address: str
    reason: str
    projects: tuple[str, ...] = ()
    everybody: bool = False


@dataclass(frozen=True, slots=True)
class Isolation:
    """The proof of one site. `namespaces` is that of each project; `classes` the namespaces each class is open to.

    A class that is open to every namespace is in `shared` instead; where somebody would be refused but is only seen, `seen` has the
    namespaces that it is meant for. `unknown` says why there is no proof at all.
    """

    site: str
    namespaces: Mapping[str, str]
    classes: Mapping[str, tuple[str, ...]]
    shared: tuple[str, ...]
    meetings: tuple[Meeting, ...]
    open_ends: tuple[OpenEnd, ...]
    unknown: str = ""
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def apart(self) -> bool:
        """Whether every two projects are shown to meet in nothing."""
        return not (self.meetings or self.open_ends or self.unknown)
