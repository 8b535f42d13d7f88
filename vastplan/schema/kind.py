"""A kind: one type of object that vastplan manages, as a frozen table of facts. It never sees a client."""

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
    """One field of a kind: its name in the document, its place on the wire, and the facts that its markers say."""

    name: str
    wire: tuple[str, ...]
    shown_at: tuple[str, ...] = ()  # where an answer shows it, where that is not `wire`
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
    default: Any = ABSENT  # what the document says that leaves it out; `ABSENT` where it then says nothing
    admits: Admits | None = None
    opens: Opens | None = None
    revokes: Revokes | None = None
    deletes: Deletes | None = None
    made_with: MadeWith | None = None
    limits: Limits | None = None
    exclusive: Exclusive | None = None
    instead_of: InsteadOf | None = None
    shown: Shown | None = None  # of a mapping: keys whose values hold no secret, whoever set them
    theirs: Theirs | None = None  # of a mapping: whose its keys are
    clears: Any = None
    cleared: tuple[Any, ...] = (None, "", [], {})
    nullable: bool = False
    versions: tuple[Since | Until, ...] = ()
    required_from: RequiredFrom | None = None
    server_default: ServerDefault | None = None
    required: bool = False  # an object, or the struct that it is in, cannot be without it
    has_references: bool = field(init=False, compare=False, default=False)  # a reference is in it, or in a part of it
    secret: bool = field(init=False, compare=False, default=False)  # it, or a part of it, may be a secret
    undisclosed: bool = field(init=False, compare=False, default=False)  # it, or a part of it, is secret or never shown
    versioned: bool = field(
        init=False, compare=False, default=False
    )  # a version has it, or a part of it, and another not
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
        """Where it is in an answer."""
        return self.shown_at or self.wire

    def has(self, marker: Marker) -> bool:
        """Whether the field carries the marker."""
        return marker in self.markers


_set = object.__setattr__


@dataclass(frozen=True, slots=True)
class Ready:
    """When an object that is created asynchronously is usable: the value at `path` is one of `ok`. With a value in
    `failed` it never will be."""

    path: tuple[str, ...]
    ok: frozenset[Any]
    failed: frozenset[Any] = frozenset()
    message: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """What other objects can refer to: an attribute of an object. `predict` computes it before the object exists,
    from the fields `of`."""

    name: str
    path: tuple[str, ...]
    predict: Callable[[Mapping[str, Any]], Any] | None = None
    of: tuple[str, ...] = ()

    def predicted(self, values: Mapping[str, Any]) -> Any:
        """What it will be by the values of an entry, `None` where they do not tell. `predict` sees the fields `of` alone."""
        if self.predict is None:
            return None
        return self.predict({name: values[name] for name in self.of if name in values})


@dataclass(frozen=True, slots=True)
class Metric:
    """A live figure that guards and users weigh: its name, its place on the wire, its unit.

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
    """Objects of another kind that depend on one of ours: counted before ours is deleted, never changed.

    They are those whose fields equal ours (`same`: ours, theirs; `id` is our id) and whose path is ours or below it
    (`under`); with `counted` only those whose figure of that name is not zero. With `remain` they stay after ours is
    deleted; `locks` are figures of theirs that forbid deleting them. With `when` (a field, a value) the rule holds only
    for those of ours that have that value there. With `by` they refer to ours by that field of theirs, as text: ours is
    deleted after they are deleted or have another value there, and not before. A field of theirs may be one of the
    object that they refer to: `tenant.local_provider`.
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
    """Objects of another `kind` that use ours, each in the room (a namespace, a tenant) that its field `room` names.

    Their field `theirs` has, or lists, what our field `ours` has. With `same_room` a name counts in its room only: ours
    has that field too. `name` is the word for them in messages.
    """

    kind: str
    name: str
    ours: str
    theirs: str
    room: str
    same_room: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """What objects of another kind use of one of ours together: the sum of their figure `metric`, for a limit
    (`floors`) for which the system has no figure.

    They are those with a field that equals ours (`same`: ours, theirs; `id` is our id). Where the `path` of one is
    inside that of another only the outer one counts.
    """

    name: str
    kind: str
    metric: str
    same: tuple[str, str]
    path: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class LetsIn:
    """The object lets clients in: a delete cuts off those who use what is behind it, and its dependents.

    `without` says in messages what they lose. With `replaceable` they only need some object of its name, so a
    replacement cuts nobody off. `into` is the field that names what it lets into: the object is deleted together with
    that without consent of its own, and where that is to be deleted, never without it.
    """

    without: str
    replaceable: bool = False
    into: str = ""


@dataclass(frozen=True, slots=True)
class Backs:
    """The object keeps clients out who could bypass what keeps others closed. It is not deleted while one of those
    exists: they are of another `kind`, and their `field` has one of the values of ours."""

    kind: str
    field: str


@dataclass(frozen=True, slots=True)
class Deleting:
    """Because of the object the system deletes data by itself, in what its field `of` refers to. The fields that say
    what and when are marked `Deletes`. Where its field `unless` is false it deletes nothing."""

    of: str
    unless: str


@dataclass(frozen=True, slots=True)
class Closes:
    """The object keeps something closed: its create cuts off, its delete opens.

    Those who would be cut off are objects of another `kind`, whose field `theirs` has (or lists) what our field `ours`
    has (or lists), each in the room that its field `room` names. Rooms in our list `but` may continue; where our field
    `unless` is true, all may. Where a field in `by` has a wrong value, the object has kept nothing closed so far. For
    messages: `name` is the word for one of those objects, `fix` how to spare a room, and `unseen` those that do not
    exist yet. With `named` they are listed in messages too, as nothing else lists them. `backs` are those that would be
    closed in vain without this object.
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
    """The object puts in force what its `field` refers to, which closes nothing without it, nor while a field in
    `by` has a wrong value. With `when` (a field, a value) it does so only while that field lists the value: all else
    is only reported."""

    field: str
    by: tuple[str, ...]
    when: tuple[str, Any] | None = None

    def enforced(self, values: Mapping[str, Any]) -> bool:
        """Whether it is, by what the object says; what cannot be told may be."""
        listed = values.get(self.when[0]) if self.when is not None else None
        return self.when is None or not isinstance(listed, list) or self.when[1] in listed


@dataclass(frozen=True, slots=True)
class Drawn:
    """A value that vastplan draws and sends: characters of all `alphabets`, at least one of each, at `path` on the
    wire."""

    name: str
    path: tuple[str, ...]
    alphabets: tuple[str, ...]
    length: int = 40


@dataclass(frozen=True, slots=True)
class Delivers:
    """An object has values that exist only once it is created: they go to their destination, and nowhere else.

    They are in the answer to its create (`Endpoint.answered_once`, by the names of attributes), or `drawn`. The
    destination is the field `to`: a struct with a reference to an object of another kind (`target`) and a mapping
    (`keys`) from names of values to keys in that object's mapping `into`. Another number in the field `generation`
    causes another value. A drawn value is sent in an update. A value that only a create answers needs another object:
    such objects differ by their ids alone, several may be alike, and the former one stays for `overlap` (a field, in
    seconds) after the delivery.
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
    """Objects of another kind, on another site, that come after ours, because ours creates what they are of.

    They are those whose fields equal ours (`same`: ours, theirs). With `here` they are on the same site.
    """

    kind: str
    same: tuple[tuple[str, str], ...]
    here: bool = False


@dataclass(frozen=True, slots=True)
class Grouped:
    """The system keeps one object as a member on each of several sites; all members have the attribute `key` in common.

    With `role` (an attribute) one of them is the source (`leads`) and the others are destinations (`follows`), until
    that is changed; one that stands `alone` was detached. A role counts while the attribute `state` is one of
    `settled`; these are words in upper case, with _ for a blank. Only an object with other members has the field
    `across`. A document says which site is the source in the key `chosen_by` of a composite entry. `ends` are pairs of
    fields of which a member may have either the one way round or the other. Further words of `state`: in `starting`
    nothing has arrived yet, in `failing` nothing more arrives, and in `lost` the other member is gone for good. `told`
    are the attributes that show how far behind the others are. Where the field `kept_by` has one of the values
    `at_once`, a write is answered when all members have it, and they are never behind; in `parted` they are
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
    """The attributes of a member that show how far behind the others are: when the newest restore point that arrived
    was taken and when it arrived, when the newest of all was taken, the bytes on their way and how much of them is
    done (of 1000), the health of the member, and its link, which is up while it is one of `connected`. While the
    field `enabled` is false nothing is sent."""

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
    """The system creates a directory for ours on another site. It refuses where one exists, and keeps it when ours is
    deleted.

    Our field `room` refers to the tenant of the directory there (`told` has it where that site is not one of ours),
    `path` is the directory. `shown_by` are objects of that site in it or below it, which prove that it exists: kind,
    its room, its path. `composed` is what to do where ours is part of an entry that is on both sites and does not name
    the directory.
    """

    room: str
    told: str
    path: str
    shown_by: tuple[tuple[str, str, str], ...]
    composed: str = ""


@dataclass(frozen=True, slots=True)
class Once:
    """An object is created once: one that is gone is not recreated, and nothing of how it was created is changed.

    `another` says in messages how to have another one. The ledger keeps the attributes in `noted` as they were when it
    was created; the row that answers a create may have some that no later one has. `means` says that it exists for
    another object of its entry to be created from: without it that would be created in another way.
    """

    another: str
    noted: tuple[str, ...] = ()
    means: bool = False


@dataclass(frozen=True, slots=True)
class ControllerOwned:
    """How an object that a driver or another system created for itself is recognised: the text at `path` of the row
    matches `pattern` as a whole. With `goes_along` the system deletes it together with what it refers to, and it
    does not block that delete."""

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
    """Objects of another kind from which an imported entry gets its name: those whose fields equal ours (`same`:
    ours, theirs)."""

    kind: str
    same: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Keyed:
    """The key of the entry of a live object that is imported: that of another object (`called_as`, the first that
    exists), otherwise the field `path` without its slashes, otherwise its own name. Two with the same key are
    distinguished by what the field `within` refers to; with `always` every key has that."""

    called_as: tuple[CalledAs, ...] = ()
    path: str = ""
    within: str = ""
    always: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """A row that ships with the system and shows its defaults: the one whose value at `path` is `value`. It shows
    those only of objects whose fields in `like` equal its own."""

    path: tuple[str, ...]
    value: Any
    like: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of object.

    `section` is its plural in the document, "" for a kind that only other entries create. `finish_encode(body, values)`
    and `finish_decode(values, row)` are pure, for what the field table cannot express. `controller_owned` recognises
    objects that a driver or another system created for itself: nobody has to manage them. `system_owned` lists wire
    values of rows that vastplan never touches (`internal: true`).

    With `mirrored` the system keeps a copy of the object on another site, under the same name, which is created and
    deleted with it; `grouped` describes copies that stay while their source may change. `stage` is its column in a
    picture of a site, `measures` the figures beside its name. An import names its entries by `keyed`, and takes kinds
    that are `on_request` only when asked. Objects that are `as_evidence` are many, and do not block the delete of what
    they refer to: they are read where they are declared or owned, and where what they are of is to be deleted.

    So that nobody is cut off unseen, `lets_in`, `closes` and `enforces` say who is let in and who is kept out, and
    `Admits` and `Revokes` say it for single fields; `Opens` says what else opens access. `deleting` says that the
    system deletes by itself because of it. `mounts` is the kind that workloads reach by this one: it is deleted before
    everything else on its object, because a system refuses that while it is in use, and then the rest is as it was.
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
    in_use: tuple[str, ...] = ()  # facts that, when above zero, block a delete until they are accepted
    # (field path, fact or contents): a limit that must not go below what is used; `*` in the path is the key of the fact
    floors: tuple[tuple[str, str], ...] = ()
    contents: tuple[Contents, ...] = ()
    dependents: tuple[Dependents, ...] = ()  # read only where an object of this kind is to go
    used_by: tuple[UsedBy, ...] = ()  # who would mind, for people; guards go by what follows
    lets_in: LetsIn | None = None
    closes: tuple[Closes, ...] = ()
    enforces: Enforces | None = None
    deleting: Deleting | None = None
    precedes: tuple[Precedes, ...] = ()
    lands: Lands | None = None
    once: Once | None = None
    grouped: Grouped | None = None
    delivers: Delivers | None = None
    unique: tuple[tuple[str, ...], ...] = ()  # fields that no two objects have the same together, beside the identity
    # fields that a system changes when a user lets go: no reason to spare what is to go, and no hand's work
    ignored_on_delete: tuple[str, ...] = ()
    system_owned: tuple[tuple[tuple[str, ...], Any], ...] = ()
    mirrored: bool = False
    controller_owned: tuple[ControllerOwned, ...] = ()
    stage: Stage | None = None
    measures: tuple[Measure, ...] = ()
    ready: Ready | None = None
    versions: tuple[Since | Until, ...] = ()  # what product has it since, and until, when
    within_tenant: bool = False
    witness: Witness | None = None
    contains: bool = False  # other entries of the document may stand inside one
    # who may list these would read what is none of his: where they may not be listed, those that matter are read by name
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
        """Whether another value takes another object: its objects are told by their ids alone."""
        return self.delivers is not None and not self.delivers.drawn

    @property
    def secretive(self) -> bool:
        """Whether its objects hold secrets."""
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
