"""The requested form of an answer: whole objects, only their metadata (`as=PartialObjectMetadataList`), or a table (`as=Table`).

Observed on kube-apiserver 1.34: the first supported media type of `Accept` is used; an empty list has `items: null`; the
list form requested for one object, or the other way round, is 406, as is an unknown form.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from vastplan.sim.kubernetes.resources import Target
from vastplan.sim.kubernetes.server_tables import table
from vastplan.sim.kubernetes.status import StatusError
from vastplan.sim.wire import Request, Response

ONE, LIST, TABLE = "PartialObjectMetadata", "PartialObjectMetadataList", "Table"
_GROUP, _VERSIONS = "meta.k8s.io", ("v1", "v1beta1")
_ANY = ("application/json", "application/*", "*/*")
_TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


@dataclass(frozen=True, slots=True)
class Form:
    """Metadata only, or a table: the requested kind, and the version of its group."""

    kind: str
    version: str

    @property
    def api_version(self) -> str:
        """`meta.k8s.io/v1`."""
        return f"{_GROUP}/{self.version}"


def requested_form(request: Request) -> Form | None:
    """The requested form of the answer, `None` for whole objects in JSON; raises `StatusError` for an unknown form."""
    refused = False
    for media in request.headers.get("accept", "").split(","):
        name, *parameters = (part.strip() for part in media.split(";"))
        if name not in _ANY:
            continue
        wanted = dict(part.split("=", 1) for part in parameters if "=" in part)
        kind, version = wanted.get("as", ""), wanted.get("v", "")
        if not kind:
            return None
        if kind in (ONE, LIST, TABLE) and wanted.get("g") == _GROUP and version in _VERSIONS:
            return Form(kind, version)
        refused = True
    if refused:
        raise _not_acceptable(f"only the following media types are accepted: {_TYPES}")
    return None


def shaped(form: Form | None, target: Target, response: Response, now: float) -> Response:
    """An answer in the requested form; raises `StatusError` if it has no such form."""
    if form is None or response.status >= 300:
        return response
    if isinstance(response.body, bytes):
        stream = response.stream
        return replace(
            response,
            body=_events(form, target, response.body, now),
            stream=stream and (lambda: (lines := stream()) and _events(form, target, lines, now)),
        )
    body = response.body
    if not isinstance(body, dict) or body.get("kind") == "Status":
        return response
    many = "items" in body
    metadata = {
        name: value for name, value in body["metadata"].items() if value
    }  # a custom resource's list says "continue": ""
    if form.kind == TABLE:
        bodies = body["items"] if many else [body]
        about = metadata if many else {"resourceVersion": metadata["resourceVersion"]}
        return replace(response, body=table(target.resource, bodies, form.api_version, about, now))
    if many != (form.kind == LIST):
        shape = "is a list" if many else "is not a list"
        text = f"you requested {form.kind}, but the requested object {shape} ({_go_type(target, many)})"
        raise _not_acceptable(text)
    if not many:
        return replace(response, body=_partial(form, body))
    items = [_partial(form, item) for item in body["items"]]
    head = {"kind": LIST, "apiVersion": form.api_version, "metadata": metadata}
    return replace(response, body=head | {"items": items or None})


def _events(form: Form, target: Target, lines: bytes, now: float) -> bytes:
    return b"".join(_event(form, target, line, now) for line in lines.splitlines())


def _partial(form: Form, body: dict[str, Any]) -> dict[str, Any]:
    return {"kind": ONE, "apiVersion": form.api_version, "metadata": body["metadata"]}


def _event(form: Form, target: Target, line: bytes, now: float) -> bytes:
    event = json.loads(line)
    body = event["object"]
    version = {"resourceVersion": body["metadata"]["resourceVersion"]}
    shown = (
        table(target.resource, [body], form.api_version, version, now) if form.kind == TABLE else _partial(form, body)
    )
    return json.dumps({**event, "object": shown}).encode() + b"\n"


def _go_type(target: Target, many: bool) -> str:
    """The object's type as the server's Go code names it."""
    resource, suffix = target.resource, "List" if many else ""
    if resource.custom:
        return f"*unstructured.Unstructured{suffix}"
    return f"*{resource.group.partition('.')[0] or 'core'}.{resource.kind}{suffix}"


def _not_acceptable(message: str) -> StatusError:
    return StatusError(406, "NotAcceptable", message)
