"""The Kubernetes Secrets of credentials: an existing Secret is looked up in the namespace from which Run:ai takes it."""

from __future__ import annotations

from vastplan.sim.runai import scopes
from vastplan.sim.runai.claims import SHARED_NAMESPACE
from vastplan.sim.runai.context import Context
from vastplan.sim.store import Row


def find_secret(ctx: Context, row: Row) -> None:
    """Record a missing Secret in `issues`; the caller stores the row."""
    row["issues"], row["message"] = [], ""
    name = row["spec"].get("existingSecretName")
    if name is None or row["scope"] == "tenant":
        return
    side = ctx.side(row["clusterId"])
    namespace: str | None = SHARED_NAMESPACE
    if row["scope"] == "project":
        namespace = next((project["namespace"] for project in scopes.projects(ctx, "project", row["unit"])), None)
    if side is None or namespace is None:
        row["message"] = f"{row['scope']} {row['unit']} has no namespace"
    elif not side.secret_exists(namespace, name):
        row["message"] = f"Secret {namespace}/{name} is not there"
    if row["message"]:
        row["issues"].append({"scopeType": row["scope"], "scopeId": row["unit"], "issue": "NotCreated"})
