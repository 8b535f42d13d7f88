"""A kind: one type of object that vastplan manages, as a frozen table of facts. It has no access to clients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vastplan.model.plan import Stage
from vastplan.schema.access import Closes, Deleting, Enforces, LetsIn
from vastplan.schema.across_sites import Grouped, Lands
from vastplan.schema.creation import Delivers, Once
from vastplan.schema.dependents import Contents, Dependents, Precedes, UsedBy
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.field import Field
from vastplan.schema.import_keys import Keyed
from vastplan.schema.live import Attribute, ControllerOwned, Measure, Metric, Ready, Witness
from vastplan.schema.markers import Since, Until
from vastplan.schema.walk import table

Row = dict[str, Any]
Values = dict[str, Any]


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
        object.__setattr__(self, "fields", table(self.fields))

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
