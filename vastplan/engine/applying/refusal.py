"""A system that refuses to change a field in place, although its documents offer that: what its answer says. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from vastplan.model.errors import Conflict, NotAuthorised, ObjectNotFound, Refused

_RULE = re.compile(
    r"\bimmutable\b|\b(cannot|can not|can't|may not|must not) be (changed|modified|updated|edited)\b"
    r"|\b(changing|modifying|updating|updates? to|changes? to)\b.{0,80}\b(forbidden|not (allowed|permitted|supported))\b"
    r"|\bnot (yet )?implemented\b",
    re.IGNORECASE | re.DOTALL,
)
_NO_METHOD = (405, 501)


def unchangeable_field(problem: Refused, fields: Collection[str]) -> str:
    """The one of the sent fields that the system changes in place for no value, by its refusal; "" where the refusal does not say so:
    another value, another right or another moment may be accepted."""
    if isinstance(problem, Conflict | NotAuthorised | ObjectNotFound):
        return ""
    if problem.status not in _NO_METHOD and not _RULE.search(str(problem)):
        return ""
    named = [
        field for field in fields if re.search(rf"(?<![A-Za-z0-9]){re.escape(field)}(?![A-Za-z0-9])", str(problem))
    ]
    chosen = named if len(fields) > 1 else [*fields]
    return chosen[0] if len(chosen) == 1 else ""
