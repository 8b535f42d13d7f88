"""The embedded simulators that commands use: served by this process, or by another one that runs already."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from vastplan.document.load import Document
from vastplan.document.specs import SimDirectory
from vastplan.document.specs import SimEndpoint as Simulated
from vastplan.model import regular_files
from vastplan.model.errors import VastplanError
from vastplan.sim.endpoints import ServedEndpoint, served_endpoints

if TYPE_CHECKING:
    from vastplan.sim.world import World

SIM_FOLDER = Path(".vastplan") / "sim"
People = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By site, its `users` and `groups`, by name."""
_worlds: dict[Path, tuple[World, list[ServedEndpoint], int]] = {}
"""The simulated worlds that this process serves, by folder, each with its number of users: its ledger may be kept in one, too."""
_worlds_lock = threading.Lock()


def simulators_of(folder: Path) -> Path:
    """The folder with the simulators' objects of a document in `folder`. Raises `VastplanError` if a link leads out of it."""
    try:
        regular_files.path_within(folder, str(SIM_FOLDER), own=True)
    except OSError as problem:
        raise VastplanError(f"the simulators do not use {folder / SIM_FOLDER}: {problem.strerror}") from None
    return folder / SIM_FOLDER


def directories(document: Document) -> People:
    """The users and groups of the simulated directory services, from the document."""
    simulated = {site: connections.sim for site, connections in document.connections.items()}
    return {
        site: sim.directory.model_dump()
        for site, sim in simulated.items()
        if isinstance(sim, Simulated) and isinstance(sim.directory, SimDirectory)
    }


@contextlib.contextmanager
def world(
    folder: Path, systems: Mapping[str, frozenset[str]], people: People = MappingProxyType({})
) -> Iterator[list[ServedEndpoint]]:
    """The simulators of a folder: those that run already, in this process or another, or new ones that stop after the last use.

    `systems` are those of each site, `people` the users and groups in the directory service of new simulators.
    """
    folder = folder.absolute()
    with _worlds_lock:
        endpoints = served_endpoints(folder)
        if endpoints is None:
            served, endpoints, users = _worlds.get(folder) or (*_open_or_join(folder, systems), 0)
            if served is not None:
                if not users:
                    served.enrol(people)
                _worlds[folder] = (served, endpoints, users + 1)
        else:
            served = None
    try:
        yield endpoints
    finally:
        if served is not None:
            with _worlds_lock:
                _, _, users = _worlds.pop(folder)
                if users > 1:
                    _worlds[folder] = (served, endpoints, users - 1)
                else:
                    served.stop()


@contextlib.contextmanager
def kept(folder: Path) -> Iterator[None]:
    """Raises `VastplanError` if the simulators cannot store their objects in a folder: it is read-only, full, or damaged."""
    import sqlite3

    try:
        yield
    except TimeoutError:
        raise
    except (OSError, sqlite3.Error, NotImplementedError) as problem:  # NotImplementedError: a file system without locks
        reason = (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
        raise VastplanError(
            f"the simulators cannot keep their objects in {folder}: {reason}; "
            "make it writable, or delete it to begin with empty systems"
        ) from None


def _open_or_join(folder: Path, systems: Mapping[str, frozenset[str]]) -> tuple[World | None, list[ServedEndpoint]]:
    try:
        from vastplan.sim.world import open_or_join
    except ImportError as problem:
        raise VastplanError(
            f"the simulators are not installed ({problem.name} is missing): pip install 'vastplan[sim]'"
        ) from None
    try:
        with kept(folder):
            return open_or_join(folder, systems)
    except TimeoutError as problem:
        raise VastplanError(str(problem)) from None
