"""The keys that an import gives to the entries of live objects."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CalledAs:
    """Objects of another kind from which an imported entry gets its name: those with equal fields (`same`: pairs of the
    imported object's field and theirs)."""

    kind: str
    same: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Keyed:
    """How an import chooses the key of a live object's entry: the name of another object (`called_as`, the first that exists),
    otherwise the field `path` without its slashes, otherwise the object's own name. Two objects with the same key are
    distinguished by the name of what the field `within` refers to; with `always` every key includes it."""

    called_as: tuple[CalledAs, ...] = ()
    path: str = ""
    within: str = ""
    always: bool = False
