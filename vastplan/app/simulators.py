"""Serves simulators until interrupted: a document's sites together, or one system for any client."""

from __future__ import annotations

import secrets
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from filelock import Timeout

from vastplan.app.workspace import Workspace
from vastplan.app.worlds import directories, kept, simulators_of
from vastplan.model.errors import VastplanError
from vastplan.model.signals import unless_ignored
from vastplan.sim import private_files
from vastplan.sim.faults import Rate
from vastplan.sim.planes import PLANES
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.world import World

__all__ = ["PLANES", "serve_document", "serve_plane"]

Report = Callable[[str], None]


def serve_document(workspace: Workspace, report: Report) -> None:
    """Serve every simulated site of the document; other commands on it then use these servers."""
    document = workspace.document
    systems = {name: site.systems for name, site in document.sites().items() if document.connections[name].simulated}
    if not systems:
        raise VastplanError(f"{workspace.name} has no simulated site; a site is simulated with sim: {{}}")
    world = World(simulators_of(document.folder), systems)
    try:
        with kept(world.folder):
            world.start()
    except Timeout:
        raise VastplanError(f"another process serves or uses the simulators in {world.folder}") from None
    try:
        with kept(world.folder):
            world.enrol(directories(document))
            world.publish()
        for endpoint in world.endpoints_for_people():
            user = f"  user {endpoint.username}" if endpoint.username else ""
            report(
                f"{endpoint.site} {endpoint.system}: {endpoint.url}{user}  CA {endpoint.ca_file}"
                + (f"  kubeconfig {endpoint.kubeconfig}" if endpoint.kubeconfig else "")
            )
        report(f"credentials: {world.folder / 'endpoints.json'}")
        report("ready; Ctrl-C ends it")
        _until_interrupted(world.pass_time)
    finally:
        world.stop()


def serve_plane(
    system: str,
    *,
    port: int,
    user: str,
    password: str | None,
    state: Path | None,
    version: str | None,
    rate: int | None,
    strict: bool,
    report: Report,
) -> None:
    """Serve one of `PLANES`; prints its URL, its CA certificate's path and, for Kubernetes, a kubeconfig's."""
    standalone = PLANES[system]
    make = standalone.make_strict if strict else standalone.make
    if make is None:
        able = " and ".join(name for name, kind in PLANES.items() if kind.make_strict is not None)
        raise VastplanError(f"--strict is for {able}; the simulator of {system} has one way only")
    secret = password or secrets.token_urlsafe(16)
    with kept(state or Path.cwd()):
        store = Store(state)
    authority = Authority()
    try:
        plane = make(store, user, secret, version or standalone.version)
    except FileNotFoundError as problem:
        raise VastplanError(str(problem)) from None
    try:
        server = Server(plane, authority, threading.RLock(), port)
        server.rate = Rate(rate) if rate else None
        server.start()
    except OSError as problem:
        raise VastplanError(f"port {port} cannot be used: {problem.strerror}") from None
    folder = (state.parent if state else Path.cwd()) / ".vastplan" / "sim"
    name = (
        f"{system}-{urlsplit(server.url).port}"  # several may be served from one folder, each with its own certificate
    )
    ca = write_pem(authority, folder / f"{name}.ca.pem")
    report(f"url: {server.url}")
    report(f"ca certificate: {ca.resolve()}")
    if standalone.kubeconfig is not None:
        path = folder / f"{name}.kubeconfig"
        private_files.write_private(path, standalone.kubeconfig(server.url, authority.pem(), secret, "sim").encode())
        report(f"kubeconfig: {path.resolve()}")
    if password is None:
        report(standalone.credentials.format(user=user, secret=secret))
    report("ready; Ctrl-C ends it")
    try:
        _until_interrupted()
    finally:
        server.stop()
        store.close()


def _until_interrupted(pass_time: Callable[[float], None] = lambda _: None) -> None:
    """Wait for a signal. Calls `pass_time` each second with the elapsed seconds, for snapshots that fall due and roles that change."""
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, *unless_ignored(signal.SIGHUP)):
        signal.signal(number, lambda *_: done.set())
    since = time.monotonic()
    while not done.wait(1):
        now = time.monotonic()
        pass_time(now - since)
        since = now
