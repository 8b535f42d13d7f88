"""The entries of a document by site: one object each, or a composite entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Where
from vastplan.model.value import Ref
from vastplan.model.wording import plural
from vastplan.schema.compile import fields_of
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind

_T = TypeVar("_T")


class Inside(NamedTuple):
    """The entry that contains another one in the document, and whether the inner one takes its name from it (`project:` in
    a tenant)."""

    container: Address
    shares_name: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One object on one site: its symbolic values, its place in the document, the entry that it was composed from (`origin`),
    and the fields that a composition filled in (`chosen`)."""

    address: Address
    values: dict[str, Any]
    where: Where | None = None
    origin: str = ""
    chosen: tuple[str, ...] = ()
    after: tuple[Address, ...] = ()  # objects that must be in place first, although no field refers to them
    beside: tuple[tuple[str, Address], ...] = ()
    """Fields that name another object by text only, with that object: where both are to change, neither is changed without the
    other."""
    goes_by: tuple[Ref, ...] = ()  # objects that this one needs and names by text only, such as the owner of a bucket
    named: tuple[tuple[str, Ref], ...] = ()
    """Fields that name, by text only, an object that the document does not have: it must exist, and must not be deleted."""
    renamed_from: str = ""
    """Its former name: what the ledger owns under that name is this object. For a part it follows from the entries' renames."""
    kept_by: str = ""  # of a renamed object: what to write, and where, so that the live object keeps its name
    defaults: tuple[str, ...] = ()  # fields that nobody wrote: the live values stay, once the ledger owns the object
    inside: Inside | None = None  # the entry that contains it in the document
    common: bool = False  # one object per site for all documents: left alone if another one manages it so

    @property
    def called(self) -> str:
        """Its name in its system, which may differ from the name in its address."""
        return str(self.values.get("name", self.address.name))

    def without(self, *names: str) -> dict[str, Any]:
        """The values without those of `names`."""
        return {name: value for name, value in self.values.items() if name not in names}

    def part(
        self,
        kind: str,
        name: str,
        values: Mapping[str, Any],
        *,
        chosen: tuple[str, ...] = (),
        after: tuple[Address, ...] = (),
        beside: tuple[tuple[str, Address], ...] = (),
        defaults: tuple[str, ...] = (),
    ) -> Entry:
        """A part of this entry: an object on the same site, with the same origin and place in the document."""
        origin = self.origin or str(self.address)
        address = Address(self.address.site, kind, name)
        return Entry(address, dict(values), self.where, origin, chosen, after, beside, defaults=defaults)

    def standing_for(
        self,
        values: Mapping[str, Any],
        *,
        chosen: tuple[str, ...] | None = None,
        after: tuple[Address, ...] | None = None,
    ) -> Entry:
        """The object that replaces this entry at the same address."""
        return replace(
            self,
            values=dict(values),
            chosen=self.chosen if chosen is None else chosen,
            after=self.after if after is None else after,
        )

    def ref(self, kind: str, name: str) -> Ref:
        """A reference to an object on the same site."""
        return Ref(Address(self.address.site, kind, name))


@dataclass(frozen=True, slots=True)
class EntryType:
    """A section of the document: its model, and the systems that a site must have to hold one of its entries."""

    name: str
    section: str
    model: type[BaseModel]
    fields: tuple[Field, ...]
    systems: Callable[[Mapping[str, Any]], frozenset[str]]
    within_tenant: bool
    contains: bool = False
    """Whether its entries may contain other entries: those of types with a field of this type's name."""
    sites: Callable[[Mapping[str, Any]], tuple[str, ...]] | None = None
    follows: str = ""
    """The field whose target decides on which sites an entry is that names none: where the target is."""

    @property
    def noun(self) -> str:
        """The word for one entry in messages. It is taken from the section where the type's name is the system's own word."""
        return self.name if plural(self.name) == self.section or not self.section else self.section.removesuffix("s")


def composite(
    model: type[BaseModel],
    *,
    name: str,
    section: str,
    systems: Callable[[Mapping[str, Any]], frozenset[str]],
    sites: Callable[[Mapping[str, Any]], tuple[str, ...]] | None = None,
    follows: str = "",
) -> EntryType:
    """The type of an entry that is not a single object; a composition turns it into objects."""
    within_tenant = "tenant" in model.model_fields
    return EntryType(name, section, model, fields_of(model), systems, within_tenant, sites=sites, follows=follows)


def entry_type(kind: Kind) -> EntryType:
    """The entry type of a kind that has a section in the document."""
    systems = frozenset({kind.system})
    return EntryType(
        kind.name, kind.section, kind.model, kind.fields, lambda _: systems, kind.within_tenant, kind.contains
    )


@dataclass(frozen=True, slots=True)
class Site:
    """What compositions may know about a site: its systems, its settings, and the probed facts (empty offline)."""

    name: str
    systems: frozenset[str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    probed: Mapping[str, Any] = field(default_factory=dict)
