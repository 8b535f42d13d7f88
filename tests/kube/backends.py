"""Both servers that the random sequences are sent to, and their answers in comparable form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.kube.hands import Hands
from tests.kube.sequences import Step
from tests.kube.server import ApiServer
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.store import Store
from vastplan.sim.wire import Request

Answer = tuple[int, Any, str]
"""Status, body, warnings."""
Send = Callable[[str, str, str | None, str, dict[str, str], str], Answer]
_TOKEN = "a-token"
_VERSIONS = ("resourceVersion", "continue")
_PATTERNS = (
    (re.compile(r"(?!00000000)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"(?<=ResourceVersion in the precondition \()\d+|(?<=ResourceVersion in record \()\d+"), "N"),
    (re.compile(r"(?<=ResourceVersion in precondition: )\d+|(?<=ResourceVersion in object meta: )\d+"), "N"),
    (re.compile(r'(?<="resourceVersion":")\d+|(?<=\\"resourceVersion\\":\\")\d+|(?<=resourceVersion:)\d+'), "N"),
    (re.compile(r"scheme \S+"), "scheme S"),
)


@contextmanager
def simulated(folder: Path) -> Iterator[Send]:
    """The simulator; its controllers rest, as none runs beside the real server."""
    store = Store(folder / "state.db")
    plane = KubernetesPlane(store, token=_TOKEN, controllers=False)

    def send(method: str, path: str, body: str | None, kind: str, query: dict[str, str], accept: str) -> Answer:
        headers = {"authorization": f"Bearer {_TOKEN}", "user-agent": "test/1.0", "accept": accept}
        headers |= {"content-type": kind} if body is not None else {}
        request = Request(
            method, path, {name: [value] for name, value in query.items()}, headers, (body or "").encode(), ""
        )
        response = plane.handle(request)
        return response.status, _read(response.encoded()), str(response.headers.get("Warning", ""))

    try:
        yield send
    finally:
        store.close()


@contextmanager
def real(server: ApiServer, hands: Hands) -> Iterator[Send]:
    """The real one, with nobody interfering, and clean before and after."""

    def send(method: str, path: str, body: str | None, kind: str, query: dict[str, str], accept: str) -> Answer:
        target = path + (f"?{urlencode(query)}" if query else "")
        status, headers, raw = server.send(method, target, body, kind, accept)
        return status, _read(raw), headers.get("Warning", "")

    hands.clean()
    try:
        with hands.idle():
            yield send
    finally:
        hands.clean()


def _read(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")


def play(steps: list[Step], send: Send) -> list[list[Any]]:
    """The answers to a sequence: status, body and warnings, without what no two servers have in common."""
    newest: dict[str, dict[str, Any]] = {}
    first: dict[str, dict[str, Any]] = {}
    following = ""
    found = []
    for step in steps:
        known = {"$version": newest, "$first-version": first, "$uid": newest}

        def filled(value: Any, known: dict[str, dict[str, dict[str, Any]]] = known, following: str = following) -> Any:
            if isinstance(value, dict):
                return {key: filled(inner) for key, inner in value.items()}
            if isinstance(value, list):
                return [filled(inner) for inner in value]
            if isinstance(value, str) and value.startswith("$"):
                word, _, path = value.partition(" ")
                if word == "$continue":
                    return following or "none"
                name = "uid" if word == "$uid" else "resourceVersion"
                return known[word].get(path, {}).get(name, "1")
            return value

        body = step.body if isinstance(step.body, str) or step.body is None else json.dumps(filled(step.body))
        status, answer, warnings = send(step.method, step.path, body, step.kind, filled(step.query), step.accept)
        metadata = answer.get("metadata") if isinstance(answer, dict) else None
        if isinstance(metadata, dict):
            following = str(metadata.get("continue") or following)
            if status < 300 and "uid" in metadata and "resourceVersion" in metadata and "dryRun" not in step.query:
                path = f"{step.path}/{metadata['name']}" if step.method == "POST" else urlsplit(step.path).path
                newest[path] = metadata
                first.setdefault(path, metadata)
        found.append([status, comparable(answer), comparable(warnings)])
    return found


def _who(entry: dict[str, Any]) -> str:
    return " ".join(str(entry.get(name, "")) for name in ("manager", "operation", "apiVersion", "subresource")).strip()


def comparable(value: Any) -> Any:
    """A value without what no two servers have in common."""
    if isinstance(value, dict):
        if isinstance(value.get("managedFields"), list):  # their order depends on the clock
            value = {**value, "managedFields": {_who(one): one.get("fieldsV1") for one in value["managedFields"]}}
        return {key: "*" if key in _VERSIONS and inner else comparable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    if isinstance(value, str):
        if "managedFields" in value:  # a refusal that quotes the object: its managers come in the clock's order
            value = value.partition("managedFields")[0] + "..."
        for pattern, word in _PATTERNS:
            value = pattern.sub(word, value)
    return value
