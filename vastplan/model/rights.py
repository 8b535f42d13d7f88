"""The rights that vastplan's own identity needs in a system, in the words of its vendor, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """May do `verb` to all of `on`.

    VAST: create, view, edit or delete in a realm. Kubernetes: a verb of RBAC and `GROUP/RESOURCE` (`/RESOURCE` of the core group).
    Run:AI: create, read, update or delete, and a type of resource.
    """

    on: str
    verb: str


RightOf = Callable[[str, str], Right | None]
"""The right that an operation takes, by method and path with `{}` for names; `None` for what everybody may who is let in.

Raises `KeyError` for a path that it does not know.
"""


@dataclass(frozen=True, slots=True)
class NamedObjects:
    """Objects that are read one by one, by those rights: their names, in `namespace` where they have one."""

    on: str
    namespace: str
    names: tuple[str, ...]
    written: tuple[str, ...] = ()
    """Those of them that an apply makes, changes or deletes."""
    read: tuple[str, ...] = ()
    """What must be allowed of those in `names`, to look at them."""
    write: tuple[str, ...] = ()
    """What must be allowed of those in `written`, to change them."""


@dataclass(frozen=True, slots=True)
class SystemRights:
    """What a document takes in one system of one site.

    `read` is what plan, drift, show, import and record need, `write` what apply needs besides. Without what is in `optional`
    all of it works, and says less. Rights to objects of kinds that are read by name are in `named` alone.
    """

    site: str
    system: str
    read: tuple[Right, ...]
    write: tuple[Right, ...]
    optional: tuple[Right, ...] = ()
    named: tuple[NamedObjects, ...] = ()


@dataclass(frozen=True, slots=True)
class Rights:
    """What a document takes in all of its systems, by site and system."""

    document: str
    systems: tuple[SystemRights, ...]
    format_version: str = "1.0"
