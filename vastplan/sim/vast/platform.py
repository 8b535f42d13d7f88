"""The cluster itself, its software, its DNS service, and the content of a new cluster."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import addresses, directories, limits, managers, roles
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.crud import BUILT_IN, Crud
from vastplan.sim.vast.errors import REQUIRED, Problem, missing_object
from vastplan.sim.vast.records import ApiCollection, Memo
from vastplan.sim.vast.tenants import DEFAULT_PROVIDER
from vastplan.sim.vast.vippools import CNODES

CAPACITY = 1_000_000_000_000_000  # bytes
TERABYTE = 1e12
BUILD = "20.1234567"


def _show_cluster(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    used = sum(usage["bytes"] for usage in cluster.store.rows(directories.USAGE))
    allocated = sum(quota["hard_limit"] or 0 for quota in cluster.store.rows("quotas"))
    total, free = CAPACITY, CAPACITY - used
    figures: Row = {
        "quotas_allocated_capacity": allocated,
        "quotas_used_capacity": used,
        "drr": 1.0,
        "drr_text": "1.0:1",
    }
    for name, size in (
        ("usable_capacity", total), ("free_usable_capacity", free), ("physical_space", total), ("logical_space", total),
        ("physical_space_in_use", used), ("logical_space_in_use", used), ("free_physical_space", free),
        ("free_logical_space", free),
    ):  # fmt: skip
        figures |= {name: size, f"{name}_tb": size / TERABYTE}
    percent = used * 100 / total
    figures |= {"physical_space_in_use_percent": percent, "logical_space_in_use_percent": percent}
    figures["usable_capacity_bytes"] = figures.pop("usable_capacity")
    return figures


def _check_dns(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    if row["vip"] is None:
        yield "vip", REQUIRED
    for name in ("vip", "vip_gateway", "vip_ipv6", "vip_ipv6_gateway"):
        if row[name] and not addresses.is_ip_address(row[name]):
            yield name, "Enter a valid IPv4 or IPv6 address."
    yield from limits.outside_range(row, 1, 32, "vip_subnet_cidr")
    yield from limits.outside_range(row, 1, 128, "vip_ipv6_subnet_cidr")
    yield from limits.outside_range(row, 0, 4096, "vip_vlan")
    yield from (("cnode_ids", missing_object(node)) for node in row["cnode_ids"] if node not in CNODES)
    if any(other["id"] != row["id"] for other in cluster.store.rows("dns")):
        yield "detail", "The cluster has a DNS service already."


# The simulated release where several share one document. 5.3.2 is the first that requires a uid of every user.
RELEASES = {"5.3": "5.3.2"}
CLUSTERS = ApiCollection("clusters", show=_show_cluster)
VERSIONS = ApiCollection("versions")
VMS = ApiCollection("vms")
DNS = ApiCollection(
    "dns",
    unique=(("name",),),
    defaults={"enabled": True, "invalid_name_response": "NXDOMAIN", "invalid_type_response": "NOERROR", "port": 53},
    check=_check_dns,
)


def install(crud: Crud, username: str) -> None:
    """Store the content of a new cluster, with its default manager `username`; for an empty store."""
    cluster = crud.cluster
    plain = f"{cluster.version}.0" if cluster.version.count(".") == 1 else cluster.version
    software = RELEASES.get(cluster.version, plain)
    release = f"{software}.{BUILD}"
    cluster.add("clusters", {"name": cluster.name, "state": "ONLINE", "sw_version": release, "enable_trash": False})
    cluster.add(
        "versions",
        {"name": release, "sys_version": release, "build": BUILD, "status": "success", "os_version": "vastos-12"},
    )
    cluster.add(
        "vms",
        {
            "name": "VMS", "state": "ONLINE", "sw_version": release, "build": BUILD, "min_qos_supported": True,
            "access_token_lifetime": "01:00:00", "refresh_token_lifetime": "1 00:00:00", "max_api_tokens_per_user": 5,
            "ssl_port": 443, "min_pwd_length": 8, "performance_base_10": True, "capacity_base_10": True,
        },
    )  # fmt: skip
    _built_in(crud, "localproviders", {"name": "default", "managed_by": ["SUPER_ADMIN"]})
    _built_in(crud, "tenants", {"name": "default", "local_provider_id": DEFAULT_PROVIDER})
    policy = _built_in(crud, "viewpolicies", {"name": "default", "tenant_id": DEFAULT_TENANT})
    bucket_policy = {"name": "s3_default_policy", "tenant_id": DEFAULT_TENANT, "flavor": "S3_NATIVE"}
    _built_in(crud, "viewpolicies", {**bucket_policy, "is_s3_default_policy": True, "s3_special_chars_support": True})
    _built_in(
        crud, "views", {"path": "/", "policy_id": policy["id"], "tenant_id": DEFAULT_TENANT, "protocols": ["NFS"]}
    )

    for realm in roles.BUILT_IN_REALMS:
        roles.permit(cluster, realm)
    for name, permissions in roles.DEFAULT_ROLES.items():
        role = _built_in(crud, "roles", {"name": name, "permissions_list": list(permissions)})
        cluster.put("roles", role | {"is_default": True, "is_admin": name == roles.ADMINISTRATORS})
    (administrators,) = cluster.rows("roles", name=roles.ADMINISTRATORS)
    first = _built_in(crud, managers.NAME, {"username": username, "roles": [administrators["id"]]})
    cluster.put(managers.NAME, first | {"is_default": True})


def _built_in(crud: Crud, name: str, body: Row) -> Row:
    row = crud.make(crud.collections[name], body)
    return crud.cluster.put(name, row | {BUILT_IN: True})
