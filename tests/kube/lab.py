"""A laboratory whose Kubernetes is a real API server, or a recording of it; VAST beside it stays simulated."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests
import yaml

from tests.kube.hands import Hands
from tests.kube.recording import NOWHERE, Tape
from tests.kube.server import TOKEN, ApiServer
from tests.lab import EVERYTHING, Lab
from vastplan.engine.live.consent import Consent
from vastplan.model.plan import Plan

_READS = ("GET", "HEAD")


class KubeLab(Lab):
    """One site, `iad`."""

    def __init__(
        self, folder: Path, systems: list[str], tape: Tape, server: ApiServer | None, hands: Hands | None
    ) -> None:
        super().__init__(folder, {"iad": [one for one in systems if one != "kubernetes"]})
        self.tape, self._hands = tape, hands
        self.url = server.url if server else f"https://127.0.0.1:{NOWHERE}"
        self._pem = folder / "kube.pem"
        # A recording needs no authority, but the default ones of this machine take long to load.
        pem = server.pem if server else (self.world.folder / "ca.pem").read_bytes()
        self._pem.write_bytes(pem)
        (folder / "kubeconfig").write_text(kubeconfig(self.url, pem), encoding="utf-8")
        (folder / "kubeconfig").chmod(0o600)

    @property
    def real(self) -> bool:
        """Whether there is a server, and not a recording of one."""
        return self._hands is not None

    def write(self, sections: Mapping[str, Any]) -> None:
        """Make this the document (all but its head)."""
        self.sections = json.loads(json.dumps(sections))
        # One request at a time: only so do a recording's answers come in the order of its questions.
        site: dict[str, Any] = {"kubernetes": {"kubeconfig": "kubeconfig"}, "parallel": 1}
        for one in self.world.endpoints():
            (self.folder / "vast-password").write_text(one.password, encoding="utf-8")
            (self.folder / "vast.pem").write_bytes(Path(one.ca_file).read_bytes())
            site["vast"] = {"url": one.url, "ca_file": "vast.pem", "username": one.username}
            site["vast"]["password"] = {"file": "vast-password"}
        whole = {"version": 1, "name": "lab", "sites": {"iad": site}, **self.sections}
        (self.folder / "lab.yaml").write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
        self.sites = {"iad": []}

    def converge(self, consent: Consent = EVERYTHING) -> Plan:
        """Plan and apply, which must go well; claims are bound afterwards."""
        plan = super().converge(consent)
        if self._hands is not None:
            self._hands.bind()
        return plan

    def settle(self) -> None:
        """What somebody has made is taken by those who take it in a cluster."""
        if self._hands is not None:
            self._hands.settle()

    def calls(self) -> list[Any]:
        """The writes since the log was last cleared."""
        return [*super().calls(), *(call for call in self.tape.calls if call.method not in _READS)]

    def all_calls(self) -> list[Any]:
        """All requests since the log was last cleared."""
        return [*super().all_calls(), *self.tape.calls]

    def clear_calls(self) -> None:
        """Forget the requests so far."""
        super().clear_calls()
        self.tape.calls.clear()

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
        """Somebody uses the API server."""
        with requests.Session() as session:
            session.trust_env = False
            return session.request(
                method, self.url + path, data=None if body is None else json.dumps(body), timeout=30,
                verify=str(self._pem),
                headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers},
            )  # fmt: skip

    def by_hand(self, site: str, system: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Somebody uses the system's own API; answers the parsed body. Fails the test when the system refuses."""
        if system != "kubernetes":
            return super().by_hand(site, system, method, path, body, **headers)
        response = self.send(method, path, body, **headers)
        assert response.status_code < 400, f"{method} {path}: {response.status_code} {response.text}"
        return response.json()

    def until(self, path: str, body: dict[str, Any], status: int) -> None:
        """Wait until the server answers a POST so; nothing is recorded of it."""
        if self._hands is not None:
            self._hands.until(path, body, status)


def kubeconfig(url: str, pem: bytes) -> str:
    """How the server is reached with the tests' token."""
    authority = base64.b64encode(pem).decode()
    return yaml.safe_dump({
        "apiVersion": "v1", "kind": "Config", "current-context": "kube",
        "clusters": [{"name": "kube", "cluster": {"server": url, "certificate-authority-data": authority}}],
        "users": [{"name": "kube", "user": {"token": TOKEN}}],
        "contexts": [{"name": "kube", "context": {"cluster": "kube", "user": "kube"}}],
    })  # fmt: skip
