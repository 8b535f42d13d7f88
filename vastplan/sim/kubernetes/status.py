"""The refusals of the API server: a `Status` object, with causes if fields are at fault."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from vastplan.sim.wire import Response


@dataclass(frozen=True, slots=True)
class StatusCause:
    """One field's fault; `reason` is a `FieldValue...` word, `field` a path such as `spec.accessModes`."""

    reason: str
    message: str
    field: str

    def json(self) -> dict[str, str]:
        """The cause as `details.causes` shows it."""
        pairs = {"reason": self.reason, "message": self.message, "field": self.field}
        return {key: value for key, value in pairs.items() if value}


class StatusError(Exception):
    """An answer other than success; the vendor's words are in `body`."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        details: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        body: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": metadata or {}, "status": "Failure"}
        body |= {"message": message} | ({"reason": reason} if reason else {})
        self.body = body | ({"details": details} if details is not None else {}) | {"code": code}
        self.code = code

    def response(self) -> Response:
        """The refusal as an answer."""
        return Response(self.code, self.body)


def shown_value(value: Any) -> str:
    """A value as the server shows it in a message."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _cause(reason: str, word: str, path: str, detail: str) -> StatusCause:
    return StatusCause(reason, f"{word}: {detail}" if detail else word, path)


def required_field(path: str, detail: str = "") -> StatusCause:
    """A required field is missing."""
    return _cause("FieldValueRequired", "Required value", path, detail)


def forbidden_field(path: str, detail: str) -> StatusCause:
    """A field that must be absent, or must not change."""
    return _cause("FieldValueForbidden", "Forbidden", path, detail)


def invalid(path: str, value: Any, detail: str) -> StatusCause:
    """A value that breaks a rule."""
    return _cause("FieldValueInvalid", f"Invalid value: {shown_value(value)}", path, detail)


def duplicate(path: str, value: Any) -> StatusCause:
    """A value that may occur only once."""
    return StatusCause("FieldValueDuplicate", f"Duplicate value: {shown_value(value)}", path)


def too_long(path: str, limit: int) -> StatusCause:
    """A value above its limit in bytes."""
    return StatusCause("FieldValueTooLong", f"Too long: may not be more than {limit} bytes", path)


def not_supported(path: str, value: Any, supported: Iterable[str]) -> StatusCause:
    """A value outside its enumeration."""
    names = ", ".join(shown_value(name) for name in supported)
    return StatusCause(
        "FieldValueNotSupported", f"Unsupported value: {shown_value(value)}: supported values: {names}", path
    )


def immutable(path: str, value: Any) -> StatusCause:
    """A field that cannot change once it is set."""
    return invalid(path, value, "field is immutable")


def details(name: str = "", group: str = "", kind: str = "", causes: Sequence[StatusCause] = ()) -> dict[str, Any]:
    """The `details` of a Status, without empty parts."""
    content: dict[str, Any] = {"name": name, "group": group, "kind": kind, "causes": [cause.json() for cause in causes]}
    return {key: value for key, value in content.items() if value}


def invalid_object(kind: str, group: str, name: str, causes: Sequence[StatusCause]) -> StatusError:
    """422: the object breaks the rules of its kind."""
    unique = list(dict.fromkeys(causes))
    faults = [f"{cause.field}: {cause.message}" for cause in unique]
    text = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]"
    qualified = f"{kind}.{group}" if group else kind
    return StatusError(422, "Invalid", f'{qualified} "{name}" is invalid: {text}', details(name, group, kind, unique))


def bad_request(message: str) -> StatusError:
    """400: the request cannot be understood."""
    return StatusError(400, "BadRequest", message)


def unsupported_media(accepted: Iterable[str]) -> StatusError:
    """415: the body's content type is not one of `accepted`."""
    text = "the body of the request was in an unknown format - accepted media types include: " + ", ".join(accepted)
    return StatusError(415, "UnsupportedMediaType", text)


class NoSuchCallError(StatusError):
    """The resource or its verb does not exist: the call is not about anything this server has."""


def no_such_path() -> NoSuchCallError:
    """404: a known group and version without this resource."""
    return NoSuchCallError(404, "NotFound", "the server could not find the requested resource", {})


def method_not_allowed() -> NoSuchCallError:
    """405: the resource lacks this verb."""
    return NoSuchCallError(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {}
    )
