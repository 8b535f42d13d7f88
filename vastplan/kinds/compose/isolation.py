"""Isolation: a StorageClass is cluster-scoped, so the objects that close it to other namespaces are created before it.

A managed class is open to the namespaces of the projects that list it or whose tenant has it, and to those in its
`open_to`; with `shared` it is open to everybody, and with none of these to nobody: removing a line never opens
anything. With `isolation: audit` on the site the same objects exist but refuse nobody: the API server reports whom
it would refuse.
"""

from collections.abc import Iterable
from typing import Any

from vastplan.kinds.compose._class_access import class_access
from vastplan.kinds.compose._csi_secret import csi_user_of, secret_of
from vastplan.kinds.kubernetes.admission_binding import in_force
from vastplan.kinds.kubernetes.admission_policy import closing, without_inline_volumes
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered, Unsayable

INLINE = "vastplan-inline-volumes"


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values = entry.without("shared", "open_to")
    chosen: list[str] = []
    tenant = values.get("tenant")
    _choose(entry, scope, values, chosen, tenant)
    if values.get("driver") == "block" and isinstance(tenant, Ref):
        values["tenant_name"] = tenant
    values.pop("tenant", None)
    by_use = scope.indexed(entry.address.site, "project", _by_use)
    found = [*by_use.get(entry.address.name, ()), *(by_use.get(tenant, ()) if tenant is not None else ())]
    by_address = {project.address: project for project in found}
    users = [by_address[address] for address in sorted(by_address)]
    others = _others(entry, scope)
    site = scope.sites[entry.address.site]
    if site.settings.get("isolation") == "resource_quota":
        quotas = list(_quotas(entry, scope, {*(user.address for user in users), *(other.target for other in others)}))
        yield from quotas
        weaker = "isolation by resource quota, which is weaker: it does not cover namespaces created later"
        yield entry.standing_for(values, chosen=(*chosen, weaker), after=tuple(quota.address for quota in quotas))
        return
    shared = entry.values.get("shared") is True
    name, called = f"vastplan-{entry.address.name}", f"vastplan-{entry.called}"
    named_otherwise = ("name",) if called != name else ()  # an existing policy keeps its name, as its class does
    closed = entry.ref("storage_class", entry.address.name)
    allowed = [*(entry.ref("project", project.address.name) for project in users), *others]
    yield entry.part("admission_policy", name, closing(called, closed, allowed, open=shared), defaults=named_otherwise)
    audit = site.settings.get("isolation") == "audit"
    binding = in_force(called, entry.ref("admission_policy", name), closed, audit=audit)
    yield entry.part("admission_binding", name, binding, defaults=named_otherwise)
    first = [Address(entry.address.site, "admission_binding", name)]
    if not site.settings.get("inline_volumes"):
        yield from _inline(entry, audit=audit)
        first.append(Address(entry.address.site, "admission_binding", INLINE))
    named = [
        *(project.address.name for project in users),
        *sorted({str(name) for name in entry.values.get("open_to", ())}),
    ]
    admitted = "everybody" if shared else ", ".join(named) or "nobody"
    if audit and not shared:
        admitted = f"everybody; reported, not enforced: {admitted}"
    yield entry.standing_for(values, chosen=(*chosen, f"open to {admitted}"), after=tuple(first))


def _choose(entry: Entry, scope: Scope, values: dict[str, Any], chosen: list[str], tenant: Any) -> None:
    """Fill in the fields that the class leaves out and that follow from its tenant."""
    wanted = [("vip_pool", "vip_pool")] if "vip_pool_fqdn" not in values else []
    if values.get("driver") != "block":
        wanted.append(("view_policy", "view_policy"))
    for field, kind in wanted:
        if field not in values:
            candidate = scope.only(entry, field, kind, tenant)
            if candidate is not None:
                values[field] = candidate
                chosen.append(f"{field} {candidate}, the only one of tenant {tenant}")
    user = csi_user_of(entry.address.site, tenant, scope)
    if user is not None and "secret" not in values and "secrets" not in values:
        values["secret"] = secret_of(user, scope)
        chosen.append(f"secret {values['secret']}, the one of tenant {tenant}'s CSI user")


def _by_use(projects: Iterable[Entry]) -> dict[Any, list[Entry]]:
    """Projects by the names of the classes that they list, and by their tenant."""
    found: dict[Any, list[Entry]] = {}
    for project in projects:
        listed = {str(name) for name in project.values.get("storage_classes") or ()}
        for key in (*listed, project.values.get("tenant")):
            found.setdefault(key, []).append(project)
    return found


def _by_namespace(projects: Iterable[Entry]) -> dict[str, Address]:
    return {str(each.values.get("namespace")): each.address for each in projects}


def _by_called(namespaces: Iterable[Entry]) -> dict[str, Address]:
    return {str(each.values.get("name", each.address.name)): each.address for each in namespaces}


def _others(entry: Entry, scope: Scope) -> list[Ref]:
    """The namespaces of `open_to` as references: to a namespace or a project of the document, or to an existing namespace."""
    site = entry.address.site
    own = scope.indexed(site, "namespace", _by_called)
    of_projects = scope.indexed(site, "project", _by_namespace)
    names = sorted({str(name) for name in entry.values.get("open_to", ())})
    addresses = {name: own.get(name) or of_projects.get(name) for name in names}
    return [
        Ref(address) if address is not None else Ref(Address(site, "namespace", name), managed=False)
        for name, address in addresses.items()
    ]


def _inline(entry: Entry, *, audit: bool) -> Iterable[Entry]:
    """One policy and binding per site against inline volumes of VAST drivers in pods, which would bypass every class."""
    site = entry.address.site
    policy = Address(site, "admission_policy", INLINE)
    binding = Address(site, "admission_binding", INLINE)
    yield Entry(policy, without_inline_volumes(INLINE), origin=f"site {site}", common=True)
    yield Entry(binding, in_force(INLINE, Ref(policy), audit=audit), origin=f"site {site}", common=True)


def _quotas(entry: Entry, scope: Scope, allowed: set[Address]) -> Iterable[Entry]:
    """A zero quota for the class in every namespace of the document that may not use it."""
    if entry.values.get("shared") is True:
        return
    name, called = f"vastplan-{entry.address.name}", f"vastplan-{entry.called}"
    closed = entry.ref("storage_class", entry.address.name)
    prefix = f"{entry.called}.storageclass.storage.k8s.io"
    hard = {f"{prefix}/requests.storage": "0", f"{prefix}/persistentvolumeclaims": "0"}
    for kind in ("project", "namespace"):
        for holder in scope.of(entry.address.site, kind):
            if holder.address not in allowed:
                values = {"name": called, "namespace": Ref(holder.address), "storage_class": closed, "hard": hard}
                yield entry.part("resource_quota", f"{name}-{holder.address.name}", values)


def _recover(pieces: Pieces) -> Iterable[Recovered | Unsayable]:
    """A class with its current access: open to those whom its own policy or its quotas allow, and in the tenant of the objects that
    it names if all projects of that tenant are among them; `shared` if nothing closes it.

    A policy or binding that differs from what vastplan would write is not part of the entry: the composed objects are compared.
    """
    access = class_access(pieces, lambda project: _ref(project.values.get("tenant")))
    for entry in pieces.of("storage_class"):
        allowance, site, name = access[entry.address], entry.address.site, f"vastplan-{entry.called}"
        if isinstance(allowance, Unsayable):
            yield allowance
            continue
        values = {**entry.values, **({"tenant": allowance.tenant} if allowance.tenant is not None else {})}
        if entry.values.get("driver") == "block" and values.get("tenant_name") == allowance.tenant:
            values.pop("tenant_name", None)
        kinds = _BY_QUOTA if pieces.sites[site].settings.get("isolation") == "resource_quota" else _BY_POLICY
        parts = [entry.address, *(part.address for kind in kinds for part in pieces.having(site, kind, name=name))]
        if allowance.open:
            still = (*allowance.members, *(project.name for project in allowance.listing), *allowance.others)
            note = f"without shared it is open to {some(still) or 'nobody'}"
            yield Recovered(entry.standing_for({**values, "shared": True}), tuple(parts), note)
        else:
            values |= {"open_to": list(allowance.others)} if allowance.others else {}
            yield Recovered(entry.standing_for(values), tuple(parts))
        yield Unsayable(entry.address)


def _ref(value: Any) -> Ref | None:
    return value if isinstance(value, Ref) else None


_BY_POLICY, _BY_QUOTA = ("admission_policy", "admission_binding"), ("resource_quota",)
COMPOSITION = Composition(
    "storage_class",
    _compose,
    creates=frozenset({*_BY_POLICY, *_BY_QUOTA}),
    recover=_recover,
    rank=1,
    adds=frozenset(_BY_POLICY),
    chooses=frozenset({"vip_pool", "view_policy", "secret"}),
)
