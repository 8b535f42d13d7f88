"""Bugs that were mended, put back one at a time: a harness that does not find them proves nothing.

Each is a change of the product as it is now, by patching what mended it. `python -m tests.histories --seeded NAME`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any
from unittest.mock import patch

from vastplan.app.files.snapshot import SNAPSHOT_FILE
from vastplan.engine.access import closing
from vastplan.engine.access.closing import Closed, ClosedRooms
from vastplan.engine.live import diff
from vastplan.model.plan import Action, Verb
from vastplan.operations.stage import waiting


def _renames_with_two_owners() -> AbstractContextManager[object]:
    """What is renamed is owned under its new name, and under the old one still."""
    return patch("vastplan.app.applying.carry_out.moves_of", lambda _: {})


def _unheld(kinds: tuple[str, ...], verbs: tuple[Verb, ...]) -> AbstractContextManager[object]:
    """Nobody asks who uses what closes: claims of a class, or pods with volumes of their own."""

    def closed_by(action: Action, rooms: ClosedRooms) -> Closed | None:
        closed = closing.closed_by(action, rooms)
        return None if closed is not None and closed.rule.kind in kinds and action.verb in verbs else closed

    return patch("vastplan.engine.access.narrowing.closed_by", closed_by)


def _a_class_closes_under_its_users() -> AbstractContextManager[object]:
    """A class that is taken over is closed to the namespaces that use it."""
    return _unheld(("persistent_volume_claim",), tuple(Verb))


@contextlib.contextmanager
def _a_project_that_stays_loses_its_class() -> Iterator[None]:
    """A policy drops the namespace of a project whose delete is blocked."""
    with (
        patch("vastplan.engine.ordering.order.dropped_references", lambda *_: ()),
        _unheld(("persistent_volume_claim",), (Verb.UPDATE,)),
    ):
        yield


def _pods_are_shut_out() -> AbstractContextManager[object]:
    """Pods with volumes of their own may not come again, and nobody is told."""
    return _unheld(("pod",), tuple(Verb))


def _hands_are_blamed() -> AbstractContextManager[object]:
    """What a field refers to is compared by address alone: who moved it cannot be told, and it is said to be a hand."""
    real = diff.diff

    def without_the_wire(*arguments: Any) -> diff.Difference:
        return real(*arguments[:5])

    return patch("vastplan.engine.deciding.verdict.diff", without_the_wire)


def _sites_are_forgotten() -> AbstractContextManager[object]:
    """A site that leaves the document leaves what is owned there to nobody."""
    return patch("vastplan.app.planning.inputs.site_findings", lambda *_: ())


def _pools_go_under_volumes() -> AbstractContextManager[object]:
    """A pool or policy is deleted while volumes mount by it."""
    return patch("vastplan.engine.access.narrowing.takes_away", lambda *_: False)


def _names_are_not_followed() -> AbstractContextManager[object]:
    """What is renamed is referred to by its old name until the next apply."""
    return patch("vastplan.engine.matching.match.new_names", lambda *_: {})


@contextlib.contextmanager
def _operations_are_not_written() -> Iterator[None]:
    """A snapshot has what `asdict` makes of a ledger, which leaves the outcome of an operation an enum."""
    to_data = SNAPSHOT_FILE.to_data
    object.__setattr__(SNAPSHOT_FILE, "to_data", asdict)
    try:
        yield
    finally:
        object.__setattr__(SNAPSHOT_FILE, "to_data", to_data)


@contextlib.contextmanager
def _rehearsals_leave_claims() -> Iterator[None]:
    """A rehearsal ends without its claims and volumes being deleted."""
    with (
        patch("vastplan.operations.modes.rehearsal.removal.unmounting", lambda *_: ()),
        patch("vastplan.operations.modes.rehearsal.removal.unmounted", lambda *_: waiting("")),
    ):
        yield


BUGS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "1": _renames_with_two_owners,
    "3a": _a_class_closes_under_its_users,
    "3b": _a_project_that_stays_loses_its_class,
    "3c": _pods_are_shut_out,
    "4": _hands_are_blamed,
    "5": _sites_are_forgotten,
    "9": _pools_go_under_volumes,
    "names": _names_are_not_followed,
    "outcome": _operations_are_not_written,
    "rehearsal": _rehearsals_leave_claims,
}


@contextlib.contextmanager
def seeded(name: str) -> Iterator[None]:
    """The product with one of `BUGS`; without a name, as it is."""
    with BUGS[name]() if name else contextlib.nullcontext():
        yield
