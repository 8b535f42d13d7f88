"""What a rehearsal makes beside what is there, and removes again: a view, volumes and claims. Systems implement these protocols.

What a system lets be marked is marked, and known by that; what it does not is known by the id that it got when it was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vastplan.model.operation import Facts


@dataclass(frozen=True, slots=True)
class Made:
    """What there is under a name: its id, "" for none, and its marks; `ready` is whether it can be used, `leaving` whether it is going."""

    id: str = ""
    marks: tuple[str, ...] = ()
    ready: bool = False
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Twin:
    """A claim that is there, after which another one is made."""

    namespace: str
    claim: str
    directory: str


class Views(Protocol):
    """The way to a directory for clients. Every call raises what `Provider`'s do."""

    site: str

    def amiss(self) -> str:
        """Why none can be made after that of the data, "" where one can."""

    def view(self, directory: str) -> str:
        """The id of the one at a directory, "" for none."""

    def make(self, directory: str) -> Facts:
        """Make one after that of the data, and tell its id."""

    def drop(self, directory: str, id: str) -> None:
        """Remove the one at a directory, where it has that id; the directory stays."""


class Volumes(Protocol):
    """Volumes and claims of one site. `mark` is whose one is; nothing of another mark is removed."""

    site: str

    def amiss(self, namespace: str, claim: str, directory: str) -> str:
        """Why none can be made after a claim, "" where one can."""

    def volume(self, name: str) -> Made:
        """The volume of a name."""

    def claim(self, namespace: str, name: str) -> Made:
        """The claim of a name."""

    def make_volume(self, like: Twin, name: str, directory: str, mark: str) -> None:
        """A volume of another directory, for the claim of the same name."""

    def make_claim(self, like: Twin, name: str, mark: str) -> None:
        """A claim on the volume of the same name."""

    def drop_volume(self, name: str, mark: str) -> None:
        """Remove it; what is gone is fine."""

    def drop_claim(self, namespace: str, name: str, mark: str) -> None:
        """Likewise."""
