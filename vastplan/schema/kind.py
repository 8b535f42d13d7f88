"""A kind: one type of object that vastplan manages, as a frozen table of facts. It has no access to clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, field, replace
from typing import Any

from pydantic import BaseModel

from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Stage
from vastplan.schema.access import Closes, Deleting, Enforces, LetsIn
from vastplan.schema.compile import fields_of
from vastplan.schema.creation import CreatedFrom, Delivers, Once
from vastplan.schema.dependents import (
    Contents,
    DataPlace,
    Dependents,
    HeldData,
    Linked,
    Mounting,
    Precedes,
    RefusesDelete,
    UsedBy,
)
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.field import Field
from vastplan.schema.import_keys import Keyed
from vastplan.schema.live import Attribute, ControllerOwned, Measure, Metric, States, Witness
from vastplan.schema.markers import Marker, SameAs, Since, Until
from vastplan.schema.site_groups import Grouped, RemoteDirectory
from vastplan.schema.walk import FieldTable

Row = dict[str, Any]
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of object, declared from its model; every kind has the attributes `id`, `path` (its locator) and, if it has that
    field, `name`.

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

    Raises:
        TypeError: A marker is inside a union, where it has no effect; no field is marked IDENTITY; an attribute is predicted from
            no field, or from one that does not exist; a kind that is read by name has no predicted path; a kind that delivers
            values lacks the fields for that; or `unique`, `data_elsewhere`, a default or the witness names a field that does not exist.
    """

    model: type[BaseModel]
    _: KW_ONLY
    name: str
    system: str
    endpoint: Endpoint
    section: str = ""
    attributes: tuple[Attribute, ...] = ()
    data_bearing: bool = False
    data_elsewhere: tuple[str, Any] | None = None  # a field and its live value in an object that only points to data
    data_place: DataPlace | None = None  # where its data is, for a kind whose objects start empty elsewhere
    metrics: tuple[Metric, ...] = ()
    in_use: tuple[str, ...] = ()  # figures that block a delete while they are above zero, until somebody accepts them
    # (field path, metric or contents): a limit that must not go below what is used; `*` in the path is the metric's key
    floors: tuple[tuple[str, str], ...] = ()
    contents: tuple[Contents, ...] = ()
    dependents: tuple[Dependents, ...] = ()  # read only where an object of this kind is to be deleted
    refuses_delete: tuple[RefusesDelete, ...] = ()
    # objects whose data this one protects or limits: it is deleted after those of them that the same plan deletes
    protects: tuple[Dependents, ...] = ()
    held: HeldData | None = None  # how much data goes with an object that is deleted
    used_by: tuple[UsedBy, ...] = ()  # who uses the objects, for reports; guards decide by the fields below
    # who is affected when an object is deleted: objects through which others use it, and users themselves, which have a `user_word`
    users: tuple[Linked, ...] = ()
    user_word: str = ""  # the word for objects of this kind among users, plural
    unlisted_users: tuple[str, str] = ("", "")  # the word for users that no system lists, and why
    lets_in: LetsIn | None = None
    closes: tuple[Closes, ...] = ()
    enforces: Enforces | None = None
    deleting: Deleting | None = None
    precedes: tuple[Precedes, ...] = ()
    remote_directory: RemoteDirectory | None = None
    created_from: tuple[CreatedFrom, ...] = ()
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
    called: tuple[str, str] | None = None  # a field, and the word that people have for an object with a value in it
    measures: tuple[Measure, ...] = ()
    states: States | None = None  # what the states that its system reports mean
    versions: tuple[Since | Until, ...] = ()  # the product versions that have the kind
    witness: Witness | None = None
    contains: bool = False  # its entries may contain other entries of the document
    # the right to list these would show other people's objects: where listing is refused, the needed ones are read by name
    read_by_name: bool = False
    keyed: Keyed = field(default_factory=Keyed)
    on_request: bool = False
    as_evidence: bool = False
    mounts: Mounting | None = None
    finish_encode: Callable[[Row, Values], Row] | None = None
    finish_decode: Callable[[Values, Row], Values] | None = None
    fields: FieldTable = field(init=False)
    identity: tuple[str, ...] = field(init=False)
    within_tenant: bool = field(init=False)

    def __post_init__(self) -> None:
        fields = fields_of(self.model)
        if self.endpoint.update is Update.NONE:
            fields = FieldTable(_immutable(field) for field in fields)
        if contradiction := _contradiction(self, fields):
            raise TypeError(f"kind {self.name}: {contradiction}")
        declared = {attribute.name for attribute in self.attributes}
        implied = (attribute for attribute in _implied(self.endpoint, fields) if attribute.name not in declared)
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "identity", _identity(fields))
        object.__setattr__(self, "attributes", (*implied, *self.attributes))
        object.__setattr__(self, "within_tenant", "tenant" in fields.by_name)

    @property
    def distinct_by_id(self) -> bool:
        """Whether a new value takes a new object: objects of this kind are distinguished by their ids alone."""
        return self.delivers is not None and not self.delivers.drawn

    @property
    def secretive(self) -> bool:
        """Whether objects of this kind hold secrets."""
        return self.fields.secret

    def holds_data(self, live: Values | None) -> bool:
        """Whether data goes with an object of this kind that has these live values; `None` for values that are not known."""
        pointer = self.data_elsewhere
        return self.data_bearing and (live is None or pointer is None or live.get(pointer[0]) != pointer[1])

    def field(self, name: str) -> Field:
        """The field of that name; raises `KeyError`."""
        return self.fields.by_name[name]

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name; raises `KeyError`."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(f"{self.name} has no attribute {name}")


def _identity(fields: FieldTable) -> tuple[str, ...]:
    return tuple(field.name for field in fields if field.has(Marker.IDENTITY))


def _implied(endpoint: Endpoint, fields: FieldTable) -> Iterator[Attribute]:
    """The attributes that a kind has without declaring them."""
    yield Attribute("id", endpoint.id)
    yield Attribute("path", ())
    if name := fields.by_name.get("name"):
        yield Attribute("name", name.wire, lambda values: values.get("name"), ("name",))


def _immutable(field: Field) -> Field:
    """The same field, immutable: without updates in the API every change replaces the object."""
    if field.markers & {Marker.IMMUTABLE, Marker.DOCUMENT, Marker.CREATE_ONLY, Marker.IDENTITY}:
        return field
    return replace(field, markers=field.markers | {Marker.IMMUTABLE})


def _contradiction(kind: Kind, fields: FieldTable) -> str:
    """What contradicts itself in the declaration of a kind with these fields, "" if nothing does."""
    if not _identity(fields):
        return "no field is marked IDENTITY"
    field_names = fields.by_name.keys()
    if unknown_names := [name for name in _speaks_of(kind, fields) if name not in field_names]:
        return f"a default or the witness names {unknown_names[0]}, which is not a field of it"
    for attribute in kind.attributes:
        if bool(attribute.of) != (attribute.predict is not None) or not field_names >= set(attribute.of):
            return f"{attribute.name} is predicted from no field, or from one that it does not have"
    delivers = kind.delivers
    if delivers is not None and not field_names >= {delivers.to, delivers.generation}:
        return f"it delivers values, and has no field {delivers.to} or {delivers.generation}"
    if kind.data_elsewhere is not None and kind.data_elsewhere[0] not in field_names:
        return f"data_elsewhere names {kind.data_elsewhere[0]}, which is not a field of it"
    if strange := sorted({name for together in kind.unique for name in together} - field_names):
        return f"unique names {strange[0]}, which is not a field of it"
    if kind.read_by_name and not any(attribute.name == "path" and attribute.predict for attribute in kind.attributes):
        return "it is read by name and has no predicted path"
    return ""


def _speaks_of(kind: Kind, fields: FieldTable) -> Iterator[str]:
    """The fields that defaults and the witness name."""
    defaults = (field.server_default.value for field in fields if field.server_default is not None)
    yield from (default.field for default in defaults if isinstance(default, SameAs))
    if kind.witness is not None:
        yield from (kind.witness.path[0], *kind.witness.like)
