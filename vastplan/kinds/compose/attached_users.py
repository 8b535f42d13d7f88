"""The users of a USER QoS policy: those of the document by their keys, others as `{existing: NAME}`. VMS gets their names.

A policy names users of any provider by text: a misspelt user is not limited, and VMS does not report that.
"""

from collections.abc import Iterable

from vastplan.kinds.compose._people import provider_of, provider_with, recovered_provider, users_with
from vastplan.kinds.vast._subjects import in_order
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    attached = entry.values.get("attached_users")
    if not attached:
        yield entry
        return
    users = _users(entry, scope)
    items, after = [], list(entry.after)
    for item in attached:
        written = item.get("user")
        name = written["existing"] if isinstance(written, dict) else written
        user = users.get(name) if name is not None else None
        if user is not None:
            after.append(user.address)
            name = user.called
        elif isinstance(written, str):
            keys = sorted({each.address.name for each in users.values()})
            choices = f"one of {some(keys)}, or " if keys else ""
            fix = f"{choices}{{existing: {yaml_scalar(written)}}} for one outside this document"
            scope.refuse(entry, "VP209", f"attached_users: no user {written} {_whose(entry)}", fix)
        items.append({**item, "user": name} if name is not None else item)
    yield entry.standing_for({**entry.values, "attached_users": in_order(items)}, after=tuple(after))


def _whose(entry: Entry) -> str:
    tenant = entry.values.get("tenant")
    return f"of tenant {tenant}" if isinstance(tenant, Ref) else "in this document"


def _users(policy: Entry, scope: Scope) -> dict[str, Entry]:
    """The users of the document whom a policy can limit, by their keys and by their names; of all providers where the document
    does not say which one applies."""
    tenant = policy.values.get("tenant")
    provider = provider_of(tenant, scope)
    users = [
        user
        for user in scope.of(policy.address.site, "user")
        if provider is None or provider_with(user, scope) == provider
    ]
    return {**{user.called: user for user in users}, **{user.address.name: user for user in users}}


def _recover(pieces: Pieces) -> Iterable[Recovered]:
    """Policies with their users by key, or as `existing` users where the document does not have them."""
    for policy in pieces.of("qos_policy"):
        attached = policy.values.get("attached_users")
        if attached:
            keys = _keys(pieces, policy)
            keyed = [
                {**item, "user": keys.get(item["user"], {"existing": item["user"]})}
                if isinstance(item.get("user"), str)
                else item
                for item in attached
            ]
            if keyed != attached:
                yield Recovered(policy.standing_for({**policy.values, "attached_users": keyed}), (policy.address,))


def _keys(pieces: Pieces, policy: Entry) -> dict[str, str]:
    """The keys of the users whom a policy can limit, by their names."""
    tenant = policy.values.get("tenant")
    users = users_with(recovered_provider(pieces, tenant), pieces, policy.address.site, tenant)
    return {user.called: user.address.name for user in users}


OF_QOS_POLICY = Composition("qos_policy", _compose, recover=_recover, rank=7)
