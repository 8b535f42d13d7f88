"""A kube-apiserver with its etcd, on loopback, for one test session; built by `make kube`.

No controllers run beside it: what little of them the tests need is in `tests/kube/hands.py`.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import ssl
import subprocess
import time
from http.client import HTTPConnection, HTTPException  # taken here, before a recorder puts its own in their place
from pathlib import Path
from typing import Any

import trustme
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

VERSION = "1.34.4"
TOKEN = secrets.token_hex(16)
JSON, MERGE = "application/json", "application/merge-patch+json"
_START = 90.0  # seconds: two busy cores


def assets() -> Path | None:
    """Where kube-apiserver and etcd are: `KUBEBUILDER_ASSETS`, or what `make kube` filled; `None` when nowhere."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vastplan" / "kube" / VERSION
    folder = Path(os.environ.get("KUBEBUILDER_ASSETS") or cache)
    return folder if all((folder / name).is_file() for name in ("kube-apiserver", "etcd")) else None


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()


class _Secured(HTTPConnection):
    """A connection that no recorder gets to see: the standard library's own looks its name up when it is made."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=30)
        self._context = context

    def connect(self) -> None:
        plain = socket.create_connection((self.host, self.port), self.timeout)
        self.sock = self._context.wrap_socket(plain, server_hostname=self.host)


class ApiServer:
    """One API server. Use as a context manager."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.folder = folder
        self._binaries = binaries
        self._processes: list[subprocess.Popen[bytes]] = []
        self.port = 0
        self.url = ""
        self.pem = b""

    def __enter__(self) -> ApiServer:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        authority = trustme.CA()
        leaf = authority.issue_cert("localhost", "127.0.0.1")
        self.pem = bytes(authority.cert_pem.bytes())
        self._context = ssl.create_default_context(cadata=self.pem.decode())
        certificate, key, account, tokens = (self.folder / one for one in ("tls.crt", "tls.key", "sa.key", "tokens"))
        certificate.write_bytes(b"".join(one.bytes() for one in leaf.cert_chain_pems))
        _private(key, leaf.private_key_pem.bytes())
        _private(account, _rsa_key())
        _private(tokens, f'{TOKEN},kubernetes-admin,kubernetes-admin,"system:masters"\n'.encode())
        client, peer, self.port = free_ports(3)
        etcd, self.url = f"http://127.0.0.1:{client}", f"https://127.0.0.1:{self.port}"
        self._run(
            "etcd", f"--data-dir={self.folder / 'etcd'}", "--unsafe-no-fsync", f"--listen-client-urls={etcd}",
            f"--advertise-client-urls={etcd}", f"--listen-peer-urls=http://127.0.0.1:{peer}",
        )  # fmt: skip
        self._run(
            "kube-apiserver", f"--etcd-servers={etcd}", f"--secure-port={self.port}", "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1", f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}",
            f"--token-auth-file={tokens}", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={account}", f"--service-account-signing-key-file={account}",
            "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
            "--disable-admission-plugins=ServiceAccount", f"--cert-dir={self.folder}",
        )  # fmt: skip
        self._until("/readyz", lambda status, _: status == 200)
        self._install_crds()

    def _run(self, name: str, *words: str) -> None:
        log = (self.folder / f"{name}.log").open("wb")
        with log:
            self._processes.append(
                subprocess.Popen([str(self._binaries / name), *words], stdout=log, stderr=log, cwd=self.folder)
            )

    def _until(self, path: str, holds: Any) -> None:
        deadline = time.monotonic() + _START
        while True:
            for process in self._processes:
                if process.poll() is not None:
                    raise RuntimeError(f"{process.args!r} ended with {process.returncode}: see {self.folder}")
            try:
                if holds(*self.call("GET", path)):
                    return
            except (OSError, HTTPException):
                pass
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} of the API server is not as it should be after {_START:.0f} s")
            time.sleep(0.1)

    def _install_crds(self) -> None:
        for file in sorted((self._binaries / "crd").glob("*.yaml")):
            body = yaml.safe_load(file.read_text(encoding="utf-8"))
            status, answer = self.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
            assert status == 201, answer
            plural = body["spec"]["names"]["plural"]
            for version in body["spec"]["versions"]:
                if version["served"]:
                    path = f"/apis/{body['spec']['group']}/{version['name']}/{plural}"
                    self._until(path, lambda status, _: status == 200)

    def call(self, method: str, path: str, body: Any = None, kind: str = JSON) -> tuple[int, Any]:
        """One request past every recorder; the status and the parsed answer."""
        status, _, raw = self.send(method, path, None if body is None else json.dumps(body), kind)
        try:
            return status, json.loads(raw)
        except ValueError:
            return status, raw.decode(errors="replace")

    def send(
        self, method: str, path: str, body: str | None, kind: str, accept: str = JSON
    ) -> tuple[int, dict[str, str], bytes]:
        """One request past every recorder; the status, headers and raw answer."""
        headers = {"Authorization": f"Bearer {TOKEN}", "Accept": accept, "User-Agent": "test/1.0"}
        if body is not None:
            headers["Content-Type"] = kind
        connection = _Secured("127.0.0.1", self.port, self._context)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()


def _private(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)


def _rsa_key() -> bytes:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    plain = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, plain)
