"""Roles, and managers with permissions of their own, are created after the realms that the permissions name. No field refers to a
realm, so they are found by name."""

from collections.abc import Iterable
from dataclasses import replace

from vastplan.kinds.vast._realms import BUILT_IN_REALMS
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry

_PERMISSIONS = "permissions_list"


def after_realms(entry: Entry, scope: Scope) -> Entry:
    """The entry, ordered after the realms of the document that its permissions name; other realms have to exist."""
    wanted = {str(each).partition("_")[2] for each in entry.values.get(_PERMISSIONS) or ()} - BUILT_IN_REALMS
    if not wanted:
        return entry
    site = entry.address.site
    realms = {realm.called: realm.address for realm in scope.of(site, "realm") if realm.called in wanted}
    of_same_entry = {address.name for address in entry.after if address.kind == "realm"}  # created by the same entry
    others = sorted(wanted - realms.keys() - of_same_entry)
    named = tuple((_PERMISSIONS, Ref(Address(site, "realm", name), managed=False)) for name in others)
    return replace(entry, after=(*entry.after, *realms.values()), named=(*entry.named, *named))


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    yield after_realms(entry, scope)


COMPOSITION = Composition("manager_role", _compose)
