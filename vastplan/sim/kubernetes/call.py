"""One request to the API, with its options read and checked as the server does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from vastplan.sim.kubernetes import protobuf
from vastplan.sim.kubernetes.cluster import KubernetesCluster
from vastplan.sim.kubernetes.managed_fields import Writer
from vastplan.sim.kubernetes.resources import Target
from vastplan.sim.kubernetes.status import (
    StatusCause,
    bad_request,
    forbidden_field,
    invalid_object,
    not_supported,
    required_field,
    too_long,
    unsupported_media,
)
from vastplan.sim.wire import Request

MERGE, JSON, STRATEGIC = (f"application/{kind}+json" for kind in ("merge-patch", "json-patch", "strategic-merge-patch"))
APPLY = "application/apply-patch+yaml"
PATCHES = (JSON, MERGE, STRATEGIC, APPLY)
_BODIES = ("application/json", "application/yaml", protobuf.CONTENT_TYPE)
_VALIDATIONS = ("", "Ignore", "Strict", "Warn")
_KINDS = {"POST": "Create", "PUT": "Update", "PATCH": "Patch", "DELETE": "Delete"}


@dataclass(slots=True)
class KubernetesCall:
    """A write and its options; `warnings` go into the answer's Warning header."""

    cluster: KubernetesCluster
    target: Target
    request: Request
    user: str
    content_type: str
    dry_run: bool
    validation: str
    manager: str
    force: bool
    warnings: list[str] = field(default_factory=list)

    def writer(self, operation: str = "Update") -> Writer:
        """The writer for managedFields."""
        version = self.target.resource.api_version
        return Writer(self.manager, operation, version, self.cluster.now(), self.target.subresource)

    def document(self) -> Any:
        """The body of a POST or PUT in any accepted format; raises `StatusError`, also for duplicate fields if validation is strict."""
        self.check_form()
        kind = self.target.resource.kind
        body = parse_body(self.request.body, self.content_type, self._duplicate)
        if not isinstance(body, dict):
            raise bad_request(
                f"the object provided is unrecognized (must be of type {kind}): couldn't get version/kind"
            )
        return body

    def check_form(self) -> None:
        """Raise 415 for a format that the resource does not accept: custom resources have no protobuf."""
        accepted = _BODIES[:2] if self.target.resource.custom else _BODIES
        if (self.content_type or accepted[0]) not in accepted:
            raise unsupported_media(accepted)

    def patch(self) -> Any:
        """The body of a PATCH; raises `StatusError`."""
        try:
            return parse_body(
                self.request.body, "application/yaml" if self.content_type == APPLY else "", self._duplicate
            )
        except Unreadable as error:
            raise bad_request(f"error decoding patch: {error}") from None

    def _duplicate(self, name: str) -> None:
        if self.validation == "Strict":
            kind = self.target.resource.kind
            raise bad_request(
                f'{kind} in version "{self.target.resource.version}" cannot be handled as a {kind}: '
                f'strict decoding error: duplicate field "{name}"'
            )
        self.warnings.append(f'duplicate field "{name}"')


class Unreadable(ValueError):
    """The body cannot be parsed as its content type."""


def parse_body(raw: bytes, content_type: str, duplicate: Callable[[str], None] = lambda name: None) -> Any:
    """A body as data; raises `Unreadable`."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        unique: dict[str, Any] = {}
        for name, value in items:
            if name in unique:
                duplicate(name)
            unique[name] = value
        return unique

    try:
        if content_type == protobuf.CONTENT_TYPE:
            return protobuf.read_protobuf(raw)
        if content_type == "application/yaml":
            return yaml.safe_load(raw)
        return json.loads(raw, object_pairs_hook=pairs)
    except protobuf.NotProtobuf as error:
        raise Unreadable(str(error)) from None
    except (yaml.YAMLError, ValueError) as error:
        if not raw.strip() or "Expecting" in str(error):
            raise Unreadable("unexpected end of JSON input") from None
        raise Unreadable(str(error)) from None
    except RecursionError:
        raise Unreadable("exceeded max depth") from None


def read_call(cluster: KubernetesCluster, target: Target, request: Request, user: str) -> KubernetesCall:
    """Read and check the options of a write; raises `StatusError`."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    manager = request.first("fieldManager") or ""
    dry_run = request.query.get("dryRun", [])
    if request.method == "DELETE" and request.body.strip():
        dry_run = []  # only the options in the body count
    validation = request.first("fieldValidation") or ""
    force = (request.first("force") or "").lower() in ("true", "1")
    causes: list[StatusCause] = []
    if any(value != "All" for value in dry_run):
        causes.append(not_supported("dryRun", dry_run, ("All",)))
    if len(manager.encode()) > 128:
        causes.append(too_long("fieldManager", 128))
    if validation not in _VALIDATIONS:
        causes.append(not_supported("fieldValidation", validation, _VALIDATIONS))
    if request.method == "PATCH":
        if content_type == APPLY and not manager:
            causes.append(required_field("fieldManager", "is required for apply patch"))
        if content_type != APPLY and "force" in request.query:
            causes.append(forbidden_field("force", "may not be specified for non-apply patch"))
    if causes:
        raise invalid_object(f"{_KINDS[request.method]}Options", "meta.k8s.io", "", causes)
    manager = manager or request.headers.get("user-agent", "").split("/")[0] or "unknown"
    return KubernetesCall(
        cluster, target, request, user, content_type, bool(dry_run), validation or "Warn", manager, force
    )
