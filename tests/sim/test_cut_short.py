"""A caller who dies in the middle of a request has not made one, whatever is there of it."""

from __future__ import annotations

import json
import socket
import ssl

import pytest

from tests.sim.conftest import Vms


def sent(vms: Vms, raw: bytes) -> None:
    """Send bytes, and then no more; until the server has let go of the connection."""
    host, port = vms.server.url.removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=str(vms.http.verify))
    with socket.create_connection((host, int(port)), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname=host) as secured:
            secured.sendall(raw)
            secured.shutdown(socket.SHUT_WR)
            while secured.recv(4096):
                pass


BODY = json.dumps({"tenant_id": 1}).encode()


@pytest.mark.parametrize("left_out", [0, 1, len(BODY), len(BODY) + 1, len(BODY) + 3, len(BODY) + 10])
def test_only_a_whole_request_is_one(vms: Vms, left_out: int) -> None:
    user = vms.post("users", name="alice", uid=30109, local=True)
    head = [
        f"POST /api/v5/users/{user['id']}/access_keys/ HTTP/1.1",
        *("Host: x", f"Authorization: {vms.headers['Authorization']}", "Content-Type: application/json"),
        f"Content-Length: {len(BODY)}",
    ]
    whole = "\r\n".join([*head, "", ""]).encode() + BODY
    sent(vms, whole[: len(whole) - left_out])
    assert len(vms.get(f"/users/{user['id']}/")["access_keys"]) == (left_out == 0)
