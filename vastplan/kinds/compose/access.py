"""Access: `access: {ROLE: [SUBJECT]}` of a project or a department as Run:AI access rules, and the object that a rule's scope names."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from vastplan.kinds.compose._class_access import ClassAccess, class_access
from vastplan.kinds.compose._storage_policies import policies
from vastplan.kinds.runai._access import grants, rule_name, subject_of
from vastplan.kinds.runai.project import namespace_of
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered

_CLUSTER = "runai_cluster"
_NODE_POOLS = "default_node_pools"


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    unit = entry.standing_for(entry.without("access", "tenant", "storage_classes", "storage_policies"))
    site, pools = entry.address.site, entry.values.get(_NODE_POOLS) or ()
    named = tuple((_NODE_POOLS, Ref(Address(site, "node_pool", pool), managed=False)) for pool in pools)
    yield replace(unit, named=(*unit.named, *named))
    yield from policies(entry, scope)
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
    """A project or department with the rules that its `access` can express. A project also gets the tenant of its claims, and the
    classes outside that tenant that it may use."""
    tenants = {entry.address: _tenant(pieces, entry) for entry in pieces.of(of)} if of == "project" else {}
    listed = _listed(pieces, tenants)
    for entry in pieces.of(of):
        access: dict[str, list[Any]] = {}
        parts = [entry.address]
        for rule in pieces.having(entry.address.site, "access_rule", scope=Ref(entry.address), scope_type=of):
            role, subject = rule.values["role"], subject_of(rule.values["subject"], rule.values["subject_type"])
            if subject is not None:
                access.setdefault(str(role), []).append(subject)
                parts.append(rule.address)
        subjects_by_role = {role: sorted(subjects, key=str) for role, subjects in sorted(access.items())}
        more = {
            name: value
            for name, value in (
                ("access", subjects_by_role),
                ("tenant", tenants.get(entry.address)),
                ("storage_classes", sorted(listed.get(entry.address, ()), key=str)),
            )
            if value
        }
        if more:
            yield Recovered(entry.standing_for({**entry.values, **more}), tuple(parts))


def _listed(pieces: Pieces, tenants: Mapping[Address, Ref | None]) -> dict[Address, list[Ref]]:
    """The classes outside its tenant that a project may use, by project."""
    listed: dict[Address, list[Ref]] = {}
    access = (
        class_access(pieces, lambda project: tenants.get(project.address) or _ref(project.values.get("tenant")))
        if tenants
        else {}
    )
    for class_, allowance in access.items():
        for project in allowance.listing if isinstance(allowance, ClassAccess) else ():
            listed.setdefault(project, []).append(Ref(class_))
    return listed


def _ref(value: Any) -> Ref | None:
    return value if isinstance(value, Ref) else None


def _tenant(pieces: Pieces, project: Entry) -> Ref | None:
    """The tenant of a project's claims, if it is the same for all. A project without claims gets the tenant with its key, but not with
    `close`, where that tenant would give it access to classes."""
    tenants = set()
    site, name = project.address.site, namespace_of(pieces.full(project))
    if name is None:
        return None
    namespace = Ref(Address(site, "namespace", name))
    claims = [
        claim
        for of in (namespace, Ref(project.address))
        for claim in pieces.having(site, "persistent_volume_claim", namespace=of)
    ]
    for claim in claims:
        for of in (claim.values.get("storage_class"), claim.values.get("volume")):
            source = pieces.get(of.target) if isinstance(of, Ref) else None
            tenants.add(
                pieces.tenant(source, ("view_policy", "vip_pool", "tenant_name", "subsystem")) if source else None
            )
    tenants.discard(None)
    if claims:
        return next(iter(tenants)) if len(tenants) == 1 else None
    if pieces.sight.close:
        return None
    same = pieces.get(Address(project.address.site, "tenant", project.address.name))
    return Ref(same.address) if same is not None else None


OF_PROJECT = Composition("project", _compose, recover=lambda pieces: _recover(pieces, "project"))
OF_DEPARTMENT = Composition("department", _compose, recover=lambda pieces: _recover(pieces, "department"))


def _of_scope(entry: Entry, scope: Scope) -> Iterable[Entry]:
    written = entry.values["scope"]
    if isinstance(written, Ref):
        yield entry
        return
    existing = isinstance(written, dict)
    name, type_ = str(written["existing"] if existing else written), entry.values["scope_type"]
    address = Address(entry.address.site, _CLUSTER if type_ == "cluster" else type_, name)
    managed = scope.get(address) is not None
    if not managed and not existing:
        fix = f"for one outside this document write {{existing: {yaml_scalar(name)}}}"
        scope.refuse(entry, "VP209", f"no {type_} {name}", fix)
    yield entry.standing_for({**entry.values, "scope": Ref(address, managed=managed)})


OF_RULE = Composition("access_rule", _of_scope)
