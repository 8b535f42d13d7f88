"""Users and groups of the local provider that a tenant uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces


def provider_of(tenant: Any, scope: Scope) -> Ref | None:
    """The local provider that a tenant uses according to the document; `None` also for what is no reference."""
    entry = scope.get(tenant.target) if isinstance(tenant, Ref) and tenant.managed else None
    provider = entry.values.get("local_provider") if entry is not None else None
    return provider if isinstance(provider, Ref) else None


def provider_with(person: Entry, scope: Scope) -> Any:
    """The local provider of a user or group, whether that is composed yet or not."""
    return person.values.get("local_provider") or provider_of(person.values.get("tenant"), scope)


def user_of(site: str, tenant: Ref, name: str, scope: Scope) -> Entry | None:
    """The entry of the user with that name in the local provider of a tenant."""
    return _of("user", site, tenant, name, scope)


def name_of(user: Ref, scope: Scope) -> str:
    """The name of a user in VMS."""
    entry = scope.get(user.target) if user.managed else None
    return entry.called if entry is not None else user.target.name


def owner_of(pieces: Pieces, view: Entry, tenant: Ref, name: str) -> Ref:
    """The user with that name in the tenant's provider, else a reference to an existing user."""
    site, provider = view.address.site, recovered_provider(pieces, tenant)
    users = users_with(provider, pieces, site, tenant) if provider is not None else ()
    named = (Ref(user.address) for user in users if user.called == name)
    return next(named, Ref(Address(site, "user", name), managed=False))


def recovered_provider(pieces: Pieces, tenant: Any) -> Any:
    """The local provider that a tenant uses according to what is imported; `None` where that does not say it."""
    entry = pieces.get(tenant.target) if isinstance(tenant, Ref) else None
    return entry.values.get("local_provider") if entry is not None else None


def users_with(provider: Any, pieces: Pieces, site: str, tenant: Any) -> Iterator[Entry]:
    """The users of a site in the local provider that a tenant uses; all users of the site where the provider is `None`."""
    for user in pieces.around("user"):
        within = user.values.get("local_provider", provider if user.values.get("tenant") == tenant else None)
        if user.address.site == site and provider in (None, within):
            yield user


def after_its_account(right: Entry, kind: str, name: str, scope: Scope) -> tuple[Address, ...]:
    """What must exist before rights in a tenant: their user or group (`kind`), if the document creates it."""
    own = _of(kind, right.address.site, right.values["tenant"], name, scope)
    return (*right.after, own.address) if own is not None else right.after


def _of(kind: str, site: str, tenant: Ref, name: str, scope: Scope) -> Entry | None:
    own = scope.called_within(site, kind, "tenant", tenant, name)
    provider = provider_of(tenant, scope) if own is None else None
    return scope.called_within(site, kind, "local_provider", provider, name) if provider is not None else own
