"""Block volumes: created in a BLOCK view; they can only grow."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem
from vastplan.sim.vast.records import ApiCollection, Memo, Reference
from vastplan.sim.vast.settle import arm_row


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if old is None:
        row["uuid"] = str(uuid4())
        row["nguid"] = row["uuid"].replace("-", "")
        row["state"] = "CREATING"
        arm_row(cluster, row, {"state": "CREATED"})


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    view = cluster.get("views", row["view_id"]) or {}
    row["_tenant"] = view["tenant_id"]
    if "BLOCK" not in view["protocols"]:
        yield "view_id", f"View {view['path']} does not have protocol BLOCK."
    if row["name"].startswith("/"):
        yield "name", "The name is relative to the view and does not start with '/'."
    if row["size"] <= 0:
        yield "size", "Ensure this value is greater than 0."
    elif old is not None and row["size"] < old["size"]:
        yield "size", "A volume cannot shrink."
    policy = cluster.get("qospolicies", row.get("qos_policy_id"))
    if policy is not None and policy["policy_type"] != "VOLUME":
        yield "qos_policy_id", f"QoS policy {policy['name']} is of type {policy['policy_type']}, not VOLUME."
    elif policy is not None and policy["tenant_id"] not in (None, view["tenant_id"]):
        yield "qos_policy_id", f"{policy['name']} belongs to another tenant."


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    view = cluster.get("views", row["view_id"]) or {"path": "", "tenant_id": None}
    return {
        "qos_policy": cluster.brief("qospolicies", row.get("qos_policy_id")),
        "full_path": f"{view['path'].rstrip('/')}/{row['name']}",
        "tenant_name": cluster.name_of("tenants", view["tenant_id"]),
        "capacity": row["size"],
    }


VOLUMES = ApiCollection(
    "volumes",
    unique=(("name", "view_id"),),
    references=(Reference("view_id", "views"), Reference("qos_policy_id", "qospolicies")),
    defaults={"tags": {}, "mapped_block_host_count": 0, "mapped_block_hosts_preview": ""},
    nullable=frozenset({"qos_policy_id"}),
    silent=True,
    fill=_fill,
    check=_check,
    show=_show,
)
