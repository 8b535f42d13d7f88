"""How Terraform releases what a document has adopted: a frozen value for reports, one for each of its states.

Addresses are as Terraform writes them, in one line; those that are not to be pasted are made inert.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Standing(StrEnum):
    """What is known of a resource's object."""

    MATCHED = "matched"
    STALE = "stale"
    """It is not there under its id, or what is there is another: the state has to be refreshed."""
    SEVERAL = "several"
    """It would be one on each of several sites: which one the state is of has to be said."""
    UNREAD = "unread"
    """It cannot be told, because its kind could not be read."""
    KINDLESS = "kindless"
    """A data source, or of a type that no kind stands for."""


class ByHand(StrEnum):
    """Why nothing can be typed for a resource that was taken."""

    DEPOSED = "deposed"
    """Terraform still means to destroy an earlier object of it, and would forget that too."""
    UNSHOWABLE = "unshowable"
    """Its address cannot be shown as it is."""


@dataclass(frozen=True, slots=True)
class LetGo:
    """What was taken, and by which text Terraform lets go of it: a `removed` block, or a command."""

    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A resource with `count` of which instances stay, at other numbers than they will have: Terraform would destroy them."""

    address: str
    staying: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Staying:
    """What Terraform keeps, and of what was taken it depends on."""

    address: str
    depends_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What was taken, and has to be looked at first."""

    address: str
    reason: ByHand


@dataclass(frozen=True, slots=True)
class NotFound:
    """What stands for a kind, and is not matched: it stays with Terraform."""

    address: str
    standing: Standing
    why: str


@dataclass(frozen=True, slots=True)
class OtherType:
    """Resources of a type that no kind stands for: nobody has looked which objects they are."""

    type: str
    resources: int


@dataclass(frozen=True, slots=True)
class Handover:
    """All of it, each in the order of addresses."""

    blocks: tuple[LetGo, ...] = ()
    """Of resources all of whose instances were taken."""
    commands: tuple[LetGo, ...] = ()
    """Of single instances."""
    counted: tuple[Counted, ...] = ()
    unsettled: tuple[Unsettled, ...] = ()
    staying: tuple[Staying, ...] = ()
    not_found: tuple[NotFound, ...] = ()
    other_types: tuple[OtherType, ...] = ()

    @property
    def needed(self) -> bool:
        """Whether Terraform has anything that was taken."""
        return bool(self.blocks or self.commands or self.unsettled)

    @property
    def stale(self) -> bool:
        """Whether the state says what is not so."""
        return any(each.standing is Standing.STALE for each in self.not_found)


@dataclass(frozen=True, slots=True)
class StateHandover:
    """Of one state: its file as it was typed, the sites whose objects it has, and what of them goes."""

    state: str
    sites: tuple[str, ...]
    found: int
    """Resources, each instance counted, whose objects are there."""
    taken: int
    """Those of them that the document has."""
    handover: Handover
