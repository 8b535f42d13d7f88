"""Brownfields: what people made over years with requests of their own. Nothing here knows our kinds, clients or documents.

A seed is a world. Every object is a POST as the vendors' documents have it (`bodies.py`), with what somebody meant and a few
fields at random; what a system refuses is tried again with fewer of those, and not made where it refuses even what was meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from tests.documented.facts import facts
from tests.histories.plant import READS, Plant
from tests.importing.bodies import Bodies
from vastplan.sim.wire import Request, Response

Json = dict[str, Any]
FILE, BLOCK, OTHERS = "csi.vastdata.com", "block.csi.vastdata.com", "ebs.csi.aws.com"
NAMES = (
    "nlp", "cv", "data", "scratch", "team-a", "Legacy Data", "on", "1e3", "~tilde", "- x", "a: b", "#5", "R&D", "Größe", "null",
    "<script>", "x" * 128, "007", "yes", "2024-01-01", "{a: b}", "'q'", "über.alles", "A.B_C-d", "0x1F", "1_000", ".inf", "@x",
    "!tag", "*ref", "&anchor", "%d", "back\\slash", "emoji 🚀", "nlp daily", "k=v", "shared", "default-2", "tenants", "=", "12:30",
)  # fmt: skip
KUBERNETES_NAMES = ("data", "nlp", "cv", "scratch", "on", "1e3", "007", "null", "web-data", "x" * 63, "models", "home")
PATHS = (
    "/nlp/data",
    "/nlp/home",
    "/legacy/Old Data",
    "/data",
    "/a/b/c",
    "/1e3",
    "/on",
    "/Größe",
    "/x: y",
    "/#5",
    "/cv",
    "/cv/models",
)
_PROTOCOLS: tuple[list[str], ...] = (
    ["NFS"],
    ["NFS", "NFS4"],
    ["NFS4"],
    ["SMB"],
    ["NFS", "SMB"],
    ["S3"],
    ["NFS", "S3"],
    [],
    ["BLOCK"],
    ["DATABASE", "S3"],
)


class Yard(Plant):
    """A plant that notes what vastplan asks of it, and can be cut off."""

    def __init__(self, folder: Path, sites: Iterable[str], versions: Mapping[str, str] | None = None) -> None:
        super().__init__(folder, sites, versions)
        self.calls: list[tuple[str, str, str]] = []
        """Method, host and path of each request of vastplan."""
        self.unplugged = False

    def answer(self, host: str, method: str, target: str, content: bytes, headers: Any) -> Response:
        """As a plant does."""
        assert not self.unplugged, f"{method} {host}{target}: nobody may be asked"
        self.calls.append((method, host, target))
        return super().answer(host, method, target, content, headers)

    def forget(self) -> None:
        """Note from now on."""
        self.calls.clear()

    def writes(self) -> list[tuple[str, str, str]]:
        """The requests that change something, without log-ins and questions."""
        harmless = ("/token", "/token/refresh", "selfsubjectaccessreviews")
        return [
            call
            for call in self.calls
            if call[0] not in READS and not call[2].partition("?")[0].rstrip("/").endswith(harmless)
        ]


class Brownfield:
    """Makes a world of `size` (1 is some dozens of objects) on the sites of a yard."""

    def __init__(self, yard: Yard, seed: int, size: int = 1) -> None:
        self.yard, self.chance, self.size = yard, Random(seed), size
        self.sites = sorted({site for site, _ in yard.planes})
        self.made: dict[str, int] = {}
        self.refused: list[str] = []
        self._bodies = {system: Bodies(facts(system), self.chance) for system in ("vast", "runai", "kubernetes")}
        for site in self.sites:
            self._storage(site)
        if len(self.sites) > 1:
            self._replication()
        for site in self.sites:
            self._scheduler(site)
            self._cluster(site)

    def call(
        self, site: str, system: str, method: str, path: str, body: Any = None, agent: str = "kubectl"
    ) -> Response:
        """One request of somebody, whose program may say what it is."""
        if system != "kubernetes" or agent == "kubectl":
            return self.yard.by_hand(site, system, method, path, body)
        headers = {"content-type": "application/json", "authorization": "Bearer k", "user-agent": agent}
        request = Request(method, path, {}, headers, json.dumps(body).encode(), f"https://{site}.{system}.sim")
        return self.yard.planes[site, system].handle(request)

    def _make(
        self, site: str, system: str, path: str, meant: Json, *, template: str = "", most: int = 4
    ) -> Json | None:
        """What was made, `None` where the system does not want it."""
        extra = self._bodies[system].optional(template, meant, most) if template else {}
        while True:
            response = self.call(site, system, "POST", path, {**meant, **extra})
            if response.status < 400:
                self.made[path.rstrip("/").rpartition("/")[2]] = (
                    self.made.get(path.rstrip("/").rpartition("/")[2], 0) + 1
                )
                body: Json = response.body if isinstance(response.body, dict) else {}
                return body
            self.refused.append(f"{path} {json.dumps({**meant, **extra}, ensure_ascii=False)}: {response.body}")
            if not extra:
                return None
            extra = dict(list(extra.items())[: len(extra) // 2])

    def _vast(self, site: str, collection: str, meant: Json, most: int = 4) -> Json | None:
        return self._make(site, "vast", f"/api/v5/{collection}/", meant, template=f"/{collection}/", most=most)

    def _names(self, least: int, most: int) -> list[str]:
        return self.chance.sample(NAMES, min(len(NAMES), self.chance.randint(least, most) * self.size))

    def _maybe(self, share: float = 0.5) -> bool:
        return self.chance.random() < share

    def _rows(self, site: str, collection: str) -> list[Json]:
        return self.yard.rows(site, "vast", collection)

    # The storage of a site.

    def _storage(self, site: str) -> None:
        chance, site_number = self.chance, self.sites.index(site)
        for name in dict.fromkeys([*(("nlp",) if self._maybe(0.7) else ()), *self._names(0, 2)]):
            self._vast(site, "tenants", {"name": name})
        tenants = [row for row in self._rows(site, "tenants") if row["name"] != "default" or self._maybe(0.3)]
        for number, tenant in enumerate(tenants):
            of = {"tenant_id": tenant["id"]}
            for name in (tenant["name"], *self._names(0, 1))[: chance.randint(0, 2)]:
                ranges = [
                    [
                        f"10.{40 + site_number}.{number}.{chance.randint(1, 99)}",
                        f"10.{40 + site_number}.{number}.{chance.randint(100, 250)}",
                    ]
                ]
                meant = {
                    "name": name[:40],
                    "subnet_cidr": chance.choice((16, 24)),
                    "ip_ranges": ranges,
                    "role": "PROTOCOLS",
                }
                self._vast(site, "vippools", {**meant, **(of if self._maybe(0.8) else {})})
            for name in (f"{tenant['name'][:40]}-policy", *self._names(0, 2))[: chance.randint(0, 3)]:
                flavor = chance.choice(("NFS", "NFS", "SMB", "MIXED_LAST_WINS", "S3_NATIVE"))
                self._vast(site, "viewpolicies", {"name": name, "flavor": flavor, **of}, most=6)
            for name in self._names(0, 2):
                limits = {
                    chance.choice(("max_reads_bw_mbps", "max_writes_bw_mbps", "max_reads_iops")): chance.choice(
                        (100, 4000, 10000)
                    )
                }
                meant = {"name": name, "policy_type": chance.choice(("VIEW", "VIEW", "USER")), "static_limits": limits}
                self._vast(site, "qospolicies", {**meant, **of} if self._maybe(0.8) else meant)
            self._views(site, tenant)
        for name in self._names(0, 2):
            frames = [
                {"every": chance.choice(("1h", "1d", "4h", "1W")), "start-at": "2026-11-22 00:00:00", "keep-local": chance.choice(("24h", "14d", "2w", "1M"))}
            ]  # fmt: skip
            meant = {
                "name": name,
                "clone_type": "LOCAL",
                "frames": frames,
                "prefix": chance.choice((name[:20], "snap")),
            }
            self._vast(site, "protectionpolicies", meant, most=2)
        self._protect(site)

    def _views(self, site: str, tenant: Json) -> None:
        chance = self.chance
        policies = [row for row in self._rows(site, "viewpolicies") if row["tenant_id"] == tenant["id"]]
        policies += [row for row in self._rows(site, "viewpolicies") if row["name"] == "default"]
        limits = [
            row
            for row in self._rows(site, "qospolicies")
            if row["policy_type"] == "VIEW" and row["tenant_id"] in (None, tenant["id"])
        ]
        for path in chance.sample(PATHS, chance.randint(0, 4)):
            protocols = chance.choice(_PROTOCOLS)
            meant: Json = {
                "path": path, "policy_id": chance.choice(policies)["id"], "create_dir": True, "tenant_id": tenant["id"],
                "protocols": protocols,
            }  # fmt: skip
            if "SMB" in protocols:
                meant["share"] = f"{path.strip('/').replace('/', '-')}$"[-30:]
            if {"S3", "DATABASE"} & set(protocols):
                meant |= {
                    "bucket": f"bucket-{chance.randint(1, 10**6)}",
                    "bucket_owner": "svc",
                    "bucket_owner_type": "ROLE",
                }
            if "BLOCK" in protocols:
                meant["name"] = f"subsystem-{chance.randint(1, 10**6)}"
            if limits and self._maybe(0.4):
                meant["qos_policy_id"] = chance.choice(limits)["id"]
            self._vast(site, "views", meant)
            if self._maybe(0.7):
                name = chance.choice((path.strip("/").replace("/", "-"), tenant["name"], "quota <b>x</b>", "a: b"))
                directory = path if self._maybe(0.8) else path.rpartition("/")[0] or path
                meant = {"name": name, "path": directory, "tenant_id": tenant["id"], "create_dir": True}
                self._vast(site, "quotas", {**meant, "hard_limit": chance.choice((2**40, 50 * 2**40, 10**12 + 7))})

    def _protect(self, site: str) -> None:
        schedules = [row for row in self._rows(site, "protectionpolicies") if row["clone_type"] == "LOCAL"]
        for view in self._rows(site, "views"):
            if schedules and view["path"] != "/" and self._maybe(0.4):
                schedule = self.chance.choice(schedules)
                source = view["path"] if self._maybe(0.8) else view["path"].rpartition("/")[0] or view["path"]
                meant = {
                    "name": self.chance.choice((source.strip("/").replace("/", "-"), "protected")), "source_dir": source,
                    "target_exported_dir": source, "tenant_id": view["tenant_id"],
                    "protection_policy_id": str(schedule["id"]), "capabilities": "ASYNC_REPLICATION",
                }  # fmt: skip
                self._make(site, "vast", "/api/v5/protectedpaths/", meant)

    def _replication(self) -> None:
        first, second, pools = self.sites[0], self.sites[1], {}
        for number, site in enumerate((first, second)):
            ranges = [[f"10.90.{number}.10", f"10.90.{number}.17"]]
            pools[site] = self._vast(
                site,
                "vippools",
                {"name": "replication", "role": "REPLICATION", "subnet_cidr": 24, "ip_ranges": ranges},
                most=0,
            )
        here, there = pools[first], pools[second]
        if here is None or there is None:
            return
        meant = {"name": f"{first}-{second}", "pool_id": here["id"], "leading_vip": "10.90.1.10"}
        peer = self._make(first, "vast", "/api/v5/nativereplicationremotetargets/", meant)
        if peer is None:
            return
        for _ in range(3):  # a peer is there once it has been looked at
            self.call(first, "vast", "GET", f"/api/v5/nativereplicationremotetargets/{peer['id']}/")
            self.call(second, "vast", "GET", "/api/v5/nativereplicationremotetargets/")
        frames = [{"every": "1h", "start-at": "2026-11-22 00:00:00", "keep-local": "1d", "keep-remote": "7d"}]
        meant = {
            "name": "protected",
            "clone_type": "NATIVE_REPLICATION",
            "prefix": "protected",
            "frames": frames,
            "target_object_id": peer["id"],
        }
        schedule = self._make(first, "vast", "/api/v5/protectionpolicies/", meant)
        there_by_name = {row["name"]: row for row in self._rows(second, "tenants")}
        by_id = {row["id"]: row["name"] for row in self._rows(first, "tenants")}
        taken = {(row["tenant_id"], row["source_dir"]) for row in self._rows(first, "protectedpaths")}
        for view in self._rows(first, "views"):
            remote = there_by_name.get(by_id.get(view["tenant_id"], ""))
            place = view["tenant_id"], view["path"]
            if schedule and remote and view["path"] != "/" and place not in taken and self._maybe(0.6):
                meant = {
                    "name": f"to-{second}-{self.chance.randint(1, 10**6)}", "source_dir": view["path"], "target_exported_dir": view["path"],
                    "tenant_id": view["tenant_id"], "protection_policy_id": str(schedule["id"]),
                    "remote_tenant_guid": remote["guid"], "capabilities": "ASYNC_REPLICATION",
                }  # fmt: skip
                self._make(first, "vast", "/api/v5/protectedpaths/", meant)

    # The scheduler of a site.

    def _scheduler(self, site: str) -> None:
        chance, clusters = self.chance, self.call(site, "runai", "GET", "/api/v1/clusters").body
        cluster = clusters[0]["uuid"]
        pools = [row["id"] for row in self.yard.rows(site, "runai", "node-pool")]
        departments: list[str | None] = [None]
        for name in chance.sample(("research", "on", "growth"), chance.randint(0, 2)):
            meant = {"name": name, "clusterId": cluster, "resources": self._shares(pools)}
            made = self._make(site, "runai", "/api/v1/org-unit/departments", meant)
            departments += [made["id"]] if made else []
        for name in chance.sample(("nlp", "cv", "1e3", "team-a", "null", "data"), chance.randint(1, 3)):
            meant = {"name": name, "clusterId": cluster, "resources": self._shares(pools)}
            parent = chance.choice(departments)
            meant |= {"parentId": parent} if parent else {}
            meant |= {"description": "what: ever"} if self._maybe(0.2) else {}
            meant |= {"requestedNamespace": f"ns-{name}"} if self._maybe(0.2) else {}
            meant |= {"enforceRunaiScheduler": self._maybe()} if self._maybe(0.3) else {}
            meant |= {"schedulingRules": {"trainingJobTimeLimitSeconds": 3600}} if self._maybe(0.2) else {}
            self._make(site, "runai", "/api/v1/org-unit/projects", meant)
        for _ in range(3):  # a project has its namespace once it has been looked at
            projects = self.call(site, "runai", "GET", "/api/v1/org-unit/projects").body["projects"]
        roles = self.call(site, "runai", "GET", "/api/v1/authorization/roles").body
        scopes = [("project", one["id"]) for one in projects] + [("department", one) for one in departments if one]
        for scope, key in scopes:
            for _ in range(chance.randint(0, 2)):
                type_, subject = chance.choice(
                    (
                        ("user", "ana@example.com"),
                        ("user", "ana"),
                        ("group", "grp-nlp"),
                        ("group", "g@x"),
                        ("app", "svc"),
                        ("user", "1e3"),
                    )
                )
                meant = {
                    "subjectId": subject, "subjectType": type_, "roleId": chance.choice(roles)["id"], "scopeType": scope,
                    "scopeId": str(key), "clusterId": cluster,
                }  # fmt: skip
                self._make(site, "runai", "/api/v1/authorization/access-rules", meant)
        if self._maybe(0.3):
            meant = {
                "subjectId": "root@example.com",
                "subjectType": "user",
                "roleId": roles[0]["id"],
                "scopeType": "cluster",
            }
            self._make(
                site, "runai", "/api/v1/authorization/access-rules", {**meant, "scopeId": cluster, "clusterId": cluster}
            )

    def _shares(self, pools: list[str]) -> list[Json]:
        shares = []
        for pool in pools:
            gpu: Json = {"deserved": self.chance.choice((0, 4, 64, 0.5)), "limit": self.chance.choice((-1, -1, 100))}
            gpu["overQuotaWeight"] = self.chance.choice((2, 2, 0, 1, 3))
            share: Json = {"nodePool": {"id": pool}, "gpu": gpu}
            if self._maybe(0.2):
                share["cpu"] = {"deserved": 4000, "limit": -1, "overQuotaWeight": 1}
            if self._maybe(0.2):
                share["memory"] = {"deserved": 100, "limit": -1, "overQuotaWeight": 1, "units": "GB"}
            shares.append(share)
        return shares

    # The cluster of a site.

    def _kube(self, site: str, path: str, body: Json, agent: str = "kubectl") -> Json | None:
        response = self.call(site, "kubernetes", "POST", path, body, agent)
        kind = path.rpartition("/")[2]
        if response.status < 400:
            self.made[kind] = self.made.get(kind, 0) + 1
            made: Json = response.body
            return made
        self.refused.append(f"{path} {json.dumps(body, ensure_ascii=False)}: {response.body}")
        return None

    def _cluster(self, site: str) -> None:
        chance = self.chance
        spaces = [
            name for name in ("monitoring", "nlp-apps", "legacy", "vast-csi") if self._maybe(0.6) or name == "vast-csi"
        ]
        for name in spaces:
            self._kube(
                site, "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            )
        for name in ("vast-mgmt", "other"):
            secret = {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": name},
                "stringData": {"password": "canary"},
            }
            if self._maybe(0.85):
                self._kube(site, "/api/v1/namespaces/vast-csi/secrets", secret)
        classes = [
            name
            for name in chance.sample(KUBERNETES_NAMES, chance.randint(0, 3) * self.size)
            if self._class(site, name)
        ]
        spaces += [
            row["metadata"]["name"]
            for row in self.yard.rows(site, "kubernetes", "namespaces")
            if row["metadata"]["name"].startswith(("runai-", "ns-"))
        ]
        for space in spaces:
            for name in chance.sample(KUBERNETES_NAMES, chance.randint(0, 2)):
                if classes and self._maybe(0.7):
                    self._claim(site, space, name, chance.choice(classes))
                else:
                    self._static(site, space, name)
        self._sources(site)

    def _class(self, site: str, name: str) -> bool:
        chance = self.chance
        policies = [row["name"] for row in self._rows(site, "viewpolicies")]
        pools = [row["name"] for row in self._rows(site, "vippools") if row["role"] == "PROTOCOLS"]
        parameters: dict[str, str] = {}
        driver = chance.choice((FILE, FILE, FILE, BLOCK, OTHERS))
        if driver == FILE:
            parameters = {
                "root_export": chance.choice(("/k8s", "/nlp/k8s", "/")),
                "view_policy": chance.choice(policies),
            }
            parameters |= (
                {"vip_pool_name": chance.choice(pools)}
                if pools and self._maybe(0.8)
                else {"vip_pool_fqdn": "vip.example.com"}
            )
            parameters |= {"lb_strategy": "random"} if self._maybe(0.2) else {}
        elif driver == BLOCK:
            subsystems = [row["name"] for row in self._rows(site, "views") if "BLOCK" in row["protocols"]] or ["block"]
            parameters = {"subsystem": chance.choice(subsystems), "fsType": "ext4"} | (
                {"vip_pool_name": chance.choice(pools)} if pools else {}
            )
        else:
            parameters = {"type": "gp3"}
        parameters |= {"volume_name_fmt": "csi:{namespace}:{name}:{id}"} if self._maybe(0.2) else {}
        parameters |= {"made-up/by-hand": "on"} if self._maybe(0.2) else {}
        alike = chance.choice(("vast-mgmt", "vast-mgmt", "", "other", "each"))
        for purpose in ("provisioner", "controller-publish", "node-publish", "controller-expand"):
            secret = chance.choice(("vast-mgmt", "other", "")) if alike == "each" else alike
            if secret:
                parameters[f"csi.storage.k8s.io/{purpose}-secret-name"] = secret
                parameters[f"csi.storage.k8s.io/{purpose}-secret-namespace"] = "vast-csi"
        default = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}} if self._maybe(0.2) else {}
        body: Json = {
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name, **default}, "provisioner": driver,
            "parameters": parameters,
        }  # fmt: skip
        body |= {"allowVolumeExpansion": self._maybe()} if self._maybe() else {}
        body |= {"reclaimPolicy": chance.choice(("Delete", "Retain"))} if self._maybe() else {}
        body |= {"volumeBindingMode": chance.choice(("Immediate", "WaitForFirstConsumer"))} if self._maybe(0.3) else {}
        body |= {"mountOptions": ["nconnect=8", "vers=4.1"]} if self._maybe(0.3) else {}
        return self._kube(site, "/apis/storage.k8s.io/v1/storageclasses", body) is not None

    def _claim(self, site: str, space: str, name: str, class_: str) -> None:
        """A claim of a class; now and then one that a StatefulSet made."""
        of_set = self._maybe(0.2)
        spec = {
            "accessModes": [self.chance.choice(("ReadWriteMany", "ReadWriteOnce"))], "storageClassName": class_,
            "resources": {"requests": {"storage": self.chance.choice(("1Ti", "50Gi", "1500G", "1"))}},
        }  # fmt: skip
        body = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": f"{name}-web-0"[-63:] if of_set else name},
            "spec": spec,
        }
        path = f"/api/v1/namespaces/{space}/persistentvolumeclaims"
        self._kube(site, path, body, "kube-controller-manager/v1.34.0" if of_set else "kubectl")
        for _ in range(2):
            self.call(site, "kubernetes", "GET", f"{path}/{body['metadata']['name']}")  # type: ignore[index]

    def _static(self, site: str, space: str, name: str) -> None:
        """A volume of a directory that is there, by hand, and a claim that it is for; most often of the pool and size that fit."""
        chance = self.chance
        pools = [row for row in self._rows(site, "vippools") if row["role"] == "PROTOCOLS"]
        directories = [row for row in self._rows(site, "views") if row["path"] != "/"]
        if not pools or not directories:
            return
        view = chance.choice(directories)
        path = view["path"]
        fitting = [row for row in pools if row["tenant_id"] == view["tenant_id"]] if self._maybe(0.8) else []
        quotas = [
            row for row in self._rows(site, "quotas") if (row["path"], row["tenant_id"]) == (path, view["tenant_id"])
        ]
        if not quotas:
            meant = {"name": name, "path": path, "tenant_id": view["tenant_id"], "hard_limit": 2**40}
            quotas = [made for made in [self._make(site, "vast", "/api/v5/quotas/", meant)] if made]
        size = next((str(row["hard_limit"]) for row in quotas if self._maybe(0.8)), "1Ti")
        attributes = {"vip_pool_name": chance.choice(fitting or pools)["name"]}
        if self._maybe(0.9):
            attributes |= {"static_pv_create_views": "no", "static_pv_create_quotas": "no"}
        secret = {"name": "vast-mgmt", "namespace": "vast-csi"}
        volume = f"{space.removeprefix('runai-')}-{name}" if self._maybe(0.7) else f"pv-{chance.randint(1, 9999)}"
        spec = {
            "capacity": {"storage": size}, "accessModes": ["ReadWriteMany"], "persistentVolumeReclaimPolicy": "Retain",
            "volumeMode": "Filesystem", "claimRef": {"namespace": space, "name": name},
            "csi": {
                "driver": FILE, "volumeHandle": path, "volumeAttributes": attributes,
                **({"nodePublishSecretRef": secret, "controllerPublishSecretRef": secret} if self._maybe(0.7) else {}),
            },
        }  # fmt: skip
        body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume}, "spec": spec}
        if self._kube(site, "/api/v1/persistentvolumes", body) is None:
            return
        wanted = {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": volume,
            "resources": {"requests": {"storage": size}},
        }
        body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": wanted}
        claims = f"/api/v1/namespaces/{space}/persistentvolumeclaims"
        self._kube(site, claims, body)
        for _ in range(2):
            self.call(site, "kubernetes", "GET", f"{claims}/{name}")

    def _sources(self, site: str) -> None:
        """Data sources of projects, on claims that are there."""
        cluster = self.call(site, "runai", "GET", "/api/v1/clusters").body[0]["uuid"]
        projects = {row["namespace"]: row for row in self.yard.rows(site, "runai", "project") if row.get("namespace")}
        for claim in self.yard.rows(site, "kubernetes", "persistentvolumeclaims"):
            project = projects.get(claim["metadata"]["namespace"])
            if project is None or self._maybe(0.4):
                continue
            name = claim["metadata"]["name"]
            meta = {
                "name": self.chance.choice((name, f"{name[:50]}-source")),
                "scope": "project",
                "projectId": int(project["id"]),
                "clusterId": cluster,
            }
            meta |= {"description": "- x: [a"} if self._maybe(0.2) else {}
            spec = {
                "claimName": name,
                "existingPvc": True,
                "path": self.chance.choice(("/data", f"/{name}")),
                "readOnly": self._maybe(0.2),
            }
            self._make(site, "runai", "/api/v1/asset/datasource/pvc", {"meta": meta, "spec": spec})
