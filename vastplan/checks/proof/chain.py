"""What a storage class or a static volume leads to, one step after another: secret, policy, tenant, pool, directory, bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.index import Index
from vastplan.checks.paths import names_around, path_names
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

Step = tuple[str, str]  # layer and element


@dataclass(frozen=True, slots=True)
class ChainElement:
    """What is reached by `steps`, which begin after the namespace; `path` is set for a directory of `tenant`.

    A finding is about `entry`: the element's own, or the last managed one on the way. `unknown` is the reason why
    the next step is unknown; `element` is then empty, except for a class of which only the name is known.
    """

    layer: str
    element: str
    entry: Entry
    steps: tuple[Step, ...]
    tenant: str = ""
    path: str = ""
    unknown: str = ""


class ChainWalker:
    """Follows the references between the objects of one site. `namespaces` has the namespace of each project."""

    def __init__(self, site: str, objects: Index, namespaces: Mapping[str, str]) -> None:
        self.site = site
        self.objects = objects
        self._namespaces = namespaces
        self._views_by_path: dict[str, list[Entry]] = {}
        self._buckets: dict[tuple[Ref, tuple[str, ...]], Entry] = {}
        for view in objects.on(site, "view").values():
            self._views_by_path.setdefault(str(view.values["path"]), []).append(view)
            tenant = view.values.get("tenant")
            if view.values.get("bucket") and "S3" in (view.values.get("protocols") or ()) and isinstance(tenant, Ref):
                self._buckets[tenant, path_names(str(view.values["path"]))] = view
        self._pool_by_domain: dict[str, str] = {
            str(pool.values["domain_name"]): name
            for name, pool in objects.on(site, "vip_pool").items()
            if pool.values.get("domain_name")
        }

        self._logins: dict[str, set[Address]] = {}
        for secret in objects.on(site, "secret").values():
            login = _login(secret)
            if login:
                self._logins.setdefault(login, set()).add(secret.address)

    def from_class(self, storage_class: Entry) -> Iterator[ChainElement]:
        """All that claims of a class lead to."""
        steps: tuple[Step, ...] = (("storage class", storage_class.address.name),)
        yield ChainElement("storage class", storage_class.address.name, storage_class, steps)
        yield from self._secrets(storage_class, steps)
        yield from self._pool(storage_class, steps, self._pool_name(storage_class))
        if storage_class.values.get("driver") == "block":
            view = self.objects.get(storage_class.values.get("subsystem"))
            yield from self._directory(
                storage_class, steps, storage_class.values.get("tenant_name"), view.values["path"] if view else None
            )
        else:
            yield from self._policy(
                storage_class, steps, storage_class.values.get("view_policy"), storage_class.values.get("storage_path")
            )

    def from_volume(self, volume: Entry) -> Iterator[ChainElement]:
        """All that a static volume leads to: its directory is that of its pool's tenant."""
        steps: tuple[Step, ...] = (("volume", volume.address.name),)
        yield from self._secrets(volume, steps)
        pool = self.objects.get(volume.values.get("vip_pool"))
        pool_tenant = pool.values.get("tenant") if pool else None
        path = str(volume.values["volume_handle"])
        yield from self._pool(volume, steps, self._pool_name(volume))
        views = [
            view
            for view in self._views_by_path.get(path, ())
            if not isinstance(pool_tenant, Ref) or view.values["tenant"] == pool_tenant
        ]
        for view in views:
            yield from self._policy(
                volume, (*steps, ("path", path)), view.values.get("view_policy"), None, tenant_known=True
            )
            yield from self._directory(volume, steps, view.values["tenant"], path)
        if not views:
            yield from self._directory(volume, steps, pool_tenant, path)

    def _policy(
        self, start: Entry, steps: tuple[Step, ...], ref: Any, path: str | None, *, tenant_known: bool = False
    ) -> Iterator[ChainElement]:
        """A view policy, and the directory in its tenant, unless the tenant is known otherwise (`tenant_known`)."""
        if not isinstance(ref, Ref):
            yield ChainElement("view policy", "", start, steps, unknown="its view policy is not known")
            return
        policy, name = self.objects.get(ref), ref.target.name
        steps_to_policy = (*steps, ("view policy", name))
        yield ChainElement("view policy", name, policy or start, steps_to_policy)
        if tenant_known:
            return
        if policy is None:
            yield ChainElement(
                "tenant",
                "",
                start,
                steps_to_policy,
                unknown=f"view policy {name} is not managed here: its tenant is not known",
            )
        elif policy.values.get("tenant") is None:
            yield ChainElement("tenant", "", policy, steps_to_policy, unknown=f"view policy {name} serves every tenant")
        else:
            yield from self._directory(start, steps_to_policy, policy.values["tenant"], path)

    def _directory(
        self, start: Entry, steps: tuple[Step, ...], tenant: Any, path: str | None
    ) -> Iterator[ChainElement]:
        """A tenant and one of its directories."""
        if not isinstance(tenant, Ref):
            yield ChainElement("tenant", "", start, steps, unknown="its tenant is not known")
            return
        name = tenant.target.name
        longer_steps = (*steps, ("tenant", name))
        yield ChainElement("tenant", name, self._entry_or(tenant, start), longer_steps)
        if path is None:
            yield ChainElement("path", "", start, longer_steps, unknown="its directory is not known")
        else:
            longer_steps = (*longer_steps, ("path", path))
            yield ChainElement("path", f"{name}:{path}", start, longer_steps, name, path)
            yield from self._buckets_around(tenant, path, longer_steps)

    def _buckets_around(self, tenant: Ref, path: str, steps: tuple[Step, ...]) -> Iterator[ChainElement]:
        """The buckets that are a directory or contain it: whoever may read such a bucket sees everything in the directory."""
        for names in names_around(path) if self._buckets else ():
            view = self._buckets.get((tenant, names))
            if view is not None:
                bucket = str(view.values["bucket"])
                yield ChainElement("bucket", f"{tenant.target.name}:{bucket}", view, (*steps, ("bucket", bucket)))

    def _pool_name(self, start: Entry) -> str:
        """The pool that is named, directly or by its DNS name; "" if none is."""
        if isinstance(start.values.get("vip_pool"), Ref):
            return str(start.values["vip_pool"].target.name)
        name = start.values.get("vip_pool_fqdn")
        return self._pool_by_domain.get(str(name), f"of DNS name {name}") if name else ""

    def _pool(self, start: Entry, steps: tuple[Step, ...], name: str) -> Iterator[ChainElement]:
        if not name:
            yield ChainElement("VIP pool", "", start, steps, unknown="its VIP pool is not known")
            return
        pool = self.objects.on(self.site, "vip_pool").get(name)
        steps_to_pool = (*steps, ("VIP pool", name))
        yield ChainElement("VIP pool", name, pool or start, steps_to_pool)
        pool_tenant = pool.values.get("tenant") if pool else None
        if isinstance(pool_tenant, Ref):
            yield ChainElement(
                "tenant",
                pool_tenant.target.name,
                self._entry_or(pool_tenant, start),
                (*steps_to_pool, ("tenant", pool_tenant.target.name)),
            )

    def _secrets(self, start: Entry, steps: tuple[Step, ...]) -> Iterator[ChainElement]:
        """Each secret that `secret` or a purpose of `secrets` names; without any, the driver's own."""
        secret = start.values.get("secret")
        purposes = start.values.get("secrets") or {}
        purpose_refs = [] if isinstance(secret, Ref) else [ref for ref in purposes.values() if ref is not None]
        for ref in dict.fromkeys(purpose_refs) or (secret,):
            name = self._secret_name(ref)
            entry = self._entry_or(ref, start)
            yield ChainElement("secret", name, entry, (*steps, ("secret", name)))
            login = _login(entry) if entry is not start else ""
            if len(self._logins.get(login, ())) > 1:  # another Secret has the same login
                yield ChainElement("secret", login, entry, (*steps, ("secret", name), ("secret", login)))

    def _secret_name(self, ref: Any) -> str:
        """`namespace/name`, in whichever form it is written."""
        if ref is None:
            return "the driver's own"
        secret = self.objects.get(ref)
        if secret is None:
            return ref.target.name if isinstance(ref, Ref) else str(ref)
        namespace = secret.values["namespace"]
        name = namespace.target.name if isinstance(namespace, Ref) else str(namespace)
        if isinstance(namespace, Ref) and namespace.target.kind == "project":
            name = self._namespaces.get(name, name)
        return f"{name}/{secret.values.get('name', secret.address.name)}"

    def _entry_or(self, ref: Any, default: Entry) -> Entry:
        return self.objects.get(ref) or default


def _login(secret: Entry) -> str:
    """The login of a Secret, "" if the document does not have it: a manager's name is unique on the whole cluster."""
    data = secret.values.get("data")
    user = data.get("username") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(user, str):
        return ""
    return f"of the user {user} at {data.get('endpoint')}"
