"""Access: `access: {ROLE: [SUBJECT]}` of a project or a department as Run:AI access rules."""

from collections.abc import Iterable

from vastplan.kinds.runai._access import grants, rule_name
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope


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


OF_PROJECT = Composition("project", _compose)
OF_DEPARTMENT = Composition("department", _compose)
