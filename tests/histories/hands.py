"""What others do on the live systems: strangers with work of their own, and hands that change what is ours."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.histories.edits import HOSTS
from tests.histories.look import DRIVER, identity
from tests.histories.plant import Plant

Key = tuple[str, str, str]
THEIRS = "theirs"
APPS, LEGACY = "nlp-apps", "legacy"
TRIES = 4
"""How many claims somebody makes until one is taken."""
_GIB = 2**30


class Hands:
    """Everybody who is not vastplan. `touched` are fields that hands moved by the object's key, `gone` what hands deleted."""

    def __init__(self, plant: Plant, numbers: list[int]) -> None:
        self.plant = plant
        self.numbers = numbers
        self.strangers: set[Key] = set()
        self.touched: dict[Key, set[str]] = {}
        self.gone: set[Key] = set()

    def call(self, site: str, system: str, method: str, path: str, body: Any = None) -> Any:
        """One call; the answer's body, `None` when it was refused."""
        response = self.plant.by_hand(site, system, method, path, body)
        return response.body if response.status < 400 else None

    def _theirs(self, site: str, kind: str, row: Any) -> Any:
        if row is not None:
            self.strangers.add((site, kind, identity(row)))
        return row

    def _make(self, site: str, path: str, body: Any) -> Any:
        return self.call(site, "vast", "POST", f"/api/v5{path}", body)

    def settle_in(self, site: str, chance: Random) -> None:
        """Strangers were there before us: a tenant of theirs, a class that applications use, a project with workloads."""
        tenant = self._theirs(site, "tenant", self._make(site, "/tenants/", {"name": THEIRS}))
        policy = {
            "name": THEIRS,
            "flavor": "NFS",
            "tenant_id": tenant["id"],
            "nfs_no_squash": list(HOSTS[:2]),
            "nfs_read_write": ["*"],
        }
        policy = self._theirs(site, "view_policy", self._make(site, "/viewpolicies/", policy))
        pool = {
            "name": THEIRS,
            "tenant_id": tenant["id"],
            "ip_ranges": [["10.40.0.10", "10.40.0.40"]],
            "subnet_cidr": 24,
        }
        self._theirs(site, "vip_pool", self._make(site, "/vippools/", pool))
        view = {
            "path": "/theirs/data",
            "policy_id": policy["id"],
            "tenant_id": tenant["id"],
            "create_dir": True,
            "protocols": ["NFS"],
        }
        self._theirs(site, "view", self._make(site, "/views/", view))
        quota = {"name": "theirs", "path": "/theirs/data", "tenant_id": tenant["id"], "hard_limit": 5 * 2**40}
        self._theirs(site, "quota", self._make(site, "/quotas/", quota))
        self._write(site, tenant["id"], "/theirs/data", 7 * _GIB)
        for name in (APPS, LEGACY):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            self._theirs(site, "namespace", self.call(site, "kubernetes", "POST", "/api/v1/namespaces", body))
        gold = {
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "gold"}, "provisioner": DRIVER,
            "parameters": {"root_export": "/gold", "view_policy": THEIRS, "vip_pool_name": THEIRS}, "allowVolumeExpansion": True,
        }  # fmt: skip
        self._theirs(
            site, "storage_class", self.call(site, "kubernetes", "POST", "/apis/storage.k8s.io/v1/storageclasses", gold)
        )
        for _ in range(chance.randint(1, 2)):
            self.claim(site, APPS, "gold")
        if chance.random() < 0.3:
            self.pod(site, LEGACY)

    def _write(self, site: str, tenant: int, path: str, size: int) -> None:
        self.plant.planes[site, "vast"].usage(path, tenant, size, 10)  # type: ignore[attr-defined]

    def _number(self) -> int:
        self.numbers[0] += 1
        return self.numbers[0]

    def claim(self, site: str, space: str, class_name: str) -> str:
        """Somebody claims a volume; what was typed, and `(refused)` where that is what came of it."""
        name = f"claim-{self._number()}"
        spec = {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": class_name,
            "resources": {"requests": {"storage": "10Gi"}},
        }
        body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
        path = f"/api/v1/namespaces/{space}/persistentvolumeclaims"
        row = self._theirs(site, "persistent_volume_claim", self.call(site, "kubernetes", "POST", path, body))
        for _ in range(2):
            self.call(site, "kubernetes", "GET", f"{path}/{name}")
        return f"{site}: kubectl -n {space} create claim {name} of class {class_name}{'' if row else ' (refused)'}"

    def pod(self, site: str, space: str) -> str:
        """Somebody runs a pod that brings a volume of the driver; `(refused)` as above."""
        name = f"pod-{self._number()}"
        spec = {"containers": [{"name": "c", "image": "i:1"}], "volumes": [{"name": "v", "csi": {"driver": DRIVER}}]}
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        row = self._theirs(site, "pod", self.call(site, "kubernetes", "POST", f"/api/v1/namespaces/{space}/pods", body))
        return f"{site}: kubectl -n {space} run {name} with an inline volume{'' if row else ' (refused)'}"

    def act(self, chance: Random, owned: set[Key]) -> str:
        """One thing that somebody does; what it was."""
        site = chance.choice(sorted({site for site, _ in self.plant.planes}))
        use = chance.random() < 0.55
        return self._use(site, chance) if use else self._change(site, chance, owned)

    def _use(self, site: str, chance: Random) -> str:
        """Somebody works: that makes data and uses what lets him in."""
        plant, what = self.plant, chance.choice(("claim", "claim", "data", "data", "snapshot", "workload"))
        if what == "claim":
            classes = [
                row["metadata"]["name"] for row in plant.rows(site, "kubernetes", "storageclasses.storage.k8s.io")
            ]
            spaces = [row["metadata"]["name"] for row in plant.rows(site, "kubernetes", "namespaces")]
            spaces = [name for name in spaces if name == APPS or name.startswith("runai-")]
            said = ""
            for _ in range(TRIES if classes and spaces else 0):  # people find out which class they may use
                said = self.claim(site, chance.choice(spaces), chance.choice(classes))
                if not said.endswith("(refused)"):
                    break
            return said
        if what == "workload":
            projects = [row for row in plant.rows(site, "runai", "project") if row["namespace"]]
            if not projects:
                return ""
            row, name = chance.choice(projects), f"train-{self._number()}"
            plant.planes[site, "runai"].submit(row["id"], name, gpus=0.5)  # type: ignore[attr-defined]
            return f"{site}: runai submit {name} to project {row['name']}"
        places = [
            (row["tenant_id"], row["path"])
            for row in (*plant.rows(site, "vast", "views"), *plant.rows(site, "vast", "quotas"))
        ]
        places = [place for place in places if place[0] is not None]
        if not places:
            return ""
        tenant, path = chance.choice(places)
        if what == "data":
            self._write(site, tenant, path, chance.choice((1, 5, 9)) * _GIB)
            return f"{site}: somebody writes to {path}"
        body = {"name": f"snap-{self._number()}", "path": path.rstrip("/") + "/", "tenant_id": tenant}
        row = self.call(site, "vast", "POST", "/api/v5/snapshots/", body)
        self._theirs(site, "snapshot", row)
        return f"{site}: somebody takes a snapshot of {path}{'' if row else ' (refused)'}"

    def _change(self, site: str, chance: Random, owned: set[Key]) -> str:
        """A hand changes or deletes an object that is ours."""
        changes = [change for change in self._changes(site, chance) if (site, change[0], change[1]) in owned]
        if not changes:
            return ""
        kind = chance.choice(sorted({change[0] for change in changes}))
        _, row_id, method, system, path, body, field = chance.choice(
            [change for change in changes if change[0] == kind]
        )
        response = self.plant.by_hand(site, system, method, path, body)
        if response.status >= 400:
            return ""
        key = (site, kind, row_id)
        if method == "DELETE":
            self.gone.add(key)
        self.touched.setdefault(key, set()).add(field)
        return f"{site}: by hand {method} {path} {body or ''}"

    def _changes(self, site: str, chance: Random) -> Iterator[tuple[str, str, str, str, str, Any, str]]:
        """What hands may do: kind, id, method, system, path, body, field."""
        for kind, collection, body, field in (
            ("quota", "quotas", {"hard_limit": chance.choice((1, 2, 4)) * 2**40}, "hard_limit"),
            ("view_policy", "viewpolicies", {"nfs_no_squash": sorted(chance.sample(HOSTS, 2))}, "nfs_no_squash"),
            (
                "qos_policy",
                "qospolicies",
                {"static_limits": {"max_writes_bw_mbps": chance.choice((50, 150))}},
                "static_limits",
            ),
            ("tenant", "tenants", {"client_ip_ranges": [["10.12.0.1", "10.13.255.200"]]}, "client_ip_ranges"),
        ):
            for row in self.plant.rows(site, "vast", collection):
                path = f"/api/v5/{collection}/{row['id']}/"
                yield kind, str(row["id"]), "PATCH", "vast", path, body, field
                if kind in ("quota", "qos_policy"):
                    yield kind, str(row["id"]), "DELETE", "vast", path, None, "*"
        for row in self.plant.rows(site, "kubernetes", "namespaces"):
            path = f"/api/v1/namespaces/{row['metadata']['name']}"
            label = {"metadata": {"labels": {"team": chance.choice("vw")}}}
            yield "namespace", row["metadata"]["uid"], "PATCH", "kubernetes", path, label, "labels"
        for row in self.plant.rows(site, "kubernetes", "storageclasses.storage.k8s.io"):
            path = f"/apis/storage.k8s.io/v1/storageclasses/{row['metadata']['name']}"
            yield "storage_class", row["metadata"]["uid"], "DELETE", "kubernetes", path, None, "*"
            growth = {"allowVolumeExpansion": chance.random() < 0.5}
            yield "storage_class", row["metadata"]["uid"], "PATCH", "kubernetes", path, growth, "allow_volume_expansion"
        group = "admissionregistration.k8s.io"
        for row in self.plant.rows(site, "kubernetes", f"validatingadmissionpolicybindings.{group}"):
            path = f"/apis/{group}/v1/validatingadmissionpolicybindings/{row['metadata']['name']}"
            yield "admission_binding", row["metadata"]["uid"], "DELETE", "kubernetes", path, None, "*"
