"""The audit log: every call that changed something, or tried to, with its author.

The document's answer requires `logs` and describes `audit_logs`; here it is `audit_logs` (RAI-076).
"""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from typing import Any

from vastplan.sim.runai.context import Context, Routes, RunaiCall
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row
from vastplan.sim.wire import Request, Response

PATH = "/api/v1/audit/log"
SAMPLES, KEPT = 20, 10_000
TERM = re.compile(r"([a-z_]+)==(.+)")
ACTIONS = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
# The last segment of a collection's path -> the entity type, in the singular.
ENTITIES = {
    "projects": "project", "departments": "department", "access-rules": "access-rule", "node-pools": "node-pool",
    "pvc": "datasource", "nfs": "datasource", "s3": "datasource", "git": "datasource", "host-path": "datasource",
    "config-map": "datasource", "secrets": "datasource", "access-key": "credential", "password": "credential",
    "docker-registry": "credential", "generic-secret": "credential",
}  # fmt: skip


def record_call(ctx: Context, request: Request, template: str, key: str, answer: Response) -> None:
    """Record a call; `key` is the id in its path, "" for a create."""
    collection = template.split("/{", 1)[0].rsplit("/", 1)[-1]
    body = answer.body if isinstance(answer.body, dict) else {}
    meta = body.get("meta") if isinstance(body.get("meta"), dict) else body
    assert isinstance(meta, dict)
    number = ctx.number("audit", 1)
    row: Row = {
        "id": str(uuid.UUID(int=number)),
        "timestamp": ctx.now(),
        "tenant_id": "1001",
        "subject": ctx.author,
        "subject_type": "App",
        "source_ip": "127.0.0.1",
        "action": ACTIONS[request.method],
        "http_method": request.method,
        "url": request.path,
        "entity_type": ENTITIES.get(collection, collection),
        "entity_name": str(meta.get("name") or ""),
        "entity_id": key or str(meta.get("id") or ""),
        "result": "Succeeded" if answer.status < 400 else "Failed",
        "http_status_code": answer.status,
    }
    ctx.store.put(f"{ctx.name}/audit", row["id"], row)
    ctx.store.remove(f"{ctx.name}/audit", str(uuid.UUID(int=max(0, number - KEPT))))


def _logs(ctx: Context, call: RunaiCall) -> Response:
    start, end = _time(call.query["start"]), _time(call.query["end"])
    rows = [row for row in ctx.rows("audit") if start <= _time(row["timestamp"]) <= end]
    for term in call.query.get("filterBy", ()):
        match = TERM.fullmatch(term)
        if match is None:
            raise RunaiError(501, f"filterBy: {term!r}: only == is simulated")
        rows = [row for row in rows if str(row.get(match[1], "")) == match[2]]
    rows.sort(key=lambda row: str(row[call.query.get("sortBy", "timestamp")]), reverse=_descends(call.query))
    offset = call.query.get("offset", 0)
    page = rows[offset : offset + call.query.get("numberOfSamples", SAMPLES)]
    following = offset + len(page)
    more = {"next": following} if following < len(rows) else {}
    return Response(200, {"total": len(rows), "audit_logs": page, **more})


def _descends(query: Any) -> bool:
    return bool(query.get("sortOrder") == "desc")


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise RunaiError(400, f"{text!r} is not a time") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


ROUTES: Routes = {("GET", PATH): _logs}
