"""Users and groups of the local provider that a tenant uses."""

from __future__ import annotations

from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces


def provider_of(tenant: Ref, scope: Scope) -> Ref | None:
    """The local provider that a tenant uses according to the document."""
    entry = scope.get(tenant.target) if tenant.managed else None
    provider = entry.values.get("local_provider") if entry is not None else None
    return provider if isinstance(provider, Ref) else None


def user_of(site: str, tenant: Ref, name: str, scope: Scope) -> Entry | None:
    """The entry of the user with that name in the local provider of a tenant."""
    return _of("user", site, tenant, name, scope)


def name_of(user: Ref, scope: Scope) -> str:
    """The name of a user in VMS."""
    entry = scope.get(user.target) if user.managed else None
    return entry.called if entry is not None else user.target.name


def owner_of(pieces: Pieces, view: Entry, tenant: Ref, name: str) -> Ref:
    """The user with that name in the tenant's provider, else a reference to an existing user."""
    home = pieces.get(tenant.target)
    provider = home.values.get("local_provider") if home is not None else None
    for user in pieces.around("user"):
        kept = user.values.get("local_provider", provider if user.values.get("tenant") == tenant else None)
        if user.address.site == view.address.site and user.called == name and provider is not None and kept == provider:
            return Ref(user.address)
    return Ref(Address(view.address.site, "user", name), managed=False)


def after_its_own(right: Entry, kind: str, name: str, scope: Scope) -> tuple[Address, ...]:
    """What must exist before rights in a tenant: their user or group (`kind`), if the document creates it."""
    own = _of(kind, right.address.site, right.values["tenant"], name, scope)
    return (*right.after, own.address) if own is not None else right.after


def _of(kind: str, site: str, tenant: Ref, name: str, scope: Scope) -> Entry | None:
    own = scope.called_within(site, kind, "tenant", tenant, name)
    provider = provider_of(tenant, scope) if own is None else None
    return scope.called_within(site, kind, "local_provider", provider, name) if provider is not None else own
