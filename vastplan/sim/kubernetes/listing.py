"""Reading collections: selectors, pages of one consistent snapshot, and watches."""

from __future__ import annotations

import base64
import binascii
import json
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from vastplan.sim.kubernetes import selectors
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object, key
from vastplan.sim.kubernetes.resources import Target
from vastplan.sim.kubernetes.status import StatusError, bad_request, forbidden_field, invalid_object
from vastplan.sim.wire import Request, Response

LONGEST_WATCH = 1800  # seconds, for a watch that names no time
SNAPSHOT_SECONDS = 300.0  # how long the server keeps old revisions: its store is compacted every five minutes
_MAX_SNAPSHOTS = 64
_EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


class Snapshots:
    """The collections as they were when the first page of a list was read; in memory, as old ones expire anyway."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], tuple[float, list[Object]]] = OrderedDict()

    def keep(self, path: str, version: int, now: float, bodies: list[Object]) -> None:
        """Keep the objects under a resourceVersion."""
        self._kept[path, version] = (now, bodies)
        while len(self._kept) > _MAX_SNAPSHOTS:
            self._kept.popitem(last=False)

    def get(self, path: str, version: int, now: float) -> list[Object] | None:
        """The objects at a resourceVersion, `None` if it is too old."""
        kept = self._kept.get((path, version))
        return None if kept is None or now - kept[0] >= SNAPSHOT_SECONDS else kept[1]

    def clear(self) -> None:
        """Compact everything now: every continue token in use becomes too old."""
        self._kept.clear()


def _token(version: int, start: str) -> str:
    raw = json.dumps({"v": "meta.k8s.io/v1", "rv": version, "start": start + "\0"}, separators=(",", ":"))
    return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")


def _read_token(token: str) -> tuple[int, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(content["rv"]), str(content["start"]).removesuffix("\0")
    except (binascii.Error, ValueError, KeyError, TypeError):
        raise bad_request("invalid continue token: continue key is not valid") from None


def _row(body: Object) -> str:
    return key(body["metadata"].get("namespace", ""), body["metadata"]["name"])


def _number(request: Request, name: str) -> int:
    text = request.first(name) or "0"
    try:
        return int(text)
    except ValueError:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


def _check(request: Request) -> None:
    version = request.first("resourceVersion") or ""
    if version and not version.isdigit():
        why = f'strconv.ParseUint: parsing "{version}": invalid syntax'
        raise bad_request(f'invalid resource version: resourceVersion: Invalid value: "{version}": {why}')
    if request.first("resourceVersionMatch") and not version:
        why = "resourceVersionMatch is forbidden unless resourceVersion is provided"
        raise invalid_object("ListOptions", "meta.k8s.io", "", [forbidden_field("resourceVersionMatch", why)])
    if request.first("continue") and version not in ("", "0"):
        raise bad_request("specifying resource version is not allowed when using continue")


def select_objects(cluster: KubernetesCluster, target: Target, request: Request) -> list[Object]:
    """The objects that match a list's selectors, in the server's order."""
    return _selected(cluster.objects(target.resource, target.namespace), target, request)


def _selected(bodies: list[Object], target: Target, request: Request) -> list[Object]:
    wanted = selectors.parse_label_selector(request.first("labelSelector") or "")
    fields = selectors.parse_field_selector(request.first("fieldSelector") or "", target.resource.selectable)
    if request.first("labelSelector"):
        bodies = [body for body in bodies if wanted(body["metadata"].get("labels", {}))]
    if request.first("fieldSelector"):
        bodies = [body for body in bodies if fields(body)]
    return sorted(bodies, key=_row)


def answer_list(
    cluster: KubernetesCluster, target: Target, request: Request, snapshots: Snapshots
) -> tuple[Response, list[Object]]:
    """The answer to a list, and the objects in it."""
    _check(request)
    limit, version, start = max(_number(request, "limit"), 0), cluster.version(), ""
    selected = bool(request.first("labelSelector") or request.first("fieldSelector"))
    kept: list[Object] | None = None
    if token := request.first("continue"):
        revision, start = _read_token(token)
        if revision >= 0:
            kept, version = snapshots.get(_scope(request), revision, cluster.clock()), revision
            if kept is None:
                raise StatusError(410, "Expired", _EXPIRED, metadata={"continue": _token(-1, start)})
    bodies = select_objects(cluster, target, request) if kept is None else kept
    first = bisect_right(bodies, start, key=_row) if start else 0
    left = len(bodies) - first
    page = bodies[first : first + limit] if limit else bodies[first:]
    metadata: dict[str, Any] = {"resourceVersion": str(version)}
    if target.resource.custom:
        metadata["continue"] = ""
    if len(page) < left:
        snapshots.keep(_scope(request), version, cluster.clock(), bodies)
        metadata["continue"] = _token(version, _row(page[-1]))
        if not selected:
            metadata["remainingItemCount"] = left - len(page)
    resource = target.resource
    items = page if resource.custom else [_bare(body) for body in page]
    head = {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": metadata}
    return Response(200, head | {"items": items}), page


def _scope(request: Request) -> str:
    selectors_used = [request.first(name) or "" for name in ("labelSelector", "fieldSelector")]
    return "|".join([request.path.rstrip("/"), *selectors_used])


def _bare(body: Object) -> Object:
    """An item in a list of a built-in kind, which lacks its kind and apiVersion."""
    return {name: value for name, value in body.items() if name not in ("kind", "apiVersion")}


def watch(
    cluster: KubernetesCluster, target: Target, request: Request, pass_time: Callable[[], None]
) -> tuple[Response, list[Object]]:
    """The existing objects as ADDED events, then what happens, until `timeoutSeconds` or the client goes.

    `pass_time` lets the controllers act on what has become due meanwhile.
    """
    _check(request)
    since, end = (
        int(request.first("resourceVersion") or 0),
        time.monotonic() + (_number(request, "timeoutSeconds") or LONGEST_WATCH),
    )
    shown = {_row(body): body for body in select_objects(cluster, target, request)}
    fresh = [body for body in shown.values() if int(body["metadata"]["resourceVersion"]) > since]
    gone = _selected(cluster.deleted_since(target.resource, since, target.namespace), target, request) if since else []
    seen = cluster.version()

    def go_on() -> bytes | None:
        nonlocal shown, seen
        if time.monotonic() >= end:
            return None
        pass_time()
        if cluster.version() == seen:
            return b""
        seen = cluster.version()
        before, shown = shown, {_row(body): body for body in select_objects(cluster, target, request)}
        return _events(_changes(before, shown, str(seen)))

    first = [*(("DELETED", body) for body in gone), *(("ADDED", body) for body in fresh)]
    return Response(200, _events(first), content_type="application/json;stream=watch", stream=go_on), fresh


def _changes(before: dict[str, Object], after: dict[str, Object], version: str) -> Iterator[tuple[str, Object]]:
    """What became of the objects of a watch; one that was replaced under its name went first."""
    for row, body in before.items():
        if row not in after or after[row]["metadata"]["uid"] != body["metadata"]["uid"]:
            yield "DELETED", {**body, "metadata": {**body["metadata"], "resourceVersion": version}}
    for row, body in after.items():
        old = before.get(row)
        if old is None or old["metadata"]["uid"] != body["metadata"]["uid"]:
            yield "ADDED", body
        elif old["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"]:
            yield "MODIFIED", body


def _events(events: Iterable[tuple[str, Object]]) -> bytes:
    return "".join(json.dumps({"type": kind, "object": body}) + "\n" for kind, body in events).encode()
