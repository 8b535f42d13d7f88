"""The user or group that a limit is for, by name, number or SID: the forms that VMS accepts and returns.

The document says `user: alice`, `uid: 1001` or `sid: S-1-5-...`; VMS has an identifier and its type. The user or group may be
of any provider: a name is text, and need not be an entry of the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints

from vastplan.model.natural_order import natural
from vastplan.model.value import to_json
from vastplan.schema.kind import Row, Values
from vastplan.schema.markers import Limits
from vastplan.schema.types import Count, Existing, Says, Spec, Text

SubjectName = Annotated[Text, Field(min_length=1)]
Sid = Annotated[
    str,
    StringConstraints(pattern=r"^S-[0-9]+(-[0-9]+)+$", max_length=256),
    Says("a SID, such as S-1-5-21-1004336348-1177238915-682003330-512"),
]
Id = Annotated[Count, Field(le=2**32 - 1)]
# VMS's types of identifiers, by the document's fields. The REST API accepts `group`; the CLI calls it `groupname`.
USER_TYPES = {"user": "username", "uid": "uid", "sid": "sid_str"}
GROUP_TYPES = {"group": "group", "gid": "gid", "sid": "sid_str"}
_FIELDS = {
    "username": "user", "uid": "uid", "sid_str": "sid", "sid": "sid", "group": "group", "groupname": "group", "gid": "gid",
}  # fmt: skip
_NUMBERS = frozenset({"uid", "gid"})
_Item = TypeVar("_Item", bound=Spec)


LIMITED = Limits(user="user.name", uid="user.uid", group="group.name", gid="group.gid")
"""The fields by which an item of a list names the user or group that it limits."""


def refuse_other_than_one(item: Spec, fields: Iterable[str]) -> None:
    """Raises `ValueError` unless exactly one of the fields that name a user or group is written."""
    if len(written := [field for field in fields if isinstance(getattr(item, field), str | int | Existing)]) != 1:
        also = f", not {' and '.join(written)}" if written else ""
        raise ValueError(f"write one of {', '.join(fields)}{also}")


def distinct(items: list[_Item]) -> list[_Item]:
    """The items in vastplan's order, as the order in VMS has no meaning. Raises `ValueError` if a user or group is given twice."""
    by_subject: dict[tuple[str, str], _Item] = {}
    for item in items:
        written = {field: getattr(item, field) for field in sorted({*USER_TYPES, *GROUP_TYPES}) if hasattr(item, field)}
        written = {field: value.existing if isinstance(value, Existing) else value for field, value in written.items()}
        subject = _key(written)
        if subject in by_subject:
            raise ValueError(f"{subject[0]} {subject[1]} is given twice")
        by_subject[subject] = item
    return [by_subject[subject] for subject in sorted(by_subject, key=_order)]


def in_order(items: list[Values]) -> list[Values]:
    """The items of a live list in the order of `each_once`."""
    return sorted(items, key=lambda item: _order(_key(item)))


def identifier(item: Row, types: Mapping[str, str]) -> tuple[str, str]:
    """The type and the identifier that VMS takes; removes the field that names the user or group from `item`."""
    field = next(field for field in types if field in item)
    return types[field], str(item.pop(field))


def subject_of(kind: Any, value: Any) -> Values:
    """The document's form of a type and an identifier; an unknown type stays as it is."""
    field = _FIELDS.get(str(kind), str(kind))
    return {field: int(value) if field in _NUMBERS and str(value).isdecimal() else str(value)}


def _key(item: Mapping[str, Any]) -> tuple[str, str]:
    for field in (*USER_TYPES, *GROUP_TYPES):
        value = item.get(field)
        if isinstance(value, str | int):
            return field, str(value)
    return "", str(to_json(dict(item)))


def _order(key: tuple[str, str]) -> tuple[str, Any]:
    return key[0], natural(key[1])
