"""The way back to a volume: the entry that an import writes for a claim, its static persistent volume and its directory."""

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.kinds.compose._people import owner_of
from vastplan.kinds.runai.project import namespace_of
from vastplan.kinds.vast.quota import OF_A_SIZE, size_of_quota
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered, Unsayable, only

OF_ITS_VIEW = ("view_policy", "share", "bucket", "bucket_owner", "qos", "qos_policy", "snapshots")
"""The fields of a volume that are fields of its view."""
_VIEW = {"path", "tenant", "protocols", "quota", "names", *OF_ITS_VIEW}

_STANDS_ON = (
    "persistent_volume_claim", "project", "department", "namespace", "view", "view_policy", "qos_policy", "quota",
)  # fmt: skip
"""The kinds that must be readable to recover a static volume."""

_NO_PROJECT = "its namespace belongs to no project, and a volume needs a project"


def recover(pieces: Pieces) -> Iterable[Recovered | Unsayable]:
    """A volume for each claim in a project's namespace, with its directory or its StorageClass, and the data source that mounts it."""
    projects = {(entry.address.site, namespace_of(pieces.full(entry))): entry for entry in pieces.around("project")}
    for claim in pieces.of("persistent_volume_claim"):
        namespace, site = claim.values["namespace"], claim.address.site
        project = projects.get((site, pieces.name(namespace) if isinstance(namespace, Ref) else namespace))
        if project is None:
            # if projects or namespaces could not be read, it may belong to a project
            if not any(pieces.sight.unread(site, kind) for kind in ("project", "namespace")):
                yield Unsayable(claim.address, _NO_PROJECT, "give the namespace a project", unasked=True)
            continue
        values: dict[str, Any] = {"project": Ref(project.address)}
        names, parts, key = dict[str, str](), [claim.address], claim.address.name
        if claim.values.get("storage_class") is None:
            home = _home(pieces, claim)
            if home is None:
                continue
            static, view = home
            key = view.address.name
            values |= _of_home(pieces, static, view)
            names |= view.values.get("names", {})
            if static.called != f"{project.called}-{claim.called}":
                names["persistent_volume"] = static.called
            parts += [static.address, view.address]
        else:
            class_ = pieces.get(claim.values["storage_class"].target)
            tenant = class_.values.get("tenant") if class_ is not None else None
            values |= {"tenant": tenant} if tenant is not None and tenant == project.values.get("tenant") else {}
            values |= {
                name: claim.values[name] for name in ("storage_class", "size", "volume_mode") if name in claim.values
            }
        if claim.called != key:
            values["name"] = claim.called
        values["access_modes"] = claim.values.get("access_modes", ["ReadWriteMany"])
        address = Address(site, "volume", key)
        source = only(pieces.having(site, "data_source", project=Ref(project.address), claim=Ref(claim.address)))
        if source is not None:
            mounted = values | {name: source.values[name] for name in ("mount", "description") if name in source.values}
            called = {"data_source": source.called} if source.called != claim.called else {}
            yield Recovered(Entry(address, _called_so(mounted, names | called)), (*parts, source.address))
        # a data source that a volume cannot express becomes an entry of its own
        yield Recovered(Entry(address, _called_so(values, names)), tuple(parts))
    for static in pieces.of("persistent_volume"):
        site = static.address.site
        missing = next((kind for kind in _STANDS_ON if pieces.sight.unread(site, kind)), "")
        if missing:  # nor is its directory written: an object with its own entry can never become part of a volume
            for entry in (static, *_directory(pieces, static)):
                yield Unsayable(entry.address, unread=missing)


def _called_so(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {**values, "names": names} if names else dict(values)


def _home(pieces: Pieces, claim: Entry) -> tuple[Entry, Entry] | None:
    """The static volume to which a claim is bound, and the view of its directory, if a volume can express all of both.

    The entry gets the key of the view, so no other claim may have that key.
    """
    site, of = claim.address.site, claim.values.get("volume")
    static = pieces.get(of.target) if isinstance(of, Ref) else None
    pool = static.values.get("vip_pool") if static is not None else None
    owner = pieces.get(pool.target) if isinstance(pool, Ref) else None
    if static is None or owner is None or pieces.known(static.address):
        return None
    directory = {"tenant": owner.values.get("tenant"), "path": static.values.get("volume_handle")}
    view = only(pieces.having(site, "view", **directory))
    if view is None or view.values.keys() - _VIEW:
        return None
    if view.address.name != claim.address.name and pieces.get(claim.address._replace(name=view.address.name)):
        return None
    quota = view.values.get("quota") or {}
    return None if quota.keys() - OF_A_SIZE or "hard_limit" not in quota else (static, view)


def _directory(pieces: Pieces, static: Entry) -> Iterable[Entry]:
    """The objects of the directory of a static volume."""
    site, pool, path = static.address.site, static.values.get("vip_pool"), static.values.get("volume_handle")
    owner = pieces.get(pool.target) if isinstance(pool, Ref) else None
    tenant = owner.values.get("tenant") if owner is not None else None
    yield from pieces.having(site, "view", tenant=tenant, path=path)
    yield from pieces.having(site, "quota", tenant=tenant, path=path)
    yield from pieces.having(site, "protected_path", tenant=tenant, source_dir=path)


def _of_home(pieces: Pieces, static: Entry, view: Entry) -> dict[str, Any]:
    """The values of a volume that follow from its static volume and its view."""
    live, quota = view.values, view.values["quota"]
    tenant, owner = live["tenant"], live.get("bucket_owner")
    owned = {"bucket_owner": owner_of(pieces, view, tenant, owner)} if owner else {}
    return {
        "tenant": live["tenant"],
        "path": live["path"],
        **size_of_quota(quota),
        **({"protocols": live["protocols"]} if live.get("protocols", ["NFS"]) != ["NFS"] else {}),
        **{name: live[name] for name in OF_ITS_VIEW if name in live},
        **owned,
        **{
            name: static.values[name]
            for name in ("vip_pool", "secret", "secrets", "mount_options")
            if name in static.values
        },
    }
