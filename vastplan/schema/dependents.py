"""What depends on an object, uses it, counts against its limit, or is created after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from vastplan.model.dataclass import dataclass


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
class DataPlace:
    """Where the data of an object is: the values of `fields` on its site. An object with other values starts without that data.

    With `stays` the data outlives its object: one that is replaced at the same place has it again. An object with a value in
    `points_by` only points to data. `to_site`, and `within` by the one field that changes, say how a person takes the data to
    another site, or to another place of the site; they may contain `{old}`, the object that has it, `{there}` and `{here}`, the
    two sites, `{document}`, and the new value of a field.
    """

    fields: tuple[str, ...]
    stays: bool = True
    points_by: str = ""
    to_site: str = ""
    within: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UsedBy:
    """Objects of another `kind` (users) that use an object of this kind, each in the room (a namespace, a tenant) that its field
    `room` names.

    The user's field `user_field` has, or lists, the value of this object's field `field`. With `same_room` a name counts only in its
    room: objects of this kind have the field `room` too. `name` is the word for users in messages.
    """

    kind: str
    name: str
    field: str
    user_field: str
    room: str
    same_room: bool = False


@dataclass(frozen=True, slots=True)
class Linked:
    """Objects of another `kind` that have equal fields: pairs of this object's field or attribute and theirs; `id` is the id.

    A field of theirs that is a list has each of its items, and may be one of the object that it refers to (`project.namespace`).
    Pairs in `agree` must not differ, as far as both are known. With `counted` only those whose figure of that name is not zero count.
    """

    kind: str
    same: tuple[tuple[str, str], ...]
    agree: tuple[tuple[str, str], ...] = ()
    counted: str = ""


@dataclass(frozen=True, slots=True)
class HeldData:
    """How much data an object of this kind holds, limits or protects, and when that is known to be none.

    It is its own byte figure among `figures` (of the object or its contents), else the greatest of what `links` lead to. It is none only
    where every figure was read and is zero: its own `alone`, or with at least one of the links, because systems report use late.
    `part` says why what is found may not be all: then none found is unknown. An object whose figure `nothing` is above zero has no
    data yet, and with `while_` an object whose figure of that name is zero has none of its own. `tied` are the figures in `in_use` that
    only say that it is tied to what holds the data. `says` is the name of the evidence, `unprotected` the field that names what is no
    longer protected without the object.
    """

    figures: tuple[str, ...] = ()
    links: tuple[Linked, ...] = ()
    alone: bool = False
    part: str = ""
    nothing: str = ""
    while_: str = ""
    tied: tuple[str, ...] = ()
    says: str = "used"
    unprotected: str = ""


@dataclass(frozen=True, slots=True)
class Mounting:
    """Workloads mount objects of another `kind` through an object of this kind, which names them by text: this object's `field` has
    the value of one of their fields `of`.

    With `room`, a field of an object that this one refers to (`vip_pool.tenant`), only objects with the same value in their field of
    that name are meant, as far as it is known.
    """

    kind: str
    field: str
    of: tuple[str, ...]
    room: str = ""


@dataclass(frozen=True, slots=True)
class RefusesDelete:
    """A figure above zero: the system then refuses to delete the object, whatever is approved.

    It is a figure of the object or of its contents, or the number of dependents of that name, without those that the same plan
    deletes. With `field` this holds for objects that have a value there; without a figure, for all objects of the system's own
    (`Kind.system_owned`). `why` is the system's rule, `fix` what a person does instead.
    """

    figure: str
    why: str
    fix: str
    field: str = ""


def built_in(system: str) -> RefusesDelete:
    """No object that a system comes with is deleted."""
    return RefusesDelete(
        "", f"{system} deletes no object that it comes with", "release it: vastplan ledger forget PATH ADDRESS"
    )


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
class Precedes:
    """Objects of another kind, on another site, that are created after an object of this kind, because this one creates what
    they belong to.

    They are those with equal fields (`same`: pairs of this object's field and theirs). With `here` they are on the same site.
    """

    kind: str
    same: tuple[tuple[str, str], ...]
    here: bool = False
