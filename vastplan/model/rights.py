"""The rights that vastplan's own identity needs in a system, in the words of its vendor, as values."""

from __future__ import annotations

from collections.abc import Callable

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """The right to do `verb` to all objects in `on`.

    VAST: create, view, edit or delete in a realm. Kubernetes: a verb of RBAC and `GROUP/RESOURCE` (`/RESOURCE` of the core group).
    Run:AI: create, read, update or delete, and a type of resource.
    """

    on: str
    verb: str


RightOf = Callable[[str, str], Right | None]
"""Returns the right that an operation needs, by method and path with `{}` for names; `None` where every login is enough.

Raises `KeyError` for an unknown path.
"""


@dataclass(frozen=True, slots=True)
class NamedObjects:
    """Objects that are read one by one, with rights for them alone: their names, in `namespace` where they have one."""

    on: str
    namespace: str
    names: tuple[str, ...]
    written: tuple[str, ...] = ()
    """Those of `names` that an apply creates, changes or deletes."""
    read: tuple[str, ...] = ()
    """The verbs that must be allowed for `names`, to read them."""
    write: tuple[str, ...] = ()
    """The verbs that must be allowed for `written`, to change them."""


@dataclass(frozen=True, slots=True)
class SystemRights:
    """The rights that a document needs in one system of one site.

    `read` is what plan, drift, show, import and record need, `write` what apply needs besides. Without the rights in `optional`
    everything works, with less information. Rights to objects of kinds that are read by name are only in `named`.
    """

    site: str
    system: str
    read: tuple[Right, ...]
    write: tuple[Right, ...]
    optional: tuple[Right, ...] = ()
    named: tuple[NamedObjects, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRights:
    """The rights that a document needs in all of its systems, by site and system."""

    document: str
    systems: tuple[SystemRights, ...]
    format_version: str = "1.0"
