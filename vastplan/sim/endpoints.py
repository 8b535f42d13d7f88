"""The addresses of a served world. A light module, so that a command that only talks to simulators does not load them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vastplan.sim import private_files

if TYPE_CHECKING:
    import ssl

_LOOPBACK = re.compile(r"https://127\.0\.0\.1:(\d{1,5})")
_MOST = 1024 * 1024  # bytes of a published file
_WAIT = 5.0  # seconds for an answer


@dataclass(frozen=True, slots=True)
class ServedEndpoint:
    """How to reach one simulated system. The credentials are generated when it starts and are valid nowhere else."""

    site: str
    system: str
    url: str
    ca_file: str
    username: str
    password: str
    kubeconfig: str = ""


def publish(folder: Path, endpoints: list[ServedEndpoint], authority: bytes) -> Path:
    """Publish the endpoints of a folder's world for other commands of this user; returns the file.

    It is not in the folder: that may be somebody's checkout, and anyone who can write there could redirect credentials.
    """
    runtime = private_files.make_folder(next(private_files.runtime_folders()))
    note = runtime / _name(folder)
    ca_file = str(private_files.write_private(note.with_suffix(".pem"), authority))
    content = {
        "folder": str(folder.resolve()),
        "authority": authority.decode(),
        "endpoints": [asdict(replace(endpoint, ca_file=ca_file)) for endpoint in endpoints],
    }
    return private_files.write_private(note, json.dumps(content).encode())


def withdraw(folder: Path) -> None:
    """Remove the published endpoints of a folder's world."""
    for runtime in private_files.runtime_folders():
        with contextlib.suppress(OSError):
            for name in (runtime / _name(folder), (runtime / _name(folder)).with_suffix(".pem")):
                name.unlink(missing_ok=True)


def served_endpoints(folder: Path) -> list[ServedEndpoint] | None:
    """The endpoints of a world that another process of this user serves from a folder, `None` if no process does.

    The process is contacted to confirm it: only that process has the key of the authority that it published.
    """
    for runtime in private_files.runtime_folders():
        raw = private_files.read_own(runtime / _name(folder), _MOST)
        if raw is None:
            continue
        try:
            content: dict[str, Any] = json.loads(raw)
            endpoints = [ServedEndpoint(**entry) for entry in content["endpoints"]]
            if content["folder"] == str(folder.resolve()) and _answers(endpoints, content["authority"]):
                return endpoints
        except (ValueError, KeyError, TypeError, OSError):
            continue
    return None


def _answers(endpoints: list[ServedEndpoint], authority: str) -> bool:
    """Whether all are on loopback, and one is served by the holder of the authority's key. Raises `ValueError`."""
    ports = [int(match[1]) for endpoint in endpoints if (match := _LOOPBACK.fullmatch(endpoint.url))]
    if len(ports) != len(endpoints):
        return False
    import ssl

    context = ssl.create_default_context(cadata=authority)
    return any(_shakes_hands(port, context) for port in ports)  # one may have been stopped


def _shakes_hands(port: int, context: ssl.SSLContext) -> bool:
    import socket

    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=_WAIT) as connection,
            context.wrap_socket(connection, server_hostname="127.0.0.1"),
        ):
            return True
    except OSError:
        return False


def _name(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:40] + ".json"
