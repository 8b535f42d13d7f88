"""Roles come after the realms that their permissions speak of: by name, as no field of a role refers to one."""

from collections.abc import Iterable

from vastplan.schema.entries import Composition, Entry, Scope


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    wanted = {str(one).partition("_")[2] for one in entry.values.get("permissions_list") or ()}
    first = (
        [realm.address for realm in scope.of(entry.address.site, "realm") if realm.called in wanted] if wanted else []
    )
    yield entry.standing_for(entry.values, after=(*entry.after, *first)) if first else entry


COMPOSITION = Composition("manager_role", _compose)
