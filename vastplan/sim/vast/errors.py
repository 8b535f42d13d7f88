"""Refusals, with the bodies that Django REST Framework gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# A field's name and its problem. The name "" stands for the whole object, "detail" for a rule.
Problem = tuple[str, str]

REQUIRED = "This field is required."
UNIQUE = "This field must be unique."
NOT_NULL = "This field may not be null."
FIXED = "This field cannot be changed."


class VmsError(Exception):
    """The request is answered with `status` and `body`, and nothing has changed."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status} {body}")
        self.status = status
        self.body = body


def detail(text: str, status: int = 400) -> VmsError:
    """A refusal of the form `{"detail": text}`."""
    return VmsError(status, {"detail": text})


def not_found() -> VmsError:
    """The refusal of an unknown path or object."""
    return detail("Not found.", 404)


def missing_object(key: Any) -> str:
    """The message about a reference to an object that does not exist."""
    return f'Invalid pk "{key}" - object does not exist.'


def raise_for(problems: Iterable[Problem]) -> None:
    """Raise one `VmsError` (400) for all problems: `{"field": ["message", ...]}`; a rule alone is `{"detail": text}`."""
    messages_by_field: dict[str, list[str]] = {}
    for field, message in problems:
        messages = messages_by_field.setdefault(field or "non_field_errors", [])
        if message not in messages:
            messages.append(message)
    if list(messages_by_field) == ["detail"]:
        raise detail(" ".join(messages_by_field["detail"]))
    if messages_by_field:
        raise VmsError(400, messages_by_field)
