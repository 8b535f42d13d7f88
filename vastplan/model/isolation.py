"""The isolation proof of a site, as values: which projects are isolated from each other, and what the others share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vastplan.model.dataclass import dataclass

LAYERS = ("namespace", "storage class", "secret", "tenant", "VIP pool", "view policy", "path", "S3 user", "bucket")


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


@dataclass(frozen=True, slots=True)
class Isolation:
    """The proof of one site. `namespaces` has the namespace of each project, `classes` the namespaces that each class is open to.

    A class that is open to every namespace is in `shared` instead. Where others are only reported and not refused (audit),
    `seen` has the namespaces that the class is meant for. `unknown` says why there is no proof at all.
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
        """Whether it is proven that no two projects share anything."""
        return not (self.meetings or self.open_ends or self.unknown)
