"""People whom no document knows, at work with the vendors' own clients: what they leave is what guards have to see.

`ClusterStranger` is a team on the cluster (the official Python client), `Kubectl` the same by kubectl, `StorageStranger` a
storage administrator (`vastpy`). None of them knows vastplan, its kinds or the simulators.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import vastpy
from kubernetes import client, config

FILE = "csi.vastdata.com"
_LOOKS = 20  # at an object, until what was asked for has happened
_SNAPSHOTS = ("snapshot.storage.k8s.io", "v1")
Json = dict[str, Any]


def _mounting(volumes: Mapping[str, Json]) -> Json:
    return {
        "containers": [{
            "name": "main", "image": "busybox:1.36",
            "volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in volumes],
        }],
        "volumes": [{"name": name, **source} for name, source in volumes.items()],
    }  # fmt: skip


class ClusterStranger:
    """A team with a kubeconfig; every object is plain JSON, as the server has it."""

    def __init__(self, kubeconfig: str) -> None:
        self._connection: Any = config.new_client_from_config(kubeconfig, persist_config=False)  # type: ignore[no-untyped-call]
        self.core: Any = client.CoreV1Api(self._connection)
        self.storage: Any = client.StorageV1Api(self._connection)
        self.custom: Any = client.CustomObjectsApi(self._connection)

    def close(self) -> None:
        """Let go of the connections."""
        self._connection.close()

    def __enter__(self) -> ClusterStranger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _json(self, answer: Any) -> Any:
        return self._connection.sanitize_for_serialization(answer)

    def _until(self, look: Callable[[], Any], happened: Callable[[Json], bool]) -> Json:
        for _ in range(_LOOKS):
            found: Json = self._json(look())
            if happened(found):
                return found
        raise AssertionError(f"it did not happen: {found.get('status')}")

    def namespace(self, name: str, **labels: str) -> Json:
        """A namespace."""
        body = {"metadata": {"name": name, "labels": labels}}
        made: Json = self._json(self.core.create_namespace(body))
        return made

    def storage_class(self, name: str, parameters: Mapping[str, str], **fields: Any) -> Json:
        """A StorageClass of the file driver; `fields` are its other ones, as `mountOptions`."""
        body = {"metadata": {"name": name}, "provisioner": FILE, "parameters": dict(parameters), **fields}
        made: Json = self._json(self.storage.create_storage_class({"allowVolumeExpansion": True, **body}))
        return made

    def claim(
        self, namespace: str, name: str, storage_class: str, size: str = "1Gi", *, bound: bool = True, **spec: Any
    ) -> Json:
        """A claim of a class, by default once it is bound."""
        wanted = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": size}}, **spec}
        body = {"metadata": {"name": name}, "spec": {"storageClassName": storage_class, **wanted}}
        made: Json = self._json(self.core.create_namespaced_persistent_volume_claim(namespace, body))
        return self.seen_claim(namespace, name, "Bound") if bound else made

    def seen_claim(self, namespace: str, name: str, phase: str) -> Json:
        """A claim once it is in a phase."""
        return self._until(
            lambda: self.core.read_namespaced_persistent_volume_claim(name, namespace),
            lambda found: bool(found["status"].get("phase") == phase),
        )

    def grow(self, namespace: str, name: str, size: str) -> Json:
        """A claim once it has grown."""
        body = {"spec": {"resources": {"requests": {"storage": size}}}}
        self.core.patch_namespaced_persistent_volume_claim(name, namespace, body)
        return self._until(
            lambda: self.core.read_namespaced_persistent_volume_claim(name, namespace),
            lambda found: bool(found["status"]["capacity"]["storage"] == size),
        )

    def volume_of(self, namespace: str, claim: str) -> Json:
        """The PersistentVolume that a claim is bound to."""
        found = self.core.read_namespaced_persistent_volume_claim(claim, namespace)
        volume: Json = self._json(self.core.read_persistent_volume(found.spec.volume_name))
        return volume

    def volumes(self) -> list[Json]:
        """All PersistentVolumes."""
        found: list[Json] = self._json(self.core.list_persistent_volume())["items"]
        return found

    def pod(
        self, namespace: str, name: str, claims: Iterable[str] = (), *, inline: Mapping[str, str] | None = None,
        phase: str = "Running",
    ) -> Json:  # fmt: skip
        """A pod with claims, or with a volume of the driver of its own (its attributes), once it is in a phase."""
        sources: dict[str, Json] = {one: {"persistentVolumeClaim": {"claimName": one}} for one in claims}
        if inline is not None:
            sources["scratch"] = {"csi": {"driver": FILE, "volumeAttributes": dict(inline)}}
        self.core.create_namespaced_pod(namespace, {"metadata": {"name": name}, "spec": _mounting(sources)})
        return self.seen_pod(namespace, name, phase)

    def seen_pod(self, namespace: str, name: str, phase: str) -> Json:
        """A pod once it is in a phase."""
        return self._until(
            lambda: self.core.read_namespaced_pod(name, namespace),
            lambda found: bool(found["status"]["phase"] == phase),
        )

    def snapshot(self, namespace: str, name: str, claim: str, snapshot_class: str) -> Json:
        """A VolumeSnapshot of a claim, once it is ready."""
        where = (*_SNAPSHOTS, namespace, "volumesnapshots")
        source = {"persistentVolumeClaimName": claim}
        body = {
            "apiVersion": "/".join(_SNAPSHOTS), "kind": "VolumeSnapshot", "metadata": {"name": name},
            "spec": {"source": source, "volumeSnapshotClassName": snapshot_class},
        }  # fmt: skip
        self.custom.create_namespaced_custom_object(*where, body)
        return self._until(
            lambda: self.custom.get_namespaced_custom_object(*where, name),
            lambda found: bool(found.get("status", {}).get("readyToUse")),
        )

    def snapshot_class(self, name: str, deletion_policy: str = "Delete") -> None:
        """A class of snapshots."""
        body = {
            "apiVersion": "/".join(_SNAPSHOTS), "kind": "VolumeSnapshotClass", "metadata": {"name": name},
            "driver": FILE, "deletionPolicy": deletion_policy,
        }  # fmt: skip
        self.custom.create_cluster_custom_object(*_SNAPSHOTS, "volumesnapshotclasses", body)

    def drop_snapshot(self, namespace: str, name: str) -> None:
        """Delete a VolumeSnapshot; it is gone after that."""
        where = (*_SNAPSHOTS, namespace, "volumesnapshots")
        self.custom.delete_namespaced_custom_object(*where, name)
        self._gone(lambda: self.custom.get_namespaced_custom_object(*where, name))

    def drop_claim(self, namespace: str, name: str) -> None:
        """Delete a claim that nothing uses; it is gone after that."""
        self.core.delete_namespaced_persistent_volume_claim(name, namespace)
        self._gone(lambda: self.core.read_namespaced_persistent_volume_claim(name, namespace))

    def _gone(self, look: Callable[[], Any]) -> None:
        for _ in range(_LOOKS):
            try:
                look()
            except client.ApiException as refused:
                if refused.status != 404:
                    raise
                return
        raise AssertionError("it does not go")

    def events(self, namespace: str) -> list[tuple[str, str]]:
        """Reason and message of the Events of a namespace; those of what is in none are in `default`."""
        found = self._json(self.core.list_namespaced_event(namespace))["items"]
        return [(one["reason"], one["message"]) for one in found]


class Kubectl:
    """kubectl with a kubeconfig, and a folder for its cache."""

    def __init__(self, program: str, kubeconfig: str, folder: Path) -> None:
        self._command = [program, "--kubeconfig", kubeconfig, "--cache-dir", str(folder / "cache")]
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}

    def __call__(self, *words: str, code: int = 0, manifest: str = "") -> str:
        """What it prints; `manifest` is what it reads for `-f -`."""
        done = subprocess.run(
            [*self._command, *words], capture_output=True, text=True, timeout=60, check=False, input=manifest,
            env=self._environment,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


class StorageStranger:
    """A storage administrator with vastpy: pools, policies, views and quotas made by hand."""

    def __init__(self, url: str, user: str, password: str, ca_file: str) -> None:
        self.vms: Any = vastpy.VASTClient(
            user=user, password=password, address=url.removeprefix("https://"), cert_file=ca_file,
            cert_server_name="localhost",
        )  # fmt: skip

    def pool(self, name: str, first: str, last: str, **fields: Any) -> Json:
        """A VIP pool of one range."""
        made: Json = self.vms.vippools.post(name=name, subnet_cidr=24, ip_ranges=[[first, last]], **fields)
        return made

    def policy(self, name: str, tenant_id: int = 1, **fields: Any) -> Json:
        """A view policy."""
        made: Json = self.vms.viewpolicies.post(name=name, flavor="NFS", tenant_id=tenant_id, **fields)
        return made

    def view(self, path: str, policy_id: int, tenant_id: int = 1, **fields: Any) -> Json:
        """A view and its directory."""
        made: Json = self.vms.views.post(path=path, policy_id=policy_id, tenant_id=tenant_id, create_dir=True, **fields)
        return made

    def quota(self, path: str, hard_limit: int, tenant_id: int = 1) -> Json:
        """A quota on a directory that is there."""
        made: Json = self.vms.quotas.post(name=path.strip("/"), path=path, hard_limit=hard_limit, tenant_id=tenant_id)
        return made

    def drop_pool(self, name: str) -> None:
        """Delete a pool by its name."""
        (row,) = self.vms.vippools.get(name=name)
        self.vms.vippools[row["id"]].delete()

    def paths(self, collection: str, below: str) -> list[str]:
        """The paths of a collection's rows below a directory."""
        return sorted(row["path"] for row in self.vms[collection].get() if row["path"].startswith(f"{below}/"))
