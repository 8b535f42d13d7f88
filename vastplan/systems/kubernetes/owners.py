"""The controllers that manage an object: its owner references, and for a claim the writer of its spec.

A StatefulSet's claims have no owner reference under the default retention policy, and their labels are the workload's
own. `managedFields` shows who created such a claim: the controller manager wrote its spec. In a claim of anybody else the
controller manager only fills in the volume. Fields: https://kubernetes.io/docs/reference/using-api/server-side-apply/
(`fieldsV1`), https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ (retention of claims).
"""

from __future__ import annotations

from typing import Any

from vastplan.schema.kind import Row
from vastplan.schema.rows import at
from vastplan.systems.kubernetes import managers

CONTROLLERS = "kube-controller-manager"
_ASKED_FOR = ("fieldsV1", "f:spec", "f:resources")  # of a claim; whoever binds a claim writes f:volumeName


def owners_of(row: Row) -> tuple[str, ...]:
    """Owners as `KIND NAME`, sorted, or `kube-controller-manager` for a claim that it created; empty if nothing shows
    one.
    """
    references = at(row, ("metadata", "ownerReferences"))
    owners = {_named(owner) for owner in references if isinstance(owner, dict)} if isinstance(references, list) else ()
    if owners:
        return tuple(sorted(owners))
    by_controller = any(
        entry.get("manager") == CONTROLLERS and isinstance(at(entry, _ASKED_FOR), dict)
        for entry in managers.entries(row)
    )
    return (CONTROLLERS,) if by_controller else ()


def _named(owner: dict[str, Any]) -> str:
    return f"{owner.get('kind')} {owner.get('name')}"
