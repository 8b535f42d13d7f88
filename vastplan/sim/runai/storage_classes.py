"""Storage classes as the cluster reports them, and the configuration that an administrator adds."""

from __future__ import annotations

import uuid

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai.context import TENANT, Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import page_rows, select_rows
from vastplan.sim.store import Row
from vastplan.sim.wire import Response

PATH = "/api/v1/storage-class-configuration"
NONE = {"name": "runai-none", "provisioner": "", "allow_volume_expansion": False, "is_default": False}


def configuration(ctx: Context, cluster_id: str, name: str | None) -> Row:
    """The configuration of a class, with its permissions and customization; `{}` if it has none."""
    for row in ctx.rows("sc-config"):
        if (row["scopeId"], row["name"]) == (cluster_id, name):
            return row
    return {}


def _classes(ctx: Context, call: RunaiCall) -> list[Row]:
    side = ctx.side(call.query["clusterId"])
    classes = side.storage_classes() if side else []
    if call.query.get("includeNone"):
        classes = [*classes, NONE]
    return [row for row in classes if call.query.get("name", row["name"]) == row["name"]]


def _list_v1(ctx: Context, call: RunaiCall) -> Response:
    items = [
        {
            "cluster_id": call.query["clusterId"],
            "storage_class_name": row["name"],
            "Spec": {name: row[name] for name in ("provisioner", "allow_volume_expansion", "is_default")},
        }
        for row in _classes(ctx, call)
    ]
    return Response(200, {"items": items})


def _list_v2(ctx: Context, call: RunaiCall) -> Response:
    items = []
    for row in _classes(ctx, call):
        configured = configuration(ctx, call.query["clusterId"], row["name"])
        items.append(
            {
                "clusterId": call.query["clusterId"],
                "storageClassName": row["name"],
                "spec": {
                    "provisioner": row["provisioner"],
                    "allowVolumeExpansion": row["allow_volume_expansion"],
                    "isDefault": row["is_default"],
                },
                "permissions": json_copy(configured.get("permissions")),
                "customization": json_copy(configured.get("customization")),
            }
        )
    return Response(200, {"items": items})


def _list(ctx: Context, call: RunaiCall) -> Response:
    fields = {"tenantId": lambda row: TENANT}
    page, following = page_rows(select_rows(ctx.rows("sc-config"), call.query, fields), call.query)
    return Response(200, {"storageClassConfigurations": [_view(row) for row in page], **following})


def _view(row: Row) -> Row:
    return json_copy(row) | {"tenantId": TENANT}


def _need(ctx: Context, call: RunaiCall) -> Row:
    if call.query.get("tenantId", TENANT) != TENANT:
        raise RunaiError(404, f"tenant {call.query['tenantId']}")
    return ctx.need("sc-config", call.params[0])


def _get(ctx: Context, call: RunaiCall) -> Response:
    return Response(200, _view(_need(ctx, call)))


def _create(ctx: Context, call: RunaiCall) -> Response:
    body = call.body
    if (body.get("tenantId") or TENANT) != TENANT:
        raise RunaiError(400, f"tenantId {body['tenantId']} is not that of this control plane")
    ctx.need("cluster", body["scopeId"])
    if not body["name"]:
        raise RunaiError(400, "name is empty")
    if configuration(ctx, body["scopeId"], body["name"]):
        raise RunaiError(409, f"{body['name']} is configured in this cluster")
    row = {
        "id": str(uuid.uuid4()),
        **{name: body[name] for name in ("scopeType", "scopeId", "name")},
        **{name: body.get(name) for name in ("permissions", "customization")},
    }
    ctx.put("sc-config", row)
    return Response(201, _view(row))


def _replace(ctx: Context, call: RunaiCall) -> Response:
    row = _need(ctx, call)
    row |= {name: call.body.get(name) for name in ("permissions", "customization")}
    ctx.put("sc-config", row)
    return Response(200, _view(row))


def _patch(ctx: Context, call: RunaiCall) -> Response:
    row = _need(ctx, call)
    changes = json_copy(call.body)
    if changes.get("permissions") is not None:
        row["permissions"] = (row["permissions"] or {}) | changes["permissions"]
    if changes.get("customization") is not None:
        old, new = row["customization"] or {}, changes["customization"]
        removed = set(new.pop("attributesToRemove", None) or ())
        listed = [*(old.get("attributes") or ()), *(new.get("attributes") or ())]
        attributes = {attribute["key"]: attribute for attribute in listed if attribute is not None}
        kept = [attribute for key, attribute in attributes.items() if key not in removed]
        row["customization"] = old | new | ({"attributes": kept} if attributes else {})
    ctx.put("sc-config", row)
    return Response(200, _view(row))


def _delete(ctx: Context, call: RunaiCall) -> Response:
    ctx.remove("sc-config", _need(ctx, call))
    return Response(204)


ROUTES: Routes = {
    ("GET", "/api/v1/storage-classes"): _list_v1,
    ("GET", "/api/v2/storage-classes"): _list_v2,
    ("GET", PATH): _list,
    ("POST", PATH): _create,
    ("GET", f"{PATH}/{{id}}"): _get,
    ("PUT", f"{PATH}/{{id}}"): _replace,
    ("PATCH", f"{PATH}/{{id}}"): _patch,
    ("DELETE", f"{PATH}/{{id}}"): _delete,
}
