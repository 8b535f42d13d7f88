"""Simulated worlds of any size in seconds: a small one is applied, and its rows and what is owned are multiplied in their files."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench import documents, seam
from tests.bench.measure import run


def make(folder: Path, objects: int) -> Path:
    """A document of so many objects with the world that it asks for, and the ledger that says so. Answers the folder."""
    documents.views(folder, documents.FIXED + 2 * documents.TEAMS)
    run([*seam.COMMAND, "apply", str(folder), "--auto-approve", *seam.CHANGE_ALL])
    _multiply(folder, documents.views_a_team(objects))
    return documents.views(folder, objects)


def _multiply(folder: Path, views: int) -> None:
    """The first view and quota of each team become so many."""
    store = seam.Store(seam.simulators(folder) / f"{seam.SITE}.vast.sqlite")
    ledger = seam.read_ledger(folder)
    owned = dict(ledger.entries)
    try:
        for team in range(documents.TEAMS):
            name, path = documents.view_name(team, 0), documents.view_path(team, 0)
            rows = {
                "view": ("views", _row_of(store, "views", path)),
                "quota": ("quotas", _row_of(store, "quotas", path)),
            }
            tenant = rows["view"][1]["tenant_id"]
            for index in range(1, views):
                new_name, new_path = documents.view_name(team, index), documents.view_path(team, index)
                store.put("_directories", f"{tenant}:{new_path}", {"tenant_id": tenant, "path": new_path})
                texts = {name: new_name, path: new_path}
                for kind, (collection, row) in rows.items():
                    number = store.next(collection)
                    store.put(
                        collection, str(number), {**_renamed(row, texts), "id": number, "guid": str(uuid.uuid4())}
                    )
                    address = f"{seam.SITE}/{kind}/{{}}"
                    owned[address.format(new_name)] = _owned(
                        ledger, address.format(name), number, {seam.SITE: seam.SITE, **texts}
                    )
    finally:
        store.close()
    seam.write_ledger(folder, seam.replace(ledger, entries=owned))


def _row_of(store: seam.Store, collection: str, path: str) -> dict[str, Any]:
    return next(store.where(collection, path=path))


def _renamed(row: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    return {key: texts.get(value, value) if isinstance(value, str) else value for key, value in row.items()}


def _owned(ledger: seam.SiteLedger, address: str, number: int, texts: Mapping[str, str]) -> Any:
    """What is owned at an address, as it would be of an object of another number whose texts differ."""
    owned = ledger.entries[address]
    digests = {seam.keyed_digest(ledger.key, old): seam.keyed_digest(ledger.key, new) for old, new in texts.items()}
    return seam.replace(
        owned,
        id=str(number),
        locator=str(number),
        fields={path: digests.get(value, value) for path, value in owned.fields.items()},
        refers=tuple("/".join(texts.get(part, part) for part in address.split("/")) for address in owned.refers),
    )


@contextmanager
def served(document: Path) -> Iterator[seam.ServedEndpoint]:
    """The document's simulators in a process of their own, so that a command's cost is the command's alone."""
    folder = seam.simulators(document if document.is_dir() else document.parent)
    seam.withdraw(folder)
    server = subprocess.Popen([*seam.COMMAND, "sim", str(document)], stdout=subprocess.DEVNULL)
    try:
        while (endpoints := seam.served_endpoints(folder)) is None:
            if server.poll() is not None:
                raise RuntimeError(f"the simulators of {document} ended with {server.returncode}")
            time.sleep(0.05)
        yield next(endpoint for endpoint in endpoints if endpoint.system == "vast")
    finally:
        server.terminate()
        server.wait()


@dataclass
class Listener:
    """A plane that keeps the calls it passes on: when they came, and what it takes to send them again."""

    plane: seam.Plane
    calls: list[tuple[float, seam.Request]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.name = self.plane.name

    def handle(self, request: seam.Request) -> seam.Response:
        """Keep the call and pass it on."""
        self.calls.append((time.monotonic(), request))
        return self.plane.handle(request)

    def expire_tokens(self) -> None:
        """Pass it on."""
        self.plane.expire_tokens()

    def busy(self) -> seam.Response:
        """Pass it on."""
        return self.plane.busy()

    def save(self, file: Path) -> None:
        """Write the calls but the log-ins as JSON, to be sent again."""
        kept = [
            {"method": request.method, "path": request.path, "query": request.query, "body": request.body.decode()}
            for _, request in self.calls
            if not request.path.rstrip("/").endswith("/token")
        ]
        file.write_text(json.dumps(kept), encoding="utf-8")


@contextmanager
def listened(document: Path, latency: float = 0.0) -> Iterator[Listener]:
    """The document's simulator in this process, where its calls can be looked at and delayed."""
    world = seam.World(seam.simulators(document), {seam.SITE: ["vast"]}).start()
    try:
        server = world.sites[seam.SITE].servers["vast"]
        listener = Listener(server.plane)
        server.plane, server.latency = listener, latency
        world.publish()
        yield listener
    finally:
        world.stop()


def floor_words(*words: str | Path) -> list[str]:
    """A command that does the least that any tool must: see `tests.bench.floor`."""
    return [sys.executable, str(Path(__file__).with_name("floor.py")), *map(str, words)]
