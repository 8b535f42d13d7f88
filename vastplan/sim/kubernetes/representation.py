"""In which form an answer is asked for: whole objects, or their metadata alone (`as=PartialObjectMetadataList`).

Seen on kube-apiserver 1.34: the first media type of `Accept` that can be had is taken; a list of nothing has `items: null`; the
form of a list for one object, or the other way round, is 406, as is a form that there is none of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from vastplan.sim.kubernetes.resources import Target
from vastplan.sim.kubernetes.status import StatusError
from vastplan.sim.wire import Request, Response

ONE, LIST = "PartialObjectMetadata", "PartialObjectMetadataList"
_GROUP, _VERSIONS = "meta.k8s.io", ("v1", "v1beta1")
_ANY = ("application/json", "application/*", "*/*")
_TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


@dataclass(frozen=True, slots=True)
class Form:
    """Metadata alone: the kind that was asked for, and the version of its group."""

    kind: str
    version: str

    @property
    def api_version(self) -> str:
        """`meta.k8s.io/v1`."""
        return f"{_GROUP}/{self.version}"


def asked(request: Request) -> Form | None:
    """The form of the answer, `None` for whole objects in JSON; raises `StatusError` for one that there is none of."""
    refused = False
    for media in request.headers.get("accept", "").split(","):
        name, *parameters = (part.strip() for part in media.split(";"))
        if name not in _ANY:
            continue
        wanted = dict(part.split("=", 1) for part in parameters if "=" in part)
        kind, version = wanted.get("as", ""), wanted.get("v", "")
        if kind in ("", "Table"):  # no tables here
            return None
        if kind in (ONE, LIST) and wanted.get("g") == _GROUP and version in _VERSIONS:
            return Form(kind, version)
        refused = True
    if refused:
        raise _not_acceptable(f"only the following media types are accepted: {_TYPES}")
    return None


def shaped(form: Form | None, target: Target, response: Response) -> Response:
    """An answer in the form that was asked for; raises `StatusError` where it has none."""
    if form is None or response.status >= 300:
        return response
    if isinstance(response.body, bytes):
        return replace(response, body=b"".join(_event(form, line) for line in response.body.splitlines()))
    body = response.body
    if not isinstance(body, dict) or body.get("kind") == "Status":
        return response
    many = "items" in body
    if many != (form.kind == LIST):
        what = "is a list" if many else "is not a list"
        text = f"you requested {form.kind}, but the requested object {what} ({_go_type(target, many)})"
        raise _not_acceptable(text)
    if not many:
        return replace(response, body=_partial(form, body))
    items = [_partial(form, item) for item in body["items"]]
    metadata = {
        name: value for name, value in body["metadata"].items() if value
    }  # a custom resource's list says "continue": ""
    head = {"kind": LIST, "apiVersion": form.api_version, "metadata": metadata}
    return replace(response, body=head | {"items": items or None})


def _partial(form: Form, body: dict[str, Any]) -> dict[str, Any]:
    return {"kind": ONE, "apiVersion": form.api_version, "metadata": body["metadata"]}


def _event(form: Form, line: bytes) -> bytes:
    event = json.loads(line)
    return json.dumps({**event, "object": _partial(form, event["object"])}).encode() + b"\n"


def _go_type(target: Target, many: bool) -> str:
    """The object as the server's own language calls it."""
    resource, suffix = target.resource, "List" if many else ""
    if resource.custom:
        return f"*unstructured.Unstructured{suffix}"
    return f"*{resource.group.partition('.')[0] or 'core'}.{resource.kind}{suffix}"


def _not_acceptable(message: str) -> StatusError:
    return StatusError(406, "NotAcceptable", message)
