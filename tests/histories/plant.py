"""Where a history is played: simulated sites in this process, reached without sockets, TLS or waiting.

`Plant` holds the sites. While one is `running`, vastplan's clients send through `InProcessWire` to it, whatever folder a
document lies in: two documents see the same systems. The rest is what a run of thousands cannot pay for: kinds are
discovered once, pools of threads do their work at once, nothing is synced to the disk, and pauses pass in no time.
"""

from __future__ import annotations

import contextlib
import gc
import json
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, unquote, urlsplit

import urllib3
from urllib3.exceptions import NewConnectionError

import vastplan.app.importing.uncovered_kinds  # has its pool before another takes the place of all
import vastplan.kinds
import vastplan.systems
from vastplan.document import specs
from vastplan.engine.live.wait import until_gone, until_ready, until_shown
from vastplan.ledger.file import FileSession
from vastplan.model.polling import poll
from vastplan.schema.discover import discover
from vastplan.schema.system import discover_systems
from vastplan.sim.csi import VastStorage
from vastplan.sim.endpoints import ServedEndpoint
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.runai import RunaiPlane
from vastplan.sim.store import Row, Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Plane, Request, Response

SYSTEMS = ("vast", "kubernetes", "runai")
READS = ("GET", "HEAD")
_HARMLESS = ("/token", "/token/refresh", "selfsubjectaccessreviews")
_REGISTRY = discover(vastplan.kinds)
_DISCOVERED_SYSTEMS = discover_systems(vastplan.systems)
_MODELS = specs.models(_DISCOVERED_SYSTEMS)


class Killed(BaseException):
    """The process is gone: nothing after this runs, as far as files and systems can tell."""


class Plant:
    """The sites. `refuse_after` writes every connection is refused, `die_after` writes the process is gone; `None` never."""

    def __init__(self, folder: Path, sites: Iterable[str], versions: Mapping[str, str] | None = None) -> None:
        """`versions` are of the systems, the newest where one is left out."""
        self.folder = folder
        self._versions = {"vast": "5.5", "runai": "2.24", **(versions or {})}
        self.planes: dict[tuple[str, str], Plane] = {}
        self.stores: dict[tuple[str, str], Store] = {}
        self.refused: list[str] = []
        """What the systems refused (4xx) since this was last cleared: `METHOD PATH: status body`."""
        self.refuse_after: int | None = None
        self.die_after: int | None = None
        self.dead = False
        self.written = 0
        for site in sites:
            self._build(site)
        clusters = [plane for plane in self.planes.values() if isinstance(plane, VastPlane)]
        for index, cluster in enumerate(clusters):
            for other in clusters[index + 1 :]:
                cluster.link(other)

    def _build(self, site: str) -> None:
        stores = {system: Store() for system in SYSTEMS}
        self.stores |= {(site, system): store for system, store in stores.items()}
        vast = VastPlane(
            stores["vast"], name=site, username="admin", password="p", api_tokens={"t": "csi", "h": "hand"},
            version=self._versions["vast"],
        )  # fmt: skip
        cluster = KubernetesPlane(stores["kubernetes"], name=site, token="k", storage=VastStorage(vast, "t"))
        runai = RunaiPlane(
            stores["runai"], name=site, client_id="vastplan", client_secret="r", clusters={site: cluster},
            version=self._versions["runai"],
        )  # fmt: skip
        self.planes |= {(site, "vast"): vast, (site, "kubernetes"): cluster, (site, "runai"): runai}

    def endpoints(self) -> list[ServedEndpoint]:
        """How every system is reached."""
        users = {"vast": ("admin", "p"), "kubernetes": ("", "k"), "runai": ("vastplan", "r")}
        return [ServedEndpoint(site, system, _url(site, system), "", *users[system]) for site, system in self.planes]

    def answer(self, host: str, method: str, target: str, content: bytes, headers: Mapping[str, str]) -> Response:
        """One request to one plane; raises what a wire raises when nobody answers."""
        if self.dead:
            raise Killed
        site, system, *_ = host.split(".")
        parts = urlsplit(target)
        writes = method not in READS and not parts.path.rstrip("/").endswith(_HARMLESS)
        if writes:
            self.written += 1
            if self.die_after is not None and self.written > self.die_after:
                self.dead = True
                raise Killed
            if self.refuse_after is not None and self.written > self.refuse_after:
                raise NewConnectionError(types.SimpleNamespace(host=host), "refused")  # type: ignore[arg-type]
        request = Request(
            method, unquote(parts.path), parse_qs(parts.query, keep_blank_values=True) if parts.query else {},
            {name.lower(): value for name, value in headers.items()}, content, f"https://{host}",
        )  # fmt: skip
        response = self.planes[site, system].handle(request)
        if writes and 400 <= response.status < 500:
            self.refused.append(f"{method} {target}: {response.status} {str(response.body)[:300]}")
        if self.die_after is not None and writes and self.written == self.die_after and self.dead_at_once:
            self.dead = True
            raise Killed
        return response

    dead_at_once = False
    """Whether the write that is the last one is answered to nobody."""

    def by_hand(self, site: str, system: str, method: str, path: str, body: Any = None) -> Response:
        """Somebody else uses a system's own API; a refusal is an answer like any other."""
        headers = {"content-type": "application/merge-patch+json" if method == "PATCH" else "application/json"}
        if system == "vast":
            headers |= {"authorization": "Api-Token h", "content-type": "application/json"}
        elif system == "kubernetes":
            headers |= {"authorization": "Bearer k", "user-agent": "kubectl"}
        else:
            headers |= {"authorization": f"Bearer {self._runai_token(site)}", "content-type": "application/json"}
        parts = urlsplit(path)
        query = parse_qs(parts.query, keep_blank_values=True) if parts.query else {}
        raw = b"" if body is None else json.dumps(body).encode()
        return self.planes[site, system].handle(
            Request(method, unquote(parts.path), query, headers, raw, f"https://{site}.{system}.sim")
        )

    def _runai_token(self, site: str) -> str:
        asked = {"grantType": "client_credentials", "clientID": "vastplan", "clientSecret": "r"}
        request = Request(
            "POST", "/api/v1/token", {}, {"content-type": "application/json"}, json.dumps(asked).encode(), ""
        )
        return str(self.planes[site, "runai"].handle(request).body["accessToken"])

    def rows(self, site: str, system: str, collection: str) -> list[Row]:
        """The rows of a collection; those of Kubernetes and Run:AI are kept under the site's name."""
        name = collection if system == "vast" else f"{site}/{collection}"
        return list(self.stores[site, system].rows(name))

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """vastplan in this process is connected to these sites."""
        with contextlib.ExitStack() as stack:
            for change in _patches(self):
                stack.enter_context(change)
            # Documents and answers are trees without cycles; what there is of those goes when Python sees fit, afterwards.
            gc.disable()
            try:
                yield
            finally:
                gc.enable()

    @contextlib.contextmanager
    def struck(self, *, refuse: int | None = None, die: int | None = None, at_once: bool = False) -> Iterator[None]:
        """From the N-th write on nobody answers, or the process is gone. It ends here, as for whoever started it."""
        self.written, self.refuse_after, self.die_after, self.dead_at_once = 0, refuse, die, at_once
        try:
            yield
        except Killed:
            pass
        finally:
            self.refuse_after, self.die_after, self.dead, self.dead_at_once = None, None, False, False


def _url(site: str, system: str) -> str:
    return f"https://{site}.{system}.sim"


class _Body:
    """An answer as a wire gives it: read once."""

    def __init__(self, response: Response) -> None:
        self.status = response.status
        self.headers = dict(response.headers)
        self._raw = response.encoded()

    def read1(self, _: int, *, decode_content: bool) -> bytes:
        """What is left of the body."""
        raw, self._raw = self._raw, b""
        return raw

    def release_conn(self) -> None:
        """There is no connection."""

    def close(self) -> None:
        """There is no connection."""


class InProcessWire:
    """Requests to one system of a plant, in the place of a session or a pool."""

    errors: tuple[type[Exception], ...] = (urllib3.exceptions.HTTPError,)
    proxy = ""

    def __init__(self, plant: Plant, base: str) -> None:
        self._plant = plant
        self._base = urlsplit(base)

    def send(self, request: Any, content: bytes | None, headers: Mapping[str, str]) -> Any:
        """The answer, its body unread."""
        named = {**headers, "Content-Type": request.form, "User-Agent": "vastplan"}
        answer = self._plant.answer(
            self._base.netloc, request.method, self._base.path + request.target, content or b"", named
        )
        return _Body(answer)

    def close(self) -> None:
        """There is no connection."""


class _AtOnce:
    """A pool that does what it is given when it is given it."""

    def __init__(self, max_workers: int = 1) -> None:
        pass

    def __enter__(self) -> _AtOnce:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def submit(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Future[Any]:
        """A future that has ended."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **named))
        except BaseException as problem:
            future.set_exception(problem)
        return future

    def map(self, function: Callable[..., Any], *columns: Iterable[Any]) -> Iterator[Any]:
        """All results, in order."""
        return iter([function(*row) for row in zip(*columns, strict=False)])


class _NoTime:
    """A clock that stands still but for the pauses of those who wait."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """Seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Pass in no time."""
        self.now += seconds


class _SitesTime:
    """The time of the sites, which passes when an operation waits."""

    def __init__(self, plant: Plant) -> None:
        self._cluster = next(plane for plane in plant.planes.values() if isinstance(plane, VastPlane))
        self._passed = 0.0

    def now(self) -> datetime:
        """The clusters' time."""
        return datetime.fromtimestamp(self._cluster.now(), UTC)

    def ticks(self) -> float:
        """What was waited so far, in seconds."""
        return self._passed

    def sleep(self, seconds: float) -> None:
        """All sites go on meanwhile: they are linked, and share the clock."""
        self._passed += seconds
        self._cluster.pass_time(int(seconds))


class _Api:
    """What vastplan uses of the official Kubernetes client, which takes longer to make than all of a history's requests."""

    def __init__(self, site: str) -> None:
        settings = {"BearerToken": {"value": "Bearer k"}}
        host = _url(site, "kubernetes")
        self.configuration = types.SimpleNamespace(host=host, auth_settings=lambda: settings)
        self.rest_client = types.SimpleNamespace(pool_manager=types.SimpleNamespace(connection_pool_kw={}))
        self.default_headers: dict[str, str] = {}
        self.user_agent = ""

    def close(self) -> None:
        """There is no connection."""


def _patches(plant: Plant) -> list[Any]:
    @contextlib.contextmanager
    def served(folder: Path, systems: object, _directories: object) -> Iterator[list[ServedEndpoint]]:
        yield plant.endpoints()

    def session(base: str, **_: object) -> InProcessWire:
        return InProcessWire(plant, base)

    def pool(api: Any, _: object) -> InProcessWire:
        return InProcessWire(plant, api.configuration.host)

    def connect(*, kubeconfig: Mapping[str, Any], **_: object) -> _Api:
        return _Api(kubeconfig["current-context"])

    record, close = FileSession.record, FileSession.close

    def recorded(self: FileSession, *events: Any) -> None:
        if plant.dead:
            raise Killed
        record(self, *events)

    def closed(self: FileSession) -> None:
        if not plant.dead:
            close(self)
            return
        self._journal_file.close()
        self._lock.release()

    clock, sites_time = _NoTime(), _SitesTime(plant)
    return [
        patch("vastplan.app.operations.CLOCK", sites_time),
        patch("vastplan.app.move.CLOCK", sites_time),
        patch("vastplan.app.connect.world", served),
        patch("vastplan.systems.vast.session.Session", session),
        patch("vastplan.systems.runai.client.Session", session),
        patch("vastplan.systems.kubernetes.client.Pool", pool),
        patch("vastplan.systems.kubernetes.kubeconfig.connect", connect),
        patch("vastplan.app.workspace.discover", lambda _: _REGISTRY),
        patch("vastplan.app.workspace.discover_systems", lambda _: _DISCOVERED_SYSTEMS),
        patch("concurrent.futures.ThreadPoolExecutor", _AtOnce),
        patch("vastplan.engine.live.read.ThreadPoolExecutor", _AtOnce),
        patch("vastplan.engine.applying.apply.ThreadPoolExecutor", _AtOnce),
        patch("vastplan.model.polling.time", clock),
        patch("vastplan.systems.bounds.time", clock),
        patch.dict(poll.__kwdefaults__, sleep=clock.sleep),
        patch.object(until_ready, "__defaults__", (clock.sleep,)),
        patch.object(until_gone, "__defaults__", (clock.sleep,)),
        patch.object(until_shown, "__defaults__", (clock.sleep,)),
        patch("vastplan.document.specs.models", lambda _: _MODELS),
        patch("os.fsync", lambda _: None),
        patch.object(FileSession, "record", recorded),
        patch.object(FileSession, "close", closed),
    ]
