"""The ledger's backends with what a test must be able to do to them: crash, pass the time, lose everything."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from vastplan.ledger import manifest as manifests
from vastplan.ledger.backend import Backend, LockedPart
from vastplan.ledger.chunks import Api, Chunks, PartPlace
from vastplan.ledger.clock import LedgerClock
from vastplan.ledger.file import FileLedger, FileSession
from vastplan.ledger.kubernetes import KubernetesLedger
from vastplan.ledger.kubernetes_session import KubernetesSession

NAMESPACE = "ledgers"


class Time:
    """A clock that goes when it is told to, or when somebody sleeps; others do something `meanwhile`."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.meanwhile: list[Callable[[], object]] = []
        self.clock = LedgerClock(self.wall, lambda: self.passed, self.sleep)

    def wall(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed)

    def sleep(self, seconds: float) -> None:
        self.passed += seconds
        for act in self.meanwhile:
            act()


class Bench(Protocol):
    """One place where ledgers are kept."""

    def ledger(self, document: str = "doc") -> Backend:
        """A backend as a process of its own would have it."""

    def live(self, session: LockedPart) -> None:
        """The process of the session keeps its hold while others wait."""

    def crash(self, session: LockedPart) -> None:
        """The process of the session dies, and its hold is over."""

    def lose(self, session: LockedPart) -> None:
        """The session's hold on the ledger ends under it."""

    def destroy(self) -> None:
        """Nothing of any ledger is left."""

    def content(self, site: str) -> dict[str, Any]:
        """What is kept of a site's part, without its journal."""

    def plant(self, site: str, part: dict[str, Any]) -> None:
        """Keep this instead."""


class FileBench:
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def ledger(self, document: str = "doc") -> FileLedger:
        return FileLedger(self.folder, document)

    def live(self, session: LockedPart) -> None:
        """The operating system does that."""

    def crash(self, session: LockedPart) -> None:
        assert isinstance(session, FileSession)
        session._journal_file.close()
        session._lock.release()

    def lose(self, session: LockedPart) -> None:
        """No lock is lost while its process lives; a disk can fail."""
        assert isinstance(session, FileSession)
        session._journal_file.close()
        session._journal_file = open(os.devnull, "rb", buffering=0)  # noqa: SIM115

    def destroy(self) -> None:
        shutil.rmtree(self.folder)

    def content(self, site: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / f"{site}.json").read_text())
        return found

    def plant(self, site: str, part: dict[str, Any]) -> None:
        (self.folder / f"{site}.json").write_text(json.dumps(part))


class KubernetesBench:
    """A namespace of an API server."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.time = Time()

    def ledger(self, document: str = "doc", time: Time | None = None, api: Api | None = None) -> KubernetesLedger:
        @contextmanager
        def connect() -> Iterator[Api]:
            yield api or self.api

        clock = (time or self.time).clock
        return KubernetesLedger(connect, "here", NAMESPACE, document, clock=clock, renewing=False)

    def live(self, session: LockedPart) -> None:
        assert isinstance(session, KubernetesSession)
        self.time.meanwhile.append(session._lease.renew)

    def crash(self, session: LockedPart) -> None:
        self.time.meanwhile.clear()

    def lose(self, session: LockedPart) -> None:
        assert isinstance(session, KubernetesSession)
        self.ledger().open(session.part.site, "the next").close()

    def destroy(self) -> None:
        for row in self.secrets():
            self.api.call("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{row['metadata']['name']}")

    def secrets(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.api.call("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets")["items"]
        return rows

    def content(self, site: str) -> dict[str, Any]:
        place = PartPlace(NAMESPACE, "doc", site)
        found = manifests.read_manifest(self.api, place)
        assert found is not None
        raw = Chunks(self.api, place).get(found[0].part)
        assert raw is not None
        content: dict[str, Any] = json.loads(raw)
        return content

    def plant(self, site: str, part: dict[str, Any]) -> None:
        place = PartPlace(NAMESPACE, "doc", site)
        found = manifests.read_manifest(self.api, place)
        assert found is not None
        names = Chunks(self.api, place).put(json.dumps(part).encode(), found[0].fence)
        manifests.write_manifest(
            self.api, place, manifests.Manifest(found[0].fence, "planted", found[0].turn + 1, names), found[1]
        )
