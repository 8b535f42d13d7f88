"""What a key in a project's namespace leads to: its user, the user's tenant, and the buckets that the user may use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.checks.index import Index
from vastplan.checks.proof.chain import ChainElement, Step
from vastplan.model.address import Address
from vastplan.model.s3_policy import Policy, allowed_in, parse_policy
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


class KeyWalker:
    """Follows the keys of one site."""

    def __init__(self, site: str, objects: Index) -> None:
        self._site, self._objects = site, objects
        self._buckets: dict[Ref, dict[str, Entry]] = {}
        self._owned: dict[tuple[Ref, str], list[str]] = {}
        for view in objects.on(site, "view").values():
            tenant, bucket = view.values.get("tenant"), view.values.get("bucket")
            if bucket and isinstance(tenant, Ref) and "S3" in (view.values.get("protocols") or ()):
                self._buckets.setdefault(tenant, {})[str(bucket)] = view
                self._owned.setdefault((tenant, str(view.values.get("bucket_owner") or "")), []).append(str(bucket))
        self._policies: dict[Address, Policy] = {}

    def keys(self, namespaces: Mapping[str, str]) -> Iterator[tuple[str, Entry]]:
        """The keys that are delivered here, each with the namespace of its Secret."""
        local, of_directory = (self._objects.on(self._site, kind).values() for kind in ("s3_key", "directory_key"))
        for key in (*local, *of_directory):
            secret = self._objects.get((key.values.get("deliver") or {}).get("secret"))
            namespace = secret.values.get("namespace") if secret is not None else None
            if isinstance(namespace, Ref):
                own = self._objects.get(namespace)
                namespace_name = namespace.target.name if own is None else str(own.values.get("name", own.address.name))
                of_project = namespace.target.kind == "project"
                yield (namespaces.get(namespace.target.name, "") if of_project else namespace_name), key

    def from_key(self, key: Entry) -> Iterator[ChainElement]:
        """The user of a key, and what the key reaches. A superuser reaches every bucket of the tenant."""
        tenant, user = key.values["tenant"], key.values["user"]
        home, user_entry = tenant.target.name, self._objects.get(user) if isinstance(user, Ref) else None
        user_name = user if isinstance(user, str) else user.target.name if user_entry is None else user_entry.called
        steps: tuple[Step, ...] = (("S3 key", key.address.name), ("S3 user", user_name))
        yield ChainElement("S3 user", f"{home}:{user_name}", key, steps)
        yield ChainElement("tenant", home, self._objects.get(tenant) or key, (*steps, ("tenant", home)))
        buckets = self._buckets.get(tenant, {})
        reachable = dict.fromkeys(self._owned.get((tenant, user_name), ()))
        if user_entry is not None and user_entry.values.get("s3_superuser") is True:
            reachable |= dict.fromkeys(buckets)
        for policy in self._held(user_entry, tenant) if user_entry is not None else ():
            reachable |= dict.fromkeys(allowed_in(policy, buckets))
        for name in reachable:
            yield ChainElement("bucket", f"{home}:{name}", buckets[name], (*steps, ("tenant", home), ("bucket", name)))

    def _held(self, user: Entry, tenant: Ref) -> Iterator[Policy]:
        """The identity policies of a tenant that are attached to a user or the user's groups."""
        gids = {*(user.values.get("gids") or ()), user.values.get("leading_gid")}
        groups = self._objects.referring(self._site, "group", "local_provider", user.values.get("local_provider"))
        for holder in (user, *(group for group in groups if group.values.get("gid") in gids)):
            for ref in holder.values.get("s3_policies") or ():
                entry = self._objects.get(ref)
                if (
                    entry is not None
                    and entry.values.get("tenant") == tenant
                    and entry.values.get("enabled") is not False
                ):
                    if entry.address not in self._policies:
                        self._policies[entry.address] = parse_policy(entry.values["policy"])
                    yield self._policies[entry.address]
