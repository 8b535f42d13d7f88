"""What an import wrote, what it took from the live objects, and what it left: a frozen value for reports."""

from __future__ import annotations

from dataclasses import field

from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.handover import StateHandover


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A new file of the document."""

    path: str
    entries: int
    lines: int


@dataclass(frozen=True, slots=True)
class TakenEntry:
    """An entry and the objects that it stands for, on all sites; `objects` are addresses as in a plan."""

    entry: str
    file: str
    line: int
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftObject:
    """A live object that is not in the document: a code, why, and what would change that. With `field` only that field is left."""

    site: str
    kind: str
    id: str
    name: str
    code: str
    why: str
    fix: str = ""
    field: str = ""
    counts: bool = True
    """Whether it counts as missing in the coverage."""


@dataclass(frozen=True, slots=True)
class ImportCoverage:
    """For one kind: how many objects the document had already, how many are new in it, and how many that count are left."""

    kind: str
    managed: int
    taken: int
    left: int


@dataclass(frozen=True, slots=True)
class ImportedValues:
    """How many values of the taken objects are written; left out because they are defaults by the vendor's documents, or by other
    sources only (`unconfirmed`); `withheld`; or `unsaid`, because no entry can express them."""

    written: int = 0
    defaults: int = 0
    unconfirmed: int = 0
    withheld: int = 0
    unsaid: int = 0


@dataclass(frozen=True, slots=True)
class UncountedCollection:
    """A collection of a system for which vastplan has no kind. `objects` is their number, if it was counted; `error` is why it could
    not be counted."""

    site: str
    system: str
    name: str
    objects: int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class UnreadCollection:
    """A collection that could not be read, and why."""

    site: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class OtherAction:
    """What a plan would do to an object that the document had before the import."""

    address: str
    verb: str


@dataclass(frozen=True, slots=True)
class Import:
    """The whole result. `files` are written unless it was only `tried`; `creates` lists what an apply would create in addition to
    the objects that it adopts."""

    document: str
    tried: bool
    files: tuple[WrittenFile, ...]
    taken: tuple[TakenEntry, ...]
    left: tuple[LeftObject, ...]
    coverage: tuple[ImportCoverage, ...]
    adopts: int
    creates: tuple[str, ...] = ()
    waiting: int = 0
    """How many objects that the document had already an apply has yet to adopt."""
    besides: tuple[OtherAction, ...] = ()
    """What else the plan would do: changes that the document asked for before the import, whichever side caused them."""
    unread: tuple[UnreadCollection, ...] = ()
    findings: tuple[Finding, ...] = ()
    """The errors of checks: they describe the live objects, and block every apply until they are corrected or waived."""
    next: str = ""
    """The command that adopts the objects."""
    terraform: tuple[StateHandover, ...] = ()
    """How Terraform releases what the document has, for each state that was given."""
    rounds: int = 1
    values: ImportedValues = field(default_factory=ImportedValues)
    beyond: tuple[UncountedCollection, ...] = ()
    """The collections that are never read, because vastplan has no kind for them."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    format_version: str = "1.0"

    @property
    def covered(self) -> int:
        """The share of the counted objects that the document now has, in whole percent, rounded down; 100 where none count."""
        have = sum(row.managed + row.taken for row in self.coverage)
        whole = have + sum(row.left for row in self.coverage)
        return 100 * have // whole if whole else 100
