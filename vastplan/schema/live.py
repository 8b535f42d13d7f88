"""What is read of live objects: whether they are well, what others refer to, figures, and which objects belong to others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class States:
    """What the states mean that a system reports at `path`: an object in one of `well` is usable, one in one of `failed` or `ailing` is
    not, and one in one of `leaving` is being deleted. In any other it is on its way. What is `failed` stays so until somebody mends it;
    what is `ailing` may become well by itself. The text at `message` says why.

    An apply waits until what it wrote is well, and ends when it failed; not where it is not `awaited`, because that is up to others.
    """

    path: tuple[str, ...]
    well: frozenset[Any]
    failed: frozenset[Any] = frozenset()
    ailing: frozenset[Any] = frozenset()
    leaving: frozenset[Any] = frozenset()
    message: tuple[str, ...] = ()
    awaited: bool = True


@dataclass(frozen=True, slots=True)
class Leaving:
    """How a system shows that an object is being deleted, whatever its kind: the time at `since`. The lists at `held_by` name what it
    waits for."""

    since: tuple[str, ...]
    held_by: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an object that other objects can refer to. `predict` computes it before the object exists, from the
    fields `of`."""

    name: str
    path: tuple[str, ...]
    predict: Callable[[Mapping[str, Any]], Any] | None = None
    of: tuple[str, ...] = ()

    def predicted(self, values: Mapping[str, Any]) -> Any:
        """Returns the value that follows from an entry's values, `None` where none does. `predict` gets only the fields `of`."""
        if self.predict is None:
            return None
        return self.predict({name: values[name] for name in self.of if name in values})


@dataclass(frozen=True, slots=True)
class Metric:
    """A live figure for guards and reports: its name, its place on the wire, its unit.

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
class Measure:
    """The size of an object of the document, as one figure: the sum of the numbers at `path`, where `*` is any key."""

    name: str
    path: tuple[str, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ControllerOwned:
    """How an object that a driver or another system created for itself is recognised: the text at `path` of the row
    matches `pattern` as a whole. With `goes_along` the system deletes the object together with what it refers to, so it does
    not block that delete."""

    name: str
    path: tuple[str, ...]
    pattern: str = r".+"
    goes_along: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """A row that ships with the system and shows its defaults: the one whose value at `path` is `value`. It counts only for
    objects whose fields in `like` equal its own."""

    path: tuple[str, ...]
    value: Any
    like: tuple[str, ...] = ()
