"""Access: `access: {ROLE: [SUBJECT]}` of a project or a department as Run:AI access rules, and what the scope of one names."""

from collections.abc import Iterable

from vastplan.kinds.runai._access import grants, rule_name
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.model.yaml_text import scalar
from vastplan.schema.entries import Composition, Entry, Scope

_CLUSTER = "runai_cluster"


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


def _of_scope(entry: Entry, scope: Scope) -> Iterable[Entry]:
    written = entry.values["scope"]
    if isinstance(written, Ref):
        yield entry
        return
    existing = isinstance(written, dict)
    name, type_ = str(written["existing"] if existing else written), entry.values["scope_type"]
    address = Address(entry.address.site, _CLUSTER if type_ == "cluster" else type_, name)
    there = scope.get(address) is not None
    if not there and not existing:
        fix = f"for one that is not in this document write {{existing: {scalar(name)}}}"
        scope.refuse(entry, "VP209", f"no {type_} {name}", fix)
    yield entry.standing_for({**entry.values, "scope": Ref(address, managed=there)})


OF_RULE = Composition("access_rule", _of_scope)
OF_PROJECT = Composition("project", _compose)
OF_DEPARTMENT = Composition("department", _compose)
