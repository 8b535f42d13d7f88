"""Refusals, with the bodies that Django REST Framework gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# A field's name and what is wrong with it. The name "" speaks about the whole object, "detail" about a rule.
Problem = tuple[str, str]

REQUIRED = "This field is required."
UNIQUE = "This field must be unique."
NOT_NULL = "This field may not be null."
FIXED = "This field cannot be changed."


class Refused(Exception):
    """The request is answered with `status` and `body`, and nothing has changed."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status} {body}")
        self.status = status
        self.body = body


def detail(text: str, status: int = 400) -> Refused:
    """A refusal of the shape `{"detail": text}`."""
    return Refused(status, {"detail": text})


def not_found() -> Refused:
    """The refusal of an unknown path or object."""
    return detail("Not found.", 404)


def missing_object(key: Any) -> str:
    """The message about a reference to an object that is not there."""
    return f'Invalid pk "{key}" - object does not exist.'


def raise_for(problems: Iterable[Problem]) -> None:
    """Raise one `Refused` (400) for all problems: `{"field": ["message", ...]}`; a rule alone is `{"detail": text}`."""
    found: dict[str, list[str]] = {}
    for field, message in problems:
        messages = found.setdefault(field or "non_field_errors", [])
        if message not in messages:
            messages.append(message)
    if list(found) == ["detail"]:
        raise detail(" ".join(found["detail"]))
    if found:
        raise Refused(400, found)
