"""What an import wrote, took and left: a frozen value for reports."""

from __future__ import annotations

from dataclasses import dataclass, field

from vastplan.model.finding import Finding
from vastplan.model.handover import StateHandover


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of the document that is new."""

    path: str
    entries: int
    lines: int


@dataclass(frozen=True, slots=True)
class TakenEntry:
    """An entry and what it stands for. `objects` are addresses as a plan has them, of all sites."""

    entry: str
    file: str
    line: int
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftObject:
    """What is live and not in the document: a code, why, and what would change that. With `field` it is a field that is left."""

    site: str
    kind: str
    id: str
    name: str
    code: str
    why: str
    fix: str = ""
    field: str = ""
    counts: bool = True
    """Whether coverage lacks it."""


@dataclass(frozen=True, slots=True)
class ImportCoverage:
    """Of one kind: how many objects the document has already, how many are new in it, and how many that count are left."""

    kind: str
    managed: int
    taken: int
    left: int


@dataclass(frozen=True, slots=True)
class ImportedValues:
    """How many values of the objects that were taken are written, or left out as what the vendor's documents say that a system
    takes anyway, or as what only others say (`unconfirmed`); how many are `withheld`, and how many no entry here can say."""

    written: int = 0
    defaults: int = 0
    unconfirmed: int = 0
    withheld: int = 0
    unsaid: int = 0


@dataclass(frozen=True, slots=True)
class UncountedCollection:
    """A collection of a system of which vastplan has no kind. `objects` is how many there are, where it was counted; `error` is why
    it could not be."""

    site: str
    system: str
    name: str
    objects: int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class UnreadCollection:
    """What could not be read, and why."""

    site: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class OtherAction:
    """What a plan would do to an object of the document as it was."""

    address: str
    verb: str


@dataclass(frozen=True, slots=True)
class Import:
    """The whole result. `files` are written unless it was only `tried`; `creates` is what an apply would make beside what it takes."""

    document: str
    tried: bool
    files: tuple[WrittenFile, ...]
    taken: tuple[TakenEntry, ...]
    left: tuple[LeftObject, ...]
    coverage: tuple[ImportCoverage, ...]
    adopts: int
    creates: tuple[str, ...] = ()
    waiting: int = 0
    """How many objects the document had already that an apply has yet to take over."""
    besides: tuple[OtherAction, ...] = ()
    """What else the plan would do: what the document asks for already, whoever moved it."""
    unread: tuple[UnreadCollection, ...] = ()
    findings: tuple[Finding, ...] = ()
    """The errors of checks: they are true of what is live, and hold up every apply until they are mended or waived."""
    next: str = ""
    """What to type to take it over."""
    terraform: tuple[StateHandover, ...] = ()
    """How Terraform lets go of what the document has, for each of its states that was given."""
    rounds: int = 1
    values: ImportedValues = field(default_factory=ImportedValues)
    beyond: tuple[UncountedCollection, ...] = ()
    """What is never read, because there is no kind for it."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    format_version: str = "1.0"

    @property
    def covered(self) -> int:
        """How much of what counts is in the document now, in whole percent, rounded down; 100 of nothing."""
        have = sum(row.managed + row.taken for row in self.coverage)
        whole = have + sum(row.left for row in self.coverage)
        return 100 * have // whole if whole else 100
