"""Protection policies: what to snapshot when, how long to keep it, and where to replicate it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import durations
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import REQUIRED, Problem, missing_object
from vastplan.sim.vast.records import ApiCollection, Memo, Reference
from vastplan.sim.vast.tenants import remote_objects, remote_of

PEERS = "nativereplicationremotetargets"
SPANS = ("every", "keep-local", "keep-remote")
FRAME = (*SPANS, "start-at")


def _start(text: str) -> datetime | None:
    for form in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"):
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def _frame_problems(frame: Any, local: bool, strict: bool) -> Iterator[Problem]:
    if not isinstance(frame, dict):  # one release's document does not describe a frame
        yield "frames", "Invalid data. Expected a dictionary."
        return
    if strict:
        yield from (("frames", f"{name}: Unknown field.") for name in sorted(frame.keys() - set(FRAME)))
    if frame.get("every") is None:
        yield "frames", f"every: {REQUIRED}"
    for name in SPANS:
        value = frame.get(name)
        total = durations.suffixed(value) if isinstance(value, str) else None
        if value is not None and (total is None or (name == "every" and total == 0)):
            yield "frames", f"{name}: {value!r} is not a duration."
    start = frame.get("start-at")
    if start is not None and not (isinstance(start, str) and _start(start)):
        yield "frames", f"start-at: {start!r} is not of the form YYYY-MM-DD HH:MM:SS."
    keep = frame.get("keep-remote")
    if local and keep is not None and not (isinstance(keep, str) and durations.suffixed(keep) == 0):
        yield "frames", "keep-remote: Not for policies of clone_type LOCAL."


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    row["is_local"] = row["clone_type"] == "LOCAL"
    row["is_on_schedule"], row["state"], row["schedule_miss"] = True, "working", 0
    if _well_formed(row, body):  # each value as it was sent: no source says what VMS changes
        row["frames"] = [{name: frame.get(name) for name in FRAME} for frame in row["frames"]]
    row["big_catalog"] = body.get("big_catalog", (old or {}).get("big_catalog", False))  # never shown
    peer = cluster.get(PEERS, row["target_object_id"])
    tenants = remote_objects(cluster, str(row["target_object_id"]), None) or ()
    if "remote_tenant_guid" in body:
        row["remote_tenant"] = next(
            (tenant for tenant in tenants if tenant["guid"] == body["remote_tenant_guid"]), None
        )
    if peer is not None:
        row["target_guid"] = peer["guid"]


def _well_formed(row: Row, body: Row) -> bool:
    # Frames that will be refused are kept as sent, so that the refusal can quote them.
    local = row["clone_type"] == "LOCAL"
    return not any(list(_frame_problems(frame, local, strict=False)) for frame in body.get("frames", ()))


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    local = row["clone_type"] == "LOCAL"
    if not row["frames"]:
        yield "frames", "This list may not be empty."
    for frame in body.get("frames", row["frames"]) or ():
        yield from _frame_problems(frame, local, cluster.strict)
    if local and row["target_object_id"] is not None:
        yield "target_object_id", "Not for policies of clone_type LOCAL."
    if not local:
        yield from _target_problems(cluster, row, body)
    catalogs = [other["id"] for other in cluster.rows("protectionpolicies", big_catalog=True)]
    if row["big_catalog"] and catalogs not in ([], [row["id"]]):
        yield "big_catalog", "There is a big catalog policy already."


def _target_problems(cluster: VastCluster, row: Row, body: Row) -> Iterator[Problem]:
    target = row["target_object_id"]
    if target is None:
        yield "target_object_id", f"This field is required with clone_type {row['clone_type']}."
        return
    peer = cluster.get(PEERS, target)
    if row["clone_type"] == "CLOUD_REPLICATION" or peer is None:  # no S3 targets are simulated
        yield "target_object_id", missing_object(target)
    elif remote_of(cluster, peer) is None and peer["state"] != "CONNECTING":
        yield "target_object_id", f"Replication peer {peer['name']} is not connected."
    elif peer["state"] == "CONNECTED" and body.get("remote_tenant_guid") is not None and row["remote_tenant"] is None:
        yield "remote_tenant_guid", missing_object(body["remote_tenant_guid"])


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    peer = cluster.name_of(PEERS, row["target_object_id"])
    return {
        "tenant": cluster.brief("tenants", row["tenant_id"]),
        "target_name": peer,
        "native_replication_remote_target": peer,
        "pretty_schedules": [f"every {frame['every']}" for frame in row["frames"]],
    }


PROTECTION_POLICIES = ApiCollection(
    "protectionpolicies",
    unique=(("name",),),
    references=(Reference("tenant_id", "tenants"), Reference("target_object_id", PEERS, through="target")),
    blockers=(("protectedpaths", "protection_policy_id"),),
    nullable=frozenset({"target_object_id", "tenant_id", "remote_tenant_guid"}),
    either={"frames": list},  # an object in one release's document
    unsendable=frozenset({"id", "guid"}),
    fill=_fill,
    check=_check,
    show=_show,
)
