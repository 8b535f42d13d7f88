"""The shapes of endpoints but the ordinary one, as VAST has them: members under an owner, singletons, values told once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import vastplan.kinds
from tests.systems.wire import Seen, Server, say, serving
from vastplan.model.errors import Refused, Unclear, VastplanError
from vastplan.model.sensitive import INSTEAD, without_secrets
from vastplan.schema.codec import item_id
from vastplan.schema.discover import discover
from vastplan.schema.endpoint import Endpoint, Members, Singleton
from vastplan.schema.kind import Kind
from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.vast.client import VastProvider

QUICK = TransportLimits(connect=10, silence=10, whole=20, retries=0)
SECRET = "canary-s3-secret-9d/+=="
ROOT = "/api/v5"
ACCESS_KEYS = "/users/{owner}/access_keys/"
# Access keys as VMS 5.5 has them: made and removed under their user, listed for all of them, or within the users.
LISTED = Endpoint(
    "/locals3keys/",
    id=("access_key",),
    shape=Members(ACCESS_KEYS, owner=("user", "id"), key="access_key", filter="user_id"),
    answered_once=(("secret_key",),),
)
WITHIN = Endpoint(
    "/users/",
    id=("access_key",),
    shape=Members(ACCESS_KEYS, owner=("user_id",), key="access_key", within=("access_keys",)),
    answered_once=(("secret_key",),),
)
PASSWORDS = Endpoint("/vms/1/pwd_settings/", shape=Singleton())


def kind(endpoint: Endpoint) -> Kind:
    return replace(discover(vastplan.kinds).kinds["tenant"], name="thing", endpoint=endpoint)


class Vms:
    """Users with keys, and one object that is always there."""

    def __init__(self) -> None:
        self.keys: dict[int, dict[str, bool]] = {1: {"A/1": True}, 2: {}, 3: {"C1": True}}
        self.settings: dict[str, Any] = {"length": 8}
        self.answer_to_post: tuple[int, Any] | None = None

    def answer(self, seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        path, _, _ = seen.path.removeprefix(ROOT).partition("?")
        body: dict[str, Any] = json.loads(seen.body) if seen.body else {}
        steps = path.strip("/").split("/")
        if path == "/vms/1/pwd_settings/":
            if seen.method == "PATCH":
                self.settings |= body
            return say(handler, 200, self.settings)
        if path == "/locals3keys/":  # it does not know the filter, and says so by ignoring it
            return self._page(handler, [
                {"id": 7, "access_key": key, "enabled": on, "user": {"id": user, "name": f"u{user}"}}
                for user, keys in self.keys.items() for key, on in keys.items()
            ])  # fmt: skip
        if path == "/users/":
            return self._page(handler, [self._user(user) for user in self.keys])
        user = int(steps[1])
        if user not in self.keys:
            return say(handler, 404)
        if len(steps) == 2:
            return say(handler, 200, self._user(user))
        if seen.method == "POST":
            if self.answer_to_post is not None:
                return say(handler, *self.answer_to_post)
            self.keys[user][f"N{user}"] = True
            return say(handler, 200, {"access_key": f"N{user}", "secret_key": SECRET})
        if body["access_key"] not in self.keys[user]:
            return say(handler, 404)
        if seen.method == "PATCH":
            self.keys[user][body["access_key"]] = body["enabled"]
        else:
            del self.keys[user][body["access_key"]]
        return say(handler, 204)

    def _user(self, user: int) -> dict[str, Any]:
        keys = [{"access_key": key, "enabled": on} for key, on in self.keys[user].items()]
        return {"id": user, "name": f"u{user}", "access_keys": keys}

    def _page(self, handler: BaseHTTPRequestHandler, rows: list[dict[str, Any]]) -> None:
        say(handler, 200, {"count": len(rows), "next": None, "results": rows})


@pytest.fixture
def vms() -> Vms:
    return Vms()


@pytest.fixture
def server(tmp_path: Path, vms: Vms) -> Iterator[Server]:
    with serving(tmp_path, vms.answer) as server:
        yield server


def client(server: Server, writable: bool = True) -> VastProvider:
    provider = VastProvider(
        server.url, verify=server.ca, token=lambda: "token", user=None, writable=writable, limits=QUICK
    )
    # No kind sends these requests yet, so that the facts which requests are held against do not have them.
    vars(provider._transport.wire).pop("send", None)
    return provider


def asked(server: Server) -> list[tuple[str, str, Any]]:
    """What was asked since it was last looked at."""
    calls = [
        (seen.method, seen.path.removeprefix(ROOT), json.loads(seen.body) if seen.body else None)
        for seen in server.seen
    ]
    server.seen.clear()
    return calls


KEYS = pytest.mark.parametrize("endpoint", [LISTED, WITHIN], ids=["listed by themselves", "listed within their owners"])


def owned_by(endpoint: Endpoint, user: int) -> dict[str, Any]:
    return {"user": {"id": user}} if endpoint is LISTED else {"user_id": user}


@KEYS
def test_members_of_all_owners_are_listed_in_pages(endpoint: Endpoint, server: Server) -> None:
    of, provider = kind(endpoint), client(server, writable=False)
    rows = [row for page in provider.pages(of) for row in page]
    assert [provider.locator(of, row) for row in rows] == ["1/A/1", "3/C1"]
    assert [item_id(endpoint, row) for row in rows] == ["A/1", "C1"]
    assert len(asked(server)) == 1


@KEYS
def test_a_member_is_made_and_removed_under_its_owner(endpoint: Endpoint, server: Server, vms: Vms) -> None:
    of, provider = kind(endpoint), client(server)
    row = provider.create(of, {**owned_by(endpoint, 2), "tenant_id": 5})
    assert asked(server) == [("POST", "/users/2/access_keys/", {"tenant_id": 5})]
    assert row == {"access_key": "N2", "secret_key": SECRET, **owned_by(endpoint, 2)}
    locator = provider.locator(of, row)
    assert locator == "2/N2"

    fresh = provider.read(of, locator)
    assert fresh is not None and provider.locator(of, fresh) == locator and "secret_key" not in fresh
    asked(server)
    provider.update(of, locator, {"enabled": False}, fresh)
    assert asked(server) == [("PATCH", "/users/2/access_keys/", {"enabled": False, "access_key": "N2"})]
    assert vms.keys[2] == {"N2": False}

    provider.delete(of, locator, fresh)
    assert asked(server) == [("DELETE", "/users/2/access_keys/", {"access_key": "N2"})]
    assert provider.read(of, locator) is None
    provider.delete(of, locator, fresh)  # what is gone is fine
    assert provider.read(of, "9/N9") is None  # and so is an owner that is gone


@KEYS
def test_a_member_without_an_owner_is_not_sent(endpoint: Endpoint, server: Server) -> None:
    with pytest.raises(Refused, match="the body names no owner"):
        client(server).create(kind(endpoint), {"tenant_id": 5})
    assert server.seen == []


def test_an_id_with_a_slash_is_no_path(server: Server, vms: Vms) -> None:
    provider = client(server)
    provider.delete(kind(LISTED), "1/A/1", {})
    assert asked(server) == [("DELETE", "/users/1/access_keys/", {"access_key": "A/1"})]
    with pytest.raises(Refused, match="is not a valid object name"):
        provider.delete(kind(LISTED), "../A", {})


def test_what_only_the_create_answers_is_a_secret_from_then_on(server: Server, vms: Vms) -> None:
    of, provider = kind(LISTED), client(server)
    assert provider.create(of, owned_by(LISTED, 2))["secret_key"] == SECRET
    assert SECRET not in without_secrets(f"it is {SECRET}")
    vms.answer_to_post = 400, {"detail": f"{SECRET} was made already"}
    with pytest.raises(Refused) as refused:
        provider.create(of, owned_by(LISTED, 2))
    assert SECRET not in str(refused.value) and INSTEAD in str(refused.value)


def test_a_secret_is_kept_even_where_the_rest_of_the_answer_is_no_use(server: Server, vms: Vms) -> None:
    vms.answer_to_post = 200, {"secret_key": SECRET}
    with pytest.raises(Unclear, match="the answer has no id"):
        client(server).create(kind(LISTED), owned_by(LISTED, 2))
    assert SECRET not in without_secrets(SECRET)


def test_a_singleton_is_read_and_changed(server: Server, vms: Vms) -> None:
    of, provider = kind(PASSWORDS), client(server)
    [[row]] = provider.pages(of)
    locator = provider.locator(of, row)
    assert row["length"] == 8 and item_id(PASSWORDS, row)
    assert provider.read(of, locator) == row
    asked(server)
    provider.update(of, locator, {"length": 12}, row)
    assert asked(server) == [("PATCH", "/vms/1/pwd_settings/", {"length": 12})]
    assert vms.settings == {"length": 12}


def test_a_singleton_is_neither_made_nor_removed(server: Server) -> None:
    of, provider = kind(PASSWORDS), client(server)
    with pytest.raises(Refused, match="exactly one always exists"):
        provider.create(of, {"length": 1})
    with pytest.raises(Refused, match="cannot be deleted"):
        provider.delete(of, "singleton", {})
    assert server.seen == []


@pytest.mark.parametrize("endpoint", [LISTED, PASSWORDS], ids=["members", "a singleton"])
def test_a_client_that_reads_sends_no_write(endpoint: Endpoint, server: Server) -> None:
    of, provider = kind(endpoint), client(server, writable=False)
    with pytest.raises(VastplanError, match="this run only reads"):
        provider.update(of, "1/A/1", {"enabled": True}, {})
    assert server.seen == []
