"""The Secret of a tenant's CSI user, with which the tenant's classes and volumes log in."""

from __future__ import annotations

import re
from hashlib import blake2b

from vastplan.kinds.compose.delivery import secret_at
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry

NAMESPACE = "vast-csi"
"""The namespace into which VAST's manual installs the CSI charts."""


def csi_user_of(site: str, tenant: object, scope: Scope) -> Entry | None:
    """The CSI user of a tenant, if it has exactly one."""
    users = scope.owned_by(tenant, site, "csi_user") if isinstance(tenant, Ref) else []
    return users[0] if len(users) == 1 else None


def secret_of(user: Entry, scope: Scope) -> Ref:
    """The Secret that gets the log-in of a CSI user: the document's, else the one that vastplan creates."""
    path = path_of(user, scope)
    written = secret_at(user.address.site, path, scope)
    return Ref(written.address if written is not None else Address(user.address.site, "secret", path))


def path_of(user: Entry, scope: Scope) -> str:
    """NAMESPACE/NAME of that Secret."""
    return str(user.values.get("secret") or f"{NAMESPACE}/{room_name(called(user.values['tenant'], scope))}-csi")


def called(tenant: Ref, scope: Scope) -> str:
    """The name of a tenant in VMS."""
    entry = scope.get(tenant.target) if tenant.managed else None
    return entry.called if entry is not None else tenant.target.name


def room_name(name: str) -> str:
    """A name of VMS as a name that Kubernetes accepts: in lower case, with a dash for each run of other characters.

    A digest where nothing is left of it, so that two tenants named in another script do not share a Secret.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return slug or blake2b(name.encode(), digest_size=4).hexdigest()
