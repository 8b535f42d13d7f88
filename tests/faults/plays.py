"""The documents of the matrix: the reference, a small one of nearly all its kinds on two sites, and what each becomes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

SMALL = """\
version: 1
name: small
sites: {iad: {sim: {}}, pdx: {sim: {systems: [vast]}}}
namespaces: {vast-csi: {}}
secrets: {vast-mgmt: {namespace: vast-csi, data: {username: csi, password: {file: csi-password}}}}
snapshot_classes: {vast: {driver: file, deletion_policy: Delete, secret: vast-mgmt}}
departments: {research: {gpus: {default: 8}}}
snapshot_schedules:
  protected: {sites: [iad], replicate_to: iad-pdx, frames: [{every: 1h, keep_local: 24h, keep_remote: 7d}]}
vip_pools:
  replication:
    role: REPLICATION
    subnet_cidr: 24
    per_site: {iad: {ip_ranges: [10.90.1.10 - 10.90.1.17]}, pdx: {ip_ranges: [10.90.2.10 - 10.90.2.17]}}
replication_peers: {iad-pdx: {between: {iad: {vip_pool: replication}, pdx: {vip_pool: replication}}}}
tenants:
  team:
    vip_pool: {sites: [iad], subnet_cidr: 24, ip_ranges: [10.20.1.10 - 10.20.1.25]}
    view_policy: {sites: [iad], flavor: NFS, nfs_no_squash: [10.12.0.0/24]}
    storage_class: {driver: file, storage_path: /team/k8s, secret: vast-mgmt}
    project: {department: research, gpus: {default: 4}, access: {ML engineer: [grp-team]}}
    volumes:
      home:
        sites: [iad]
        path: /team/home
        size: 10 TiB
        mount: /home
        qos: {limit_by: BW, static_limits: {max_writes_bw_mbps: 4 GB/s}}
        snapshots: protected
      scratch: {storage_class: team, size: 1 TiB, mount: /scratch}
"""
# Where a cluster cannot have admission policies, a class is closed by quotas.
QUOTAS = """\
version: 1
name: quotas
sites: {iad: {sim: {}, isolation: resource_quota}}
namespaces: {vast-csi: {}, other: {}}
secrets: {vast-mgmt: {namespace: vast-csi, data: {username: csi, password: {file: csi-password}}}}
departments: {research: {gpus: {default: 8}}}
tenants:
  team:
    vip_pool: {subnet_cidr: 24, ip_ranges: [10.20.1.10 - 10.20.1.25]}
    view_policy: {flavor: NFS}
    storage_class: {driver: file, storage_path: /team/k8s, secret: vast-mgmt}
    project: {department: research, gpus: {default: 4}}
"""
# Each waits for the one before it: at most one write is under way.
CHAIN = """\
version: 1
name: chain
sites: {iad: {sim: {systems: [vast, kubernetes]}}}
tenants: {a: {}}
view_policies: {p: {tenant: a, flavor: NFS}}
views: {v: {path: /v, tenant: a, view_policy: p, protocols: [NFS], create_dir: true}}
"""
# Values that are told once, or drawn: what is lost of them must be told, and none may be left over.
VALUES = """\
version: 1
name: values
sites: {iad: {sim: {}}}
namespaces: {stores: {}}
local_providers: {team: {}}
departments: {research: {gpus: {default: 8}}}
secrets: {trainer: {namespace: team}}
access_key_credentials: {trainer: {project: team, existing_secret: trainer}}
managers:
  operator: {tenant: team, roles: [work], deliver: {secret: stores/operator}}
  robot: {tenant: team, roles: [work], deliver: {secret: stores/robot}}
api_tokens: {reporter: {owner: operator, overlap: 0, deliver: {secret: stores/reporter}}}
tenants:
  team:
    local_provider: team
    project: {department: research, gpus: {default: 4}}
    roles: {work: {permissions_list: [edit_logical]}}
    users: {alice: {uid: 30109}}
    s3_keys:
      trainer: {user: alice, overlap: 0, deliver: {secret: runai-team/trainer}}
      loader: {user: alice, overlap: 0, enabled: false, deliver: {secret: stores/loader, keys: {access_key: id, secret_key: key}}}
      old: {user: alice, overlap: 0, deliver: {secret: stores/old}}
"""
# Of these the smallest: one key, so that there are few moments to end its rotation at.
KEY = """\
version: 1
name: key
sites: {iad: {sim: {systems: [vast, kubernetes]}}}
namespaces: {stores: {}}
local_providers: {team: {}}
tenants:
  team:
    local_provider: team
    users: {alice: {uid: 30109}}
    s3_keys: {trainer: {user: alice, overlap: 0, deliver: {secret: stores/trainer}}}
"""
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ai-factory"


def reference(folder: Path) -> tuple[Path, Path]:
    """`examples/ai-factory`, and the same with fields changed, objects replaced and objects gone."""
    first, second = folder / "reference-1", folder / "reference-2"
    shutil.copytree(EXAMPLE, first, ignore=shutil.ignore_patterns(".vastplan"))
    shutil.copytree(first, second)
    _edit(second / "factory.yaml", _factory)
    _edit(second / "team-a.yaml", _team_a)
    _edit(second / "team-b.yaml", _team_b)
    return first, second


def _edit(file: Path, change: Any) -> None:
    tree = yaml.safe_load(file.read_text())
    change(tree)
    file.write_text(yaml.safe_dump(tree, sort_keys=False))


def _factory(tree: dict[str, Any]) -> None:
    tree["departments"]["research"]["gpus"] = {"default": 160}
    tree["snapshot_classes"]["vast-block"]["deletion_policy"] = "Retain"
    tree["snapshot_schedules"]["daily"]["frames"] = [{"every": "1d", "keep_local": "7d"}]


def _team_a(tree: dict[str, Any]) -> None:
    team = tree["tenants"]["team-a"]
    team["capacity_rules"]["hard_limit"] = "600 TiB"
    team["storage_class"]["storage_path"] = "/team-a/k8s-2"  # immutable: replaced
    team["qos_policy"]["static_limits"]["max_reads_bw_mbps"] = "24 GB/s"
    team["project"]["access"] = {"ML engineer": ["grp-team-a2"]}  # another rule; the old one goes
    team["volumes"]["team-a-checkpoints"]["size"] = "120 TiB"
    del team["volumes"]["team-a-scratch"]
    del team["volumes"]["team-a-data"]


def _team_b(tree: dict[str, Any]) -> None:
    team = tree["tenants"]["team-b"]
    team["project"]["gpus"] = {"default": 48}
    team["storage_class"]["storage_path"] = "/team-b/k8s-2"
    del team["volumes"]["team-b-checkpoints"]
    del team["volumes"]["team-b-data"]


def small(folder: Path) -> tuple[Path, Path]:
    """One team on two sites; then with fields changed, a class replaced, a volume and a rule gone."""
    return _two(folder, "small", SMALL, _team)


def shared(folder: Path) -> tuple[Path, Path]:
    """The small document with its ledger in the Kubernetes of a site."""
    text = SMALL.replace("namespaces:", "ledger: {kubernetes: {namespace: vastplan, site: iad}}\nnamespaces:", 1)
    return _two(folder, "small", text, _team)


def chain(folder: Path) -> tuple[Path, Path]:
    """A chain of three; then another policy, and the view gone."""
    return _two(folder, "chain", CHAIN, _shorter)


def shared_chain(folder: Path) -> tuple[Path, Path]:
    """The same with its ledger in Kubernetes."""
    text = CHAIN + "ledger: {kubernetes: {namespace: vastplan, site: iad}}\n"
    return _two(folder, "chain", text, _shorter)


def quotas(folder: Path) -> tuple[Path, Path]:
    """A class closed by quotas; then a namespace and its quota gone, and the others changed."""
    return _two(folder, "quotas", QUOTAS, _closed)


def values(folder: Path) -> tuple[Path, Path]:
    """Keys, log-ins and a token that are delivered; then another generation of one, one that is delivered elsewhere, and one gone."""
    return _two(folder, "values", VALUES, _rotated)


def key(folder: Path) -> tuple[Path, Path]:
    """One key that is delivered; then another generation of it."""
    return _two(folder, "key", KEY, lambda tree: tree["tenants"]["team"]["s3_keys"]["trainer"].update(generation=2))


def shared_values(folder: Path) -> tuple[Path, Path]:
    """The same with its ledger in Kubernetes."""
    text = VALUES.replace("namespaces:", "ledger: {kubernetes: {namespace: vastplan, site: iad}}\nnamespaces:", 1)
    return _two(folder, "values", text, _rotated)


def _rotated(tree: dict[str, Any]) -> None:
    keys = tree["tenants"]["team"]["s3_keys"]
    keys["trainer"]["generation"] = 2
    keys["loader"]["deliver"]["secret"] = "stores/elsewhere"
    del keys["old"]
    tree["managers"]["operator"]["generation"] = 2
    tree["api_tokens"]["reporter"]["generation"] = 2
    del tree["managers"]["robot"]


def _two(folder: Path, name: str, text: str, change: Any) -> tuple[Path, Path]:
    first, second = folder / f"{name}-1", folder / f"{name}-2"
    for one in (first, second):
        one.mkdir()
        (one / f"{name}.yaml").write_text(text)
        (one / "csi-password").write_text("canary")
    _edit(second / f"{name}.yaml", change)
    return first, second


def _shorter(tree: dict[str, Any]) -> None:
    tree["view_policies"]["p"]["nfs_no_squash"] = ["10.0.0.0/24"]
    del tree["views"]


def _closed(tree: dict[str, Any]) -> None:
    del tree["namespaces"]["other"]
    team = tree["tenants"]["team"]
    team["storage_classes"] = {"team-2": {**team["storage_class"], "storage_path": "/team/k8s-2"}}


def _team(tree: dict[str, Any]) -> None:
    tree["snapshot_classes"]["vast"]["deletion_policy"] = "Retain"  # immutable: replaced
    tree["departments"]["research"]["gpus"] = {"default": 16}
    team = tree["tenants"]["team"]
    team["view_policy"]["nfs_no_squash"] = ["10.12.1.0/24"]
    team["storage_class"]["storage_path"] = "/team/k8s-2"  # immutable: replaced
    team["project"]["access"] = {"ML engineer": ["grp-team-2"]}
    team["volumes"]["home"]["size"] = "12 TiB"
    team["volumes"]["home"]["qos"]["static_limits"]["max_writes_bw_mbps"] = "5 GB/s"
    del team["volumes"]["scratch"]
