"""What is sent again and what is not, how long a client waits, and that credentials stay where they belong."""

from __future__ import annotations

import email.utils
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client

import vastplan.kinds
from tests.systems.wire import Answer, Seen, Server, proxying, refusing, say, serving
from vastplan.kinds.runai.node import KIND as NODE
from vastplan.kinds.runai.workload import KIND as WORKLOAD
from vastplan.model.errors import NotAuthorised, Refused, Unclear, Unreachable
from vastplan.schema.discover import discover
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Provider
from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.kubernetes.client import KubernetesProvider
from vastplan.systems.repeats import retry_after
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.vast.client import VastProvider

KINDS = discover(vastplan.kinds).kinds
QUICK = TransportLimits(connect=10, silence=10, whole=20, retries=3, backoff=0.001, longest=0.05, size=1 << 20)
SYSTEMS = ("vast", "kubernetes")


def provider(
    system: str, server: Server, limits: TransportLimits = QUICK, *, writable: bool = True, **more: Any
) -> Provider:
    if system == "vast":
        return VastProvider(
            server.url, verify=server.ca, token=lambda: "secret", user=None, writable=writable, limits=limits, **more
        )
    settings = client.Configuration()
    settings.host, settings.ssl_ca_cert = server.url, server.ca
    settings.api_key, settings.api_key_prefix = {"BearerToken": "secret"}, {"BearerToken": "Bearer"}
    return KubernetesProvider(client.ApiClient(settings), writable=writable, limits=limits, **more)


def kind(system: str) -> Kind:
    return KINDS["tenant" if system == "vast" else "namespace"]


def body(system: str) -> dict[str, Any]:
    return {"name": "a"} if system == "vast" else {"metadata": {"name": "a"}}


def made(system: str) -> dict[str, Any]:
    return {"id": 1, "name": "a"} if system == "vast" else {"metadata": {"name": "a", "uid": "u"}}


def rows(system: str) -> Any:
    return {"count": 0, "next": None, "results": []} if system == "vast" else {"items": [], "metadata": {}}


def first(answer: Answer, then: Answer) -> Answer:
    """One answer to the first request, another to all that follow."""
    lock, begun = threading.Lock(), [False]

    def answering(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        with lock:
            mine, begun[0] = not begun[0], True
        (answer if mine else then)(seen, handler)

    return answering


def hang_up(_: Seen, handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 0])
def test_a_read_is_repeated(system: str, status: int, tmp_path: Path) -> None:
    bad: Answer = hang_up if status == 0 else lambda _, handler: say(handler, status)
    with serving(tmp_path, first(bad, lambda _, handler: say(handler, 200, rows(system)))) as server:
        assert list(provider(system, server).pages(kind(system))) == [[]]
        assert len(server.seen) == 2


@pytest.mark.parametrize("status", [500, 502, 503, 504, 0])
def test_a_write_is_not(system: str, status: int, tmp_path: Path) -> None:
    bad: Answer = hang_up if status == 0 else lambda _, handler: say(handler, status, None, Retry_After="0")
    with serving(tmp_path, bad) as server:
        with pytest.raises(Unclear):
            provider(system, server).create(kind(system), body(system))
        assert [one.method for one in server.seen] == ["POST"]


def test_a_write_that_was_turned_away_unread_is_repeated(system: str, tmp_path: Path) -> None:
    answer = first(lambda _, h: say(h, 429, None, Retry_After="1"), lambda _, h: say(h, 201, made(system)))
    with serving(tmp_path, answer) as server:
        provider(system, server).create(kind(system), body(system))
        assert [one.method for one in server.seen] == ["POST", "POST"]


def test_a_write_that_is_always_turned_away_was_not_carried_out(system: str, tmp_path: Path) -> None:
    with serving(tmp_path, lambda _, handler: say(handler, 429)) as server:
        with pytest.raises(Refused):
            provider(system, server).create(kind(system), body(system))
        assert len(server.seen) == 1 + QUICK.retries


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("3", 3, 3),
        (email.utils.formatdate(time.time() + 3600, usegmt=True), 20, 20),
        (email.utils.formatdate(time.time() - 60, usegmt=True), 0, 0),
        ("99999", 20, 20),
        ("soon", 0, 0),
    ],
    ids=["seconds", "a date in an hour", "a date gone by", "a day", "no time at all"],
)
def test_retry_after_is_honoured_within_bounds(said: str, least: float, most: float) -> None:
    assert least <= retry_after(said, TransportLimits(longest=20)) <= most


def test_redirects_are_not_followed(system: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with serving(tmp_path / "other", lambda _, handler: say(handler, 200, rows(system))) as other:
        with serving(tmp_path, lambda seen, h: say(h, 307, None, Location=other.url + seen.path)) as server:
            with pytest.raises(Unreachable, match="redirect"):
                list(provider(system, server).pages(kind(system)))
            with pytest.raises(Unclear, match="redirect"):
                provider(system, server).create(kind(system), body(system))
        assert other.seen == []


@pytest.mark.parametrize(
    "link",
    [
        "{other}/api/v5/tenants/?page=2", "//{netloc}/api/v5/tenants/?page=2", "http://{own}/api/v5/tenants/?page=2",
        "https://LOCALHOST/api/v5/tenants/?page=2", "/vms1/api/v5/tenants/?page=2", "?page=2", "https://[half/?page=2",
    ],
)  # fmt: skip
def test_the_next_page_is_fetched_from_the_address_of_the_document(link: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with serving(tmp_path / "other", lambda _, handler: say(handler, 200, rows("vast"))) as other:

        def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
            own = server.url.removeprefix("https://")
            following = link.format(other=other.url, netloc=other.url.removeprefix("https://"), own=own)
            last = seen.path.endswith("?page=2")
            say(handler, 200, {"count": 2, "next": None if last else following, "results": [made("vast")]})

        with serving(tmp_path, answer) as server:
            assert len(list(provider("vast", server).pages(kind("vast")))) == 2
            assert [seen.path for seen in server.seen][-1] == "/api/v5/tenants/?page=2"
        assert other.seen == []


@pytest.mark.parametrize("system", ["vast"])
def test_a_next_page_that_was_there_already_ends_it(system: str, tmp_path: Path) -> None:
    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        say(handler, 200, {"count": 9, "next": f"{server.url}/api/v5/tenants/?page=2", "results": [made("vast")]})

    with serving(tmp_path, answer) as server:
        with pytest.raises(Unreachable, match="in a circle"):
            list(provider(system, server).pages(kind(system)))


def _endless(piece: bytes, pause: float) -> Answer:
    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(201 if seen.method == "POST" else 200)
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        while True:
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(pause)

    return answer


@pytest.mark.parametrize(("status", "ended"), [(500, True), (502, True), (503, True), (504, False), (0, True)])
def test_a_write_is_over_once_the_server_has_ended_the_exchange(
    system: str, status: int, ended: bool, tmp_path: Path
) -> None:
    """Behind a proxy that gave up (504) somebody may still be at work."""
    bad: Answer = hang_up if status == 0 else lambda _, handler: say(handler, status)
    with serving(tmp_path, bad) as server, pytest.raises(Unclear) as raised:
        provider(system, server).create(kind(system), body(system))
    assert raised.value.ended is ended


def test_a_write_is_not_over_while_the_server_is_silent(system: str, tmp_path: Path) -> None:
    silent = TransportLimits(connect=2, silence=0.2, retries=0)
    over = threading.Event()

    def wait(_: Seen, __: BaseHTTPRequestHandler) -> None:
        over.wait(5)

    with serving(tmp_path, wait) as server:
        with pytest.raises(Unclear) as raised:
            provider(system, server, silent).create(kind(system), body(system))
        over.set()
    assert not raised.value.ended


def test_a_huge_answer_is_cut_off(system: str, tmp_path: Path) -> None:
    with serving(tmp_path, _endless(b" " * 65536, 0)) as server:
        with pytest.raises(Unreachable, match="larger than 1 MiB"):
            list(provider(system, server).pages(kind(system)))
        with pytest.raises(Unclear, match="larger than 1 MiB"):
            provider(system, server).create(kind(system), body(system))


@pytest.mark.slow
def test_an_endless_trickle_is_cut_off(system: str, tmp_path: Path) -> None:
    with serving(tmp_path, _endless(b" ", 0.02)) as server:
        with pytest.raises(Unreachable, match="no complete answer within 1 s"):
            list(provider(system, server, replace(QUICK, whole=1)).pages(kind(system)))


def test_silence_is_cut_off(system: str, tmp_path: Path) -> None:
    silent = TransportLimits(connect=2, silence=0.2, retries=0)
    with serving(tmp_path, lambda _, handler: time.sleep(2)) as server:
        with pytest.raises(Unreachable):
            list(provider(system, server, silent).pages(kind(system)))


LOG_IN = {"vast": ("/token/", "access"), "runai": ("/api/v1/token", "accessToken")}


def logging_in(system: str, server: Server) -> VastProvider | RunaiProvider:
    """A client that has a name and a password, and no token yet."""
    if system == "vast":
        user = ("admin", lambda: "secret")
        return VastProvider(server.url, verify=server.ca, token=None, user=user, writable=True, limits=QUICK)
    return RunaiProvider(
        server.url, verify=server.ca, client_id="me", client_secret=lambda: "secret", cluster="c", writable=True,
        limits=QUICK,
    )  # fmt: skip


def headers(one: VastProvider | RunaiProvider) -> Mapping[str, str]:
    """The headers of a request, after a log-in."""
    return (one._vms if isinstance(one, VastProvider) else one)._headers(None)


@pytest.mark.parametrize("system", LOG_IN)
def test_one_log_in_however_many_threads_notice(system: str, tmp_path: Path) -> None:
    many, gate = 6, threading.Barrier(6)
    issued: list[str] = []
    path, token = LOG_IN[system]

    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        if seen.path.endswith(path):
            issued.append(f"t{len(issued)}")
            return say(handler, 200, {token: issued[-1]})
        if seen.headers["authorization"] == "Bearer t0":
            gate.wait(5)  # all of them have been sent with the old token
            number = seen.path.partition("?")[0].rstrip("/").rpartition("/")[2]
            time.sleep(0.05 * int(number))  # some hear of it when others have the new one
            return say(handler, 401, {"detail": "expired"})
        return say(handler, 200, made("vast"))

    with serving(tmp_path, answer) as server:
        one = logging_in(system, server)
        headers(one)
        what = KINDS["tenant" if system == "vast" else "department"]
        threads = [threading.Thread(target=one.read, args=(what, str(number))) for number in range(many)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert issued == ["t0", "t1"]


@pytest.mark.parametrize("status", [500, 503, 429, 0])
@pytest.mark.parametrize("system", LOG_IN)
def test_a_log_in_is_repeated_and_a_refused_one_is_not(system: str, status: int, tmp_path: Path) -> None:
    path, token = LOG_IN[system]
    bad: Answer = hang_up if status == 0 else lambda _, handler: say(handler, status)
    (tmp_path / "other").mkdir()
    with serving(tmp_path, first(bad, lambda _, handler: say(handler, 200, {token: "t"}))) as server:
        assert headers(logging_in(system, server)) == {"Authorization": "Bearer t"}
        assert [one.path.endswith(path) for one in server.seen] == [True, True]
    with serving(tmp_path / "other", lambda _, handler: say(handler, 401)) as server:
        with pytest.raises(NotAuthorised):
            headers(logging_in(system, server))
        assert len(server.seen) == 1  # else an account is locked


@pytest.mark.parametrize(("around", "passed"), [("", 1), ("127.0.0.1", 0)], ids=["through it", "around it"])
def test_a_proxy_named_in_the_environment(
    system: str, around: str, passed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, lambda _, handler: say(handler, 200, rows(system))) as server, proxying() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", around)
        assert list(provider(system, server).pages(kind(system))) == [[]]
        place = server.url.removeprefix("https://")
        assert [(one.method, one.path) for one in proxy.seen] == [("CONNECT", place)] * passed
        # What goes to the system is inside its TLS: the proxy is told where to, and no credential.
        assert all("authorization" not in one.headers for one in proxy.seen)


def test_a_netrc_file_does_not_take_the_place_of_our_credential(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with serving(tmp_path, lambda _, handler: say(handler, 200, rows(system))) as server:
        assert list(provider(system, server).pages(kind(system))) == [[]]
        assert [one.headers["authorization"].partition(" ")[2] for one in server.seen] == ["secret"]


def test_a_log_in_carries_nothing_but_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no header that says who asks, so that a .netrc file would be asked."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with serving(tmp_path, lambda _, handler: say(handler, 200, {"access": "t"})) as server:
        headers(logging_in("vast", server))
        assert ["authorization" in one.headers for one in server.seen] == [False]


@pytest.mark.parametrize("around", [True, False], ids=["by itself", "through a proxy"])
@pytest.mark.parametrize("system", LOG_IN)
def test_a_log_in_needs_no_connection_of_its_own(
    system: str, around: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, token = LOG_IN[system]
    what = KINDS["tenant" if system == "vast" else "department"]

    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        say(handler, 200, {token: "t"} if seen.path.endswith(path) else made("vast"))

    with serving(tmp_path, answer) as server, proxying() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1" if around else "")
        logging_in(system, server).read(what, "1")
        assert len(server.seen) == 2
        assert len({one.port for one in server.seen}) == 1
        assert len(proxy.seen) == (0 if around else 1)


def test_no_more_calls_at_once_than_allowed(system: str, tmp_path: Path) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def answer(_: Seen, handler: BaseHTTPRequestHandler) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1
        say(handler, 200, made(system))

    with serving(tmp_path, answer) as server:
        one = provider(system, server, parallel=3)
        threads = [threading.Thread(target=one.read, args=(kind(system), "1")) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most[0] == 3


def test_a_write_to_where_nobody_listens_was_not_carried_out(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, lambda _, handler: say(handler, 200)) as server:
        pass
    with pytest.raises(Unreachable, match="refused"):
        provider(system, server).create(kind(system), body(system))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with pytest.raises(Unreachable):  # nor one to a proxy that is not there
        provider(system, server).create(kind(system), body(system))


def test_a_certificate_is_told_from_a_connection_that_breaks(system: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with serving(tmp_path, lambda _, handler: say(handler, 200, rows(system))) as server:
        with serving(tmp_path / "other", lambda _, handler: say(handler, 200)) as other:
            stranger = Server(server.url, other.ca)
            with pytest.raises(Unreachable, match="certificate is not trusted"):
                provider(system, stranger).create(kind(system), body(system))
    with serving(tmp_path, hang_up) as server, pytest.raises(Unclear, match="no answer came"):
        provider(system, server).create(kind(system), body(system))


def test_a_redirect_without_an_end_is_cut_off(system: str, tmp_path: Path) -> None:
    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", "/elsewhere")
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        while True:
            handler.wfile.write(b" " * 65536)

    with serving(tmp_path, answer) as server, pytest.raises(Unreachable, match="larger than 1 MiB"):
        list(provider(system, server).pages(kind(system)))


def test_run_ai_says_the_version_of_the_site_s_cluster(tmp_path: Path) -> None:
    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        if seen.path.endswith("/token"):
            return say(handler, 200, {"accessToken": "t"})
        clusters = [
            {"name": "other", "uuid": "o", "version": "2.20.1"},
            {"name": "c", "uuid": "u", "version": "2.24.3"},
        ]
        return say(handler, 200, clusters)

    with serving(tmp_path, answer) as server:
        client = logging_in("runai", server)
        assert client.version() == "2.24.3"
        assert isinstance(client, RunaiProvider) and client.cluster_id() == "u"
        assert [seen.path for seen in server.seen].count("/api/v1/clusters") == 1


@pytest.mark.parametrize("older", [True, False])
def test_nodes_of_a_run_ai_that_knows_no_pages_of_them_are_read_at_once(older: bool, tmp_path: Path) -> None:
    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        if seen.path.endswith("/token"):
            return say(handler, 200, {"accessToken": "t"})
        if seen.path.endswith("/clusters"):
            return say(handler, 200, [{"name": "c", "uuid": "u"}])
        if "limit=" in seen.path or not older:
            return say(handler, 400, {"message": "The request is not valid"})
        return say(handler, 200, {"nodes": [{"name": f"gpu-{number}"} for number in range(501)]})

    with serving(tmp_path, answer) as server:
        client = logging_in("runai", server)
        if older:
            assert [len(page) for page in client.pages(NODE)] == [501]
        else:
            with pytest.raises(Refused, match="400"):
                list(client.pages(NODE))
        assert [seen.path.partition("?")[0].endswith("/nodes") for seen in server.seen].count(True) == 2
        with pytest.raises(Refused, match="400"):  # other lists had pages from the first
            list(client.pages(WORKLOAD))


def test_the_cluster_stands_where_the_kind_says_so_and_in_no_value(tmp_path: Path) -> None:
    uuid = "71f69d83-ba66-4822-adf5-55ce55efd210"

    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        if seen.path == "/api/v1/token":
            return say(handler, 200, {"accessToken": "t"})
        if seen.path == "/api/v1/clusters":
            return say(handler, 200, [{"name": "c", "uuid": uuid}])
        return say(handler, 202, {"meta": {"id": "1"}})

    source = KINDS["data_source"]
    spec = {"path": "/data/{cluster}", "existingPvc": True, "claimName": "{cluster}", "readOnly": False}
    meta = {"name": "{cluster}", "scope": "project", "projectId": 1, "clusterId": "{cluster}"}
    with serving(tmp_path, answer) as server:
        logging_in("runai", server).create(source, {"meta": meta, "spec": spec})
        assert json.loads(server.seen[-1].body) == {"meta": {**meta, "clusterId": uuid}, "spec": spec}


@pytest.mark.slow
def test_what_took_all_the_time_is_not_waited_for_again(system: str, tmp_path: Path) -> None:
    """A run that only reads asks such a server once."""
    hasty = TransportLimits(connect=2, silence=2, whole=1.0, retries=3)
    with serving(tmp_path, lambda _, handler: time.sleep(3)) as server:
        one = provider(system, server, hasty, writable=False)
        for _ in range(3):
            with pytest.raises(Unreachable, match="no complete answer within 1 s"):
                one.read(kind(system), "a")
        assert len(server.seen) <= 1


def test_a_wait_that_is_longer_than_the_call_may_take_is_not_begun(system: str, tmp_path: Path) -> None:
    with serving(tmp_path, lambda _, handler: say(handler, 503, None, Retry_After="45")) as server:
        with pytest.raises(Unreachable, match="503"):
            provider(system, server, TransportLimits(whole=30)).read(kind(system), "a")
        assert len(server.seen) == 1


@pytest.mark.parametrize("status", [102, 103, 199])
def test_what_comes_before_an_answer_is_none(system: str, status: int, tmp_path: Path) -> None:
    """Nor is the answer after it the answer to what is asked next."""

    def answer(seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response_only(status)
        handler.end_headers()
        say(handler, 200, rows(system))

    with serving(tmp_path, answer) as server:
        one = provider(system, server)
        for _ in range(2):
            with pytest.raises(Unreachable, match=f"status {status}, which is no answer yet"):
                list(one.pages(kind(system)))
        assert len({seen.port for seen in server.seen}) == 2


@pytest.mark.slow
def test_an_answer_of_very_many_values_is_refused_and_a_long_list_is_not(system: str, tmp_path: Path) -> None:
    page = [{f"field_{number}": {"of": [number]} for number in range(74)} | made(system) for _ in range(1000)]
    few: dict[str, Any] = {"count": 1000, "next": None, "results": page, "items": page, "metadata": {}}
    with serving(tmp_path, lambda _, handler: say(handler, 200, few)) as server:
        assert len(next(provider(system, server, TransportLimits()).pages(kind(system)))) == 1000
    many: dict[str, Any] = {
        "count": 1,
        "next": None,
        "results": [{}] * 600_000,
        "items": [{}] * 600_000,
        "metadata": {},
    }
    (tmp_path / "other").mkdir()
    with serving(tmp_path / "other", lambda _, handler: say(handler, 200, many)) as server:
        with pytest.raises(Unreachable, match="has more values than 160 MiB hold"):
            next(provider(system, server, TransportLimits()).pages(kind(system)))


@pytest.mark.parametrize(
    ("dated", "told"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", "2015-10-21T07:28:00+00:00"),
        ("Wed, 21 Oct 2015 07:28:00", None),  # of which zone?
        ("Wed, 21 Oct 2015 07:28:00 +9999999999999999", None),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None),
        ("soon", None),
        ("", None),
    ],
)
def test_what_time_it_is_there_is_what_the_last_answer_says(tmp_path: Path, dated: str, told: str | None) -> None:
    def answer(_: Seen, handler: BaseHTTPRequestHandler) -> None:
        handler.date_time_string = lambda *_: dated  # type: ignore[method-assign]
        say(handler, 200, {"count": 0, "next": None, "results": []})

    with serving(tmp_path, answer) as server:
        one = provider("vast", server)
        assert isinstance(one, VastProvider) and one.now() is None
        one.rows("/tenants/", {})
        now = one.now()
        assert (now and now.replace(microsecond=0).isoformat()) == told
        one.close()


@pytest.mark.parametrize("answers", [True, False], ids=["it refuses", "nothing listens there"])
def test_a_failure_at_a_proxy_names_the_proxy_without_its_login(
    system: str, answers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, lambda _, handler: say(handler, 200, rows(system))) as server, refusing() as proxy:
        port = proxy.url.rpartition(":")[2] if answers else "9"
        monkeypatch.setenv("HTTPS_PROXY", f"http://operator:hunter2@127.0.0.1:{port}")
        client = provider(system, server)
        with pytest.raises(Unreachable) as caught:
            client.create(kind(system), body(system))  # it was never sent, so nothing is unclear
    text = str(caught.value)
    assert f"{server.url}" in text and f"through the proxy http://127.0.0.1:{port}: no connection (" in text
    assert text.endswith("export NO_PROXY=$NO_PROXY,127.0.0.1")
    assert "operator" not in text and "hunter2" not in text
    assert ("407" in text.replace(port, "").replace(server.url, "")) is answers  # a port may have these digits, too
    assert server.seen == []
