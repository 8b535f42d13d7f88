"""A kind: one type of object that vastplan manages, as a frozen table of facts. It has no access to clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vastplan.model.plan import Stage
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.markers import (
    Admits,
    Codec,
    Deletes,
    Exclusive,
    InsteadOf,
    Limits,
    MadeWith,
    Marker,
    Opens,
    Refers,
    RequiredFrom,
    Revokes,
    ServerDefault,
    Shorthand,
    Shown,
    Since,
    Theirs,
    Typed,
    Until,
)
from vastplan.schema.rows import ABSENT
from vastplan.schema.shapes.shape import Shape
from vastplan.schema.shapes.value import VALUE
from vastplan.schema.walk import table

Row = dict[str, Any]
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a kind: its name in the document, its place on the wire, and the facts from its markers."""

    name: str
    wire: tuple[str, ...]
    shown_at: tuple[str, ...] = ()  # its place in answers, if that is not `wire`
    shape: Shape = VALUE
    fields: tuple[Field, ...] = ()
    markers: frozenset[Marker] = frozenset()
    refers: Refers | None = None
    key: tuple[str, ...] = ()
    key_writes: tuple[str, ...] = ()
    key_refers: Refers | None = None
    codec: Codec | None = None
    unit: str = ""
    typed: Typed | None = None
    shorthand: Shorthand | None = None
    default: Any = ABSENT  # its value where the document leaves it out; `ABSENT` for none
    admits: Admits | None = None
    opens: Opens | None = None
    revokes: Revokes | None = None
    deletes: Deletes | None = None
    made_with: MadeWith | None = None
    limits: Limits | None = None
    exclusive: Exclusive | None = None
    instead_of: InsteadOf | None = None
    shown: Shown | None = None  # of a mapping: keys whose values hold no secret, whoever set them
    theirs: Theirs | None = None  # of a mapping: each key belongs to whoever wrote it
    clears: Any = None
    cleared: tuple[Any, ...] = (None, "", [], {})
    nullable: bool = False
    versions: tuple[Since | Until, ...] = ()
    required_from: RequiredFrom | None = None
    server_default: ServerDefault | None = None
    required: bool = False  # an object, or the struct that contains it, needs it
    has_references: bool = field(init=False, compare=False, default=False)  # it, or a part of it, holds references
    secret: bool = field(init=False, compare=False, default=False)  # it, or a part of it, may be a secret
    undisclosed: bool = field(init=False, compare=False, default=False)  # it, or a part of it, is secret or never shown
    versioned: bool = field(
        init=False, compare=False, default=False
    )  # not every version has it, or has all of its parts
    readable: bool = field(init=False, compare=False, default=True)  # the system shows it

    def __post_init__(self) -> None:
        parts = table(self.fields)
        unshown = Marker.WRITE_ONLY in self.markers
        secret = Marker.SENSITIVE in self.markers or any(part.secret for part in parts)
        _set(self, "fields", parts)
        _set(self, "has_references", self.refers is not None or any(part.has_references for part in parts))
        _set(self, "secret", secret)
        _set(self, "undisclosed", secret or unshown or any(part.undisclosed for part in parts))
        by_version = bool(self.versions) or self.required_from is not None
        _set(self, "versioned", by_version or any(part.versioned for part in parts))
        _set(self, "readable", not unshown and Marker.DOCUMENT not in self.markers)

    @property
    def read_at(self) -> tuple[str, ...]:
        """The field's place in an answer."""
        return self.shown_at or self.wire

    def has(self, marker: Marker) -> bool:
        """Whether the field carries the marker."""
        return marker in self.markers


_set = object.__setattr__


@dataclass(frozen=True, slots=True)
class Ready:
    """When an object that is created asynchronously is usable: the value at `path` is one of `ok`. With a value in
    `failed` it never becomes usable; the text at `message` says why."""

    path: tuple[str, ...]
    ok: frozenset[Any]
    failed: frozenset[Any] = frozenset()
    message: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an object that other objects can refer to. `predict` computes it before the object exists, from the
    fields `of`."""

    name: str
    path: tuple[str, ...]
    predict: Callable[[Mapping[str, Any]], Any] | None = None
    of: tuple[str, ...] = ()

    def predicted(self, values: Mapping[str, Any]) -> Any:
        """Returns the value that follows from an entry's values, `None` where none does. `predict` gets only the fields `of`."""
        if self.predict is None:
            return None
        return self.predict({name: values[name] for name in self.of if name in values})


@dataclass(frozen=True, slots=True)
class Metric:
    """A live figure for guards and reports: its name, its place on the wire, its unit.

    With `ones` and `zeros` the words listed there count as 1 and as 0. A list counts its items; with `by` it is a
    mapping instead, from the value at `by` in each item to the value at `each`. `absent` is the figure where the object
    is present without it, for figures that the vendor's document makes optional. Any other value is `Unknown`.
    """

    name: str
    path: tuple[str, ...]
    unit: str = ""
    ones: frozenset[Any] = frozenset()
    zeros: frozenset[Any] = frozenset()
    by: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    absent: int | None = None


@dataclass(frozen=True, slots=True)
class Dependents:
    """Objects of another kind that depend on an object of this kind: they are counted before it is deleted, never changed.

    A dependent has equal fields (`same`: pairs of this object's field and the dependent's; `id` is this object's id), and its
    path is this object's path or below it (`under`); with `counted` only dependents whose figure of that name is not zero
    count. With `remain` they stay after the object is deleted; `locks` are the dependents' figures that forbid deleting them.
    With `when` (a field, a value) the rule holds only for objects of this kind with that value. With `by` a dependent refers
    to this object by that field, as text: this object is deleted only after the dependent is deleted or has another value
    there. A field of a dependent may be one of the object that it refers to: `tenant.local_provider`.
    """

    kind: str
    name: str
    same: tuple[tuple[str, str], ...]
    under: tuple[str, str] | None = None
    counted: str = ""
    remain: bool = False
    locks: tuple[str, ...] = ()
    when: tuple[str, Any] | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class UsedBy:
    """Objects of another `kind` (users) that use an object of this kind, each in the room (a namespace, a tenant) that its field
    `room` names.

    The user's field `theirs` has, or lists, the value of this object's field `ours`. With `same_room` a name counts only in its
    room: objects of this kind have the field `room` too. `name` is the word for users in messages.
    """

    kind: str
    name: str
    ours: str
    theirs: str
    room: str
    same_room: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """The sum of the figure `metric` over objects of another kind that belong to an object of this kind: for a limit (`floors`)
    for which the system has no figure of its own.

    An object counts if its field equals this object's (`same`: this object's field, the other's; `id` is this object's id).
    Where the `path` of one is inside that of another, only the outer one counts.
    """

    name: str
    kind: str
    metric: str
    same: tuple[str, str]
    path: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class LetsIn:
    """The object gives clients access: deleting it cuts off those who use what it gives access to, and its dependents.

    `without` says in messages what they lose. With `replaceable` clients need any object of that name, so a replacement cuts
    nobody off. `into` is the field that refers to the target of the access: where the target is to be deleted, the object is
    deleted together with it, without consent of its own, and never without it.
    """

    without: str
    replaceable: bool = False
    into: str = ""


@dataclass(frozen=True, slots=True)
class Backs:
    """The object keeps out clients who could otherwise bypass what closes other objects. It is not deleted while such a closed
    object exists: one of another `kind` whose `field` has one of this object's values."""

    kind: str
    field: str


@dataclass(frozen=True, slots=True)
class Deleting:
    """The object is a rule by which the system itself deletes data, in what the object's field `of` refers to. The fields that
    say what and when are marked `Deletes`. While the object's field `unless` is false, nothing is deleted."""

    of: str
    unless: str


@dataclass(frozen=True, slots=True)
class Closes:
    """The object keeps something closed: creating it cuts users off, deleting it opens access.

    The users are objects of another `kind` whose field `theirs` has (or lists) the value of this object's field `ours`, each in
    the room that its field `room` names. Rooms in this object's list `but` keep access; where its field `unless` is true, all
    do. Where a field in `by` has a wrong value, the object has kept nothing closed so far. For messages: `name` is the word for
    one user, `fix` says how to spare a room, and `unseen` describes users that do not exist yet. With `named` messages also
    list the users, because nothing else does. `backs` describes the objects that are closed in vain without this one.
    """

    kind: str
    name: str
    ours: str
    theirs: str
    room: str
    but: str = ""
    unless: str = ""
    by: tuple[str, ...] = ()
    fix: str = ""
    backs: Backs | None = None
    unseen: str = ""
    named: bool = False


@dataclass(frozen=True, slots=True)
class Enforces:
    """The object puts in force what its `field` refers to, which closes nothing without it, nor while a field in `by` has a
    wrong value. With `when` (a field, a value) it enforces only while that field lists the value; otherwise violations are
    only reported."""

    field: str
    by: tuple[str, ...]
    when: tuple[str, Any] | None = None

    def enforced(self, values: Mapping[str, Any]) -> bool:
        """Whether an object with these values enforces; also true where the field is no list, so that it cannot be determined."""
        listed = values.get(self.when[0]) if self.when is not None else None
        return self.when is None or not isinstance(listed, list) or self.when[1] in listed


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random value that vastplan generates and sends at `path` on the wire: `length` characters from all `alphabets`, at
    least one of each."""

    name: str
    path: tuple[str, ...]
    alphabets: tuple[str, ...]
    length: int = 40


@dataclass(frozen=True, slots=True)
class Delivers:
    """The object has values that exist only once it is created: they are delivered to their destination, and nowhere else.

    They are in the answer to the create (`Endpoint.answered_once`, by the names of attributes), or `drawn` by vastplan. The
    destination is the field `to`: a struct with a reference to an object of another kind (`target`) and a mapping (`keys`)
    from names of values to keys in that object's mapping `into`. Another number in the field `generation` causes a new value.
    A new drawn value is sent in an update. A value that only the answer to a create has takes a new object: such objects
    differ by their ids alone, several may be alike, and the former one stays for `overlap` (a field, in seconds) after the
    delivery.
    """

    to: str
    target: str
    into: str
    keys: str = "keys"
    generation: str = "generation"
    overlap: str = "overlap"
    drawn: tuple[Drawn, ...] = ()


@dataclass(frozen=True, slots=True)
class Precedes:
    """Objects of another kind, on another site, that are created after an object of this kind, because this one creates what
    they belong to.

    They are those with equal fields (`same`: pairs of this object's field and theirs). With `here` they are on the same site.
    """

    kind: str
    same: tuple[tuple[str, str], ...]
    here: bool = False


@dataclass(frozen=True, slots=True)
class Grouped:
    """The system keeps one object as a member on each of several sites; all members have the attribute `key` in common.

    With `role` (an attribute) one of them is the source (a value in `leads`) and the others are destinations (`follows`), until
    the roles change; a member with a value in `alone` was detached. A role counts while the attribute `state` is one of
    `settled`; these are words in upper case, with _ for a blank. Only an object with other members has the field
    `across`. A document says which site is the source in the key `chosen_by` of a composite entry. `ends` are pairs of
    fields whose two values a member may have either way round. Further values of `state`: in `starting` nothing has arrived
    yet, in `failing` nothing more arrives, and in `lost` the other member is gone for good. `told` names the attributes that
    show how far behind the others are. Where the field `kept_by` has one of the values `at_once`, replication is synchronous:
    a write is answered when all members have it, and they are never behind; in the states `parted` these members are
    disconnected: the source continues alone, the destination gives no access.
    """

    key: str
    role: str = ""
    leads: frozenset[str] = frozenset()
    follows: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    state: str = ""
    settled: frozenset[str] = frozenset()
    across: str = ""
    chosen_by: str = ""
    ends: tuple[tuple[str, str], ...] = ()
    starting: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    kept_by: str = ""
    at_once: frozenset[str] = frozenset()
    parted: frozenset[str] = frozenset()
    told: Told | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """The attributes of a member that show how far behind the others are: the time at which the newest restore point that
    arrived was taken (`as_of`) and the time it arrived, the time at which the newest of all was taken (`taken`), the bytes in
    transfer (`coming`) and how much of them is done (`progress`, of 1000), the health of the member, and its link (`peer`),
    which is up while its value is one of `connected`. While the field `enabled` is false nothing is sent."""

    as_of: str
    arrived: str
    taken: str
    coming: str
    progress: str
    health: str
    peer: str
    connected: frozenset[str]
    enabled: str


@dataclass(frozen=True, slots=True)
class Lands:
    """For each object the system creates a directory on another site. It refuses where that directory exists, and keeps it
    when the object is deleted.

    The field `room` refers to the tenant of the directory there (the field `told` has it where the document does not have that
    site), the field `path` is the directory. `shown_by` describes objects of that site in the directory or below it, which
    prove that it exists: their kind, and their fields for the room and the path. `composed` says what to do where the object
    is part of an entry that is on both sites and does not name the directory.
    """

    room: str
    told: str
    path: str
    shown_by: tuple[tuple[str, str, str], ...]
    composed: str = ""


@dataclass(frozen=True, slots=True)
class Once:
    """An object is created once: when it is gone it is not recreated, and the values that it was created with do not change.

    `another` says in messages how to get another one. The ledger keeps the attributes in `noted` as they were at the create;
    the row that the create returns may have some that no later row has. With `means` the object exists so that another object
    of its entry can be created from it: without it the other would be created in another way.
    """

    another: str
    noted: tuple[str, ...] = ()
    means: bool = False


@dataclass(frozen=True, slots=True)
class ControllerOwned:
    """How an object that a driver or another system created for itself is recognised: the text at `path` of the row
    matches `pattern` as a whole. With `goes_along` the system deletes the object together with what it refers to, so it does
    not block that delete."""

    name: str
    path: tuple[str, ...]
    pattern: str = r".+"
    goes_along: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """The size of an object of the document, as one figure: the sum of the numbers at `path`, where `*` is any key."""

    name: str
    path: tuple[str, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class CalledAs:
    """Objects of another kind from which an imported entry gets its name: those with equal fields (`same`: pairs of the
    imported object's field and theirs)."""

    kind: str
    same: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Keyed:
    """How an import chooses the key of a live object's entry: the name of another object (`called_as`, the first that exists),
    otherwise the field `path` without its slashes, otherwise the object's own name. Two objects with the same key are
    distinguished by the name of what the field `within` refers to; with `always` every key includes it."""

    called_as: tuple[CalledAs, ...] = ()
    path: str = ""
    within: str = ""
    always: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """A row that ships with the system and shows its defaults: the one whose value at `path` is `value`. It counts only for
    objects whose fields in `like` equal its own."""

    path: tuple[str, ...]
    value: Any
    like: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of object.

    `section` is its plural in the document, "" for a kind that only other entries create. `finish_encode(body, values)`
    and `finish_decode(values, row)` are pure functions for what the field table cannot express. `controller_owned` recognises
    objects that a driver or another system created for itself: nobody has to manage them. `system_owned` lists wire
    values of rows that vastplan never touches (`internal: true`).

    With `mirrored` the system keeps a copy of the object on another site, under the same name, which is created and
    deleted with it; `grouped` describes copies that stay when the source moves to another site. `stage` is the kind's column in
    the diagram of a site, `measures` the figures beside an object's name. An import names its entries by `keyed`, and takes
    kinds that are `on_request` only when asked. Objects of a kind that is `as_evidence` are many, and do not block the delete
    of what they refer to: they are read where they are declared or owned, and where what they belong to is to be deleted.

    So that nobody is cut off unnoticed, `lets_in`, `closes` and `enforces` say who gets access and who is kept out, and
    `Admits` and `Revokes` say it for single fields; `Opens` marks what else opens access. `deleting` marks objects because of
    which the system deletes data by itself. `mounts` is the kind that workloads mount through this one (a view through a
    volume): the volume is deleted before everything else that is deleted with the view, because a system refuses that while it
    is in use, and then the rest still exists.
    """

    name: str
    system: str
    section: str
    model: Any
    endpoint: Endpoint
    fields: tuple[Field, ...]
    identity: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    data_bearing: bool = False
    metrics: tuple[Metric, ...] = ()
    in_use: tuple[str, ...] = ()  # figures that block a delete while they are above zero, until somebody accepts them
    # (field path, metric or contents): a limit that must not go below what is used; `*` in the path is the metric's key
    floors: tuple[tuple[str, str], ...] = ()
    contents: tuple[Contents, ...] = ()
    dependents: tuple[Dependents, ...] = ()  # read only where an object of this kind is to be deleted
    used_by: tuple[UsedBy, ...] = ()  # who uses the objects, for reports; guards decide by the fields below
    lets_in: LetsIn | None = None
    closes: tuple[Closes, ...] = ()
    enforces: Enforces | None = None
    deleting: Deleting | None = None
    precedes: tuple[Precedes, ...] = ()
    lands: Lands | None = None
    once: Once | None = None
    grouped: Grouped | None = None
    delivers: Delivers | None = None
    unique: tuple[tuple[str, ...], ...] = ()  # fields whose values together are unique, besides the identity
    # fields that a system changes when a user stops using the object: a change neither stops its delete nor counts as drift
    ignored_on_delete: tuple[str, ...] = ()
    system_owned: tuple[tuple[tuple[str, ...], Any], ...] = ()
    mirrored: bool = False
    controller_owned: tuple[ControllerOwned, ...] = ()
    stage: Stage | None = None
    measures: tuple[Measure, ...] = ()
    ready: Ready | None = None
    versions: tuple[Since | Until, ...] = ()  # the product versions that have the kind
    within_tenant: bool = False
    witness: Witness | None = None
    contains: bool = False  # its entries may contain other entries of the document
    # the right to list these would show other people's objects: where listing is refused, the needed ones are read by name
    read_by_name: bool = False
    keyed: Keyed = field(default_factory=Keyed)
    on_request: bool = False
    as_evidence: bool = False
    mounts: str = ""
    finish_encode: Callable[[Row, Values], Row] | None = None
    finish_decode: Callable[[Values, Row], Values] | None = None

    def __post_init__(self) -> None:
        _set(self, "fields", table(self.fields))

    @property
    def remade(self) -> bool:
        """Whether a new value takes a new object: objects of this kind are distinguished by their ids alone."""
        return self.delivers is not None and not self.delivers.drawn

    @property
    def secretive(self) -> bool:
        """Whether objects of this kind hold secrets."""
        return table(self.fields).secret

    def field(self, name: str) -> Field:
        """The field of that name; raises `KeyError`."""
        return table(self.fields).by_name[name]

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name; raises `KeyError`."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(f"{self.name} has no attribute {name}")
