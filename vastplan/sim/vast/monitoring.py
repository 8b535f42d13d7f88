"""What monitoring scripts ask a cluster for: ad hoc queries of metrics, and the audit settings.

Nothing is measured: a query answers one sample of zeros for each object that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.sim.store import Row
from vastplan.sim.vast import tasks
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import REQUIRED, raise_for

AD_HOC_QUERY, AUDITING = "/monitors/ad_hoc_query/", "/clusters/{id}/auditing/"
OBJECTS = {
    "cluster": "clusters",
    "replicationstream": "replicationstreams",
    "cnode": "",
    "dnode": "",
    "nvram": "",
    "ssd": "",
}
CONTROL, SETTINGS = "_control", "auditing"
UNKNOWN = "Unknown field."
AUDIT_SETTINGS: Row = {
    "audit_dir_name": "", "enable_json_audit": False, "enable_vast_db_audit": False, "max_audit_dir_size": "",
    "max_file_size": 0, "max_retention_period": 0, "max_retention_timeunit": "", "protocols": [], "protocols_audit": {},
    "read_access_users": [], "read_access_users_groups": [],
}  # fmt: skip
Query = Mapping[str, list[str]]


def _listed(query: Query, name: str) -> list[str]:
    return [part for text in query.get(name, ()) for part in text.split(",") if part]


def query_metrics(cluster: VastCluster, query: Query) -> Row:
    """The answer to an ad hoc query; raises `VmsError` (400) for an unknown type of object."""
    kind = query.get("object_type", [""])[0]
    refusal = REQUIRED if not kind else f'"{kind}" is not a valid choice.'
    raise_for([] if kind in OBJECTS else [("object_type", refusal)])
    wanted, metrics = _listed(query, "object_ids"), query.get("prop_list", [])
    found = [row["id"] for row in cluster.store.rows(OBJECTS[kind]) if not wanted or str(row["id"]) in wanted]
    samples = [[cluster.now(), key, *(0 for _ in metrics)] for key in found]
    return {"data": samples, "object_ids": found, "prop_list": ["timestamp", "object_id", *metrics]}


def audit_settings(cluster: VastCluster) -> Row:
    """The cluster's audit settings: off, until they are changed."""
    return AUDIT_SETTINGS | {"vast_audit_log_state": "NONE"} | (cluster.store.get(CONTROL, SETTINGS) or {})


def change_audit_settings(cluster: VastCluster, body: Row) -> Row:
    """Change audit settings; the answer has them, and the task that applies them. Raises `VmsError` (400)."""
    raise_for((name, UNKNOWN) for name in sorted(body.keys() - AUDIT_SETTINGS.keys()) if cluster.strict)
    task, succeeds = tasks.start_task(cluster, "modify_auditing")
    if succeeds:
        kept = {
            name: body.get(name, value) for name, value in audit_settings(cluster).items() if name in AUDIT_SETTINGS
        }
        cluster.store.put(CONTROL, SETTINGS, kept)
    return audit_settings(cluster) | tasks.embedded(task)
