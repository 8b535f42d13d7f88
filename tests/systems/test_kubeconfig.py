"""What a kubeconfig may say of TLS and credentials, and that a key in it is left nowhere."""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from cryptography.hazmat.primitives import serialization

from tests.systems.wire import Seen, Server, say, serving
from vastplan.model.errors import Unreachable, VastplanError
from vastplan.model.sensitive import without_secrets
from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.kubernetes import kubeconfig
from vastplan.systems.kubernetes.client import KubernetesProvider

QUICK = TransportLimits(connect=10, silence=10, whole=20, retries=0, backoff=0.001, longest=0.05, size=1 << 20)
PEOPLE = trustme.CA()


def version(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
    say(handler, 200, {"major": "1", "minor": "34"})


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path, version, clients=PEOPLE.cert_pem.bytes()) as one:
        yield one


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go: in memory, and, should a file go there, on disk."""
    memory, disk = tmp_path / "memory", tmp_path / "disk"
    memory.mkdir()
    disk.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(memory))
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    return tmp_path


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def somebody() -> dict[str, Any]:
    """A user with a certificate and its key."""
    mine = PEOPLE.issue_cert("somebody")
    chain = b"".join(one.bytes() for one in mine.cert_chain_pems)
    return {"client-certificate-data": encoded(chain), "client-key-data": encoded(mine.private_key_pem.bytes())}


def client(
    folder: Path, server: Server, user: dict[str, Any], cluster: dict[str, Any] | None = None, unverified: bool = False
) -> KubernetesProvider:
    trusted = {"certificate-authority-data": encoded(Path(server.ca).read_bytes())}
    entries = {
        "clusters": [{"name": "c", "cluster": {"server": server.url, **(cluster or trusted)}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    }
    file = folder / "kubeconfig"
    file.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config", "current-context": "x", **entries}))
    api = kubeconfig.connect(kubeconfig=str(file), context=None, in_cluster=False, unverified=unverified)
    return KubernetesProvider(api, writable=False, limits=QUICK)


def left(places: Path) -> list[str]:
    return [*os.listdir(places / "memory"), *os.listdir(places / "disk")]


def test_a_certificate_in_it_is_shown_and_its_key_is_left_nowhere(places: Path, server: Server) -> None:
    one = client(places, server, somebody())
    assert left(places) == []
    assert one.version() == "1.34"


def test_two_connections_from_one_file(places: Path, server: Server) -> None:
    """The official client remembers by their content which files it has written."""
    user = somebody()
    ones = [client(places, server, user) for _ in range(2)]
    assert [one.version() for one in ones] == ["1.34", "1.34"]
    assert left(places) == []


def test_a_certificate_in_files_beside_it(places: Path, server: Server) -> None:
    user = somebody()
    for name in ("client-certificate", "client-key"):
        (places / name).write_bytes(base64.b64decode(user[f"{name}-data"]))
    one = client(
        places,
        server,
        {"client-certificate": "client-certificate", "client-key": str(places / "client-key")},
        {"certificate-authority": server.ca},
    )
    assert one.version() == "1.34"
    assert (places / "client-key").exists()


def test_without_a_certificate_it_is_not_let_in(places: Path, server: Server) -> None:
    with pytest.raises(Unreachable):
        client(places, server, {"token": "t"}).version()


def _encrypted(key: bytes) -> bytes:
    loaded = serialization.load_pem_private_key(key, None)
    form = serialization.PrivateFormat.PKCS8
    return loaded.private_bytes(
        serialization.Encoding.PEM, form, serialization.BestAvailableEncryption(b"canary")
    )  # fmt: skip


@pytest.mark.parametrize("what", ["somebody else's", "encrypted", "no key"])
def test_a_key_that_cannot_be_used(what: str, places: Path, server: Server) -> None:
    user = somebody()
    key = {
        "somebody else's": base64.b64decode(somebody()["client-key-data"]),
        "encrypted": _encrypted(base64.b64decode(user["client-key-data"])),
        "no key": b"canary",
    }[what]
    with pytest.raises(VastplanError, match=r"^kubernetes: the client certificate or its key cannot be used: ") as told:
        client(places, server, {**user, "client-key-data": encoded(key)})
    assert "canary" not in str(told.value)
    assert left(places) == []


def test_who_is_trusted(places: Path, server: Server) -> None:
    other = trustme.CA().cert_pem.bytes()
    with pytest.raises(Unreachable, match="its certificate is not trusted"):
        client(places, server, somebody(), {"certificate-authority-data": encoded(other)}).version()
    with pytest.raises(Unreachable, match="its certificate is not trusted"):  # by the system's authorities
        client(places, server, somebody(), {"tls-server-name": "localhost"}).version()


def test_it_cannot_leave_the_server_unchecked_by_itself(places: Path, server: Server) -> None:
    with pytest.raises(VastplanError, match="does not check the server's certificate"):
        client(places, server, somebody(), {"insecure-skip-tls-verify": True})
    for cluster in ({"insecure-skip-tls-verify": True}, {"tls-server-name": "elsewhere"}):
        assert client(places, server, somebody(), cluster, unverified=True).version() == "1.34"


def test_the_name_in_its_certificate(places: Path, server: Server) -> None:
    trusted = {"certificate-authority": server.ca}
    assert client(places, server, somebody(), {**trusted, "tls-server-name": "localhost"}).version() == "1.34"
    with pytest.raises(Unreachable, match="its certificate is not trusted"):
        client(places, server, somebody(), {**trusted, "tls-server-name": "elsewhere"}).version()


def test_as_many_connections_as_calls_at_once(places: Path, server: Server) -> None:
    one = client(places, server, somebody())
    many = KubernetesProvider(one._api, writable=False, parallel=32)
    pool = many._api.rest_client.pool_manager.connection_from_url(server.url)
    assert pool.pool is not None
    assert pool.pool.maxsize == 32


LOGIN = "somebody:Swordfish-4711@"


@pytest.mark.parametrize("what", ["server", "proxy-url"])
def test_a_login_in_an_address_is_refused_and_not_said(what: str, places: Path, server: Server) -> None:
    """Addresses are shown in plans, in reports and in the ledger."""
    cluster = {"certificate-authority": server.ca, what: server.url.replace("https://", f"https://{LOGIN}")}
    with pytest.raises(VastplanError) as raised:
        client(places, server, {"token": "t"}, cluster)
    says = f"context (current): its {what} is not used: there is a user or a password in it (before an @)"
    assert says in str(raised.value) and "Swordfish" not in str(raised.value)


def test_a_login_at_a_proxy_of_the_environment_is_used_and_not_said(
    places: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, f"http://{LOGIN.replace('4711', '%34711')}127.0.0.1:9")
    client(places, server, {"token": "t"}, {"certificate-authority": server.ca})
    assert without_secrets("no Swordfish-4711, no Swordfish-%34711") == "no (sensitive), no (sensitive)"
