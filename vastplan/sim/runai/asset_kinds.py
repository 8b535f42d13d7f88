"""The kinds of assets (data sources, credentials): their required fields, defaults, and what a PUT may change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from vastplan.sim.json_copy import json_copy
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row


@dataclass(frozen=True, slots=True)
class AssetKind:
    """One kind: its last path segment, its `meta.kind`, and its key in the unified list's `spec`.

    `values` are secrets that a create may send instead of `existingSecretName`: they are not stored.
    """

    path: str
    kind: str
    key: str
    required: tuple[str, ...]
    updates: Literal["path", "spec", "meta"]
    synced: bool = True  # whether the clusters report a status
    defaults: Row = field(default_factory=dict)
    family: Literal["datasource", "credentials"] = "datasource"
    values: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()  # fields of the spec that name a credential; its existence is not checked
    private: bool = False  # whether it may be restricted to its creator
    deleted: int = 202  # the status of a DELETE

    @property
    def in_cluster(self) -> bool:
        """Whether the clusters create an object for it, or check for one."""
        return self.path == "pvc" or self.family == "credentials"

    def complete(self, sent: Row | None) -> Row:
        """The spec of a create (or full update) body with its defaults; refuses (400) a spec without a mandatory field."""
        spec = {name: value for name, value in (sent or {}).items() if value is not None}
        missing = [name for name in self.required if name not in spec]
        if missing:
            raise RunaiError(400, f"spec: {', '.join(missing)} is required")
        if self.values:
            return self._without_values(spec)
        return json_copy(self.defaults) | spec

    def _without_values(self, spec: Row) -> Row:
        given = [name for name in self.values if spec.get(name)]
        if "existingSecretName" in spec and given:
            raise RunaiError(400, "spec: either existingSecretName or the values")
        if "existingSecretName" not in spec and len(given) != len(self.values):
            raise RunaiError(400, f"spec: {', '.join(self.values)} is required without existingSecretName")
        return {"existingSecretName": spec.get("existingSecretName"), "keyId": 1}


CLAIM_DEFAULTS: Row = {
    "claimName": None,
    "existingPvc": False,
    "readOnly": False,
    "ephemeral": False,
    "dataSharing": False,
    "claimInfo": None,
}


def _credential(path: str, kind: str, *values: str, private: bool = False, deleted: int = 202) -> AssetKind:
    return AssetKind(
        path, kind, kind, (), "meta", family="credentials", values=values, private=private, deleted=deleted
    )


KINDS = {
    kind.path: kind
    for kind in (
        AssetKind("pvc", "pvc", "pvc", ("path",), "path", defaults=CLAIM_DEFAULTS),
        AssetKind("nfs", "nfs", "nfs", ("server", "path", "mountPath"), "spec", False, {"readOnly": True}),
        AssetKind("s3", "s3", "s3", ("bucket", "path"), "spec", refers=("accessKeyAssetId",)),
        AssetKind("git", "git", "git", ("repository", "path"), "spec", refers=("credentialId", "passwordAssetId")),
        AssetKind("host-path", "hostPath", "hostPath", ("path", "mountPath"), "spec", False, {"readOnly": True}),
        AssetKind("config-map", "config-map", "config_map", ("configMap", "mountPath"), "meta"),
        AssetKind(
            "secrets",
            "secret-volume",
            "secret",
            ("credentialAssetId", "mountPath"),
            "meta",
            refers=("credentialAssetId",),
        ),
        _credential("access-key", "accessKey", "accessKeyId", "secretAccessKey"),
        _credential("password", "password", "user", "password"),
        _credential("docker-registry", "dockerRegistry", "user", "password", "url", private=True),
        _credential("generic-secret", "genericSecret", "keyValuePairs", private=True, deleted=204),
    )
}
