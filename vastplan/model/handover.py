"""How Terraform releases what a document has adopted: a frozen value for reports, one for each Terraform state.

Addresses are as Terraform writes them, in one line; those that nobody has to paste are made inert.
"""

from __future__ import annotations

from enum import StrEnum

from vastplan.model.dataclass import dataclass


class Standing(StrEnum):
    """What is known about a resource's object."""

    MATCHED = "matched"
    STALE = "stale"
    """No object has its id, or another object has it: the state has to be refreshed."""
    SEVERAL = "several"
    """It matches an object on each of several sites: the user has to say which site the state belongs to."""
    UNREAD = "unread"
    """It cannot be determined, because its kind could not be read."""
    KINDLESS = "kindless"
    """A data source, or a resource of a type that vastplan has no kind for."""


class ByHand(StrEnum):
    """Why vastplan shows no block or command for a resource that was taken."""

    DEPOSED = "deposed"
    """Terraform still has to destroy an earlier object of it, and would forget that one too."""
    UNSHOWABLE = "unshowable"
    """Its address cannot be shown without escapes, so nobody could paste it."""


@dataclass(frozen=True, slots=True)
class LetGo:
    """A resource that was taken, and the text with which Terraform releases it: a `removed` block, or a command."""

    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A resource with `count` of which some instances stay, with numbers that they will not keep: Terraform would destroy them."""

    address: str
    staying: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Staying:
    """A resource that stays with Terraform, and the taken resources that it depends on."""

    address: str
    depends_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A resource that was taken and that a person has to look at first."""

    address: str
    reason: ByHand


@dataclass(frozen=True, slots=True)
class NotFound:
    """A resource of a type that has a kind, without a matching object: it stays with Terraform."""

    address: str
    standing: Standing
    why: str


@dataclass(frozen=True, slots=True)
class OtherType:
    """Resources of a type that has no kind: their objects were not looked up."""

    type: str
    resources: int


@dataclass(frozen=True, slots=True)
class Handover:
    """The whole handover of one state, each part in the order of addresses."""

    blocks: tuple[LetGo, ...] = ()
    """For resources all of whose instances were taken."""
    commands: tuple[LetGo, ...] = ()
    """For single instances."""
    counted: tuple[Counted, ...] = ()
    unsettled: tuple[Unsettled, ...] = ()
    staying: tuple[Staying, ...] = ()
    not_found: tuple[NotFound, ...] = ()
    other_types: tuple[OtherType, ...] = ()

    @property
    def needed(self) -> bool:
        """Whether Terraform still has a resource that was taken."""
        return bool(self.blocks or self.commands or self.unsettled)

    @property
    def stale(self) -> bool:
        """Whether the state has a resource that does not match the live objects."""
        return any(each.standing is Standing.STALE for each in self.not_found)


@dataclass(frozen=True, slots=True)
class StateHandover:
    """The handover of one state: its file as it was typed, the sites whose objects it has, and what Terraform releases."""

    state: str
    sites: tuple[str, ...]
    found: int
    """Resources, each instance counted, whose objects exist."""
    taken: int
    """How many of them the document has."""
    handover: Handover
