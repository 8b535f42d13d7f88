"""A plan: what would change, why, in which order, and what blocks it. A frozen value, and the only input of an apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from vastplan.model.address import Address
from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.consent import Consent
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding, Where
from vastplan.model.isolation import Isolation
from vastplan.model.live_state import ObjectState
from vastplan.model.replication import Replication
from vastplan.model.value import with_names

FORMAT_VERSION = "1.1"


class Verb(Enum):
    """What an action does; reports show it as Terraform's sign."""

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
"""The verbs that delete a live object."""

DOES_NOT_EXIST = "does not exist yet"
"""The reason of an ordinary create."""


class Cause(Enum):
    """Which side changed since the last apply."""

    DOCUMENT = "document"
    SYSTEM = "system"
    BOTH = "both"
    NEW = "new"  # never applied before: there is nothing to compare with
    DEPENDENCY = "dependency"  # neither: the object that it refers to is replaced, or is another one now


class Access(Enum):
    """What lets somebody in by a change that `admits`."""

    CLIENTS = "clients"  # the items that are added, or the value after
    ADDRESSES = "addresses"  # the added items are addresses at which the object itself is reached
    LOSS = "loss"  # what is removed kept somebody out


class Standing(Enum):
    """Where a change comes from, in a plan that was compared with its base document."""

    CHANGE = "change"  # the edit of the document causes it
    PENDING = "pending"  # the base causes the same change, which nobody has applied yet
    DRIFT = "drift"  # the base causes the same change, because the system moved


OUTSIDE_CAUSES = (Cause.SYSTEM, Cause.BOTH)


@dataclass(frozen=True, slots=True)
class Author:
    """Who changed something in a system, when, and in the system's words how; or in `untold` why that is unknown."""

    who: str = ""
    when: str = ""
    how: str = ""
    untold: str = ""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field's change; `unit` (`bytes`, `MB/s`, `seconds`) says how to show the numbers.

    For a list of mappings `units` has the units of the values inside, by name. `author` (since 1.1) is who made a change outside
    vastplan. `unordered` (since 1.1) says that the order of a list does not matter: only which items it has changes.
    `names` (since 1.1) has the name that the system has for an object that a value refers to, by address, where the address does not
    show it. `admits` (since 1.1) says that the change may give somebody access who had none before, or more access, and `access` (since 1.1)
    by what; `whom` (since 1.1) says who gets in, or at what, where the value does not show it; `whose` (since 1.1) names the
    owners of added hosts, by host, where other lists of the document have them for another owner. `fewer` (since 1.1) says that the change
    takes something away from those who use the object. The values of a secret are not here: `source_before` and `source_after`
    (since 1.1) say where they come from (`{env: NAME}`), "" where that is not known.
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
    already: bool = False  # the base document causes the same change (since 1.1)
    author: Author | None = None
    unordered: bool = False
    admits: bool = False
    access: Access = Access.CLIENTS
    whom: tuple[str, ...] = ()
    whose: Mapping[str, str] = field(default_factory=dict)
    fewer: bool = False
    source_before: str = ""
    source_after: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown_before(self) -> Any:
        """The value before, with the names of systems in place of references."""
        return with_names(self.before, self.names)

    @property
    def shown_after(self) -> Any:
        """The value after, with the names of systems in place of references."""
        return with_names(self.after, self.names)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact read from a system that a person should consider: `used bytes 1.2 TiB`."""

    name: str
    value: Any
    unit: str = ""


class Door(Enum):
    """How an action as a whole opens access."""

    MADE = "made"  # a new object gives access
    GONE = "gone"  # the deleted object kept something closed that stays
    UNSAID = "unsaid"  # the system opens a new object where the document leaves fields out
    REFERRED = "referred"  # what the object refers to lets in others than before
    ADOPTED = "adopted"  # the system lets somebody in already, and the document now does too


@dataclass(frozen=True, slots=True)
class Opening:
    """Access that an action opens without a field of the document. `fields` are the fields that are left out, `whom` the clients
    that these let in; empty for everybody. Of a `door` `REFERRED` they are the kind and name of the target with the fields of the object by
    which it does, and the target's fields with clients; of `ADOPTED` the field and all of its values; of `MADE` the fields that say whom the
    object lets in, and their values."""

    door: Door
    fields: tuple[str, ...] = ()
    whom: tuple[str, ...] = ()


USED = "used"
"""The name of the evidence that says how much data goes with an object, or that this is unknown."""
USED_BY_VOLUMES = "used by its volumes"
"""The same of an object from which volumes were created."""


@dataclass(frozen=True, slots=True)
class UserGroup:
    """Those who use an object: the word for them, plural, their kind and ids; or why they are unknown."""

    name: str
    ids: tuple[str, ...] = ()
    unknown: str = ""
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Why a guard stops an action, and what would satisfy it.

    `max_used` and `max_orphans` are the values that an approval of the address needs, 0 where it needs none; `in_file` says that an
    entry of the approvals file is needed (since 1.1).
    """

    guard: str
    message: str
    fix: str = ""
    max_used: int = 0
    max_orphans: int = 0
    in_file: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """One object's change. `desired` is symbolic: references by address, secrets by source.

    `seen` has the live values, of the fields that vastplan set, of an object that is to be deleted: an apply deletes nothing that
    changed since. `together` (since 1.1) are addresses: if one of them is blocked, so is this action, whatever their order.
    `renamed_from` is the address that the ledger has for the object, where that differs (since 1.1).
    Since 1.1: `since` is when the object was last applied, `author` who deleted an object that is gone, `left` the fields that
    keep a change made outside vastplan, `opens` how it opens access besides its field changes, and `deletes` the fields by which
    the system itself deletes people's data: more than before, or sooner.
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
    holds_data: bool = False
    """Whether the object holds people's data, which recreating it does not bring back, or is not known to be empty (since 1.1)."""
    users: tuple[UserGroup, ...] = ()
    """Who uses an object that is deleted or replaced; a word without ids was read, and there are none (since 1.1)."""
    standing: Standing | None = None  # `None` where there is no base (since 1.1)
    since: str = ""
    author: Author | None = None
    left: tuple[str, ...] = ()
    opens: tuple[Opening, ...] = ()
    deletes: tuple[str, ...] = ()
    deleted_outside: bool = (
        False  # the object was deleted outside vastplan: the action recreates it, or adopts what exists now (since 1.1)
    )
    together: tuple[str, ...] = ()
    renamed_from: str = ""
    supersedes: str = ""
    """For a new object that takes the place of one with another value: the address of the former object in the ledger from now on
    (since 1.1)."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Keyed digests of the desired secrets, by path, where the plan has a `review_key` (since 1.1)."""
    where: Where | None = None
    """The place of its entry in the document; of what the document no longer has, in the base (since 1.1)."""


@dataclass(frozen=True, slots=True)
class IgnoredChange:
    """A change outside vastplan that the plan leaves alone, and why. `changes` is empty for an object that is gone.

    `rule` is true for a rule of the document, whose changes do not count as drift; `until` is its last day.
    """

    address: Address
    reason: str
    rule: bool = False
    until: str = ""
    changes: tuple[FieldChange, ...] = ()


def loss(action: Action) -> Evidence | None:
    """The evidence of how much data goes with an object that is deleted or replaced; its value is a text where that is unknown."""
    named = (seen for seen in action.evidence if seen.name in (USED, USED_BY_VOLUMES))
    return next(named, None) if action.verb in GOING else None


def loses(action: Action) -> bool:
    """Whether data goes with the action, or loses what protects or carries it, as far as it is not known that there is none."""
    lost = loss(action)
    return action.holds_data or (lost is not None and lost.value != 0)


def lets_in(action: Action) -> bool:
    """Whether the action may give somebody access who had none before, or more access."""
    return bool(action.opens) or any(change.admits for change in action.changes)


def outside_move(change: FieldChange) -> bool:
    """Whether the field changed in the system since it was applied."""
    return change.cause in OUTSIDE_CAUSES


def let_go(change: FieldChange) -> bool:
    """Whether it is a reference that is detached before its target is replaced, and attached again afterwards."""
    return change.cause is Cause.DEPENDENCY and change.known_after_apply


def is_outside_change(action: Action) -> bool:
    """Whether a change outside vastplan caused the action: changed fields, or an object that is gone or was recreated."""
    return action.deleted_outside or undoes(action)


def undoes(action: Action) -> bool:
    """Whether the action undoes a change outside vastplan; an object that others recreated is adopted, which undoes nothing."""
    gone = action.deleted_outside and action.verb is not Verb.ADOPT
    return gone or any(outside_move(change) for change in action.changes)


def only_noted(action: Action) -> bool:
    """Whether the action only updates the ledger's entry: the object stays owned, and none of its fields is released."""
    return action.verb is Verb.RELEASE and bool(action.desired) and not action.released


def verb_word(action: Action) -> str:
    """What an action does, in a word; `record` if only the ledger changes."""
    return "record" if only_noted(action) else action.verb.value


class Step(Enum):
    """The steps of an action."""

    DETACH = "detach"  # take out the reference to an object that is about to be replaced
    DELETE = "delete"
    WRITE = "write"  # create, update, adopt or release


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of one action, and the operations (by index) that must be done first."""

    address: Address
    step: Step
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedSite:
    """One site's part of the plan: its ledger at plan time, and the addresses of its systems (no credentials).

    `limits` are those of the document (`count`, `percent`), which the ledger records when the whole plan was applied.
    """

    site: str
    lineage: str
    serial: int
    endpoints: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnknownCollection:
    """A collection that could not be read; everything that depends on it is left out of the plan."""

    site: str
    system: str
    kind: str
    reason: str


class Stage(Enum):
    """The position of a kind between the storage and its users: the columns of a site's diagram, left to right."""

    OWNER = "owner"
    NETWORK = "network"
    POLICY = "policy"
    DATA = "data"
    VOLUME = "volume"
    TEAM = "team"


@dataclass(frozen=True, slots=True)
class Node:
    """One object of a planned site and what it depends on, changed or not; diagrams are drawn from these.

    `refers` are the addresses that it refers to, and those that must exist before it. `stage` is `None` for a kind that no diagram
    shows by itself. `figures` say how large it is (`GPUs 64`). An object that the document only refers to is not `managed`. `called` is the
    word for it where that is not the name of its kind (since 1.1).
    """

    address: str
    system: str
    stage: Stage | None = None
    refers: tuple[str, ...] = ()
    figures: tuple[Evidence, ...] = ()
    managed: bool = True
    called: str = ""


@dataclass(frozen=True, slots=True)
class FromSnapshot:
    """The snapshot that a plan was made from, when it was taken, and the collections of the document's sites that it lacks."""

    id: str
    taken: str
    uncovered: tuple[UnknownCollection, ...] = ()


class EditSort(Enum):
    """What an edit does to a part of the document."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """One edit of the document, and the objects that it changes, by address.

    `path` is the place in the document (`tenants.team-a.quotas.scratch.hard_limit`). The values are those of the files; an entry that
    is added or removed has none, nor has a field that may hold a secret. `where` of what is removed is in the base. `same` says that the
    whole document means the same as its base: this is only another way to write it.
    """

    path: str
    sort: EditSort
    where: Where
    before: Any = None
    after: Any = None
    sensitive: bool = False
    objects: tuple[str, ...] = ()
    same: bool = False


@dataclass(frozen=True, slots=True)
class Base:
    """The document that the plan's document was compared with.

    `withdrawn` are addresses that the base would change and the plan's document no longer does. The first `findings` of the plan's
    findings are new; the base has the others too. `edits` are those of the parts of the document that stand for objects (since 1.1).
    """

    source: str
    digest: str
    withdrawn: tuple[str, ...] = ()
    findings: int = 0
    edits: tuple[DocumentEdit, ...] = ()


class HeldAgainst(Enum):
    """What the settings of a document were compared with."""

    BASE = "base"
    LEDGER = "ledger"  # the settings that the last apply recorded
    NOTHING = ""


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """The settings of a document, by path (`limits.max_changes`), and how they differ from the earlier ones.

    Credentials appear by their source, as in the document.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[FieldChange, ...] = ()
    against: HeldAgainst = HeldAgainst.NOTHING


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole plan. `digest` is that of the resolved document with its settings; `id` is the plan's own, over everything else.

    `topology` (since 1.1) has the objects of the planned sites; it is empty in a plan without actions. A plan from a `snapshot`
    (since 1.1) is only for reading and is never applied. With a `base` (since 1.1) each action has a `standing`.
    `left` (since 1.1) are changes outside vastplan that are left alone.
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
    """What each site promises in total, before and after."""
    replications: tuple[Replication, ...] = ()
    """The replicated objects of two sites: which side is the source, and how far the copy is (since 1.1)."""
    states: tuple[ObjectState, ...] = ()
    """The objects that are not well by what their systems report: being deleted, failed, or not finished (since 1.1)."""
    snapshot: FromSnapshot | None = None
    base: Base | None = None
    left: tuple[IgnoredChange, ...] = ()
    budgets: tuple[CheckpointBudget, ...] = ()
    """The checkpoint budget of each volume with a `checkpoint`, and what the plan changes in it."""
    sources: tuple[str, ...] = ()
    """The paths of the document, as a list for the apply (since 1.1); `source` shows the same to people."""
    folder: str = ""
    """The folder that the plan was made in, which `sources` are relative to; empty for a plan from a snapshot (since 1.1)."""
    head: DocumentHead | None = None
    """The document's settings (since 1.1)."""
    review_key: str = ""
    """The id of the key of the digests in `secrets`, "" where there are none (since 1.1)."""
    consent: Consent = field(default_factory=Consent)
    """The consent at plan time: an apply checks every action again, with no more consent than this (since 1.1)."""
    keep_drift: tuple[str, ...] = ()
    """Patterns of addresses whose changes outside vastplan are left alone (since 1.1)."""
    limited: bool = False
    """Whether the user chose the sites (since 1.1)."""
    id: str = ""

    def by_address(self) -> dict[Address, Action]:
        """The actions by their addresses."""
        return {action.address: action for action in self.actions}

    def count(self) -> dict[str, int]:
        """The number of actions of each verb; blocked ones are counted under `blocked` instead."""
        counts = {verb.value: 0 for verb in Verb} | {"blocked": 0}
        for action in self.actions:
            counts["blocked" if action.blocked else action.verb.value] += 1
        return counts
