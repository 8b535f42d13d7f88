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
    """When an object that is made asynchronously is usable: the value at `path` is one of `ok`; `failed` gives up."""

    path: tuple[str, ...]
    ok: frozenset[Any]
    failed: frozenset[Any] = frozenset()
    message: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something others refer to an object by. `predict` says what it will be, where the fields `of` the document tell it."""

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
    """A live figure that guards and people weigh: its name, where it is on the wire, its unit.

    With `ones` and `zeros` it is 1 or 0 for the words there that are one of them. A list counts its items; with `by` it
    is a mapping instead, from what is at `by` in each item to what is at `each`. `absent` is what it means that the
    object it would be in is there without it, where the vendor's document makes it optional. Anything else that is no
    figure is `Unknown`.
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
    """Objects of another kind that hang on one of ours: counted before ours goes, never touched.

    They are those whose fields equal ours (`same`: ours, theirs; `id` is our id) and whose path is ours or below it
    (`under`), and of these, with `counted`, those whose fact of that name is not zero. `remain` says that they stay
    behind when ours goes; `locks` are facts of theirs that forbid that they go. With `when` (a field, a value) it holds
    only for those of ours that have that value there. With `by` they hang on ours by that field of theirs, which is text: ours
    goes after they went or have another value there, and not before. A field of theirs may be one of what they refer to:
    `tenant.local_provider`.
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
    """Objects of another `kind` that use ours, each in the room that its field `room` names.

    Their field `theirs` has, or lists, what our field `ours` has. With `same_room` a name holds in its room only: ours has that
    field too. `name` is what to call them, for people.
    """

    kind: str
    name: str
    ours: str
    theirs: str
    room: str
    same_room: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """What objects of another kind use together of one of ours: the sum of their fact `metric`, for a limit (`floors`) of which the
    system tells no figure itself.

    They are those with a field that equals ours (`same`: ours, theirs; `id` is our id). Of those whose `path` is inside that of
    another only the outer one counts.
    """

    name: str
    kind: str
    metric: str
    same: tuple[str, str]
    path: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class LetsIn:
    """The object lets somebody in: when it goes, whoever is in use behind it is cut off, and so are its dependents.

    `without` says what they lose, for people. With `replaceable` they need no more than that something of its name is there,
    so a replacement cuts nobody off. `into` is the field that names what it lets into: the object goes with that unasked,
    and never without it where that is to go too.
    """

    without: str
    replaceable: bool = False
    into: str = ""


@dataclass(frozen=True, slots=True)
class Backs:
    """Whom an object keeps out could go around what keeps others closed, and it does not go while one of those stands.

    They are of another `kind`, and their `field` has one of what ours says.
    """

    kind: str
    field: str


@dataclass(frozen=True, slots=True)
class Deleting:
    """The object has the system delete what people keep in what its field `of` refers to; the fields that say what, and when, are
    marked `Deletes`. Where its field `unless` is false it deletes nothing.
    """

    of: str
    unless: str


@dataclass(frozen=True, slots=True)
class Closes:
    """The object keeps something closed: making it is what cuts off, and taking it away is what opens.

    Those who would be cut off are objects of another `kind`, whose field `theirs` has (or lists) what our field `ours` has (or
    lists), each in the room that its field `room` names. Rooms in our list `but` may go on; where our field `unless` is
    true, all may. It has not held before where a field in `by` is not as it should be. `name` is what to call one of them,
    `fix` how to spare a room, and `unseen` who may come that is not there yet, all for people. With
    `named` those who would be cut off are named, too: nobody else lists them. `backs` are those whose closing would be in vain without it.
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
    """The object puts in force what its `field` refers to, which closes nothing without it, nor while a field in `by` is wrong.

    With `when` (a field, a value) it does so only while that field lists the value: of all else people are told, at most.
    """

    field: str
    by: tuple[str, ...]
    when: tuple[str, Any] | None = None

    def enforced(self, values: Mapping[str, Any]) -> bool:
        """Whether it is, by what the object says; what cannot be told may be."""
        listed = values.get(self.when[0]) if self.when is not None else None
        return self.when is None or not isinstance(listed, list) or self.when[1] in listed


@dataclass(frozen=True, slots=True)
class Drawn:
    """A value that is drawn here and sent: characters of all `alphabets`, of each one at least, at `path` on the wire."""

    name: str
    path: tuple[str, ...]
    alphabets: tuple[str, ...]
    length: int = 40


@dataclass(frozen=True, slots=True)
class Delivers:
    """An object has values that are known only when they come to be: they go to their destination, and nowhere else.

    They are what the answer to its create tells (`Endpoint.answered_once`, by the names of attributes), or what is `drawn`. The
    destination is the field `to`: a struct with a reference to an object of another kind (`target`) and a mapping (`keys`) from
    names of values to keys in that object's mapping `into`.

    Another value comes with another number in the field `generation`. What is drawn is sent in an update. What only a create
    tells takes another object: such objects are told by their ids alone, several may be alike, and the former one stays for
    `overlap` (a field, seconds) after the delivery.
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
    """Objects of another kind, on another site, that come after ours, because ours makes what they are of.

    They are those whose fields equal ours (`same`: ours, theirs). With `here` they are on the same site.
    """

    kind: str
    same: tuple[tuple[str, str], ...]
    here: bool = False


@dataclass(frozen=True, slots=True)
class Grouped:
    """The system keeps one object as a member on each of several sites; all have the attribute `key` in common.

    With `role` (an attribute) one of them leads and the others follow it, until that is changed; one that stands `alone` was
    detached. A role counts while the attribute `state` is one of `settled`; these are words in upper case, with _ for a blank. `across` is the field
    that only what has other members has. A document says which site is to lead in the key `chosen_by` of a composite entry. `ends` are
    pairs of fields of which a member may have either the one way round or the other.

    Further words of `state`: in `starting` nothing has arrived yet, in `failing` nothing more arrives, and in `lost` the other
    member is gone for good. `told` are the attributes that say how far the others are. Where the field `kept_by` has one of the
    values `at_once`, a write is answered when all members have it, and they are never behind; in `parted` they wait no more for
    each other: who leads goes on alone, who follows gives no access.
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
    """The attributes of a member that say how far the others are: when the newest that has arrived was taken and came, the newest
    that was taken, the bytes that are on their way and how much of it is done (of 1000), how the member is, and its
    link, which is up while it says one of `connected`. The field `enabled` is false while nothing is sent.
    """

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
    """The system makes a directory for ours on another site, refuses where there is one, and leaves it there when ours goes.

    Our field `room` refers to whose it is there (`told` says it where that site is none of ours), `path` is the directory.
    `shown_by` are objects of that site that stand in it or below it, and show that it is there: kind, its room, its path.
    `composed` is what to do where ours is a part of an entry that is on both sites, and says nothing of a directory.
    """

    room: str
    told: str
    path: str
    shown_by: tuple[tuple[str, str, str], ...]
    composed: str = ""


@dataclass(frozen=True, slots=True)
class Once:
    """An object is made once: what is gone is not made again, and nothing of how it was made is changed.

    `another` says for people how to have another one. The ledger keeps what the attributes in `noted` were when it was made; the row
    that a create answers with may have some that no later one has. `means` says that it is there for what another object of its entry
    is made of: without it that would be made otherwise.
    """

    another: str
    noted: tuple[str, ...] = ()
    means: bool = False


@dataclass(frozen=True, slots=True)
class ControllerOwned:
    """How to tell that something made an object for itself: the text at `path` of the row fits `pattern` as a whole.

    With `goes_along` the system takes it away together with what it refers to, which it does not keep from going.
    """

    name: str
    path: tuple[str, ...]
    pattern: str = r".+"
    goes_along: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """How much an object of the document is, in a word: the sum of the numbers at `path`, where `*` is any key."""

    name: str
    path: tuple[str, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class CalledAs:
    """Objects of another kind that an entry is called as: those whose fields equal ours (`same`: ours, theirs)."""

    kind: str
    same: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Keyed:
    """What the entry of a live object is called that is imported: as others are (`called_as`, the first that there is one of), else as
    the field `path` says without its slashes, else by its own name.

    What refers to `within` tells two apart whose keys are the same; with `always` so it is called at once.
    """

    called_as: tuple[CalledAs, ...] = ()
    path: str = ""
    within: str = ""
    always: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """How a row that ships with the system is told, which shows what the system takes where nobody says anything.

    It is the one whose value at `path` is `value`. It says something only of objects whose fields in `like` are as its own.
    """

    path: tuple[str, ...]
    value: Any
    like: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of object. `section` is its plural in the document, "" for a kind that only other entries yield.

    `finish_encode(body, values)` and `finish_decode(values, row)` are pure, for what the field table cannot say.
    `controller_owned` says how what a driver or another system made for itself is recognised: nobody has to manage that.
    `system_owned` lists wire values that mark rows which are never ours to touch (`internal: true`). With `mirrored` the system
    keeps a copy of the object on another site, under the same name, which comes and goes with it; `grouped` says how one is told
    that stays while its source may move. `stage` is its column in
    a picture of a site, `measures` what is written there beside its name. An import calls its entries as `keyed` says, and takes what is
    `on_request` only when it is asked for. Of what is `as_evidence` there are many, and what it refers to goes without it: it is read where
    it is declared or owned, and where what it is of is to go. Who is let in and who is kept out, so that nobody is
    cut off unseen, is said by `lets_in`, `closes` and `enforces`, and for single fields by `Admits` and `Revokes`; what else opens access by
    `Opens`. `deleting` says that the system deletes by itself because of it. `mounts` is the kind that work gets at by this one: of all that
    stands on an object it goes first, for a system refuses that while it is in use, and then all the rest is as it was.
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
