"""A world of simulated sites: three planes per site, coupled as real ones are, kept on disk, served by one process at a time.

A process that serves a world publishes its endpoints, so that other commands use the running world instead of opening
the same files.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from vastplan.sim import private_files
from vastplan.sim.csi import VastStorage
from vastplan.sim.endpoints import ServedEndpoint, publish, served_endpoints, withdraw
from vastplan.sim.kubernetes import KubernetesPlane, kubeconfig
from vastplan.sim.runai import RunaiPlane, StandaloneCluster
from vastplan.sim.serve import Server, process_authority
from vastplan.sim.store import Row, Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.vast.assumptions import Assumed
from vastplan.sim.vast.control import writers
from vastplan.sim.vast.scope import Manager
from vastplan.sim.wire import Plane
from vastplan.sim.workers import Workers

SYSTEMS = ("vast", "kubernetes", "runai")
USER, CLIENT = "admin", "vastplan"  # vastplan's own log-ins
PERSON = "dana"  # whoever uses a system beside vastplan: the published log-ins, and the author in the system's records
PER_READ = 5.0  # logical seconds, in a world whose clock nobody moves
WAIT = 60.0  # seconds that a command waits for another one to release the world


@dataclass(slots=True)
class SimSite:
    """One site's planes and servers."""

    planes: dict[str, Plane]
    servers: dict[str, Server]


class World:
    """The sites of one document. Use `start`, then `endpoints`; `stop` frees ports and files."""

    def __init__(
        self,
        folder: Path,
        sites: Mapping[str, Iterable[str]],
        *,
        ports: Mapping[str, int] | None = None,
        assumed: Assumed | None = None,
    ) -> None:
        self.folder = folder
        self._assumed = assumed
        self.sites: dict[str, SimSite] = {}
        self.lock = threading.RLock()
        self._authority = process_authority()
        self._systems = {site: tuple(systems) for site, systems in sites.items()}
        self._ports = dict(ports or {})
        self._stores: list[Store] = []
        self._secrets: dict[tuple[str, str], str] = {}
        self._published = False
        self._file_lock = FileLock(folder / "lock", timeout=0)

    def start(self) -> World:
        """Open the files and start answering; raises `filelock.Timeout` if another process has them."""
        private_files.make_folder(self.folder)
        private_files.claim(self.folder / "lock")
        self._file_lock.acquire()
        private_files.write_private(self.folder / "ca.pem", self._authority.pem())
        for site, systems in self._systems.items():
            self.sites[site] = self._site(site, systems)
        clusters = [sim_site.planes["vast"] for sim_site in self.sites.values() if "vast" in sim_site.planes]
        for index, cluster in enumerate(clusters):
            for other in clusters[index + 1 :]:
                assert isinstance(cluster, VastPlane) and isinstance(other, VastPlane)
                cluster.link(other)
        for sim_site in self.sites.values():
            for server in sim_site.servers.values():
                server.start()
        return self

    def enrol(self, people: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        """Replace the directory that each site's VAST cluster asks, by site: `{users: {...}, groups: {...}}` (`VastPlane.enrol`)."""
        for site, directory in people.items():
            cluster = self.sites[site].planes.get("vast")
            if isinstance(cluster, VastPlane):
                with self.lock:
                    cluster.enrol(**directory)

    def stop(self) -> None:
        """Stop answering and close the files."""
        for sim_site in self.sites.values():
            for server in sim_site.servers.values():
                server.stop()
        for store in self._stores:
            store.close()
        if self._published:
            withdraw(self.folder)
            (self.folder / "endpoints.json").unlink(missing_ok=True)
        self._file_lock.release()

    def endpoints(self) -> list[ServedEndpoint]:
        """The endpoints of all systems."""
        return [
            self._endpoint(site, system, server)
            for site, sim_site in self.sites.items()
            for system, server in sim_site.servers.items()
        ]

    def endpoints_for_people(self) -> list[ServedEndpoint]:
        """The endpoints with the log-ins of a person, so that the systems' records tell that work from vastplan's."""
        return [
            replace(endpoint, username=PERSON, password=self._secret(endpoint.site, f"{PERSON} of {endpoint.system}"))
            if endpoint.username
            else endpoint
            for endpoint in self.endpoints()
        ]

    def publish(self) -> Path:
        """Write the endpoints where other commands of this user on this machine find them.

        `endpoints.json` in the folder is for people and their scripts: vastplan itself does not read it.
        """
        self._published = True
        content = {"pid": os.getpid(), "endpoints": [asdict(endpoint) for endpoint in self.endpoints_for_people()]}
        private_files.write_private(self.folder / "endpoints.json", json.dumps(content).encode())
        return publish(self.folder, self.endpoints(), self._authority.pem())

    def link(self, site: str, other: str, *, up: bool | None = None, bandwidth: float | None = None) -> None:
        """Cut or restore the link between the VAST clusters of two sites, or set its `bandwidth` (bytes per second).

        A site whose link is cut continues by itself: that is not the loss of a site.
        """
        with self.lock:
            self.vast(site).set_link(self.vast(other), up=up, bandwidth=bandwidth)

    def lose(
        self,
        site: str,
        *,
        systems: Iterable[str] = SYSTEMS,
        power: bool = False,
        links: bool = False,
        silent: bool = False,
        jobs: Literal["go on", "stop"] = "go on",
    ) -> None:
        """Make systems of a site unreachable until `find`: connections are refused, with `silent` they are never answered.

        With `power` the cluster loses power: its links are cut, and nothing happens on it until `find`; it keeps its data. With
        `links` it continues by itself, cut off. With neither only the control planes are lost: data is still read, written and sent.
        With `jobs` "stop" the nodes that jobs run on are lost too.
        """
        for system in systems:
            server = self.sites[site].servers.get(system)
            if server is not None:
                server.lose(silent=silent)
        with self.lock:
            if jobs == "stop":
                self.vast(site).workers(on=False)
            if not power and not links:
                return
            if power:
                self.vast(site).set_power(on=False)
            else:
                for other in self._other_clusters(site):
                    self.vast(site).set_link(other, up=False)

    def find(self, site: str) -> None:
        """Make a lost site reachable again. Restored links are noticed at the next heartbeat, when time passes.

        Jobs whose nodes were lost restart from what they find, whichever side is the source now; nothing else prevents that.
        """
        for server in self.sites[site].servers.values():
            server.find()
        if "vast" in self.sites[site].planes:
            with self.lock:
                self.vast(site).set_power(on=True)
                self.vast(site).workers(on=True)

    def pass_time(self, seconds: float) -> None:
        """Move the logical clock: restore points fall due and are sent, roles change, leases end. Nothing else moves it."""
        with self.lock:
            for site in self.sites.values():
                plane = site.planes.get("vast")
                if isinstance(plane, VastPlane):
                    plane.pass_time(seconds)
                    return  # all clusters are linked, and share the clock

    def writers(self, guid: str) -> list[str]:
        """The sites that would accept a write to a replicated path now, by the guid that its sides share."""
        with self.lock:
            planes = [site.planes["vast"] for site in self.sites.values() if "vast" in site.planes]
            return writers([plane for plane in planes if isinstance(plane, VastPlane)], guid)

    def vast(self, site: str) -> VastPlane:
        """The VAST cluster of a site, to act on it directly: hold the world's `lock` meanwhile."""
        plane = self.sites[site].planes["vast"]
        assert isinstance(plane, VastPlane)
        return plane

    def _other_clusters(self, site: str) -> list[VastPlane]:
        return [self.vast(name) for name, other in self.sites.items() if name != site and "vast" in other.planes]

    def seed(self, site: str, collection: str, bodies: Iterable[Row]) -> list[Row]:
        """Store objects on a site's VAST cluster as one POST each would, in seconds for 100,000: see `VastPlane.seed`."""
        with self.lock:
            return self.vast(site).seed(collection, bodies)

    def _site(self, site: str, systems: tuple[str, ...]) -> SimSite:
        planes: dict[str, Plane] = {}
        storage: VastStorage | None = None
        workers: Workers | None = None
        if "vast" in systems:
            token = secrets.token_hex(16)
            vast = planes["vast"] = VastPlane(
                self._store(site, "vast"),
                name=site,
                username=USER,
                password=self._secret(site, "vast"),
                managers={PERSON: Manager(self._secret(site, f"{PERSON} of vast"))},
                api_tokens={token: "csi"},
                assumed=self._assumed,
            )
            storage, workers = VastStorage(vast, token), Workers(vast)
        kubernetes: KubernetesPlane | None = None
        if "kubernetes" in systems:
            store = self._store(site, "kubernetes")
            kubernetes = KubernetesPlane(store, name=site, token=self._secret(site, "kubernetes"), storage=storage)
            planes["kubernetes"] = kubernetes
            if storage is not None:
                storage.prepare()
        if "runai" in systems:
            store = self._store(site, "runai")
            planes["runai"] = RunaiPlane(
                store,
                name=site,
                client_id=CLIENT,
                client_secret=self._secret(site, "runai"),
                others={PERSON: self._secret(site, f"{PERSON} of runai")},
                clusters={site: kubernetes or StandaloneCluster(store)},
                workers=workers,
            )
        servers = {
            system: Server(plane, self._authority, self.lock, self._ports.get(system, 0))
            for system, plane in planes.items()
        }
        return SimSite(planes, servers)

    def _store(self, site: str, system: str) -> Store:
        store = Store(self.folder / f"{site}.{system}.sqlite")
        self._stores.append(store)
        return store

    def _secret(self, site: str, system: str) -> str:
        return self._secrets.setdefault((site, system), secrets.token_hex(16))

    def _endpoint(self, site: str, system: str, server: Server) -> ServedEndpoint:
        secret = self._secret(site, system)
        user = {"vast": USER, "runai": CLIENT}.get(system, "")
        path = ""
        if system == "kubernetes":
            content = kubeconfig(server.url, self._authority.pem(), secret, site).encode()
            path = str(private_files.write_private(self.folder / f"{site}.kubeconfig", content))
        return ServedEndpoint(site, system, server.url, str(self.folder / "ca.pem"), user, secret, path)


def open_or_join(folder: Path, sites: Mapping[str, Iterable[str]]) -> tuple[World | None, list[ServedEndpoint]]:
    """Serve the world in this process, or use the one that is already served. Raises `TimeoutError`."""
    deadline = time.monotonic() + WAIT
    while True:
        endpoints = served_endpoints(folder)
        if endpoints is not None:
            return None, endpoints
        world = World(folder, sites, assumed=Assumed(per_read=PER_READ))
        try:
            world.start()
        except Timeout:
            if time.monotonic() > deadline:
                raise TimeoutError(f"another command uses the simulators in {folder}") from None
            time.sleep(0.1)
            continue
        return world, world.endpoints()
