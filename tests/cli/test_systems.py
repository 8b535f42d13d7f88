"""Systems that do not answer as they should: that part is unknown, the rest of the plan stands, and nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import vastplan.kinds
from tests.conftest import Run
from tests.lab import SYSTEMS, Lab
from vastplan.app.connect import connected
from vastplan.document.load import load_document
from vastplan.schema.discover import discover
from vastplan.sim.faults import Effect, Fault
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Request, Response

PASSWORD = "canary-7f3a"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """One VMS that is not simulated as far as the document knows."""
    authority = Authority()
    one = Server(VastPlane(Store(), password=PASSWORD), authority, threading.RLock()).start()
    write_pem(authority, tmp_path / "ca.pem")
    monkeypatch.setenv("VMS_PASSWORD", PASSWORD)
    yield one
    one.stop()


def document(folder: Path, url: str, more: str = "", ca: str = "ca_file: ca.pem") -> Path:
    """A document with a real site at `url` and a simulated one."""
    file = folder / "doc.yaml"
    file.write_text(
        "version: 1\nname: doc\nsites:\n"
        f"  far: {{vast: {{url: '{url}', username: admin, password: {{env: VMS_PASSWORD}}{', ' + ca if ca else ''}}}}}\n"
        "  near: {sim: {systems: [vast]}}\n"
        "tenants: {a: {max_views: 3}}\n" + more
    )
    return file


def test_a_real_address(server: Server, tmp_path: Path, vastplan: Run) -> None:
    file = document(tmp_path, server.url)
    ran = vastplan("apply", file, "--auto-approve")
    assert ran.code == 0, ran
    assert vastplan("plan", file, "--detailed-exitcode").code == 0
    assert PASSWORD not in ran.out + ran.err
    everything = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert PASSWORD.encode() not in everything


def test_two_systems_behind_tunnels_are_two(server: Server, tmp_path: Path, vastplan: Run) -> None:
    """Addresses on loopback, as `ssh -L` and `kubectl port-forward` make them, are as good as any."""
    authority = Authority()
    write_pem(authority, tmp_path / "other.pem")
    other = Server(VastPlane(Store(), password=PASSWORD), authority, threading.RLock()).start()
    try:
        plan = tmp_path / "plan.json"
        assert vastplan("plan", document(tmp_path, server.url), "--out", plan).code == 0
        document(tmp_path, other.url, ca="ca_file: other.pem")
        ran = vastplan("apply", plan)
        assert ran.code == 5, ran
        assert f"the vast of far was {server.url} when the plan was made and is {other.url} now" in ran.err
        assert other.writes() == []
        document(tmp_path, server.url)
        assert vastplan("apply", plan).code == 0
    finally:
        other.stop()


def test_another_spelling_of_an_address_is_no_other_owner(server: Server, tmp_path: Path, vastplan: Run) -> None:
    assert vastplan("apply", document(tmp_path, server.url), "--auto-approve").code == 0
    second = document(tmp_path, server.url.upper().replace("HTTPS", "https") + "/").rename(tmp_path / "two.yaml")
    second.write_text(second.read_text().replace("name: doc", "name: two"))
    ran = vastplan("plan", second, "--adopt")
    assert "blocked (other-document): owned by document doc as far/tenant/a" in ran.out, ran


def unknown(ran: object, says: str) -> None:
    """The far site is unknown, the near one is planned."""
    assert ran.code == 6, ran  # type: ignore[attr-defined]
    assert "far vast tenant" in ran.out, ran  # type: ignore[attr-defined]
    assert says in ran.out, ran  # type: ignore[attr-defined]
    assert "+ tenant a" in ran.out, ran  # type: ignore[attr-defined]
    assert PASSWORD not in ran.out + ran.err  # type: ignore[attr-defined]


@pytest.mark.slow  # it waits for what does not come
def test_nobody_answers(server: Server, tmp_path: Path, vastplan: Run) -> None:
    file = document(tmp_path, "https://127.0.0.1:9")
    unknown(vastplan("plan", file), "127.0.0.1:9")
    ran = vastplan("apply", file, "--auto-approve")
    assert ran.code == 6
    assert "1 done" in ran.out
    drift = vastplan("drift", file)
    assert drift.code == 6
    assert "gone" not in drift.out


@pytest.mark.slow
def test_a_system_that_stops_answering_is_not_an_empty_one(server: Server, tmp_path: Path, vastplan: Run) -> None:
    file = document(tmp_path, server.url)
    assert vastplan("apply", file, "--auto-approve").code == 0
    server.faults.arm(Fault(Effect.STATUS, path="/tenants/", times=100, status=500))
    ran = vastplan("plan", file)
    assert ran.code == 6, ran
    assert "create" not in ran.out
    assert "1 object in sync" in ran.out


def test_a_certificate_that_nobody_vouches_for(server: Server, tmp_path: Path, vastplan: Run) -> None:
    unknown(vastplan("plan", document(tmp_path, server.url, ca="")), "certificate is not trusted")


def test_unverified_only_when_the_document_says_so(server: Server, tmp_path: Path, vastplan: Run) -> None:
    file = document(tmp_path, server.url, ca="insecure_skip_verify: true")
    (tmp_path / "password").write_text(PASSWORD)
    file.write_text(file.read_text().replace("{env: VMS_PASSWORD}", "{file: password}"))
    ran = vastplan("plan", file)
    assert ran.code == 0, ran
    assert "warning VP320" in ran.out
    assert f"site far: the certificate of {server.url} is not verified" in ran.out


def test_a_ca_file_that_is_not_there(server: Server, tmp_path: Path, vastplan: Run) -> None:
    unknown(vastplan("plan", document(tmp_path, server.url, ca="ca_file: nowhere.pem")), "nowhere.pem does not exist")


def test_a_wrong_password(server: Server, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VMS_PASSWORD", "wrong-" + PASSWORD)
    unknown(vastplan("plan", document(tmp_path, server.url)), "user admin could not log in")


def test_a_secret_that_is_not_set(
    server: Server, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VMS_PASSWORD")
    ran = vastplan("plan", document(tmp_path, server.url))
    unknown(ran, "the environment variable VMS_PASSWORD is not set")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault(Effect.HTML, path="/tenants/", times=50), "not JSON"),
        (Fault(Effect.TRUNCATE, path="/tenants/", times=50), "far"),
        (Fault(Effect.STATUS, path="/tenants/", times=50, status=503), "503"),
        (Fault(Effect.DROP_BEFORE, path="/tenants/", times=50), "127.0.0.1"),
    ],
    ids=["a page instead of JSON", "half an answer", "busy", "hangs up"],
)
def test_answers_that_cannot_be_understood(
    fault: Fault, says: str, server: Server, tmp_path: Path, vastplan: Run
) -> None:
    server.faults.arm(fault)
    unknown(vastplan("plan", document(tmp_path, server.url)), says)


def test_a_token_that_expires_between_two_calls_is_renewed(server: Server, tmp_path: Path, vastplan: Run) -> None:
    server.faults.arm(Fault(Effect.EXPIRE, path="/tenants/", times=1))
    assert vastplan("plan", document(tmp_path, server.url)).code == 0


@pytest.mark.slow
def test_a_busy_moment_is_waited_out(server: Server, tmp_path: Path, vastplan: Run) -> None:
    server.faults.arm(Fault(Effect.STATUS, path="/tenants/", times=2, status=429, retry_after=0))
    assert vastplan("plan", document(tmp_path, server.url)).code == 0


class Nameless:
    """A VMS whose rows have no id."""

    name = "nameless"

    def handle(self, request: Request) -> Response:
        """Log in, or answer one row that is nobody."""
        if "token" in request.path:
            return Response(200, {"access": "a.b.c", "refresh": "d.e.f"})
        return Response(200, {"count": 1, "next": None, "previous": None, "results": [{"name": "a"}]})

    def expire_tokens(self) -> None:
        """There are none."""

    def busy(self) -> Response:
        raise AssertionError("nobody limits it")


class Redirecting(Nameless):
    """A VMS that sends its callers elsewhere."""

    def handle(self, request: Request) -> Response:
        """A redirect to where no credential must go."""
        return (
            super().handle(request)
            if "token" in request.path
            else Response(302, None, {"Location": "https://evil.example.com/"})
        )


@pytest.mark.parametrize(
    ("plane", "says"),
    [
        (Nameless(), "has no identity"),
        (Redirecting(), "redirect, which is not followed"),
    ],
    ids=["no identity", "a redirect"],
)
def test_answers_that_must_not_be_believed(
    plane: Nameless, says: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VMS_PASSWORD", PASSWORD)
    authority = Authority()
    write_pem(authority, tmp_path / "ca.pem")
    server = Server(plane, authority, threading.RLock()).start()
    try:
        unknown(vastplan("plan", document(tmp_path, server.url)), says)
    finally:
        server.stop()


def test_a_cluster_that_a_kubeconfig_leaves_unchecked(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"far": ["kubernetes"]}) as lab:
        (one,) = lab.world.endpoints()
        config = yaml.safe_load(Path(one.kubeconfig).read_text())
        (cluster,) = config["clusters"]
        del cluster["cluster"]["certificate-authority-data"]
        (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
        cluster["cluster"]["insecure-skip-tls-verify"] = True
        (tmp_path / "own").mkdir()
        (tmp_path / "own" / "kubeconfig").write_text(yaml.safe_dump(config))
        file = tmp_path / "doc.yaml"
        given = "{kubeconfig: kubeconfig, context: far%s}"
        head = "version: 1\nname: doc\nnamespaces: {a: {}}\nsites: {far: {kubernetes: %s}}\n"

        # one of the runner's own, which may say anything, is not enough by itself
        connections = tmp_path / "own" / "connections.yaml"
        connections.write_text(f"version: 1\nsites: {{far: {{kubernetes: {given % ''}}}}}\n")
        file.write_text("version: 1\nname: doc\nnamespaces: {a: {}}\nsites: {far: {}}\n")
        ran = vastplan("plan", file, "--connections", connections)
        assert ran.code == 6, ran
        assert "context far does not check the server's certificate" in ran.out

        file.write_text(head % given % ", insecure_skip_verify: true")
        ran = vastplan("plan", file)
        assert ran.code == 0, ran
        assert "warning VP320: site far: the certificate of kubernetes (far) is not verified" in ran.out

        ledger = "ledger: {kubernetes: {namespace: a, kubeconfig: kubeconfig, insecure_skip_verify: true}}\n"
        file.write_text(head % given % ", insecure_skip_verify: true" + ledger)
        ran = vastplan("plan", file)
        assert ran.code == 0, ran
        assert "warning VP320: ledger: the certificate of kubernetes (the current context) is not verified" in ran.out


def test_a_simulated_site_has_as_many_calls_at_once_as_its_document_says(tmp_path: Path) -> None:
    file = tmp_path / "doc.yaml"
    head = "version: 1\nname: doc\nsites: {one: {sim: {}, parallel: 3}, other: {sim: {}}}\n"
    file.write_text(head)
    document = load_document([file], discover(vastplan.kinds), SYSTEMS)
    with connected(document, sites=("one", "other"), writable=False) as providers:
        found = {
            site: {_at_once(one) for (name, _), one in providers.items() if name == site} for site in ("one", "other")
        }
    assert found == {"one": {3}, "other": {8}}


def _at_once(provider: object) -> int:
    return int(provider._transport.parallel)  # type: ignore[attr-defined]
