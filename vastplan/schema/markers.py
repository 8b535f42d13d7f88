"""Markers: the facts about a field that stand next to its name, in `Annotated[type, MARKER, ...]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, Literal


class Marker(Enum):
    """Facts without parameters."""

    IDENTITY = "identity"  # part of what makes two objects the same
    IMMUTABLE = "immutable"  # a change means replace
    CREATE_ONLY = "create-only"  # an option of the act of creating; never compared
    WRITE_ONLY = "write-only"  # cannot be read back; compared with what was last applied
    SENSITIVE = "sensitive"  # never shown
    ONE_WAY = "one-way"  # can be switched on, never off
    GROW_ONLY = "grow-only"  # can only become larger; a smaller value is an error
    SET = "set"  # order and repetition mean nothing
    MADE_WITH = "made-with"  # beside IMMUTABLE: another value is refused, and the object is not replaced for it
    DETAIL = "detail"  # only the detail view has it
    AFTER_CREATE = "after-create"  # ignored by the create call; sent in an update right after
    DOCUMENT = "document"  # not on the wire: an instruction to vastplan
    NAMED = "named"  # filled in from the entry's key
    RESENT = "resent"  # goes along with every update: the system wants it, or takes it for something else where it is left out
    ATOMIC = (
        "atomic"  # sent whole, never a part of it: the struct, or all such fields in one top-level field of the wire
    )
    EXPLICIT_NULL = "explicit-null"  # null is a choice (all, none): a create sends it, letting go never writes it

    __hash__ = object.__hash__  # members are one each; the hash of Enum runs in Python, a million times in a large plan


IDENTITY, IMMUTABLE, CREATE_ONLY, WRITE_ONLY = Marker.IDENTITY, Marker.IMMUTABLE, Marker.CREATE_ONLY, Marker.WRITE_ONLY
SENSITIVE, ONE_WAY, GROW_ONLY, SET = Marker.SENSITIVE, Marker.ONE_WAY, Marker.GROW_ONLY, Marker.SET
DETAIL, AFTER_CREATE, DOCUMENT, ATOMIC, NAMED = (
    Marker.DETAIL,
    Marker.AFTER_CREATE,
    Marker.DOCUMENT,
    Marker.ATOMIC,
    Marker.NAMED,
)
EXPLICIT_NULL, RESENT, MADE_WITH = Marker.EXPLICIT_NULL, Marker.RESENT, Marker.MADE_WITH


@dataclass(frozen=True, slots=True, init=False)
class Wire:
    """Where the field is in the API's object; the default is its own name. `Wire()` spreads a struct into its parent."""

    path: tuple[str, ...]

    def __init__(self, *path: str) -> None:
        object.__setattr__(self, "path", path)


@dataclass(frozen=True, slots=True, init=False)
class ShownAt:
    """Where an answer shows the field, where that is another place than the one at which it is sent."""

    path: tuple[str, ...]

    def __init__(self, *path: str) -> None:
        object.__setattr__(self, "path", path)


@dataclass(frozen=True, slots=True, init=False)
class Refers:
    """The field names another object: the kinds it may be of, with the attribute that goes on the wire.

    `blocks_delete` says that the target cannot be deleted while it is referred to (ids do, names mostly do not);
    `shields` says that this object keeps the target closed, so it must not go while the target stays; `needs` that it is of
    no use without something of that name: no system minds, so it is ours to see that the name does not go; `admits` that
    whoever the target lets in comes in here by it, so that by another target others do. With `composed` only a
    composition can tell which object is meant (on which site, of which kind): until then the value stays as it is written.
    """

    targets: tuple[tuple[str, str], ...]
    blocks_delete: bool
    shields: bool
    needs: bool
    admits: bool
    composed: bool
    attributes: Mapping[str, str] = field(compare=False)

    def __init__(
        self,
        *targets: str,
        blocks_delete: bool = True,
        shields: bool = False,
        needs: bool = False,
        admits: bool = False,
        composed: bool = False,
    ) -> None:
        pairs = tuple((kind, attribute or "id") for kind, _, attribute in (target.partition(".") for target in targets))
        object.__setattr__(self, "targets", pairs)
        object.__setattr__(self, "blocks_delete", blocks_delete)
        object.__setattr__(self, "shields", shields)
        object.__setattr__(self, "needs", needs)
        object.__setattr__(self, "admits", admits)
        object.__setattr__(self, "composed", composed)
        object.__setattr__(self, "attributes", dict(pairs))

    def attribute(self, kind: str) -> str:
        """The attribute that goes on the wire for a target of `kind`."""
        return self.attributes[kind]


@dataclass(frozen=True, slots=True)
class ListMap:
    """A list on the wire that the document writes as a mapping; `path` is where the key is in each item.

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
    """The unit of a canonical number, for people: one of `vastplan.model.units`."""

    name: str


@dataclass(frozen=True, slots=True)
class Codec:
    """How a canonical value is written on the wire and read from it. `read` must accept every dialect of the system."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Typed:
    """How a user writes a canonical value (an item, where it stands at a list's item); the model reads either as the
    same."""

    write: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Shorthand:
    """What a user writes instead of the field: `write` gets the values of the struct and answers with other keys and
    their values, with none where the rest implies the field, or with `None` where only the field says it.

    The struct's model reads it back: what its validator makes of the short form has the field as it was.
    """

    write: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True, init=False)
class Admits:
    """The field lets clients in: what it loses cuts them off, unless one of the wider fields `also` lets them in. It lists them,
    or is a switch that lets everybody in.

    With `open_when_empty` an empty or missing value lets everybody in; `unsaid` are those that a create lets in that does
    not say the field.
    """

    also: tuple[str, ...]
    open_when_empty: bool
    unsaid: tuple[str, ...]

    def __init__(self, *also: str, open_when_empty: bool = False, unsaid: tuple[str, ...] = ()) -> None:
        object.__setattr__(self, "also", also)
        object.__setattr__(self, "open_when_empty", open_when_empty)
        object.__setattr__(self, "unsaid", unsaid)


@dataclass(frozen=True, slots=True, init=False)
class Opens:
    """By the field somebody may get at more than before, though it lists no clients: people are told, and no guard asks.

    What comes into a list opens; of other values those in `to`, or where there are none any that is not in `shut`. With `lost`
    it is what goes that opens: items of a list (those in `to`, where there are any), or all of it. With `either` what comes
    into a list opens as what goes does. Without `made` nothing opens by what an object is made with.
    """

    to: tuple[Any, ...]
    shut: tuple[Any, ...]
    lost: bool
    either: bool
    made: bool

    def __init__(
        self, *to: Any, shut: tuple[Any, ...] = (), lost: bool = False, either: bool = False, made: bool = True
    ) -> None:
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "either", either)
        object.__setattr__(self, "shut", shut)
        object.__setattr__(self, "lost", lost)
        object.__setattr__(self, "made", made)


@dataclass(frozen=True, slots=True)
class Revokes:
    """By the field somebody has access: what goes of it (the value, or items of a list) takes that away at once, and a guard asks.

    No system tells who works by it, so nothing has to be in use. What comes instead takes nothing away. `without` says for people
    what is lost. With `of` only those values give access; `lost` says what of a value goes by another one, where that is not
    what stands in it no more.
    """

    without: str
    of: tuple[Any, ...] = ()
    lost: Callable[[Any, Any], list[str]] | None = None


@dataclass(frozen=True, slots=True, init=False)
class MadeWith:
    """Beside IMMUTABLE: a change from or to one of these values is refused, and the object is not replaced for it. `another` says for
    people how to have the other value all the same."""

    of: tuple[Any, ...]
    another: str

    def __init__(self, *of: Any, another: str) -> None:
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "another", another)


@dataclass(frozen=True, slots=True, init=False)
class Limits:
    """Each item of the list limits somebody whom it names by text: by a key of the item the kind and the attribute it is of.

    Who goes is limited until he is gone: what is taken out of the list with him goes no further than he does.
    """

    whom: Mapping[str, tuple[str, str]]

    def __init__(self, **whom: str) -> None:
        pairs = {key: (kind, attribute) for key, text in whom.items() for kind, _, attribute in (text.partition("."),)}
        object.__setattr__(self, "whom", pairs)


@dataclass(frozen=True, slots=True)
class Deletes:
    """By the field a system deletes what people keep, by itself. `more` says of a value before and one after whether by the change
    it deletes sooner, or more than before; `None` is a value that nobody set, before an object is there too.
    """

    more: Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True, init=False)
class Exclusive:
    """The field lists ranges of IP addresses, none of which two objects of the kind hold at once on a site.

    Where a field of `within` differs it is another network, and its addresses are others.
    """

    within: tuple[str, ...]

    def __init__(self, *within: str) -> None:
        object.__setattr__(self, "within", within)


@dataclass(frozen=True, slots=True)
class InsteadOf:
    """The field says in another way what another one says: where that can say it, it is left out of what is written.

    `keys` are those of mappings, each with the field that it is in, which it says too: they are left out where it is written.
    """

    field: str
    keys: tuple[tuple[str, str], ...] = ()


class Evidence(Enum):
    """How it is known what a system takes for a field that nobody writes."""

    SCHEMA = "schema"  # `default` in the schema of every document of the vendor that has the field
    PROSE = "prose"  # the vendor's documentation says so in words
    WITNESS = "witness"  # a client or a simulator says so, and no row that ships with the system speaks against it


SCHEMA, PROSE, WITNESS = Evidence.SCHEMA, Evidence.PROSE, Evidence.WITNESS


@dataclass(frozen=True, slots=True)
class SameAs:
    """The value of another field at the top of the object."""

    field: str


@dataclass(frozen=True, slots=True)
class AsWitness:
    """What the row shows that ships with the system; of a reference, which no document can name beforehand."""


@dataclass(frozen=True, slots=True)
class ServerDefault:
    """What the system takes where nobody writes the field: canonical, as the model validates it, `SameAs` another field, or
    `AsWitness`.

    `None` is nothing at all. `since` is the first version of the kind's product whose documents say so: of an older one, or
    of one that is not known, it is no better known than by a witness. Fields with the same `group` are left out together
    or not at all: each of them alone would not show what the others do.
    """

    value: Any
    evidence: Evidence
    since: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True, init=False)
class Shown:
    """Of a mapping with free keys: those whose values hold no secret, so that they may be kept where others read them.

    Without any it is all of them: by their type the values can hold none.
    """

    keys: frozenset[str]

    def __init__(self, *keys: str) -> None:
        object.__setattr__(self, "keys", frozenset(keys))

    def has(self, key: str) -> bool:
        """Whether the value of a key may be kept."""
        return not self.keys or key in self.keys


@dataclass(frozen=True, slots=True, init=False)
class Theirs:
    """Of a mapping with free keys: each belongs to whoever wrote it, so an import takes only what somebody asks for.

    Keys in `never` are not taken either way: they hold whole objects.
    """

    never: frozenset[str]

    def __init__(self, *never: str) -> None:
        object.__setattr__(self, "never", frozenset(never))

    def asked_for(self, key: str, patterns: Iterable[str]) -> bool:
        """Whether a key fits a pattern, and may be taken."""
        return key not in self.never and any(fnmatchcase(key, pattern) for pattern in patterns)


Product = Literal["vms", "csi", "runai", "kubernetes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _VersionMarker:
    """About which of a field's values it is, and when: the whole field where nothing is said.

    `values` are values of the field or of its items, or keys of a mapping (a key with a dot counts as what stands before the
    dot too). With `when` it holds only where another field of the struct has that value. `inside` names a field of the
    object that the field refers to: its keys are meant. `subject` is what to call it for people, `fix` what to do.
    """

    values: tuple[str, ...] = ()
    when: tuple[str, Any] | None = None
    inside: str = ""
    subject: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Since(_VersionMarker):
    """The product has it from this version on."""

    product: Product
    version: str


@dataclass(frozen=True, slots=True)
class Until(_VersionMarker):
    """The product has it no more from this version on."""

    product: Product
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredFrom:
    """The product makes no object without the field, or struct that it is in, from this version on, and until that one."""

    product: Product
    version: str
    until: str
    fix: str = ""
