"""The access to a department or project, as the document writes it: a mapping from roles to subjects.

Run:AI has one access rule for every subject and role; a composition creates them from the result of `grants`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field, StringConstraints

from vastplan.model.natural_order import natural
from vastplan.schema.types import Says, Spec

_TRIMMED = r"^[^\x00-\x20\x7f]([^\x00-\x1f\x7f]*[^\x00-\x20\x7f])?$"  # one line, no blanks around it
_Subject = Annotated[
    str, StringConstraints(max_length=253, pattern=_TRIMMED), Says("a name in one line, without blanks around it")
]


class UserSubject(Spec):
    """A user as a subject, by e-mail."""

    user: _Subject
    """E-mail address of the user in Run:AI."""


class GroupSubject(Spec):
    """A group of the single sign-on as a subject, by name."""

    group: _Subject
    """Name of the group in the single sign-on."""


class ServiceAccountSubject(Spec):
    """A service account as a subject, by name."""

    service_account: _Subject
    """Name of the service account in Run:AI; before 2.24 write `app`."""


class AppSubject(Spec):
    """An application as a subject, by name: the word for a service account on control planes before 2.24."""

    app: _Subject
    """Name of the application; a control plane from 2.24 on has service accounts instead."""


_RoleName = Annotated[str, StringConstraints(min_length=1, max_length=253)]
Access = dict[
    _RoleName,
    Annotated[list[_Subject | UserSubject | GroupSubject | ServiceAccountSubject | AppSubject], Field(max_length=1000)],
]


class Grant(NamedTuple):
    """One subject with one role; `subject_type` is the API's word."""

    subject: str
    subject_type: str
    role: str


def grants(access: Mapping[str, Iterable[Any]]) -> tuple[Grant, ...]:
    """Every grant of an `access` mapping once, sorted. Text with an `@` is a user, other text a group."""
    return tuple(sorted({Grant(*_typed(subject), role) for role, subjects in access.items() for subject in subjects}))


def access_of(given: Iterable[Grant]) -> dict[str, list[Any]]:
    """The shortest `access` mapping for exactly these grants; the inverse of `grants`."""
    access: dict[str, list[Any]] = {}
    for grant in sorted(
        set(given), key=lambda grant: (natural(grant.role), natural(grant.subject), grant.subject_type)
    ):
        long = {grant.subject_type.replace("-", "_"): grant.subject}
        access.setdefault(grant.role, []).append(
            grant.subject if _typed(grant.subject) == (grant.subject, grant.subject_type) else long
        )
    return access


def rule_name(scope_type: str, scope: str, grant: Grant) -> str:
    """The key of a grant's access rule, as in `project/team-c/group/grp-team-c/ML engineer`."""
    return f"{scope_type}/{scope}/{grant.subject_type}/{grant.subject}/{grant.role}"


def subject_of(subject: str, subject_type: str) -> Any:
    """The shortest form of a subject in `access`; `None` for a type other than user, group or service account."""
    key = subject_type.replace("-", "_")
    if _typed(subject) == (subject, subject_type):
        return subject
    return {key: subject} if key in ("user", "group", "service_account") else None


def _typed(subject: Any) -> tuple[str, str]:
    if isinstance(subject, Mapping):
        ((kind, name),) = subject.items()
        return name, kind.replace("_", "-")
    return subject, "user" if "@" in subject else "group"
