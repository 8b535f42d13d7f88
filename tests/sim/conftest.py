"""The simulated VMS behind a server, and a client for it: what the tests of it share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.direct import DIRECT
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Request, Response

AUTHORITY = Authority()
PASSWORD = "s3cret"
TOKEN = "api-token-1"


class Clock:
    """A clock that only a test moves."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Vms:
    """One plane behind a server, and a client for it."""

    def __init__(self, server: Server, http: requests.Session, store: Store | None = None, **options: Any) -> None:
        self.clock = Clock()
        self.plane = VastPlane(
            store or Store(), password=PASSWORD, api_tokens={TOKEN: "admin"}, clock=self.clock, **options
        )
        server.plane = self.plane
        self.server = server
        self.http = http
        self.headers = {"Authorization": f"Api-Token {TOKEN}"}

    def call(self, method: str, path: str, body: Any = None, /, *, prefix: str = "/api/v5", **query: Any) -> Any:
        return self.http.request(method, self.server.url + prefix + path, json=body, params=query, headers=self.headers)

    def get(self, path: str, /, **query: Any) -> Any:
        answer = self.call("GET", path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, name: str, /, **body: Any) -> Any:
        answer = self.call("POST", f"/{name}/", body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def refused(self, method: str, path: str, body: Any = None, /, *, status: int = 400, **query: Any) -> Any:
        answer = self.call(method, path, body, **query)
        assert answer.status_code == status, answer.text
        return answer.json()

    def view(self, path: str = "/a", **body: Any) -> Any:
        return self.post("views", path=path, policy_id=1, create_dir=True, **body)


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pem(AUTHORITY, tmp_path_factory.mktemp("ca") / "ca.pem")


class Idle:
    """A plane that answers nothing: what a server has between two tests."""

    name = "idle"

    def handle(self, request: Request) -> Response:
        raise AssertionError("a request between two tests")

    def expire_tokens(self) -> None:
        pass

    def busy(self) -> Response:
        raise AssertionError("a request between two tests")


@pytest.fixture(scope="module")
def servers(ca: Path) -> Iterator[tuple[list[Server], requests.Session]]:
    """Two servers for all tests, which give them their planes, and a client that keeps its connections."""
    lock = threading.RLock()
    running = [Server(Idle(), AUTHORITY, lock).start() for _ in range(2)]
    http = DIRECT.session()
    http.verify = str(ca)
    http.trust_env = False  # a CA bundle named in the environment would win over `verify`
    yield running, http
    http.close()
    for server in running:
        server.stop()


@pytest.fixture
def start(servers: tuple[list[Server], requests.Session]) -> Any:
    free = iter(servers[0])
    return lambda **options: Vms(next(free), servers[1], **options)


SLOW = pytest.mark.parametrize("vms", [{"settle_reads": 4}], indirect=True)
"""On a cluster that takes its time: what is pending can be asked about more than once."""


@pytest.fixture
def vms(start: Any, request: pytest.FixtureRequest) -> Any:
    return start(**getattr(request, "param", {}))


@pytest.fixture
def strict(start: Any) -> Any:
    """A VMS that goes by the document alone."""
    return start(strict=True)
