"""What people change in a document, at random. Each edit changes the document and answers one line about it, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.histories.documents import SECTIONS, SINGULAR, Body, Document, Entry, Key

HOSTS = ("10.12.0.0/24", "10.12.1.0/24", "10.12.2.7", "10.13.0.0/16")
CLIENTS = ("10.12.0.5", "10.12.1.5", "10.12.2.7", "10.13.9.9", "10.99.0.1")
"""Addresses that clients mount from: one in each of `HOSTS`, and one in none of them."""
RANGES = ("10.12.0.1 - 10.12.0.200", "10.12.1.1 - 10.12.1.200", "10.12.2.1 - 10.13.255.200")

Edit = Callable[["Writer"], str]


class Writer:
    """One person at one document: where chance comes from, and numbers that are not given twice."""

    def __init__(self, document: Document, chance: Random, numbers: list[int]) -> None:
        self.document = document
        self.chance = chance
        self.numbers = numbers

    def fresh(self, stem: str) -> str:
        """A name that was never used before."""
        return f"{stem}{self.number()}"

    def number(self) -> int:
        """A number that was never used before."""
        self.numbers[0] += 1
        return self.numbers[0]

    def some(self, section: str, **having: object) -> str | None:
        """The name of an entry of a section, if there is one."""
        names = self.document.names(section, **having)
        return self.chance.choice(names) if names else None

    def add(self, section: str, name: str, body: Body, *, inside: bool | None = None) -> str:
        """A new entry."""
        within = self.chance.random() < 0.7 if inside is None else inside
        file = self.chance.randrange(self.document.files)
        self.document.entries[section, name] = Entry(body, within and section in SINGULAR and "tenant" in body, file)
        return f"add {section}.{name}"


def add_tenant(writer: Writer) -> str:
    """A tenant with all that a team needs."""
    chance = writer.chance
    name, number = writer.fresh("team-"), writer.number()
    tenant: Body = {"capacity_rules": {"hard_limit": f"{chance.randint(10, 90)} TiB"}}
    if chance.random() < 0.3 and (free := _free_ranges(writer, name)):
        tenant["client_ip_ranges"] = list(chance.sample(free, min(2, len(free))))
    writer.add("tenants", name, tenant)
    writer.add(
        "vip_pools",
        name,
        {"tenant": name, "subnet_cidr": 24, "ip_ranges": [f"10.50.{number % 250}.10 - 10.50.{number % 250}.40"]},
    )
    writer.add(
        "view_policies",
        name,
        {
            "tenant": name,
            "flavor": "NFS",
            "nfs_no_squash": sorted(chance.sample(HOSTS, 2)),
            "nfs_read_write": sorted(chance.sample(HOSTS, 2)),
        },
    )
    if chance.random() < 0.8:
        add_class(writer, name)
    if chance.random() < 0.8:
        add_project(writer, name)
    if chance.random() < 0.8:
        add_volume(writer, name)
    return f"add tenants.{name} and what a team needs"


def add_class(writer: Writer, tenant: str | None = None) -> str:
    """A storage class of a tenant."""
    tenant = tenant or writer.some("tenants")
    if tenant is None:
        return ""
    policy, pool = writer.some("view_policies", tenant=tenant), writer.some("vip_pools", tenant=tenant)
    secret = writer.some("secrets")
    if policy is None or pool is None or secret is None:
        return ""
    free = (
        not writer.document.names("storage_classes", tenant=tenant)
        and ("storage_classes", tenant) not in writer.document.entries
    )
    name = tenant if free else writer.fresh("class-")
    body = {
        "tenant": tenant, "driver": "file", "storage_path": f"/{tenant}/{name}", "view_policy": policy, "vip_pool": pool,
        "secret": secret, "allow_volume_expansion": True,
    }  # fmt: skip
    qos = writer.some("qos_policies", tenant=tenant)
    if qos is not None and writer.chance.random() < 0.5:
        body["qos_policy"] = qos
    return writer.add("storage_classes", name, body)


def add_project(writer: Writer, tenant: str | None = None) -> str:
    """A project, of a tenant or of none."""
    tenant = tenant or (writer.some("tenants") if writer.chance.random() < 0.7 else None)
    department = writer.some("departments")
    if department is None:
        return ""
    name = tenant if tenant and ("projects", tenant) not in writer.document.entries else writer.fresh("project-")
    body: Body = {
        **({"tenant": tenant} if tenant else {}),
        "department": department,
        "gpus": {"default": writer.chance.choice((1, 2, 4))},
    }
    if writer.chance.random() < 0.6:
        body["access"] = {"ML engineer": [f"grp-{name}"]}
    other = writer.some("storage_classes")
    if other is not None and writer.chance.random() < 0.4:
        body["storage_classes"] = [other]
    return writer.add("projects", name, body)


def add_volume(writer: Writer, tenant: str | None = None) -> str:
    """A volume of a project: of a class, or with a path."""
    chance = writer.chance
    tenant = tenant or writer.some("tenants")
    project = writer.some("projects", tenant=tenant)
    if tenant is None or project is None:
        return ""
    name = writer.fresh("vol-")
    body: Body = {"tenant": tenant, "project": project, "size": f"{chance.choice((1, 2, 5))} TiB"}
    class_ = writer.some("storage_classes", tenant=tenant)
    if class_ is not None and chance.random() < 0.5:
        body["storage_class"] = class_
    else:
        pool, policy, secret = (
            writer.some("vip_pools", tenant=tenant),
            writer.some("view_policies", tenant=tenant),
            writer.some("secrets"),
        )
        if pool is None or policy is None or secret is None:
            return ""
        body |= {"path": f"/{tenant}/{name}", "view_policy": policy, "vip_pool": pool, "secret": secret}
        schedule = writer.some("snapshot_schedules")
        if schedule is not None and chance.random() < 0.4:
            body["snapshots"] = schedule
        if chance.random() < 0.3:
            body["qos"] = {"static_limits": {"max_writes_bw_mbps": chance.choice((100, 200))}}
    if chance.random() < 0.5:
        body["mount"] = f"/{name}"
    return writer.add("volumes", name, body)


def add_replicated(writer: Writer) -> str:
    """A volume that is written on one site and copied to the other."""
    document, chance = writer.document, writer.chance
    tenant = writer.some("tenants")
    parts = [writer.some(section, tenant=tenant) for section in ("projects", "vip_pools", "view_policies")]
    secret = writer.some("secrets")
    if tenant is None or secret is None or None in parts or len(document.sites) < 2:
        return ""
    project, pool, policy = parts
    if not document.names("replication_peers"):
        ranges = {site: {"ip_ranges": [f"10.9{n}.1.10 - 10.9{n}.1.17"]} for n, site in enumerate(document.sites)}
        far = {"role": "REPLICATION", "subnet_cidr": 24, "per_site": ranges}
        writer.add("vip_pools", "replication", far)
        between = {site: {"vip_pool": "replication"} for site in document.sites}
        writer.add("replication_peers", "iad-pdx", {"between": between})
        frames = [{"every": "1h", "keep_local": "24h", "keep_remote": "7d"}]
        writer.add("snapshot_schedules", writer.fresh("far-"), {"replicate_to": "iad-pdx", "frames": frames})
    schedules = [
        name
        for name in document.names("snapshot_schedules")
        if "replicate_to" in document.entries["snapshot_schedules", name].body
    ]
    if not schedules:
        return ""
    name = writer.fresh("far-vol-")
    body = {
        "tenant": tenant, "project": project, "size": "2 TiB", "path": f"/{tenant}/{name}", "view_policy": policy,
        "vip_pool": pool, "secret": secret, "mount": f"/{name}", "active": chance.choice(document.sites),
        "replicate": chance.choice(schedules),
    }  # fmt: skip
    return writer.add("volumes", name, body)


def add_view(writer: Writer) -> str:
    """A view with some of what may hang on one."""
    chance, tenant = writer.chance, writer.some("tenants")
    policy = writer.some("view_policies", tenant=tenant)
    if tenant is None or policy is None:
        return ""
    name = writer.fresh("view-")
    body: Body = {
        "tenant": tenant,
        "path": f"/{tenant}/{name}",
        "view_policy": policy,
        "protocols": ["NFS"],
        "create_dir": True,
    }
    if chance.random() < 0.6:
        body["quota"] = {"hard_limit": f"{chance.choice((1, 2, 3))} TiB"}
    if chance.random() < 0.3:
        body["qos"] = {"static_limits": {"max_writes_bw_mbps": chance.choice((100, 200))}}
    else:
        qos = writer.some("qos_policies", tenant=tenant)
        if qos is not None and chance.random() < 0.5:
            body["qos_policy"] = qos
    schedule = writer.some("snapshot_schedules")
    if schedule is not None and chance.random() < 0.4:
        body["snapshots"] = schedule
    return writer.add("views", name, body)


def add_quota(writer: Writer) -> str:
    """A quota of a directory without a view."""
    tenant = writer.some("tenants")
    if tenant is None:
        return ""
    name = writer.fresh("quota-")
    return writer.add(
        "quotas",
        name,
        {"tenant": tenant, "path": f"/{tenant}/{name}", "hard_limit": f"{writer.chance.choice((1, 2, 3))} TiB"},
    )


def add_policy(writer: Writer) -> str:
    """A pool, a view policy or a QoS policy beside what a tenant has."""
    chance, tenant, number = writer.chance, writer.some("tenants"), writer.number()
    if tenant is None:
        return ""
    which = chance.choice(("vip_pools", "view_policies", "qos_policies"))
    body: Body = {"tenant": tenant}
    if which == "vip_pools":
        body |= {"subnet_cidr": 24, "ip_ranges": [f"10.51.{number % 250}.10 - 10.51.{number % 250}.40"]}
    elif which == "view_policies":
        body |= {"flavor": "NFS", "nfs_no_squash": sorted(chance.sample(HOSTS, 2))}
    else:
        body |= {"static_limits": {"max_writes_bw_mbps": chance.choice((100, 200, 300))}}
    return writer.add(which, writer.fresh("extra-"), body)


def add_base(writer: Writer) -> str:
    """Something that belongs to no tenant."""
    chance = writer.chance
    which = chance.choice(("namespaces", "secrets", "departments", "snapshot_schedules"))
    if which == "secrets":
        space = writer.some("namespaces")
        if space is None:
            return ""
        data = {"endpoint": "vms.example.com", "username": "csi", "password": {"file": "csi-password"}}
        return writer.add(which, writer.fresh("login-"), {"namespace": space, "data": data})
    bodies: dict[str, Body] = {
        "namespaces": {"labels": {"team": chance.choice("xyz")}},
        "departments": {"gpus": {"default": chance.choice((8, 16))}},
        "snapshot_schedules": {"frames": [{"every": chance.choice(("1h", "2h")), "keep_local": "24h"}]},
    }
    return writer.add(
        which,
        writer.fresh({"namespaces": "space-", "departments": "dept-", "snapshot_schedules": "every-"}[which]),
        bodies[which],
    )


def add_key(writer: Writer) -> str:
    """A user of a tenant with a key, whose secret is delivered to a namespace of its own."""
    tenant = writer.some("tenants")
    if tenant is None:
        return ""
    name, number = writer.fresh("user-"), writer.number()
    body = writer.document.entries["tenants", tenant].body
    if "local_provider" not in body:
        body["local_provider"] = f"people-{number}"
        writer.add("local_providers", f"people-{number}", {})
    writer.add("users", name, {"tenant": tenant, "uid": 30_000 + number})
    writer.add("namespaces", f"keys-{number}", {"labels": {"team": "keys"}})
    writer.add("secrets", f"s3-{number}", {"namespace": f"keys-{number}", "data": {"endpoint": "s3.example.com"}})
    deliver = {
        "secret": f"keys-{number}/s3-{number}",
        "keys": {"access_key": "AWS_ACCESS_KEY_ID", "secret_key": "AWS_SECRET_ACCESS_KEY"},
    }
    overlap = writer.chance.choice(("0s", "1h"))
    return writer.add(
        "s3_keys", name, {"tenant": tenant, "user": name, "generation": 1, "overlap": overlap, "deliver": deliver}
    )


def rotate_key(writer: Writer) -> str:
    """Another key takes the place of one."""
    name = writer.some("s3_keys")
    if name is None:
        return ""
    body = writer.document.entries["s3_keys", name].body
    body["generation"] += writer.chance.choice((1, 1, 3))
    return f"rotate s3_keys.{name} to generation {body['generation']}"


def clone(writer: Writer) -> str:
    """A volume begins as a copy of another one, as one of its snapshots has it."""
    names = [
        name
        for name in writer.document.names("volumes")
        if "path" in writer.document.entries["volumes", name].body
        and "snapshots" in writer.document.entries["volumes", name].body
    ]
    if not names:
        return ""
    original = writer.chance.choice(names)
    body = writer.document.entries["volumes", original].body
    name = writer.fresh("copy-")
    kept = {key: value for key, value in body.items() if key not in ("snapshots", "mount", "qos", "source")}
    return writer.add(
        "volumes",
        name,
        {**kept, "path": f"/{body['tenant']}/{name}", "source": {"volume": original, "snapshot": "latest"}},
    )


def change(writer: Writer) -> str:
    """Another value for a field."""
    chance = writer.chance
    keys = list(writer.document.entries)
    if not keys:
        return ""
    section, name = chance.choice(keys)
    body = writer.document.entries[section, name].body
    changes: dict[str, Callable[[], Body]] = {
        "tenants": lambda: chance.choice((
            {"capacity_rules": {"hard_limit": f"{chance.randint(10, 90)} TiB"}},
            _moved_ranges(writer, name),
        )),
        "vip_pools": lambda: _moved_pool(writer, body),
        "view_policies": lambda: {chance.choice(("nfs_no_squash", "nfs_read_write")): sorted(chance.sample(HOSTS, chance.randint(1, 3)))},
        "qos_policies": lambda: {"static_limits": {"max_writes_bw_mbps": chance.choice((100, 200, 300))}},
        "views": lambda: _moved_part(writer, body),
        "quotas": lambda: {"hard_limit": f"{chance.choice((1, 2, 3))} TiB"},
        "namespaces": lambda: {"labels": {"team": chance.choice("xyz")}},
        "departments": lambda: {"gpus": {"default": chance.choice((8, 16, 32))}},
        "snapshot_schedules": lambda: {
            "frames": [{**body["frames"][0], "every": chance.choice(("1h", "2h", "4h"))}]
        },
        "projects": lambda: _moved_project(writer, body, name),
        "storage_classes": lambda: chance.choice((
            {"allow_volume_expansion": chance.random() < 0.5}, {"mount_options": [f"nconnect={chance.choice((4, 8))}"]}, {"shared": chance.random() < 0.4},
        )),
        "volumes": lambda: {"size": f"{chance.choice((5, 6, 8))} TiB"},
    }  # fmt: skip
    if section not in changes:
        return ""
    new = changes[section]()
    for field, value in new.items():
        if value is None:
            body.pop(field, None)
        else:
            body[field] = value
    return f"change {section}.{name}: {new}" if new else ""


def _free_ranges(writer: Writer, tenant: str) -> list[str]:
    """The ranges that no other tenant has, as VMS refuses two tenants one; now and then somebody does not look."""
    taken = {
        one
        for (section, name), entry in writer.document.entries.items()
        if section == "tenants" and name != tenant and writer.chance.random() < 0.95
        for one in entry.body.get("client_ip_ranges", ())
    }
    return [one for one in RANGES if one not in taken]


def _moved_ranges(writer: Writer, tenant: str) -> Body:
    free = _free_ranges(writer, tenant)
    return {"client_ip_ranges": sorted(writer.chance.sample(free, writer.chance.randint(1, len(free))))} if free else {}


def _moved_pool(writer: Writer, body: Body) -> Body:
    """Another end of a pool's range; a pool between two sites stays."""
    if "ip_ranges" not in body:
        return {}
    return {"ip_ranges": [body["ip_ranges"][0].rpartition(".")[0] + writer.chance.choice((".30", ".40", ".50"))]}


def _moved_part(writer: Writer, body: Body) -> Body:
    """A view's quota, schedule or policy: another, a new one, or none."""
    chance = writer.chance
    which = chance.choice(("quota", "snapshots", "view_policy"))
    if which == "quota":
        return {
            "quota": None
            if "quota" in body and chance.random() < 0.3
            else {"hard_limit": f"{chance.choice((1, 2, 3))} TiB"}
        }
    if which == "snapshots":
        return {
            "snapshots": None if "snapshots" in body and chance.random() < 0.4 else writer.some("snapshot_schedules")
        }
    return {"view_policy": writer.some("view_policies", tenant=body["tenant"])}


def _moved_project(writer: Writer, body: Body, name: str) -> Body:
    """A project's GPUs, who has access, or which classes it lists."""
    chance = writer.chance
    which = chance.choice(("gpus", "access", "storage_classes"))
    if which == "gpus":
        return {"gpus": {"default": chance.choice((1, 2, 4))}}
    if which == "access":
        return {
            "access": {
                "ML engineer": sorted(chance.sample((f"grp-{name}", "grp-lab", "grp-ops"), chance.randint(1, 2)))
            }
        }
    other = writer.some("storage_classes")
    return {"storage_classes": None if other is None or "storage_classes" in body else [other]}


def remove(writer: Writer) -> str:
    """Somebody deletes lines."""
    keys = [key for key in writer.document.entries if key[1] not in ("csi", "mgmt", "research")] or list(
        writer.document.entries
    )
    if len(keys) < 2:
        return ""
    weights = [1 if section in ("tenants", "departments") else 3 for section, _ in keys]
    key = writer.chance.choices(keys, weights)[0]
    writer.document.remove(key)
    return f"remove {key[0]}.{key[1]}"


def lend(writer: Writer) -> str:
    """A project may use the class of another team."""
    project = writer.some("projects")
    if project is None:
        return ""
    body = writer.document.entries["projects", project].body
    own = writer.document.names("storage_classes", tenant=body.get("tenant", ""))
    others = [name for name in writer.document.names("storage_classes") if name not in own]
    if not others or "storage_classes" in body:
        return ""
    body["storage_classes"] = [writer.chance.choice(others)]
    return f"lend {body['storage_classes'][0]} to projects.{project}"


def give_up(writer: Writer) -> str:
    """A team ends its project; who works there may not know."""
    project = writer.some("projects")
    if project is None:
        return ""
    writer.document.remove(("projects", project))
    return f"remove projects.{project}"


def rename(writer: Writer) -> str:
    """Somebody gives an entry another name and says so."""
    document = writer.document
    # what a stranger made is called as the stranger called it
    keys = [key for key, entry in document.entries.items() if not entry.renamed_from]
    if not keys:
        return ""
    section = writer.chance.choice(sorted({key[0] for key in keys}))
    key: Key = writer.chance.choice([one for one in keys if one[0] == section])
    _, name = document.rename(key, writer.fresh(f"{key[1].rstrip('0123456789')[:12].rstrip('-')}-r"))
    return f"rename {key[0]}.{key[1]} to {name}"


def forget_renames(writer: Writer) -> str:
    """What was renamed long ago is not said any more."""
    said = [entry for entry in writer.document.entries.values() if entry.renamed_from]
    for entry in said:
        entry.renamed_from = ""
    return "take out renamed_from" if said else ""


def move(writer: Writer) -> str:
    """An entry moves into its tenant, or out of it: it means the same."""
    keys = [
        key
        for key, entry in writer.document.entries.items()
        if key[0] in SINGULAR and isinstance(entry.body.get("tenant"), str)
    ]
    if not keys:
        return ""
    key = writer.chance.choice(keys)
    entry = writer.document.entries[key]
    entry.inside = not entry.inside
    return f"move {key[0]}.{key[1]} {'into' if entry.inside else 'out of'} its tenant"


def refile(writer: Writer) -> str:
    """A document is split into files, or joined into one: it means the same."""
    document = writer.document
    document.files = 1 if document.files > 1 else writer.chance.randint(2, 3)
    for entry in document.entries.values():
        entry.file = writer.chance.randrange(document.files)
    return f"the document is now in {document.files} file(s)"


def add_site(writer: Writer) -> str:
    """Another site gets what the document says."""
    missing = [site for site in ("iad", "pdx") if site not in writer.document.sites]
    if not missing:
        return ""
    writer.document.sites.append(missing[0])
    return f"add site {missing[0]}"


def leave_site(writer: Writer) -> str:
    """Somebody takes a site out."""
    document = writer.document
    if len(document.sites) < 2:
        return ""
    site = writer.chance.choice(document.sites)
    document.sites.remove(site)
    document.retired.discard(site)
    return f"take site {site} out"


def retire_site(writer: Writer) -> str:
    """Somebody has a site emptied."""
    document = writer.document
    if len(document.sites) < 2:
        return ""
    site = writer.chance.choice(document.sites)
    document.retired.symmetric_difference_update({site})
    return f"{'retire' if site in document.retired else 'keep'} site {site}"


EDITS: tuple[tuple[Edit, int], ...] = (
    (add_tenant, 3), (add_class, 3), (add_project, 3), (add_volume, 6), (add_view, 6), (add_quota, 3), (add_policy, 3),
    (add_base, 3), (lend, 3), (give_up, 3), (clone, 2),
    (change, 14), (remove, 9), (forget_renames, 2), (move, 4), (refile, 2),
)  # fmt: skip


def first(name: str, sites: list[str], chance: Random, numbers: list[int]) -> Document:
    """The document that a history begins with."""
    document = Document(name, sites)
    writer = Writer(document, chance, numbers)
    writer.add("namespaces", "csi", {"labels": {"team": "storage"}})
    data = {"endpoint": "vms.example.com", "username": "csi", "password": {"file": "csi-password"}}
    writer.add("secrets", "mgmt", {"namespace": "csi", "data": data})
    writer.add("departments", "research", {"gpus": {"default": 16}})
    writer.add("snapshot_schedules", "hourly", {"frames": [{"every": "1h", "keep_local": "24h"}]})
    for _ in range(chance.randint(1, 2)):
        add_tenant(writer)
    for _ in range(chance.randint(1, 4)):
        chance.choice((add_view, add_volume, add_quota, add_policy))(writer)
    assert {section for section, _ in document.entries} <= set(SECTIONS)
    return document
