"""Serve simulators until interrupted: a document's sites as one world, or one plane for any client."""

from __future__ import annotations

import secrets
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from filelock import Timeout

from vastplan.app.connect import SIM_FOLDER
from vastplan.app.workspace import Workspace
from vastplan.model.errors import VastplanError
from vastplan.sim.faults import Rate
from vastplan.sim.kubernetes import KubernetesPlane, kubeconfig
from vastplan.sim.runai import RunaiPlane, StandaloneCluster
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Plane
from vastplan.sim.world import World

Tell = Callable[[str], None]


def serve_document(workspace: Workspace, tell: Tell) -> None:
    """Serve every simulated site of the document; other commands on it then use these servers."""
    document = workspace.document
    systems = {
        name: site.systems for name, site in document.sites().items() if "sim" in document.connections[name].systems()
    }
    if not systems:
        raise VastplanError(f"{workspace.name} has no simulated site; a site is simulated with sim: {{}}")
    world = World(document.folder / SIM_FOLDER, systems)
    try:
        world.start()
    except Timeout:
        raise VastplanError(f"another process serves or uses the simulators in {world.folder}") from None
    try:
        world.publish()
        for one in world.endpoints():
            user = f"  user {one.username}" if one.username else ""
            tell(
                f"{one.site} {one.system}: {one.url}{user}  CA {one.ca_file}"
                + (f"  kubeconfig {one.kubeconfig}" if one.kubeconfig else "")
            )
        tell(f"credentials: {world.folder / 'endpoints.json'}")
        tell("ready; Ctrl-C ends it")
        _until_interrupted()
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
    tell: Tell,
) -> None:
    """Serve one plane; prints its URL, its CA certificate's path and, for Kubernetes, a kubeconfig's."""
    secret = password or secrets.token_urlsafe(16)
    store = Store(state)
    authority = Authority()
    try:
        plane = _plane(system, store, user, secret, version)
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
    tell(f"url: {server.url}")
    tell(f"ca certificate: {ca.resolve()}")
    if system == "kubernetes":
        path = folder / f"{name}.kubeconfig"
        path.touch(0o600)
        path.write_text(kubeconfig(server.url, authority.pem(), secret, "sim"), encoding="utf-8")
        tell(f"kubeconfig: {path.resolve()}")
    if password is None:
        tell(
            {"vast": f"user {user}, password {secret}", "runai": f"client id {user}, client secret {secret}"}.get(
                system, f"token {secret}"
            )
        )
    tell("ready; Ctrl-C ends it")
    try:
        _until_interrupted()
    finally:
        server.stop()
        store.close()


def _plane(system: str, store: Store, user: str, secret: str, version: str | None) -> Plane:
    if system == "vast":
        return VastPlane(store, username=user, password=secret, version=version or "5.5")
    if system == "runai":
        clusters = {"sim": StandaloneCluster(store)}
        return RunaiPlane(store, client_id=user, client_secret=secret, clusters=clusters, version=version or "2.24")
    return KubernetesPlane(store, token=secret, version=version or "1.34")


def _until_interrupted() -> None:
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())
    done.wait()
