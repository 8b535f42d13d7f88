"""Who gets access by an object and who is kept out, and what deletes data by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LetsIn:
    """The object gives clients access: deleting it cuts off those who use what it gives access to, and its dependents.

    `without` says in messages what they lose. With `replaceable` clients need any object of that name, so a replacement cuts
    nobody off. `into` is the field that refers to the target of the access: where the target is to be deleted, the object is
    deleted together with it, without consent of its own, and never without it. A change of a field in `by`, but a switch that is put
    on, cuts off those who use it, as a delete does. `who` are the fields that say whom a new object lets in, and into what.
    """

    without: str
    replaceable: bool = False
    into: str = ""
    by: tuple[str, ...] = ()
    who: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Backs:
    """The object keeps out clients who could otherwise bypass what closes other objects. It is not deleted while such a closed
    object exists: one of another `kind` whose `field` has one of this object's values."""

    kind: str
    field: str


@dataclass(frozen=True, slots=True)
class Closes:
    """The object keeps something closed: creating it cuts users off, deleting it opens access.

    The users are objects of another `kind` whose field `user_field` has (or lists) the value of this object's field `field`, each in
    the room that its field `room` names. Rooms in this object's list `but` keep access; where its field `unless` is true, all
    do. Where a field in `by` has a wrong value, the object has kept nothing closed so far. For messages: `name` is the word for
    one user, `fix` says how to spare a room, and `unseen` describes users that do not exist yet. With `named` messages also
    list the users, because nothing else does. `backs` describes the objects that are closed in vain without this one. `within` (a kind,
    an attribute) limits the rooms to those that live objects of that kind have as this attribute; empty for all rooms.
    """

    kind: str
    name: str
    field: str
    user_field: str
    room: str
    but: str = ""
    unless: str = ""
    by: tuple[str, ...] = ()
    fix: str = ""
    backs: Backs | None = None
    unseen: str = ""
    named: bool = False
    within: tuple[str, str] = ("", "")


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
        modes = values.get(self.when[0]) if self.when is not None else None
        return self.when is None or not isinstance(modes, list) or self.when[1] in modes


@dataclass(frozen=True, slots=True)
class Deleting:
    """The object is a rule by which the system itself deletes data, in what the object's field `of` refers to. The fields that
    say what and when are marked `Deletes`. While the object's field `unless` is false, nothing is deleted."""

    of: str
    unless: str
