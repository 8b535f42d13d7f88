"""What a storage class or a static volume leads to, one step after another: secret, policy, tenant, pool, directory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vastplan.checks.index import Index
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

Step = tuple[str, str]  # layer and element


@dataclass(frozen=True, slots=True)
class Reached:
    """One thing at the end of `steps`, which begin after the namespace; `path` is set for a directory of `tenant`."""

    layer: str
    element: str
    entry: Entry
    steps: tuple[Step, ...]
    tenant: str = ""
    path: str = ""
    unknown: str = ""


class SiteReach:
    """What the steps look at on one site."""

    def __init__(self, site: str, objects: Index, namespaces: Mapping[str, str]) -> None:
        self.site = site
        self.objects = objects
        self._namespaces = namespaces
        self._views: dict[str, list[Entry]] = {}
        for view in objects.on(site, "view").values():
            self._views.setdefault(str(view.values["path"]), []).append(view)
        self._domains: dict[str, str] = {
            str(pool.values["domain_name"]): name
            for name, pool in objects.on(site, "vip_pool").items()
            if pool.values.get("domain_name")
        }

    def of_class(self, one: Entry) -> Iterator[Reached]:
        """All that claims of a class lead to."""
        here: tuple[Step, ...] = (("storage class", one.address.name),)
        yield Reached("storage class", one.address.name, one, here)
        secret = self._secret(one.values.get("secret"))
        yield Reached("secret", secret, self._entry(one.values.get("secret"), one), (*here, ("secret", secret)))
        yield from self._pool(one, here, self._pool_of(one))
        if one.values.get("driver") == "block":
            view = self.objects.get(one.values.get("subsystem"))
            yield from self._home(one, here, one.values.get("tenant_name"), view.values["path"] if view else None)
        else:
            yield from self._policy(one, here, one.values.get("view_policy"), one.values.get("storage_path"))

    def of_volume(self, volume: Entry) -> Iterator[Reached]:
        """All that a static volume leads to: its directory is what its pool's tenant has there."""
        here: tuple[Step, ...] = (("volume", volume.address.name),)
        secret = self._secret(volume.values.get("secret"))
        yield Reached("secret", secret, self._entry(volume.values.get("secret"), volume), (*here, ("secret", secret)))
        pool = self.objects.get(volume.values.get("vip_pool"))
        owner = pool.values.get("tenant") if pool else None
        path = str(volume.values["volume_handle"])
        yield from self._pool(volume, here, self._pool_of(volume))
        views = [
            view for view in self._views.get(path, ()) if not isinstance(owner, Ref) or view.values["tenant"] == owner
        ]
        for view in views:
            yield from self._policy(volume, (*here, ("path", path)), view.values.get("view_policy"), None, closed=True)
            yield from self._home(volume, here, view.values["tenant"], path)
        if not views:
            yield from self._home(volume, here, owner, path)

    def _policy(
        self, one: Entry, here: tuple[Step, ...], ref: Any, path: str | None, *, closed: bool = False
    ) -> Iterator[Reached]:
        """A view policy, and what is in the tenant it is of unless that is known otherwise (`closed`)."""
        if not isinstance(ref, Ref):
            yield Reached("view policy", "", one, here, unknown="its view policy is not known")
            return
        policy, name = self.objects.get(ref), ref.target.name
        there = (*here, ("view policy", name))
        yield Reached("view policy", name, policy or one, there)
        if closed:
            return
        if policy is None:
            yield Reached(
                "tenant", "", one, there, unknown=f"view policy {name} is not managed here: its tenant is not known"
            )
        elif policy.values.get("tenant") is None:
            yield Reached("tenant", "", policy, there, unknown=f"view policy {name} serves every tenant")
        else:
            yield from self._home(one, there, policy.values["tenant"], path)

    def _home(self, one: Entry, here: tuple[Step, ...], tenant: Any, path: str | None) -> Iterator[Reached]:
        """A tenant and a directory of it."""
        if not isinstance(tenant, Ref):
            yield Reached("tenant", "", one, here, unknown="its tenant is not known")
            return
        name = tenant.target.name
        there = (*here, ("tenant", name))
        yield Reached("tenant", name, self._entry(tenant, one), there)
        if path is None:
            yield Reached("path", "", one, there, unknown="its directory is not known")
        else:
            yield Reached("path", f"{name}:{path}", one, (*there, ("path", path)), name, path)

    def _pool_of(self, one: Entry) -> str:
        if isinstance(one.values.get("vip_pool"), Ref):
            return str(one.values["vip_pool"].target.name)
        name = one.values.get("vip_pool_fqdn")
        return self._domains.get(str(name), f"of DNS name {name}") if name else ""

    def _pool(self, one: Entry, here: tuple[Step, ...], name: str) -> Iterator[Reached]:
        if not name:
            yield Reached("VIP pool", "", one, here, unknown="its VIP pool is not known")
            return
        pool = self.objects.on(self.site, "vip_pool").get(name)
        there = (*here, ("VIP pool", name))
        yield Reached("VIP pool", name, pool or one, there)
        owner = pool.values.get("tenant") if pool else None
        if isinstance(owner, Ref):
            yield Reached("tenant", owner.target.name, self._entry(owner, one), (*there, ("tenant", owner.target.name)))

    def _secret(self, ref: Any) -> str:
        """`namespace/name`, however it is written."""
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

    def _entry(self, ref: Any, otherwise: Entry) -> Entry:
        return self.objects.get(ref) or otherwise
