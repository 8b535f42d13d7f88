"""The key of a bucket, and how Run:AI mounts the bucket.

With protocol S3 alone, an S3 data source mounts it. It logs in with a credential, whose values Run:AI reads from the Secret that
gets the key. With protocol NFS the directory is mounted like the document's volumes: by a static volume of the CSI driver. A data
source of type NFS would need no driver and no claim, but each pod would mount by itself, past every quota and policy of the cluster.

Several buckets may deliver to one Secret. They share one key and one credential, as Run:AI accepts a Secret for one credential only.

Source: names in the Secret are the defaults of `S3AccessKey` in Run:AI's API documents, 2.20 to 2.24; labels are from its
documentation, "Credentials: Existing secrets" (that it asks for them in a project's namespace, too, is RAI-150 of docs/unverified.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from vastplan.kinds.compose._two_sites import offers
from vastplan.kinds.compose.delivery import LABELS_FOR_RUNAI, NAMES_FOR_RUNAI, secret_at
from vastplan.kinds.compose.volume import bound, offered
from vastplan.kinds.vast._delivery import DAY, Generation, IntoSecret, Overlap
from vastplan.kinds.vast.s3_key import S3KeyNames
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry
from vastplan.schema.markers import Refers
from vastplan.schema.types import MISSING, ReferenceName

_FOR_OTHERS = S3KeyNames().model_dump()
_FILES = frozenset({"NFS", "NFS4"})


class BucketDelivery(IntoSecret):
    """Kubernetes Secret that gets a pair of S3 keys for a bucket; all fields but `user` are as in `s3_keys`.

    Where Run:AI mounts the bucket by S3, the Secret has to be in the namespace of the project.
    """

    user: Annotated[ReferenceName | MISSING, Refers("user")] = MISSING
    """User whose pair of keys is delivered; left out, the owner of the bucket."""
    keys: S3KeyNames | MISSING = MISSING
    """Names in the Secret of the access key and the secret key; left out, those that Run:AI looks for where it mounts
    the bucket by S3, else the AWS ones."""
    generation: Generation = 1
    """Number of the pair of keys. A greater one creates and delivers a new pair; a lower one is refused (VP336)."""
    overlap: Overlap = DAY
    """Seconds for which the former pair of keys goes on working after a new one is delivered; 0 removes it at once."""


def project_of(bucket: Entry, scope: Scope) -> Ref | None:
    """The project that mounts a bucket or a volume: the one in its entry, else the only one of its tenant. `None` without `mount`, and
    where the tenant has none or several."""
    values = bucket.values
    if "mount" not in values or "project" in values:
        return values.get("project") if "mount" in values else None
    own = {project.address for project in scope.owned_by(values.get("tenant"), bucket.address.site, "project")}
    return Ref(own.pop()) if len(own) == 1 else None


def with_its_key(bucket: Entry) -> tuple[tuple[str, Address], ...]:
    """The fields of a bucket's view that change only together with the delivered key, and that key: the tenant and, if the key is the
    owner's, the owner."""
    deliver = bucket.values.get("deliver")
    if deliver is None:
        return ()
    user = deliver.get("user", bucket.values["owner"])
    key = bucket.address._replace(kind="s3_key" if user.managed else "directory_key", name=deliver["secret"])
    return (("tenant", key),) if "user" in deliver else (("tenant", key), ("bucket_owner", key))


def lacks_a_key(bucket: Entry, scope: Scope) -> Ref | None:
    """The project that would mount a bucket by S3 if a key were delivered. `None` if a key is delivered, or if no project mounts it."""
    return None if "deliver" in bucket.values else _s3_project(bucket, scope)


def delivered(bucket: Entry, scope: Scope) -> Iterable[Entry]:
    """The key of a bucket; of several buckets that deliver to the same Secret, the first one yields it."""
    site, deliver = bucket.address.site, bucket.values.get("deliver")
    if deliver is None:
        return
    same = scope.indexed(site, "bucket", _by_secret)[deliver["secret"]]
    first = same[0]
    if _delivery(bucket) != _delivery(first):
        text = f"bucket {first.address.name} delivers another key to the same Secret, {deliver['secret']}"
        fix = "write the same user, keys, generation and overlap in both, or deliver to another Secret"
        scope.refuse(bucket, "VP282", text, fix)
    elif bucket is first:
        mounted = any(_s3_project(each, scope) is not None for each in same)
        values = {
            "tenant": bucket.values["tenant"],
            "user": deliver.get("user", bucket.values["owner"]),
            "deliver": {
                "secret": deliver["secret"],
                "keys": deliver.get("keys", NAMES_FOR_RUNAI if mounted else _FOR_OTHERS),
                **({"labels": LABELS_FOR_RUNAI} if mounted else {}),
            },
            "generation": deliver["generation"],
            "overlap": deliver["overlap"],
        }
        yield bucket.part("s3_key", deliver["secret"], values)


def mounted(
    bucket: Entry, scope: Scope, called: str, path: str, *, active: bool = True, after: tuple[Address, ...] = ()
) -> Iterable[Entry]:
    """The objects that mount a bucket in Run:AI, the data source `after` the path that replicates it. While another site is active, the
    data source exists only if the bucket can be read here; its other objects always exist, so that no job waits for them after a move."""
    values, project = bucket.values, project_of(bucket, scope)
    _alone_at_its_place(bucket, project, scope)
    if project is None:
        return
    if _FILES & set(values.get("protocols") or ()):
        of_a_volume = {**values, "name": called, "path": path, "access_modes": ["ReadWriteMany"]}
        yield from bound(bucket, scope, of_a_volume, project, values["tenant"])
        yield from offered(bucket, of_a_volume, project, active=active, after=after)
    elif "deliver" in values:
        yield from _credential(bucket, scope, project)
        if offers(bucket, active=active):
            yield from (replace(source, after=after) for source in _source(bucket, scope, project, called))
    elif "project" in values:
        text = f"project {project} mounts it by S3, and no key is delivered for that"
        scope.refuse(bucket, "VP283", text, "write deliver: {secret: NAMESPACE/NAME}, in the namespace of the project")


def _alone_at_its_place(bucket: Entry, project: Ref | None, scope: Scope) -> None:
    """Refuse a bucket with the same mount as another bucket or volume of the project. A bucket without a project counts for all
    projects of its tenant, as it does in exports."""
    site, mount, tenant = bucket.address.site, bucket.values.get("mount"), bucket.values["tenant"]
    if mount is None:
        return
    rooms: list[Ref | str] = [f"all of {tenant}"]
    if project is not None:
        home = scope.get(project.target)
        rooms = [project, tenant, *([home.values["tenant"]] if home is not None and "tenant" in home.values else [])]
    volumes, buckets = (scope.indexed(site, kind, _by_mount) for kind in ("volume", "bucket"))
    candidates = {
        entry.address: entry
        for room in rooms
        for entry in (*volumes.get((mount, room), ()), *buckets.get((mount, room), ()))
    }
    before = (entry for address, entry in candidates.items() if address.kind != "bucket" or address < bucket.address)
    for other in before:
        others = project_of(other, scope)
        if others == project if project and others else other.values.get("tenant") == tenant:
            where = f"project {project or others}" if project or others else f"tenant {tenant}"
            named = " and ".join(f"{each.address.kind} {each.address.name}" for each in (other, bucket))
            scope.refuse(
                bucket, "VP290", f"{named} of {where} are both mounted at {mount}", "give one of them another mount"
            )


def _by_mount(entries: Iterable[Entry]) -> dict[tuple[str, Ref | str], list[Entry]]:
    """Buckets or volumes by their mount and the project that they name, or their tenant if they name none. Each is also listed
    under `all of TENANT`."""
    mounts: dict[tuple[str, Ref | str], list[Entry]] = {}
    for entry in entries:
        values, tenant = entry.values, entry.values.get("tenant")
        if "mount" in values:
            for room in (values.get("project") or tenant, f"all of {tenant}"):
                if room is not None:
                    mounts.setdefault((values["mount"], room), []).append(entry)
    return mounts


def _s3_project(bucket: Entry, scope: Scope) -> Ref | None:
    """The project that mounts a bucket by S3."""
    return None if _FILES & set(bucket.values.get("protocols") or ()) else project_of(bucket, scope)


def _by_secret(buckets: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Buckets by the Secret that gets their key."""
    destinations: dict[str, list[Entry]] = {}
    for bucket in buckets:
        if "deliver" in bucket.values:
            destinations.setdefault(bucket.values["deliver"]["secret"], []).append(bucket)
    return destinations


def _delivery(bucket: Entry) -> tuple[Any, Mapping[str, Any]]:
    """The tenant of a bucket's key, and the fields of `deliver` with the user filled in."""
    return bucket.values["tenant"], {"user": bucket.values["owner"], **bucket.values["deliver"]}


def _name(bucket: Entry) -> str:
    return str(bucket.values["deliver"]["secret"].rpartition("/")[2])


def _credential(bucket: Entry, scope: Scope, project: Ref) -> Iterable[Entry]:
    """The credential that uses the Secret of a key; the first bucket of the project that delivers to the Secret yields it."""
    site, secret = bucket.address.site, bucket.values["deliver"]["secret"]
    same = scope.indexed(site, "bucket", _by_secret)[secret]
    if next(each for each in same if _s3_project(each, scope) == project) is bucket:
        written = secret_at(site, secret, scope)
        secret_ref = Ref(written.address) if written is not None else bucket.ref("secret", secret)
        values = {"name": _name(bucket), "project": project, "existing_secret": secret_ref}
        yield bucket.part("access_key_credential", f"{project}/{_name(bucket)}", values)


def _source(bucket: Entry, scope: Scope, project: Ref, called: str) -> Iterable[Entry]:
    """The data source that mounts a bucket by S3."""
    values = bucket.values
    url = _url(bucket, scope)
    if url is None:
        text = f"project {project} mounts it by S3, and the VIP pools of tenant {values['tenant']} have no s3_endpoint, or several"
        scope.refuse(
            bucket,
            "VP283",
            text,
            "write s3_endpoint: URL in the tenant's vip_pool, or vip_pool: NAME in the bucket where several have one",
        )
        return
    source = {
        "name": values.get("names", {}).get("data_source", called),
        "project": project,
        "bucket": called,
        "url": url,
        "access_key": bucket.ref("access_key_credential", f"{project}/{_name(bucket)}"),
        "mount": values["mount"],
        **({"description": values["description"]} if "description" in values else {}),
    }
    view = bucket.ref("view", bucket.address.name).target
    beside = tuple((field, view) for field in ("name", "bucket", "project"))
    yield bucket.part("s3_data_source", bucket.address.name, source, beside=beside)


def _url(bucket: Entry, scope: Scope) -> str | None:
    """The URL at which S3 clients find a bucket: the endpoint of its pool, else the only endpoint of its tenant's pools, else that of
    the pools without a tenant."""
    site, chosen = bucket.address.site, bucket.values.get("vip_pool")
    if chosen is not None:
        pools = [scope.get(chosen.target)]
    else:
        own = [
            pool for pool in scope.owned_by(bucket.values["tenant"], site, "vip_pool") if "s3_endpoint" in pool.values
        ]
        pools = [*(own or scope.indexed(site, "vip_pool", _for_all))]
    urls = {pool.values["s3_endpoint"] for pool in pools if pool is not None and "s3_endpoint" in pool.values}
    return str(urls.pop()) if len(urls) == 1 else None


def _for_all(pools: Iterable[Entry]) -> list[Entry]:
    """The pools without a tenant, which serve all tenants."""
    return [pool for pool in pools if pool.values.get("tenant") is None]
