"""Decodes a request's body into an object, with unknown fields and wrong types."""

from __future__ import annotations

import json
from typing import Any

from vastplan.sim.kubernetes import patches, protobuf
from vastplan.sim.kubernetes.call import STRATEGIC, KubernetesCall, Unreadable
from vastplan.sim.kubernetes.cluster import Object
from vastplan.sim.kubernetes.schema import Reader
from vastplan.sim.kubernetes.status import StatusCause, bad_request, invalid, invalid_object


def read_known_fields(call: KubernetesCall, body: Object) -> tuple[Object, list[str], list[StatusCause]]:
    """The object in `body` with the table's fields, its unknown fields, and a custom resource's wrong types."""
    resource = call.target.resource
    reader = Reader(call.cluster.table, resource.kind, resource.custom)
    decoded: Object = reader.read(resource.schema(call.cluster.table), body)
    decoded["metadata"] = decoded.get("metadata", {})
    return {**decoded, "kind": resource.kind, "apiVersion": resource.api_version}, reader.unknown, reader.causes


def decode_object(call: KubernetesCall) -> tuple[Object, list[StatusCause]]:
    """The object of a POST or PUT; raises `StatusError`."""
    resource = call.target.resource
    try:
        body = call.document()
    except Unreadable as error:
        raw = call.request.body.decode(errors="replace") or "<empty>"
        head = f"the object provided is unrecognized (must be of type {resource.kind}): couldn't get version/kind"
        if call.content_type == protobuf.CONTENT_TYPE:
            raise bad_request(f"{head}: {error}") from None
        raise bad_request(f"{head}; json parse error: {error} ({raw[:1024]})") from None
    if resource.custom and not body.get("kind"):
        body_text = call.request.body.decode(errors="replace")
        head = f"the object provided is unrecognized (must be of type {resource.kind})"
        raise bad_request(f"{head}: Object 'Kind' is missing in '{body_text}' ({body_text})")
    kind, version = body.get("kind") or resource.kind, body.get("apiVersion") or resource.api_version
    if version != resource.api_version and (resource.custom or kind == resource.kind):
        why = (
            f"the API version in the data ({version}) does not match the expected API version ({resource.api_version})"
        )
        raise bad_request(why)
    refused = f'{kind} in version "{version.rpartition("/")[2]}" cannot be handled as a {resource.kind}'
    if kind != resource.kind:
        if resource.custom:
            cause = invalid("kind", kind, f"must be {resource.kind}")
            raise invalid_object(str(kind), resource.group, body.get("metadata", {}).get("name", ""), [cause])
        why = f'no kind "{kind}" is registered for version "{version}" in scheme "pkg/runtime/scheme.go:110"'
        raise bad_request(f"{refused}: {why}")
    try:
        decoded, unknown, causes = read_known_fields(call, body)
    except ValueError as error:
        raise bad_request(f"{refused}: {error}") from None
    if unknown and call.validation == "Strict":
        listed = ", ".join(f'unknown field "{path}"' for path in unknown)
        raise bad_request(f"{refused}: strict decoding error: {listed}")
    if call.validation == "Warn":
        call.warnings += [f'unknown field "{path}"' for path in unknown]
    return decoded, causes


def reread(call: KubernetesCall, patched: Any, document: Any) -> tuple[Object, list[StatusCause]]:
    """Decode a patched object; raises `StatusError` (422, unlike for a POST)."""
    quoted = patches.go_map(document) if call.content_type == STRATEGIC else json.dumps(patched, separators=(",", ":"))
    resource = call.target.resource
    if not resource.custom and isinstance(patched, dict):
        kind, version = patched.get("kind"), patched.get("apiVersion")
        if kind not in (None, resource.kind) or version != resource.api_version:
            raise patches.invalid_patch(
                quoted, f'no kind "{kind or resource.kind}" is registered for version "{version or ""}"'
            )
    try:
        body, unknown, causes = read_known_fields(call, patched)
    except ValueError as error:
        raise patches.invalid_patch(quoted, str(error)) from None
    if unknown and call.validation == "Strict":
        listed = ", ".join(f'unknown field "{path}"' for path in unknown)
        raise patches.invalid_patch(quoted, f"strict decoding error: {listed}")
    if call.validation == "Warn":
        call.warnings += [f'unknown field "{path}"' for path in unknown]
    return body, causes
