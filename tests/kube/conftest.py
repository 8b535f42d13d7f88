"""A real API server for the tests, or recordings of it.

`VASTPLAN_KUBE` says which: `replay` (the default) answers from `tests/kube/recordings`; `live` starts the server that
`make kube` built, and fails where it no longer answers as recorded; `record` starts it too, and writes the recordings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.kube.hands import Hands
from tests.kube.lab import KubeLab
from tests.kube.recording import FOLDER, NOWHERE, Tape, differences
from tests.kube.server import ApiServer, assets

MODE = os.environ.get("VASTPLAN_KUBE", "replay")
Open = Callable[[str, list[str]], AbstractContextManager[KubeLab]]


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiServer, Hands] | None]:
    """The server of this session and its helping hands, `None` when it is replayed."""
    assert MODE in ("replay", "live", "record"), f"VASTPLAN_KUBE is {MODE}, not replay, live or record"
    if MODE == "replay":
        yield None
        return
    binaries = assets()
    assert binaries is not None, "there is no kube-apiserver: make kube, or set KUBEBUILDER_ASSETS"
    with ApiServer(tmp_path_factory.mktemp("kube"), binaries) as server, Hands(server) as hands:
        yield server, hands


@pytest.fixture
def open_lab(live: tuple[ApiServer, Hands] | None, tmp_path: Path) -> Open:
    """Open a laboratory whose traffic with the API server has a name."""

    @contextmanager
    def opened(name: str, systems: list[str]) -> Iterator[KubeLab]:
        committed = FOLDER / f"{name}.json"
        file = committed if MODE != "live" else tmp_path / "today.json"
        server, hands = live or (None, None)
        tape = Tape(name, server.port if server else NOWHERE, file, live=live is not None)
        try:
            with tape.running(), KubeLab(tmp_path, systems, tape, server, hands) as lab:
                yield lab
        finally:
            if hands is not None:
                hands.clean()
        if MODE == "live":
            assert committed.is_file(), f"{committed.name} is not recorded yet: make record-kube"
            found = differences(committed, file)
            assert not found, "\n".join(
                [f"{committed.name} no longer says what the server does; make record-kube refreshes it", *found]
            )

    return opened
