"""Access: `access: {ROLE: [SUBJECT]}` of a project or a department as Run:AI access rules."""

from collections.abc import Iterable
from typing import Any

from vastplan.kinds.runai._access import grants, rule_name, subject_of
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope
from vastplan.schema.recovery import Pieces, Recovered


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    yield entry.standing_for(entry.without("access", "tenant", "storage_classes"))
    for grant in grants(entry.values.get("access") or {}):
        values = {
            "subject": grant.subject,
            "subject_type": grant.subject_type,
            "role": Ref(Address(entry.address.site, "role", grant.role), managed=False),
            "scope": Ref(entry.address),
            "scope_type": entry.address.kind,
        }
        yield entry.part("access_rule", rule_name(entry.address.kind, entry.address.name, grant), values)


def _recover(pieces: Pieces, of: str) -> Iterable[Recovered]:
    """A project or department with the rules that its access can write."""
    for entry in pieces.of(of):
        access: dict[str, list[Any]] = {}
        parts = [entry.address]
        for rule in pieces.having(entry.address.site, "access_rule", scope=Ref(entry.address), scope_type=of):
            role, subject = rule.values["role"], subject_of(rule.values["subject"], rule.values["subject_type"])
            if subject is not None:
                access.setdefault(str(role), []).append(subject)
                parts.append(rule.address)
        if access:
            said = {role: sorted(subjects, key=str) for role, subjects in sorted(access.items())}
            yield Recovered(entry.standing_for({**entry.values, "access": said}), tuple(parts))


OF_PROJECT = Composition("project", _compose, recover=lambda pieces: _recover(pieces, "project"))
OF_DEPARTMENT = Composition("department", _compose, recover=lambda pieces: _recover(pieces, "department"))
