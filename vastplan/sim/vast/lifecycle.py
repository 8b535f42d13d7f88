"""Lifecycle rules of buckets. Nothing expires in the simulator: objects are only counted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem, missing_object
from vastplan.sim.vast.records import ApiCollection, Memo, Reference

NUMBERS = (
    "expiration_days", "noncurrent_days", "newer_noncurrent_versions", "abort_mpu_days_after_initiation", "min_size",
    "max_size",
)  # fmt: skip
ACTIONS = (
    "expiration_days", "expiration_date", "expired_obj_delete_marker", "noncurrent_days", "abort_mpu_days_after_initiation",
)  # fmt: skip


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if isinstance(row["view_id"], str) and row["view_id"].isdecimal():  # text in one release's document
        row["view_id"] = int(row["view_id"])
    row["object_age_attr"] = row["object_age_attr"] or "M_TIME"


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    view = cluster.get("views", row["view_id"])
    if view is None:
        yield "view_id", missing_object(row["view_id"])
    elif not view["bucket"]:
        yield "view_id", f"View {view['path']} has no bucket."
    for name in NUMBERS:
        if row[name] is not None and row[name] < 0:
            yield name, "Ensure this value is greater than or equal to 0."
    if row["expiration_date"]:
        try:
            date.fromisoformat(row["expiration_date"])
        except ValueError:
            yield "expiration_date", "Date has wrong format. Use YYYY-MM-DD."
    if row["expiration_days"] and row["expiration_date"]:
        yield "expiration_date", "Not together with expiration_days."
    if row["expired_obj_delete_marker"] and (row["expiration_days"] or row["expiration_date"]):
        yield "expired_obj_delete_marker", "Not together with expiration_days or expiration_date."
    if not any(row[name] for name in ACTIONS):
        yield "", "At least one action is required."


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    view = cluster.get("views", row["view_id"]) or {}
    return {"view_path": view.get("path")}


LIFECYCLE_RULES = ApiCollection(
    "s3lifecyclerules",
    unique=(("name", "view_id"),),
    references=(Reference("view_id", "views"),),
    defaults={"enabled": True, "object_age_attr": "M_TIME"},
    nullable=frozenset(NUMBERS) | {"prefix", "expiration_date", "tags"},
    optional_in_patch=frozenset({"name", "view_id"}),
    either={"view_id": int},
    fill=_fill,
    check=_check,
    show=_show,
)
