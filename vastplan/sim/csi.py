"""The VAST CSI driver's part: what a claim of one of its classes becomes on the cluster that the simulator stands in for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from vastplan.sim.wire import Plane, Request


class VastStorage:
    """Provisions through the VMS API like the driver does: names are resolved by name only, one view and quota a volume."""

    def __init__(self, vast: Plane, token: str) -> None:
        self._vast = vast
        self._token = token

    def provision(self, parameters: dict[str, str], volume_id: str, size: int, name: str) -> dict[str, str]:
        """View and quota for a file volume, or a block volume in its subsystem; raises `ValueError` when a name is unknown."""
        if "subsystem" in parameters:
            return self._block(parameters, volume_id, size)
        policy = self._named("viewpolicies", parameters.get("view_policy", ""))
        if "vip_pool_name" in parameters:
            self._named("vippools", parameters["vip_pool_name"])
        path = "/" + "/".join(part for part in (parameters["root_export"].strip("/"), volume_id) if part)
        tenant = policy["tenant_id"]
        body: dict[str, Any] = {"path": path, "policy_id": policy["id"], "create_dir": True, "protocols": ["NFS"]}
        if "qos_policy" in parameters:
            body["qos_policy_id"] = self._named("qospolicies", parameters["qos_policy"])["id"]
        owned = {"tenant_id": tenant} if tenant is not None else {}
        view = self._call("POST", "/views/", {**body, **owned})
        quota = self._call(
            "POST", "/quotas/", {"name": name[:64], "path": path, "hard_limit": size, "create_dir": True, **owned}
        )
        kept = {key: value for key, value in parameters.items() if not key.startswith("csi.storage.k8s.io/")}
        return {**kept, "view_id": str(view["id"]), "quota_id": str(quota["id"]), "tenant_id": str(tenant)}

    def _block(self, parameters: dict[str, str], volume_id: str, size: int) -> dict[str, str]:
        subsystems = [
            view
            for view in self._listed("views")
            if view["name"] == parameters["subsystem"] and "BLOCK" in view["protocols"]
        ]
        if "tenant_name" in parameters:
            subsystems = [view for view in subsystems if view["tenant_name"] == parameters["tenant_name"]]
        if len(subsystems) != 1:
            raise ValueError(f"{len(subsystems)} subsystems are named {parameters['subsystem']}")
        body: dict[str, Any] = {"name": volume_id, "size": size, "view_id": subsystems[0]["id"]}
        if "qos_policy" in parameters:
            body["qos_policy_id"] = self._named("qospolicies", parameters["qos_policy"])["id"]
        volume = self._call("POST", "/volumes/", body)
        return {"subsystem": parameters["subsystem"], "volume_id": str(volume["id"])}

    def expand(self, volume_id: str, size: int) -> None:
        """Raise the quota's hard limit, or the block volume's size."""
        for quota in self._of_volume("quotas", "path", volume_id):
            self._call("PATCH", f"/quotas/{quota['id']}/", {"hard_limit": size})
        for volume in self._of_volume("volumes", "name", volume_id):
            self._call("PATCH", f"/volumes/{volume['id']}/", {"size": size})

    def delete(self, volume_id: str) -> None:
        """Remove view and quota, or the block volume."""
        for collection, field in (("views", "path"), ("quotas", "path"), ("volumes", "name")):
            for row in self._of_volume(collection, field, volume_id):
                self._call("DELETE", f"/{collection}/{row['id']}/", None)

    def _of_volume(self, collection: str, field: str, volume_id: str) -> list[dict[str, Any]]:
        return [row for row in self._listed(collection) if str(row[field]).rsplit("/", 1)[-1] == volume_id]

    def _listed(self, collection: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._call("GET", f"/{collection}/", None)
        return rows

    def _named(self, collection: str, name: str) -> dict[str, Any]:
        matches = [row for row in self._listed(collection) if row["name"] == name]
        if len(matches) != 1:
            problem = "no object" if not matches else "too many objects"
            raise ValueError(f"{collection}: {problem} with name {name!r}")
        return matches[0]

    def _call(self, method: str, path: str, body: Any) -> Any:
        raw = b"" if body is None else json.dumps(body).encode()
        headers: Mapping[str, str] = {"authorization": f"Api-Token {self._token}"}
        response = self._vast.handle(Request(method, f"/api/v5{path}", {}, headers, raw, "https://vms.invalid"))
        if response.status >= 400:
            raise ValueError(f"{method} {path}: {response.status} {response.body}")
        return response.body
