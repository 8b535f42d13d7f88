"""The objects that a rehearsal creates and deletes again: a view, volumes and claims. Systems implement these protocols.

Objects that can carry a mark are recognised by it; others by the id that they got when they were created.
"""

from __future__ import annotations

from typing import Protocol

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Facts


@dataclass(frozen=True, slots=True)
class Made:
    """The object with a name: its id ("" where it does not exist) and its marks; `ready` is whether it can be used, `leaving`
    whether it is being deleted."""

    id: str = ""
    marks: tuple[str, ...] = ()
    ready: bool = False
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Twin:
    """An existing claim that serves as the template of a new one."""

    namespace: str
    claim: str
    directory: str


class Views(Protocol):
    """Views, through which clients reach directories. Calls raise what `Provider` raises."""

    site: str

    def amiss(self) -> str:
        """Why no view can be created with the data's view as the template, "" where one can."""

    def view(self, directory: str) -> str:
        """The id of the view at a directory, "" where there is none."""

    def make(self, directory: str) -> Facts:
        """Create a view at a directory, with the data's view as the template; returns its id."""

    def drop(self, directory: str, id: str) -> None:
        """Delete the view at a directory, if it has that id; the directory stays."""


class Volumes(Protocol):
    """Volumes and claims of one site. `mark` says who created an object; objects with another mark are never deleted."""

    site: str

    def amiss(self, namespace: str, claim: str, directory: str) -> str:
        """Why no volume and claim can be created with a claim as the template, "" where they can."""

    def volume(self, name: str) -> Made:
        """The volume with a name."""

    def claim(self, namespace: str, name: str) -> Made:
        """The claim with a name."""

    def make_volume(self, like: Twin, name: str, directory: str, mark: str) -> None:
        """Create a volume of another directory, for the claim of the same name."""

    def make_claim(self, like: Twin, name: str, mark: str) -> None:
        """Create a claim on the volume of the same name."""

    def drop_volume(self, name: str, mark: str) -> None:
        """Delete the volume; it is no error if it is gone."""

    def drop_claim(self, namespace: str, name: str, mark: str) -> None:
        """Delete the claim; it is no error if it is gone."""
