"""VAST, Run:AI and Kubernetes: how each lets us in, what probes need to know of it, and where our objects are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from kubernetes import client, config

from tests.contract import PREFIX
from tests.contract.scrub import Scrubber
from tests.contract.target import Leftover, Target

PEERS = "nativereplicationremotetargets"
OBJECT = re.compile(r"/api/v5/protectedpaths/\d+/")


class Vast(Target):
    """A VMS."""

    name = "vast"
    log_ins = ("/api/v5/token/", "/api/v5/token/refresh/")
    collections = (
        "globalsnapstreams", "protectedpaths", "protectionpolicies", "snapshots", "quotas", "volumes", "views", "s3policies", "users",
        "groups", "viewpolicies", "qospolicies", "nativereplicationremotetargets", "vippools", "roles", "realms", "tenants", "localproviders",
    )  # fmt: skip

    def __init__(
        self, url: str, *, user: str = "", password: str = "", token: str = "", ca: str | bool = True, name: str = "vast"
    ) -> None:  # fmt: skip
        super().__init__(url, ca)
        self.name = name
        self._user, self._password, self._token = user, password, token
        self.scrubber = Scrubber([password, token], [urlsplit(url).netloc])
        if user and password:
            self.abilities.add("password")

    def log_in(self) -> str:
        if self._token:
            return f"Api-Token {self._token}"
        body = {"username": self._user, "password": self._password}
        response = self.session.post(f"{self.url}/api/v5/token/", json=body, timeout=60)
        if response.status_code != 200:
            raise ConnectionError(f"VAST: the log-in was answered {response.status_code}")
        return f"Bearer {response.json()['access']}"

    def look_around(self) -> dict[str, Any]:
        answer = self.send("GET", "/api/v5/tenants/", query={"page_size": "1"})
        if answer.status != 200:
            raise ConnectionError(f"VAST: GET /tenants/ was answered {answer.status}")
        known = {"user": self._user, "password": self._password, "v": "/api/v5"}
        if not self.peer:
            return known
        rows = self.send("GET", f"/api/v5/{PEERS}/", query={"name": self.peer}).body
        peer = next((row for row in rows if row["name"] == self.peer), None)
        if peer is None or peer["state"] != "CONNECTED":
            raise ConnectionError(f"VAST: the replication peer {self.peer} is {peer['state'] if peer else 'not there'}")
        self.abilities.add("peer")
        return {**known, "peer": {"id": peer["id"], "guid": peer["guid"]}}

    def _check_ours(self, method: str, path: str, body: Any, data: Any) -> None:
        """Also ours is what the other cluster made here: it is read first, and its name tells."""
        found = OBJECT.match(path)
        if method in ("PATCH", "DELETE") and found and PREFIX not in path and found[0] not in self._made:
            row = self.send("GET", found[0]).body
            if isinstance(row, dict) and str(row.get("name", "")).startswith(PREFIX):
                return
        super()._check_ours(method, path, body, data)

    def made(self, path: str, body: Any) -> str | None:
        if isinstance(body, dict) and "id" in body and path.rstrip("/").split("/")[-1] in self.collections:
            return f"{path.rstrip('/')}/{body['id']}/"
        return None

    def leftovers(self, prefix: str) -> Iterator[Leftover]:
        for name in self.collections:
            for row in self._rows(name):
                called = [str(row.get(key) or "") for key in ("name", "path", "source_dir")]
                if any(one.lstrip("/").startswith(prefix) for one in called):
                    yield Leftover(f"{name} {called[0] or called[1]}", f"/api/v5/{name}/{row['id']}/")

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        page = 1
        while True:
            answer = self.send("GET", f"/api/v5/{name}/", query={"page_size": "500", "page": str(page)})
            # A version that has no such collection has none of our objects in it either.
            if answer.status != 200:
                return
            rows = answer.body if isinstance(answer.body, list) else answer.body["results"]
            yield from rows
            if isinstance(answer.body, list) or not answer.body.get("next"):
                return
            page += 1


class Runai(Target):
    """A Run:AI control plane, and one cluster of it."""

    name = "runai"
    log_ins = ("/api/v1/token", "/api/v2/token")
    units = (("projects", "projects"), ("departments", "departments"))

    def __init__(
        self, url: str, *, cluster: str, client_id: str, client_secret: str, storage_class: str = "",
        ca: str | bool = True,
    ) -> None:  # fmt: skip
        super().__init__(url, ca)
        self._class = storage_class
        if storage_class:
            self.abilities.add("storage class")
        self._cluster, self._id, self._secret = cluster, client_id, client_secret
        self.scrubber = Scrubber([client_secret], [urlsplit(url).netloc])

    def log_in(self) -> str:
        body = {"grantType": "client_credentials", "clientId": self._id, "clientSecret": self._secret}
        response = self.session.post(f"{self.url}/api/v1/token", json=body, timeout=60)
        if response.status_code != 200:
            raise ConnectionError(f"Run:AI: the log-in was answered {response.status_code}")
        return f"Bearer {response.json()['accessToken']}"

    def look_around(self) -> dict[str, Any]:
        rows = self.send("GET", "/api/v1/clusters").body
        cluster = next((row for row in rows if self._cluster in (row["name"], row["uuid"])), None)
        if cluster is None:
            names = ", ".join(row["name"] for row in rows)
            raise ConnectionError(f"Run:AI: there is no cluster {self._cluster}; there are: {names}")
        query = {"filterBy": f"clusterId=={cluster['uuid']}"}
        pools = self.send("GET", "/api/v1/node-pools", query=query).body["nodepools"]
        default = next(pool for pool in pools if pool.get("isDefault") or pool["name"] == "default")
        if len(pools) > 1:
            self.abilities.add("two pools")
        # Known by what came with a version: a cluster's own may be another than the control plane's.
        if self.send("GET", "/api/v1/org-unit/priorities").status == 200:
            self.abilities.add("2.21")
        if self.send("GET", "/api/v1/storage-class-configuration").status == 200:
            self.abilities.add("2.24")
        if self.send("GET", "/api/v1/datavolumes", query={"requestType": "Originated"}).status == 200:
            self.abilities.add("data volumes")
        if self.send("GET", "/api/v1/datavolumes/count", query={"requestType": "Originated"}).status == 200:
            self.abilities.add("2.22")
        return {
            "cluster": cluster["uuid"], "pool": default["id"], "pools": [pool["id"] for pool in pools],
            "entries": [{"nodePool": {"id": pool["id"]}} for pool in pools],
            "role": self._role(), "class": self._class, "client_id": self._id, "client_secret": self._secret,
            "quota": [{"nodePool": {"id": pool["id"]}, "gpu": {"deserved": 0}} for pool in pools],
            "projects": "/api/v1/org-unit/projects", "departments": "/api/v1/org-unit/departments",
            "assets": "/api/v1/asset/datasource", "rules": "/api/v1/authorization/access-rules", "volumes": "/api/v1/datavolumes",
        }  # fmt: skip

    def _check_ours(self, method: str, path: str, body: Any, data: Any) -> None:
        meta = body.get("meta") if isinstance(body, dict) else None
        project = meta.get("projectId") if isinstance(meta, dict) else None
        if (
            method == "PUT"
            and path.startswith("/api/v2/policy/")
            and f"{self.known['projects']}/{project}" in self._made
        ):
            return  # it has no path of its own, and goes with the project
        super()._check_ours(method, path, body, data)

    def made(self, path: str, body: Any) -> str | None:
        if path in self.log_ins or not isinstance(body, dict):
            return None
        found = body.get("id") or (body.get("meta") or {}).get("id")
        return f"{path}/{found}" if found else None

    def _role(self) -> int:
        # The one with the least to say, in case a subject of the same name is ever made.
        roles = self.send("GET", "/api/v1/authorization/roles").body
        return int(next((row for row in roles if row["name"] == "L1 researcher"), roles[0])["id"])

    def leftovers(self, prefix: str) -> Iterator[Leftover]:
        for row in self._configurations():
            if row["name"].startswith(prefix):
                path = f"/api/v1/storage-class-configuration/{row['id']}"
                yield Leftover(f"storage class configuration {row['name']}", path)
        for row in self.send("GET", "/api/v1/asset/datasource").body.get("entries", ()):
            meta = row["meta"]
            if meta["name"].startswith(prefix):
                kind = {"hostPath": "host-path", "secret-volume": "secrets"}.get(meta["kind"], meta["kind"])
                yield Leftover(f"data source {meta['name']}", f"/api/v1/asset/datasource/{kind}/{meta['id']}")
        for row in self._rows("/api/v1/authorization/access-rules", "accessRules"):
            if str(row.get("subjectId", "")).startswith(prefix):
                yield Leftover(f"access rule of {row['subjectId']}", f"/api/v1/authorization/access-rules/{row['id']}")
        for row in self._rows("/api/v1/datavolumes", "datavolumes", requestType="Originated"):
            if row["name"].startswith(prefix):
                yield Leftover(f"data volume {row['name']}", f"/api/v1/datavolumes/{row['id']}")
        for collection, key in self.units:
            for row in self._rows(f"/api/v1/org-unit/{collection}", key):
                if row["name"].startswith(prefix):
                    yield Leftover(f"{collection} {row['name']}", f"/api/v1/org-unit/{collection}/{row['id']}")

    def _configurations(self) -> list[dict[str, Any]]:
        answer = self.send("GET", "/api/v1/storage-class-configuration")
        return list(answer.body["storageClassConfigurations"]) if answer.status == 200 else []

    def _rows(self, path: str, key: str, **query: str) -> Iterator[dict[str, Any]]:
        offset = 0
        while True:
            # Where a feature is off there are none of ours.
            rows = self.send("GET", path, query={"limit": "100", "offset": str(offset), **query}).body.get(key, [])
            yield from rows
            if len(rows) < 100:
                return
            offset += len(rows)


class Kubernetes(Target):
    """A cluster's API server, by one context of a kubeconfig."""

    name = "kubernetes"
    lifetime = 1e9  # the configuration renews what has to be renewed
    collections = (
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
        "/api/v1/namespaces",
        "/api/v1/persistentvolumes",
        "/apis/storage.k8s.io/v1/storageclasses",
    )

    def __init__(self, kubeconfig: str, context: str | None = None, storage_class: str = "") -> None:
        loaded = client.Configuration()
        try:
            config.load_kube_config(kubeconfig, context, client_configuration=loaded)  # type: ignore[no-untyped-call]
        except config.ConfigException as problem:
            raise ValueError(f"Kubernetes: {problem}") from problem
        super().__init__(loaded.host, loaded.ssl_ca_cert or True)
        if not loaded.verify_ssl:
            self.session.verify = False
        if loaded.cert_file and loaded.key_file:
            self.session.cert = (loaded.cert_file, loaded.key_file)
        self._loaded = loaded
        self._class = storage_class
        secret = self.log_in().partition(" ")[2]
        if secret and not loaded.cert_file:
            self.abilities.add("token")
        self.scrubber = Scrubber([secret], [urlsplit(loaded.host).netloc])
        if storage_class:
            self.abilities.add("storage class")

    def log_in(self) -> str:
        settings = self._loaded.auth_settings()
        return str(settings["BearerToken"]["value"]) if "BearerToken" in settings else ""

    def look_around(self) -> dict[str, Any]:
        answer = self.send("GET", "/api/v1/namespaces", query={"limit": "1"})
        if answer.status != 200:
            raise ConnectionError(f"Kubernetes: GET /api/v1/namespaces was answered {answer.status}")
        return {
            "class": self._class, "policies": self.collections[1], "bindings": self.collections[0],
            "namespaces": self.collections[2], "volumes": self.collections[3], "classes": self.collections[4],
        }  # fmt: skip

    def made(self, path: str, body: Any) -> str | None:
        # What is in a namespace goes with it, but its claims have volumes to let go first.
        if isinstance(body, dict) and body.get("kind") != "Status" and "metadata" in body:
            return f"{path}/{body['metadata']['name']}" if body["metadata"].get("name") else None
        return None

    def leftovers(self, prefix: str) -> Iterator[Leftover]:
        for path in self.collections:
            for item in self._items(path):
                name = item["metadata"]["name"]
                owner = (item.get("spec") or {}).get("claimRef") or {}
                # Run:AI makes namespaces for projects and leaves them when the projects go.
                ours = (prefix, f"runai-{prefix}")
                if name.startswith(ours) or str(owner.get("namespace", "")).startswith(ours):
                    yield Leftover(f"{path.rsplit('/', 1)[1]} {name}", f"{path}/{name}")

    def _items(self, path: str) -> Iterator[dict[str, Any]]:
        token = ""
        while True:
            body = self.send("GET", path, query={"limit": "500", **({"continue": token} if token else {})}).body
            yield from body.get("items", ())
            token = body["metadata"].get("continue", "")
            if not token:
                return
