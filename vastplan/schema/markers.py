"""Markers: facts about a field, written in its annotation: `Annotated[type, MARKER, ...]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, Literal

from vastplan.model.dataclass import dataclass


class Marker(Enum):
    """Facts without parameters."""

    IDENTITY = "identity"  # objects with the same values in all such fields are the same object
    IMMUTABLE = "immutable"  # a change replaces the object
    FIRST_VALUE = "first-value"  # together with IMMUTABLE: a first value, where there was none, is an update
    CREATE_ONLY = "create-only"  # an option of the create call; never compared
    WRITE_ONLY = "write-only"  # cannot be read back; compared with what was last applied
    SENSITIVE = "sensitive"  # never shown
    ONE_WAY = "one-way"  # can be switched on, never off
    GROW_ONLY = "grow-only"  # can only become larger; a smaller value is an error
    SET = "set"  # a list in which order and repetition do not matter
    CREATED_WITH = (
        "created-with"  # together with IMMUTABLE: another value is refused, and the object is not replaced for it
    )
    DETAIL = "detail"  # only the detail view shows it, not a list
    AFTER_CREATE = "after-create"  # ignored by the create call; sent in an update right after
    DOCUMENT = "document"  # not on the wire: an instruction to vastplan
    NAMED = "named"  # filled in from the entry's key
    RESENT = "resent"  # sent with every update: the system requires it, or takes its absence for another value
    ATOMIC = (
        "atomic"  # sent whole, never in part: the struct, or all such fields in the same top-level field of the wire
    )
    EXPLICIT_NULL = "explicit-null"  # null is a value (all, none): a create sends it, a detach never writes it

    __hash__ = object.__hash__  # members are singletons; Enum's hash runs in Python, a million times in a large plan


IDENTITY, IMMUTABLE, CREATE_ONLY, WRITE_ONLY = Marker.IDENTITY, Marker.IMMUTABLE, Marker.CREATE_ONLY, Marker.WRITE_ONLY
SENSITIVE, ONE_WAY, GROW_ONLY, SET = Marker.SENSITIVE, Marker.ONE_WAY, Marker.GROW_ONLY, Marker.SET
DETAIL, AFTER_CREATE, DOCUMENT, ATOMIC, NAMED = (
    Marker.DETAIL,
    Marker.AFTER_CREATE,
    Marker.DOCUMENT,
    Marker.ATOMIC,
    Marker.NAMED,
)
EXPLICIT_NULL, RESENT, CREATED_WITH = Marker.EXPLICIT_NULL, Marker.RESENT, Marker.CREATED_WITH
FIRST_VALUE = Marker.FIRST_VALUE


@dataclass(frozen=True, slots=True, init=False)
class Wire:
    """The field's place in the API's object; by default its own name. `Wire()` spreads a struct into its parent."""

    path: tuple[str, ...]

    def __init__(self, *path: str) -> None:
        object.__setattr__(self, "path", path)


@dataclass(frozen=True, slots=True, init=False)
class ShownAt:
    """The field's place in an answer, where that differs from the place at which it is sent."""

    path: tuple[str, ...]

    def __init__(self, *path: str) -> None:
        object.__setattr__(self, "path", path)


@dataclass(frozen=True, slots=True, init=False)
class Refers:
    """The field refers to another object: the kinds that it may be of, each with the attribute that is sent.

    `blocks_delete` says that the target cannot be deleted while it is referred to (true for ids, mostly not for names).
    `shields` says that this object keeps the target closed, so it must not be deleted while the target stays. `needs`
    says that this object is useless without an object of that name: no system checks that, so vastplan checks that the
    target is not deleted. `admits` says that the clients whom the target lets in get access to this object through it, so
    another target lets in other clients. `uses` are the items (protocols, see `Through`) by which clients reach the target through this
    object. With `composed` only a composition can determine which object is meant (on which
    site, of which kind): until then the value stays as it is written.
    """

    targets: tuple[tuple[str, str], ...]
    blocks_delete: bool
    shields: bool
    needs: bool
    admits: bool
    uses: tuple[str, ...]
    composed: bool
    attributes: Mapping[str, str] = field(compare=False)

    def __init__(
        self,
        *targets: str,
        blocks_delete: bool = True,
        shields: bool = False,
        needs: bool = False,
        admits: bool = False,
        uses: tuple[str, ...] = (),
        composed: bool = False,
    ) -> None:
        pairs = tuple((kind, attribute or "id") for kind, _, attribute in (target.partition(".") for target in targets))
        object.__setattr__(self, "targets", pairs)
        object.__setattr__(self, "blocks_delete", blocks_delete)
        object.__setattr__(self, "shields", shields)
        object.__setattr__(self, "needs", needs)
        object.__setattr__(self, "admits", admits)
        object.__setattr__(self, "uses", uses)
        object.__setattr__(self, "composed", composed)
        object.__setattr__(self, "attributes", dict(pairs))

    def attribute(self, kind: str) -> str:
        """The attribute that is sent for a target of `kind`."""
        return self.attributes[kind]


@dataclass(frozen=True, slots=True)
class ListMap:
    """A list on the wire that the document writes as a mapping; `path` is the place of the key in each item.

    When the key names another object, `refers` says which kind and attribute are sent, at `writes`.
    """

    path: tuple[str, ...]
    refers: Refers | None = None
    writes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clears:
    """What `null` sends, and what else a system may answer for a cleared field."""

    sends: Any
    also: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a canonical number, for messages: one of `vastplan.model.units`."""

    name: str


@dataclass(frozen=True, slots=True)
class Codec:
    """How a canonical value is written on the wire and read from it. `read` must accept every dialect of the system."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Texts for which `of` returns the same mean the same, and a system may keep one for another: the case of a DNS name. The text
    is sent and shown as it is written. `of` accepts any text, and returns a canonical text unchanged.

    For a value whose canonical form can be sent as well, a validator and a `Codec` that return that form are simpler.
    """

    of: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Typed:
    """How a user writes a canonical value, or an item where the marker is on the items of a list. The model reads both
    forms as the same value."""

    write: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Shorthand:
    """A short form of the field: `write` gets the values of the struct and returns the other keys to write, with their values.

    It returns no keys where the rest implies the field, and `None` where only the field itself can express the value. The
    struct's model reads the short form: its validator rebuilds the field from it.
    """

    write: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True, init=False)
class Admits:
    """The field lets clients in: those that are removed from it are cut off, unless one of the wider fields `also` lets them in.

    It lists clients, or is a switch that lets everybody in. With `open_when_empty` an empty or missing value lets everybody
    in, if the fields `beside` are empty too; `unsaid` lists the clients that a create without the field lets in.

    Of a client that a wider field lists too, no document says which of both counts: with `restricts` a removal from this field may give
    it the wider access. An item that begins with `refuses` keeps its client out. With `addresses` the items are no clients but
    addresses at which clients reach the object; it names the fields with the prefix lengths of their IPv4 and IPv6 subnets, in which
    further addresses let in nobody. `through` says on what the access by each item depends.
    """

    also: tuple[str, ...]
    open_when_empty: bool
    beside: tuple[str, ...]
    unsaid: tuple[str, ...]
    restricts: bool
    refuses: str
    addresses: tuple[str, ...]
    through: Through | None

    def __init__(
        self,
        *also: str,
        open_when_empty: bool = False,
        beside: tuple[str, ...] = (),
        unsaid: tuple[str, ...] = (),
        restricts: bool = False,
        refuses: str = "",
        addresses: tuple[str, ...] = (),
        through: Through | None = None,
    ) -> None:
        object.__setattr__(self, "also", also)
        object.__setattr__(self, "open_when_empty", open_when_empty)
        object.__setattr__(self, "beside", beside)
        object.__setattr__(self, "unsaid", unsaid)
        object.__setattr__(self, "restricts", restricts)
        object.__setattr__(self, "refuses", refuses)
        object.__setattr__(self, "addresses", addresses)
        object.__setattr__(self, "through", through)


@dataclass(frozen=True, slots=True)
class Through:
    """Each item of a field (a protocol) lets in the clients that fields of another object list, to which the field `refers` refers.

    `lists` are those fields by item, `rights` further fields that count for clients of the item; an item that has no lists depends on
    nothing there. `always` are lists that count for every item.
    """

    refers: str
    lists: Mapping[str, tuple[str, ...]]
    rights: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    always: tuple[str, ...] = ()

    def items(self, name: str) -> set[str]:
        """The items that depend on a field; empty if all or none do."""
        return {item for lists in (self.lists, self.rights) for item, names in lists.items() if name in names}

    @property
    def access(self) -> set[str]:
        """The fields that list clients."""
        return {*self.always, *(name for names in self.lists.values() for name in names)}


@dataclass(frozen=True, slots=True, init=False)
class Opens:
    """A change of the field may give somebody more access than before, although the field lists no clients: reports show it, and
    no guard asks for consent.

    A value that is added to a list opens access; so does a single value in `to`, or without `to` any value that is not in
    `shut`. With `lost` a removal opens: of items of a list (those in `to`, if any), or of the whole value. With `either`
    additions and removals open. Without `at_create` the value that an object is created with opens nothing. With `existing_only` a
    new object's reference to an object that the same plan creates opens nothing: of that object its own fields say whom they let in.

    `whom` says in reports who gets in, or at what, where the value does not show it: in words, or from the value before and the one after.
    A change for which it returns nobody opens nothing; `None` is unknown.
    """

    to: tuple[Any, ...]
    shut: tuple[Any, ...]
    lost: bool
    either: bool
    at_create: bool
    existing_only: bool
    whom: str | Callable[[Any, Any], list[str] | None]

    def __init__(
        self,
        *to: Any,
        shut: tuple[Any, ...] = (),
        lost: bool = False,
        either: bool = False,
        at_create: bool = True,
        existing_only: bool = False,
        whom: str | Callable[[Any, Any], list[str] | None] = "",
    ) -> None:
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "either", either)
        object.__setattr__(self, "shut", shut)
        object.__setattr__(self, "lost", lost)
        object.__setattr__(self, "at_create", at_create)
        object.__setattr__(self, "existing_only", existing_only)
        object.__setattr__(self, "whom", whom)


@dataclass(frozen=True, slots=True)
class Revokes:
    """The field gives somebody access: a removal (of the value, or of items of a list) takes the access away at once, and a
    guard asks for consent.

    No system shows who uses that access, so the guard asks also where nothing is known to be in use. Additions take nothing
    away. `without` says in messages what is lost. With `of` only those values give access. `lost` returns what a change from one
    value to another takes away, where that is more than the removed items.
    """

    without: str
    of: tuple[Any, ...] = ()
    lost: Callable[[Any, Any], list[str]] | None = None


@dataclass(frozen=True, slots=True, init=False)
class CreatedWith:
    """Together with IMMUTABLE: a change from or to one of these values is refused, and the object is not replaced for it.

    `another` says in messages how to get the other value.
    """

    of: tuple[Any, ...]
    another: str

    def __init__(self, *of: Any, another: str) -> None:
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "another", another)


@dataclass(frozen=True, slots=True)
class Grows:
    """Together with GROW_ONLY: a value grows only where `switch` is true on the object that the field `where` refers to, and only
    while the object's own fact `fact` is not 0."""

    where: str
    switch: str
    fact: str


@dataclass(frozen=True, slots=True)
class FixedWhile:
    """The system refuses a change of the field while `by`, another field or a figure of the live object, is true or above 0.

    With `refused` only some changes, which `cannot` says in messages: it takes the value before and the value after.
    """

    by: str
    cannot: str = "change"
    refused: Callable[[Any, Any], bool] = lambda _before, _after: True


@dataclass(frozen=True, slots=True, init=False)
class Limits:
    """Each item of the list limits a user or group that a key of the item names by text; `subjects` maps the key to the kind and the
    attribute of that name.

    A user who is deleted in the same apply stays limited until then: the item is removed after the delete.
    """

    subjects: Mapping[str, tuple[str, str]]

    def __init__(self, **subjects: str) -> None:
        pairs = {
            key: (kind, attribute) for key, text in subjects.items() for kind, _, attribute in (text.partition("."),)
        }
        object.__setattr__(self, "subjects", pairs)


@dataclass(frozen=True, slots=True)
class Deletes:
    """The field controls which data the system deletes by itself.

    `more` takes the value before and the value after, and returns whether the system deletes more, or sooner, after the change;
    `None` is a value that is not set, also before the object exists.
    """

    more: Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Reduces:
    """A change of the field may take something away from those who use the object, although it cuts nobody off: reports show it apart from
    harmless changes.

    `less` takes the value before and the value after; `None` is a value that is not set.
    """

    less: Callable[[Any, Any], bool]


def _smaller(before: Any, after: Any) -> bool:
    return isinstance(before, int | float) and isinstance(after, int | float) and after < before


SMALLER = Reduces(_smaller)
"""A smaller number, also `False` for `True`."""
TIGHTER = Reduces(lambda before, after: bool(after) and (not before or _smaller(before, after)))
"""A smaller limit, or a first one; 0 is none."""
ANOTHER = Reduces(lambda before, after: before is not None and after != before)
"""Any other value than before."""


@dataclass(frozen=True, slots=True, init=False)
class Exclusive:
    """The field lists ranges of IP addresses; no address may be in two objects of the kind on a site.

    Two objects with different values in a field of `within` are in different networks, and may have the same addresses.
    """

    within: tuple[str, ...]

    def __init__(self, *within: str) -> None:
        object.__setattr__(self, "within", within)


@dataclass(frozen=True, slots=True)
class InsteadOf:
    """The field expresses the same as `field`, in another way: where `field` can express it, this one is not written.

    For a mapping, `keys` maps its keys to the fields that have their values: a key is not written where its field is.
    """

    field: str
    keys: tuple[tuple[str, str], ...] = ()


class DefaultEvidence(Enum):
    """How it is known which default a system uses for a field."""

    SCHEMA = "schema"  # `default` in the schema of every document of the vendor that has the field
    PROSE = "prose"  # the vendor's documentation says so in words
    WITNESS = "witness"  # a client or a simulator says so, and no row that ships with the system contradicts it


SCHEMA, PROSE, WITNESS = DefaultEvidence.SCHEMA, DefaultEvidence.PROSE, DefaultEvidence.WITNESS


@dataclass(frozen=True, slots=True)
class SameAs:
    """The value of another field at the top of the object."""

    field: str


@dataclass(frozen=True, slots=True)
class AsWitness:
    """The default is the value in the row that ships with the system: for a reference, whose target no document can name."""


@dataclass(frozen=True, slots=True)
class ServerDefault:
    """The default that the system uses where the field is not written: canonical, as the model validates it, `SameAs`
    another field, or `AsWitness`. `None` means no value.

    `since` is the first version of the kind's product whose documents have the default: for an older or an unknown version it
    counts as `Evidence.WITNESS`. Fields with the same `group` are left out together or not at all: each of them alone would
    not show the effect of the others.
    """

    value: Any
    evidence: DefaultEvidence
    since: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True, init=False)
class Shown:
    """For a mapping with free keys: the keys whose values hold no secret, so that these may be stored where others read them.

    Without keys it means all of them: their type cannot hold a secret.
    """

    keys: frozenset[str]

    def __init__(self, *keys: str) -> None:
        object.__setattr__(self, "keys", frozenset(keys))

    def has(self, key: str) -> bool:
        """Whether the value of a key may be stored."""
        return not self.keys or key in self.keys


@dataclass(frozen=True, slots=True, init=False)
class KeysOfOthers:
    """For a mapping with free keys: each key belongs to whoever wrote it, so an import takes only the keys that are asked for.

    Keys in `never` are never taken: they hold whole objects.
    """

    never: frozenset[str]

    def __init__(self, *never: str) -> None:
        object.__setattr__(self, "never", frozenset(never))

    def asked_for(self, key: str, patterns: Iterable[str]) -> bool:
        """Whether a key matches one of the patterns, and may be taken."""
        return key not in self.never and any(fnmatchcase(key, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class FollowsFrom:
    """The field of an object that only other entries create: `write` says what a person writes in the document for another value,
    "" if nothing in it decides the value."""

    write: str = ""


Product = Literal["vms", "csi", "runai", "kubernetes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _VersionMarker:
    """What a version marker applies to: the whole field, or only some of its values.

    `values` are values of the field or of its items, or keys of a mapping (a key with a dot also counts by the part before the
    dot). With `when` the marker holds only where another field of the struct has that value. With `inside` it applies to the
    keys of that field in the object that this field refers to. `subject` is the name for it in messages, `fix` what to do.
    """

    values: tuple[str, ...] = ()
    when: tuple[str, Any] | None = None
    inside: str = ""
    subject: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Since(_VersionMarker):
    """The product has the field, value or kind from this version on."""

    product: Product
    version: str


@dataclass(frozen=True, slots=True)
class Until(_VersionMarker):
    """The product no longer has the field, value or kind from this version on."""

    product: Product
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredFrom:
    """From `version` on, and before `until`, the product creates no object without the field, or no struct that contains it
    without the field."""

    product: Product
    version: str
    until: str
    fix: str = ""
