"""A CSI user: a manager of one tenant with the rights of the CSI driver and no others. The log-in is in the Secret that the
tenant's classes name, so no class needs the cluster's administrator, and whoever reads one Secret reaches one tenant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from vastplan.kinds.compose._csi_rights import DRIVERS, role
from vastplan.kinds.compose._csi_secret import called, path_of, secret_of
from vastplan.kinds.compose.delivery import room_of, secret_at
from vastplan.kinds.vast._delivery import Generation, SecretPath
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry, composite
from vastplan.schema.markers import DOCUMENT, SET, Refers
from vastplan.schema.types import MISSING, Host, ReferenceName, Spec, VendorName

_LOGS_IN = ("username", "password", "token")


class CsiUser(Spec):
    """A manager of a tenant for the CSI driver, with a role that has just the driver's rights, and a Secret with the log-in.

    Classes of the tenant without `secret`, and volumes of it with `path`, use that Secret.
    """

    name: VendorName | MISSING = MISSING
    """Name of the manager and of its role in VMS; left out, TENANT-csi."""
    tenant: Annotated[ReferenceName, Refers("tenant")]
    """Tenant whose manager it is. A tenant has one CSI user at most."""
    drivers: Annotated[Annotated[list[Literal["file", "block"]], Field(min_length=1)] | MISSING, SET, DOCUMENT] = (
        MISSING
    )
    """VAST CSI drivers that the manager gets rights for; left out, those of the tenant's classes, or `file` where there
    are none."""
    secret: Annotated[SecretPath | MISSING, DOCUMENT] = MISSING
    """NAMESPACE/NAME of the Secret that gets the log-in; left out, vast-csi/TENANT-csi. It is created where the
    document has none of that name."""
    endpoint: Annotated[Host | MISSING, DOCUMENT] = MISSING
    """Host at which the CSI driver reaches VMS; left out, the host in the `url` of the site's `vast` in this document."""
    generation: Annotated[Generation, DOCUMENT] = 1
    """Number of the password. A greater one draws another password and delivers it at once; a lower one is refused
    (VP336)."""


def _systems(values: Mapping[str, Any]) -> frozenset[str]:
    return frozenset({"vast", "kubernetes"})


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    site, tenant = entry.address.site, entry.values["tenant"]
    others = [
        other.address.name for other in scope.owned_by(tenant, site, "csi_user") if other.address != entry.address
    ]
    if others:
        text = f"tenant {tenant} has another CSI user, {', '.join(sorted(others))}, and its classes can use only one"
        scope.refuse(entry, "VP285", text, "keep one of them")
        return
    name, of, path = entry.values.get("name"), called(tenant, scope), path_of(entry, scope)
    name = str(name) if name is not None else f"{of}-csi"
    drivers = _drivers(entry, tenant, scope)
    yield from role(entry, tenant, name, drivers)
    target = secret_of(entry, scope)
    written = secret_at(site, path, scope)
    if written is None:
        namespace, _, secret = path.partition("/")
        data = {"endpoint": _endpoint(entry, scope), "tenant": of}
        values = {"name": secret, "namespace": room_of(site, namespace, scope), "data": data}
        yield entry.part("secret", path, values)
    else:
        _check_written(entry, written, scope)
    login = {"username": "username", "password": "password"}
    manager = {
        "name": name,
        "tenant": tenant,
        "user_type": "TENANT_ADMIN",
        "roles": [Ref(entry.part("manager_role", name, {}).address)],
        # an expired password would stop the driver, and nobody would renew it
        "password_expiration_disabled": True,
        "generation": entry.values["generation"],
        "deliver": {"secret": target, "keys": login},
    }
    chosen = (f"gets the rights of the {' and the '.join(drivers)} driver; its log-in is delivered to secret {path}",)
    yield entry.part("manager", name, manager, chosen=chosen)


def _drivers(entry: Entry, tenant: Ref, scope: Scope) -> list[str]:
    drivers = entry.values.get("drivers")
    if drivers is None:
        drivers = {
            class_.values.get("driver") for class_ in scope.owned_by(tenant, entry.address.site, "storage_class")
        }
    return [driver for driver in DRIVERS if driver in drivers] or ["file"]


def _endpoint(entry: Entry, scope: Scope) -> str:
    endpoint = entry.values.get("endpoint")
    if endpoint is None:
        address = scope.sites[entry.address.site].settings.get("addresses", {}).get("vast")
        endpoint = urlsplit(address).hostname if address else None
    if endpoint is None:
        text = "endpoint is missing, and the document does not say where this site's VMS is"
        scope.refuse(entry, "VP286", text, "write endpoint: HOST, as the driver reaches VMS")
    return str(endpoint)


def _check_written(entry: Entry, secret: Entry, scope: Scope) -> None:
    """Check a Secret of the document, into which only the log-in is delivered: it must contain all else that the driver needs."""
    data = secret.values.get("data") or {}
    taken = [key for key in _LOGS_IN if key in data]
    if taken:
        text = f"secret {secret.address.name} already has a value for {', '.join(taken)}"
        scope.refuse(entry, "VP279", text, "remove it there, or name another Secret")
    if secret.values.get("immutable"):
        text = f"secret {secret.address.name} is immutable, and nothing can be delivered into it"
        scope.refuse(entry, "VP279", text, "remove immutable there, or name another Secret")
    lacking = [key for key in ("endpoint", "tenant") if key not in data]
    if lacking:
        text = f"secret {secret.address.name} has no {' and no '.join(lacking)}, and the driver needs it for a tenant's manager"
        scope.refuse(
            entry, "VP287", text, "write it there, or remove the Secret from the document: vastplan creates it"
        )


CSI_USER = composite(CsiUser, name="csi_user", section="csi_users", systems=_systems)
COMPOSITION = Composition("csi_user", _compose)
