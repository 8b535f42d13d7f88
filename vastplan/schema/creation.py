"""What exists only at the create of an object: values that are delivered once, and objects that are not recreated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vastplan.model.dataclass import dataclass


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
class CreatedFrom:
    """The object gets its first data from an object of one of the other `kinds`, which must exist when it is created.

    `same` are pairs of a field of this object and one of the other; the rule applies where all of the first and the field
    `needs` have a value, and the field `unless` has none. `fits(values, name, created)` says whether an object of that name and time of creation (in ISO 8601;
    "" if that is unknown) is meant. `missing(values)` returns what is wrong where there is none, and what to write.
    """

    kinds: tuple[str, ...]
    same: tuple[tuple[str, str], ...]
    missing: Callable[[dict[str, Any]], tuple[str, str]]
    fits: Callable[[dict[str, Any], str, str], bool] = lambda _values, _name, _created: True
    needs: str = ""
    unless: str = ""


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
