"""A live system or a simulator, spoken to with plain requests; it refuses to write anything that is not this suite's."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import requests

from tests.contract import PREFIX
from tests.contract.scrub import Scrubber

PEER = "vast peer"  # the other one of two clusters that replicate to each other
READ_ONLY = ("GET", "HEAD", "OPTIONS")


class Unsafe(Exception):
    """A probe was about to change something that this suite did not make."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `body` is None where it is empty, and text where it is not JSON."""

    status: int
    body: Any
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Leftover:
    """An object with the prefix that is there: how it is called, and where it is deleted."""

    name: str
    path: str


class Target:
    """One system. The three are in `systems.py`; they say how to log in and where things are."""

    name = ""
    log_ins: tuple[str, ...] = ()
    lifetime = 600.0  # seconds after which it logs in again; tokens live at least an hour by default

    def __init__(self, url: str, ca: str | bool = True) -> None:
        self.url = url.rstrip("/")
        self.session = requests.Session()
        self.session.trust_env = False  # a CA bundle named in the environment would win over `verify`
        self.session.verify = ca
        self.known: dict[str, Any] = {}
        self.abilities: set[str] = set()
        self.peer = ""  # what the replication peer is called that leads to the other system
        self.scrubber = Scrubber()
        self._made: list[str] = []
        self._credential = ""
        self._since = float("-inf")

    # What a system says about itself.

    def log_in(self) -> str:
        """The Authorization header of a new session."""
        raise NotImplementedError

    def look_around(self) -> dict[str, Any]:
        """What probes may name: ids of the cluster, of its default pool and so on."""
        return {}

    def made(self, path: str, body: Any) -> str | None:
        """Where the object that a POST to `path` was answered with is deleted."""
        raise NotImplementedError

    def leftovers(self, prefix: str) -> Iterator[Leftover]:
        """Everything whose name begins with `prefix`, what uses others first."""
        raise NotImplementedError

    # What probes do.

    def connect(self) -> None:
        """Log in and look around; raises `ConnectionError` when the system does not let us."""
        self._authorize()
        self.known = self.look_around()

    def send(
        self, method: str, path: str, *, body: Any = None, data: str | dict[str, str] | None = None,
        query: Any = None, headers: dict[str, str] | None = None, anonymous: bool = False,
    ) -> Answer:  # fmt: skip
        """Send one request, and remember what it made; raises `Unsafe` before it writes to what is not ours."""
        self._check_ours(method, path, body, data)
        self._authorize()
        sent = {} if anonymous else self._headers()
        response = self.session.request(
            method, self.url + path, params=query, headers={**sent, **(headers or {})}, timeout=60, data=data,
            **({"json": body} if body is not None else {}),
        )  # fmt: skip
        answer = Answer(response.status_code, _parsed(response), dict(response.headers))
        if method == "POST" and answer.status < 300 and (where := self.made(path, answer.body)):
            self._made.append(where)
        return answer

    def tidy(self, limits: TransportLimits) -> list[str]:
        """Delete what was made since the last time, the newest first; answers what could not be."""
        left: list[str] = []
        while self._made:
            where = self._made.pop()
            if not self.remove(where, limits):
                left.append(where)
        return left

    def remove(self, path: str, limits: TransportLimits) -> bool:
        """Delete and wait until it is gone; True when it is. What is still in use is tried again."""
        for _ in limits.turns():
            if self._gone(path):
                return True
            self.session.delete(self.url + path, headers=self._headers(), timeout=60)
        return self._gone(path)

    def sweep(self, prefix: str, limits: TransportLimits) -> list[str]:
        """Delete everything with the prefix; answers what is left."""
        assert prefix.startswith(PREFIX)
        for _ in limits.turns():
            found = list(self.leftovers(prefix))
            if not found:
                return []
            for one in found:
                self.session.delete(self.url + one.path, headers=self._headers(), timeout=60)
        return [one.name for one in self.leftovers(prefix)]

    def close(self) -> None:
        """Let the connections go."""
        self.session.close()

    def _gone(self, path: str) -> bool:
        return self.session.get(self.url + path, headers=self._headers(), timeout=60).status_code in (404, 410)

    def _headers(self) -> dict[str, str]:
        self._authorize()
        return {"Authorization": self._credential} if self._credential else {}

    def _authorize(self) -> None:
        if time.monotonic() - self._since > self.lifetime:
            self._credential = self.log_in()
            self._since = time.monotonic()

    def _check_ours(self, method: str, path: str, body: Any, data: Any) -> None:
        if method in READ_ONLY or PREFIX in path or path in self.log_ins:
            return
        if any(path == one or path.startswith(one.rstrip("/") + "/") for one in self._made):
            return
        # what is asked for and set by a name in the body is ours where the name is
        if (method == "POST" or path.endswith("/query/")) and PREFIX in json.dumps([body, data]):
            return
        raise Unsafe(f"{method} {path} would change what is not ours")


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """How often something is looked at before it counts as not happening, and the seconds between two looks."""

    looks: int = 60
    pause: float = 2.0

    def turns(self) -> Iterator[int]:
        """Count the looks, with pauses between them."""
        for turn in range(self.looks):
            if turn:
                time.sleep(self.pause)
            yield turn


def _parsed(response: requests.Response) -> Any:
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError:
        return response.text
