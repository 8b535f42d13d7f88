"""A plan: what would change, why, in which order, and what blocks it. A frozen value, and the only input of apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from vastplan.model.address import Address
from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.consent import Consent
from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation
from vastplan.model.replication import Replication

FORMAT_VERSION = "1.1"


class Verb(Enum):
    """What an action does; prints as Terraform's sign."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    ADOPT = "adopt"
    RELEASE = "release"

    @property
    def sign(self) -> str:
        """The sign before the address in a report."""
        return _SIGNS[self]


_SIGNS = {
    Verb.CREATE: "+", Verb.UPDATE: "~", Verb.REPLACE: "-/+", Verb.DELETE: "-", Verb.ADOPT: ">", Verb.RELEASE: ".",
}  # fmt: skip


GOING = (Verb.DELETE, Verb.REPLACE)
"""What takes a live object away."""

NOT_THERE = "does not exist yet"
"""The reason of a create that needs no other."""


class Cause(Enum):
    """Which side moved since the last apply."""

    DOCUMENT = "document"
    SYSTEM = "system"
    BOTH = "both"
    NEW = "new"  # never applied before: there is nothing to compare with
    DEPENDENCY = "dependency"  # neither: what it refers to is replaced, or is another object now


class Standing(Enum):
    """Whose change it is, where a plan was held against the document that it is based on."""

    CHANGE = "change"  # the document's edit makes it
    PENDING = "pending"  # the base would make it just the same, and nobody has applied it yet
    DRIFT = "drift"  # the base would make it just the same, because the system moved


BY_HAND = (Cause.SYSTEM, Cause.BOTH)


@dataclass(frozen=True, slots=True)
class Author:
    """Who changed something in a system, when, and in the system's words what was done; or why that is unknown."""

    who: str = ""
    when: str = ""
    how: str = ""
    untold: str = ""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field's change; `unit` (`bytes`, `MB/s`, `seconds`) says how to show the numbers.

    For a list of mappings `units` says it for the values inside, by name. `author` (since 1.1) is of a change by hand.
    `unordered` (since 1.1) says of lists that order means nothing: what changes is which items are there.
    `admits` (since 1.1) says that by the change somebody may come in, or get at more, who could not before. Of a secret, whose
    values are not here, `source_before` and `source_after` (since 1.1) say where they come from (`{env: NAME}`), "" where that is
    not known.
    """

    path: str
    before: Any
    after: Any
    cause: Cause
    unit: str = ""
    sensitive: bool = False
    replaces: bool = False
    known_after_apply: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    already: bool = False  # the base of the document would make it just the same (since 1.1)
    author: Author | None = None
    unordered: bool = False
    admits: bool = False
    source_before: str = ""
    source_after: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact read from a system that a person should weigh: `used bytes 1.2 TiB`."""

    name: str
    value: Any
    unit: str = ""


class Door(Enum):
    """How an action as a whole lets somebody in."""

    MADE = "made"  # the object lets people in, and there was none
    GONE = "gone"  # the object keeps something closed that stays
    UNSAID = "unsaid"  # the system opens what is not said of the new object


@dataclass(frozen=True, slots=True)
class Opening:
    """A way in that is no field of the document. `fields` are those that are not said, `whom` they let in: none named is everybody."""

    door: Door
    fields: tuple[str, ...] = ()
    whom: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Why a guard stops an action, and what would satisfy it.

    `max_used` and `max_orphans` are what an approval would have to say of the address, 0 where it need not (since 1.1).
    """

    guard: str
    message: str
    fix: str = ""
    max_used: int = 0
    max_orphans: int = 0


@dataclass(frozen=True, slots=True)
class Action:
    """One object's change. `desired` is symbolic: references by address, secrets by source.

    `seen` are the live values of what is to be deleted, of the fields that we set: apply deletes nothing that has moved.
    `together` (since 1.1) are addresses that this action is blocked with, whatever the order of the two.
    `renamed_from` is the address that the ledger has the object at, where that is another (since 1.1).
    Since 1.1: `since` is when the object was last applied, `author` who deleted one that is gone, `left` the fields that
    are left as they were changed by hand, `opens` how it lets somebody in beside the changes that do, `deletes` the fields by which the system deletes by itself what
    people keep, more of it than before or sooner.
    """

    address: Address
    verb: Verb
    reason: str
    changes: tuple[FieldChange, ...] = ()
    released: tuple[str, ...] = ()
    desired: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""
    id: str = ""
    locator: str = ""
    fingerprint: str = ""
    dependents: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    blocked: tuple[Block, ...] = ()
    notes: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    seen: Mapping[str, Any] = field(default_factory=dict)
    holds_data: bool = False  # the object is where people's data is: its loss is not made good by a create (since 1.1)
    standing: Standing | None = None  # `None` where there is no base (since 1.1)
    since: str = ""
    author: Author | None = None
    left: tuple[str, ...] = ()
    opens: tuple[Opening, ...] = ()
    deletes: tuple[str, ...] = ()
    deleted_outside: bool = (
        False  # what was ours was deleted by somebody else: a create, or an adoption of what is there now (since 1.1)
    )
    together: tuple[str, ...] = ()
    renamed_from: str = ""
    supersedes: str = ""
    """Where the ledger has the object from now on whose place a new one takes, with another value (since 1.1)."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Keyed digests of the secrets that are wanted, by their paths, where the plan has a `review_key` (since 1.1)."""


@dataclass(frozen=True, slots=True)
class IgnoredChange:
    """A change by hand that the plan leaves alone, and why. `changes` are empty for an object that is gone.

    `rule` is true for a rule of the document, which drift does not count; `until` is its last day.
    """

    address: Address
    reason: str
    rule: bool = False
    until: str = ""
    changes: tuple[FieldChange, ...] = ()


def lets_in(action: Action) -> bool:
    """Whether somebody may come in by the action, or get at more, who could not before."""
    return bool(action.opens) or any(change.admits for change in action.changes)


def moved_by_hand(change: FieldChange) -> bool:
    """Whether the system moved the field since it was applied."""
    return change.cause in BY_HAND


def let_go(change: FieldChange) -> bool:
    """Whether it is a reference that is taken out before its target is replaced, and put back after."""
    return change.cause is Cause.DEPENDENCY and change.known_after_apply


def by_hand(action: Action) -> bool:
    """Whether a change outside vastplan caused the action: changed fields, or an object that is gone or was recreated."""
    return action.deleted_outside or undoes(action)


def undoes(action: Action) -> bool:
    """Whether the action undoes a change outside vastplan; a recreated object is adopted as it is."""
    gone = action.deleted_outside and action.verb is not Verb.ADOPT
    return gone or any(moved_by_hand(change) for change in action.changes)


def only_noted(action: Action) -> bool:
    """Whether only the ledger changes: the object stays in it, and none of its fields is released."""
    return action.verb is Verb.RELEASE and bool(action.desired) and not action.released


class Step(Enum):
    """The parts an action is carried out in."""

    DETACH = "detach"  # let go of what is about to be replaced
    DELETE = "delete"
    WRITE = "write"  # create, update, adopt or release


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of one action, and the operations (by index) that must be done before it."""

    address: Address
    step: Step
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedSite:
    """One site's share of the plan: its ledger at plan time and where its systems are (no credentials).

    `limits` are those the document asks for (`count`, `percent`), which the ledger notes when all of it was applied.
    """

    site: str
    lineage: str
    serial: int
    endpoints: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnknownCollection:
    """What could not be read; everything that depends on it is left out of the plan."""

    site: str
    system: str
    kind: str
    reason: str


class Stage(Enum):
    """The place of a kind between the storage and those who use it: the columns of a picture, left to right."""

    OWNER = "owner"
    NETWORK = "network"
    POLICY = "policy"
    DATA = "data"
    VOLUME = "volume"
    TEAM = "team"


@dataclass(frozen=True, slots=True)
class Node:
    """One object of a planned site and what it depends on, changed or not: what pictures are drawn from.

    `refers` are addresses: what it names, and what must be there before it. `stage` is empty for a kind that no picture
    shows by itself. `figures` say how much it is (`GPUs 64`). What the document only refers to is not `managed`.
    """

    address: str
    system: str
    stage: Stage | None = None
    refers: tuple[str, ...] = ()
    figures: tuple[Evidence, ...] = ()
    managed: bool = True


@dataclass(frozen=True, slots=True)
class FromSnapshot:
    """The snapshot that a plan was made from, when it was taken, and all that it does not tell of the document's sites."""

    id: str
    taken: str
    uncovered: tuple[UnknownCollection, ...] = ()


@dataclass(frozen=True, slots=True)
class Base:
    """The document that a plan's own was held against.

    `withdrawn` are addresses that it would change and the plan's own would not any more. Of the plan's findings the first
    `findings` are new; the others are of the base too.
    """

    source: str
    digest: str
    withdrawn: tuple[str, ...] = ()
    findings: int = 0


class HeldAgainst(Enum):
    """What the settings of a document were held against."""

    BASE = "base"
    LEDGER = "ledger"  # those that an apply noted last
    NOTHING = ""


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What a document says beside its objects, by path (`limits.max_changes`), and what of it differs from what it was.

    Credentials stand there by their source, as the document has them.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[FieldChange, ...] = ()
    against: HeldAgainst = HeldAgainst.NOTHING


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole plan. `digest` is the document's, resolved and with its settings; `id` is the plan's own, over all the rest.

    `topology` (since 1.1) is that of the planned sites; a plan without actions carries none. A plan from a `snapshot` (since
    1.1) is there to be read and is never applied. With a `base` (since 1.1) each action has a `standing`.
    `left` (since 1.1) is what was changed by hand and is left alone.
    """

    format_version: str
    document: str
    digest: str
    source: str
    created: str
    expires: str
    parts: tuple[PlannedSite, ...]
    actions: tuple[Action, ...] = ()
    operations: tuple[Operation, ...] = ()
    unknown: tuple[UnknownCollection, ...] = ()
    findings: tuple[Finding, ...] = ()
    in_sync: int = 0
    targets: tuple[str, ...] = ()
    topology: tuple[Node, ...] = ()
    isolation: tuple[Isolation, ...] = ()
    """Which projects the document keeps apart, by site."""
    commitments: tuple[Commitment, ...] = ()
    """What each site promises together, before and after."""
    replications: tuple[Replication, ...] = ()
    """What is one on two sites: who leads, and how far the copy is (since 1.1)."""
    snapshot: FromSnapshot | None = None
    base: Base | None = None
    left: tuple[IgnoredChange, ...] = ()
    budgets: tuple[CheckpointBudget, ...] = ()
    """What the checkpoints of each volume that speaks of them take, and what the plan does to that."""
    sources: tuple[str, ...] = ()
    """The paths of the document, one by one, for apply (since 1.1); `source` is the same for people."""
    folder: str = ""
    """The folder that the plan was made in, which `sources` are relative to; empty for a plan from a snapshot (since 1.1)."""
    head: DocumentHead | None = None
    """The document's settings (since 1.1)."""
    review_key: str = ""
    """The id of the key of the digests of secrets, "" where there are none (since 1.1)."""
    consent: Consent = field(default_factory=Consent)
    """What was allowed when it was made: an apply weighs every action again, with no more than this (since 1.1)."""
    keep_drift: tuple[str, ...] = ()
    """Patterns of addresses whose changes by hand were to be left alone (since 1.1)."""
    limited: bool = False
    """Whether somebody chose the sites (since 1.1)."""
    id: str = ""

    def by_address(self) -> dict[Address, Action]:
        """The actions by their addresses."""
        return {action.address: action for action in self.actions}

    def count(self) -> dict[str, int]:
        """How many actions of each verb there are, those that are blocked counted apart."""
        counts = {verb.value: 0 for verb in Verb} | {"blocked": 0}
        for action in self.actions:
            counts["blocked" if action.blocked else action.verb.value] += 1
        return counts
