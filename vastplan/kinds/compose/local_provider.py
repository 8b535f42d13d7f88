"""Users and groups: the local provider of their tenant, and the GIDs of the groups that a user names."""

from collections.abc import Iterable
from typing import Any

from vastplan.kinds.compose._people import provider_of, provider_with
from vastplan.kinds.compose.bucket_rights import rights_in, with_bucket_policies
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered

_NO_BUCKET = "no s3_policies: no bucket lists it in read or write, and an owner needs none"


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values, chosen, after = entry.without("tenant", "groups"), list(entry.chosen), list(entry.after)
    tenant = entry.values.get("tenant")
    if isinstance(tenant, Ref):
        provider = provider_of(tenant, scope)
        if provider is None:
            text = (
                f"the document does not say which local provider tenant {tenant} uses, and that is where it is created"
            )
            fix = "write local_provider: NAME in the tenant; the one of new clusters is {existing: default}"
            scope.refuse(entry, "VP271", text, fix)
        else:
            values["local_provider"] = provider
            chosen.append(f"local_provider {provider}, the one of tenant {tenant}")
    groups = entry.values.get("groups")
    if groups is not None:
        gids = set(values.get("gids") or ())
        for ref in groups:
            group = scope.get(ref.target) if isinstance(ref, Ref) and ref.managed else None
            if group is None:
                text = f"group {ref} is not in this document, and its number is not known"
                scope.refuse(entry, "VP272", text, "write its number in gids")
            elif provider_with(group, scope) != values.get("local_provider"):
                text = f"group {ref} is in another local provider than the user"
                scope.refuse(
                    entry, "VP272", text, "name a group of the same provider, or write the group's number in gids"
                )
            else:
                gids.add(group.values["gid"])
                after.append(group.address)
        values["gids"] = sorted(gids)
    attached = with_bucket_policies(entry, _tenants(entry, values.get("local_provider"), scope), scope)
    if attached is not None:
        values["s3_policies"] = attached
        added = [str(ref) for ref in attached if ref not in (entry.values.get("s3_policies") or ())]
        if added or "s3_policies" not in entry.values:
            chosen.append(f"s3_policies {', '.join(added)}, of the buckets that name it" if added else _NO_BUCKET)
    yield entry.standing_for(values, chosen=tuple(chosen), after=tuple(after))


def _tenants(entry: Entry, provider: Any, scope: Scope) -> Iterable[Ref]:
    """The tenants that use the local provider of an entry."""
    own = entry.values.get("tenant")
    if isinstance(provider, Ref):
        yield from (
            Ref(tenant.address) for tenant in scope.indexed(entry.address.site, "tenant", _using).get(provider, ())
        )
    elif isinstance(own, Ref):
        yield own


def _using(tenants: Iterable[Entry]) -> dict[Any, list[Entry]]:
    """Tenants by the local provider that they use."""
    by_provider: dict[Any, list[Entry]] = {}
    for tenant in tenants:
        provider = tenant.values.get("local_provider")
        if isinstance(provider, Ref):
            by_provider.setdefault(provider, []).append(tenant)
    return by_provider


def _recover(pieces: Pieces, kind: str) -> Iterable[Recovered]:
    """Users and groups with the only tenant that uses their local provider, and without the policies that buckets add. Users name
    the groups that are entries, too."""
    tenants = _using(pieces.around("tenant"))
    groups = {
        (group.values.get("local_provider"), group.values.get("gid")): group.address for group in pieces.of("group")
    }
    rights = {
        site: rights_in(each for each in pieces.around("bucket") if each.address.site == site) for site in pieces.sites
    }
    for entry in pieces.of(kind):
        provider = entry.values.get("local_provider")
        using = tenants.get(provider, [])
        values: dict[str, Any] = dict(entry.values)
        if len(using) == 1:
            del values["local_provider"]
            values["tenant"] = Ref(using[0].address)
        named = {gid: groups[provider, gid] for gid in values.get("gids") or () if (provider, gid) in groups}
        if named:
            values["groups"] = [Ref(address) for address in sorted(named.values())]
            values["gids"] = [gid for gid in values["gids"] if gid not in named]
            if not values["gids"]:
                del values["gids"]
        added = rights[entry.address.site].policies.get(entry.address, ())
        if added:
            values["s3_policies"] = [ref for ref in values.get("s3_policies") or () if ref not in added]
            if not values["s3_policies"]:
                del values["s3_policies"]
        if values != entry.values:
            yield Recovered(entry.standing_for(values), (entry.address,))


OF_USER = Composition("user", _compose, recover=lambda pieces: _recover(pieces, "user"), rank=5)
OF_GROUP = Composition("group", _compose, recover=lambda pieces: _recover(pieces, "group"), rank=6)
