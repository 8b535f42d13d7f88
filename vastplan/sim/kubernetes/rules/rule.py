"""The rules that one kind of object adds to the common handling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vastplan.sim.kubernetes import names
from vastplan.sim.kubernetes.status import StatusCause

Object = dict[str, Any]


def _nothing(body: Object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a kind; `defaults` and `create` change the object that is passed in."""

    name: Callable[[str], list[str]] = names.subdomain
    defaults: Callable[[Object], None] = _nothing  # on every write
    create: Callable[[Object], None] = _nothing  # on create only
    check: Callable[[Object], list[StatusCause]] = lambda body: []
    check_update: Callable[[Object, Object], list[StatusCause]] = lambda new, old: []
