"""The kinds of data sources: what each must hold, what it defaults to, what a PUT may change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row


@dataclass(frozen=True, slots=True)
class AssetKind:
    """One kind: its last path segment, its `meta.kind`, and its key in the unified list's `spec`."""

    path: str
    kind: str
    key: str
    required: tuple[str, ...]
    updates: Literal["path", "spec", "meta"]
    synced: bool = True  # whether the clusters report a status
    defaults: Row = field(default_factory=dict)

    def complete(self, sent: Row | None) -> Row:
        """A create (or full update) body's spec with its defaults; refuses (400) one that lacks a mandatory field."""
        spec = {name: value for name, value in (sent or {}).items() if value is not None}
        missing = [name for name in self.required if name not in spec]
        if missing:
            raise RunaiError(400, f"spec: {', '.join(missing)} is required")
        return json_copy(self.defaults) | spec


CLAIM_DEFAULTS: Row = {
    "claimName": None,
    "existingPvc": False,
    "readOnly": False,
    "ephemeral": False,
    "dataSharing": False,
    "claimInfo": None,
}
KINDS = {
    kind.path: kind
    for kind in (
        AssetKind("pvc", "pvc", "pvc", ("path",), "path", defaults=CLAIM_DEFAULTS),
        AssetKind("nfs", "nfs", "nfs", ("server", "path", "mountPath"), "spec", False, {"readOnly": True}),
        AssetKind("s3", "s3", "s3", ("bucket", "path"), "spec"),
        AssetKind("git", "git", "git", ("repository", "path"), "spec"),
        AssetKind("host-path", "hostPath", "hostPath", ("path", "mountPath"), "spec", False, {"readOnly": True}),
        AssetKind("config-map", "config-map", "config_map", ("configMap", "mountPath"), "meta"),
        AssetKind("secrets", "secret-volume", "secret", ("credentialAssetId", "mountPath"), "meta"),
    )
}
